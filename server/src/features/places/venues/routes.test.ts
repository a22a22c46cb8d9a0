import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { png } from '../../../../test/support/png.ts';
import { commandLine } from '../../../access/audit.ts';
import { polygonProblem } from './polygon.ts';

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const box = (left: number, top: number, right: number, bottom: number) => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];
const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };

for (const database of databases) {
  describe(`venues on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let venueId: object;
    beforeAll(async () => {
      app = await buildApp({ database });
      manager = await signInManager(app);
      venueId = pointer('Venue', await make('venues', { name: 'Museum', timeZone: 'Europe/Vienna' }));
    });
    afterAll(() => app.close());

    const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, manager.headers);
    const send = (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      app.send({ method, url: `/api/v2/${path}`, headers: manager.headers, ...(body ? { body } : {}) });
    const zoneOf = async (beacon: string) =>
      (await send('GET', `beacons/${beacon}`)).body.result.zoneId?.objectId as string | undefined;
    const post = (path: string, body: object) => ({ method: 'POST', url: `/api/v2/${path}`, body }) as const;

    test('a beacon is in the smallest zone around its location, whichever of them moves', async () => {
      const ground = await make('floors', { venueId, name: 'Ground floor', level: 0 });
      const upper = await make('floors', { venueId, name: 'Gallery', level: 1.5 });
      const zone = (floor: string, polygon: object) =>
        make('zones', { floorId: pointer('Floor', floor), name: 'Zone', kind: 'room', polygon });
      const room = await zone(ground, box(0, 0, 10, 10));
      const above = await zone(upper, box(0, 0, 10, 10));
      assert.deepEqual((await send('GET', `zones/${room}`)).body.result.venueId, venueId);
      const at = (location: object) => make('beacons', { ...hall, venueId, location });
      const beacon = await at({ x: 5, y: 5 });
      const gallery = await at({ x: 5, y: 5, floor: 'gallery' });
      assert.deepEqual(
        [await zoneOf(beacon), await zoneOf(gallery), await zoneOf(await at({ x: 5, y: 5, floor: 2 }))],
        [room, above, undefined],
      );
      const shop = await zone(ground, box(4, 4, 6, 6));
      assert.equal(await zoneOf(beacon), shop, 'drawn around it');
      await send('PUT', `beacons/${beacon}`, { location: { x: 9, y: 9, note: 'kept' } });
      assert.equal(await zoneOf(beacon), room, 'moved');
      await send('PUT', `beacons/${beacon}`, { location: { x: 9, y: 9 }, zoneId: pointer('Zone', shop) });
      assert.equal(await zoneOf(beacon), shop, 'as it was said');
      await send('PATCH', `zones/${shop}`, { polygon: box(3, 3, 6, 6) });
      assert.equal(await zoneOf(beacon), room, 'looked up again');
      await send('PUT', `floors/${upper}`, { level: 2 });
      assert.equal(await zoneOf(gallery), above, 'the floor has the same name');
      await send('DELETE', `zones/${room}`);
      assert.equal(await zoneOf(beacon), undefined);
      const other = pointer('Venue', await make('venues', { name: 'Annexe' }));
      await assertRefusals(app, manager.headers, [
        {
          rule: 'a zone of another venue',
          request: post('beacons', { ...hall, venueId: other, zoneId: pointer('Zone', shop) }),
          status: 400,
          code: 142,
          fields: ['zoneId'],
        },
        {
          rule: 'no venue',
          request: post('beacons', { ...hall, venueId: pointer('Venue', 'none') }),
          status: 404,
          code: 101,
        },
      ]);
    });

    test('a beacon on the top floor of a tower is in the zone there, whatever lies below', async () => {
      const tower = pointer('Venue', await make('venues', { name: 'Tower' }));
      const zones = [];
      for (let level = 0; level <= 51; level++) {
        const floorId = pointer('Floor', await make('floors', { venueId: tower, name: `Floor ${level}`, level }));
        zones.push(await make('zones', { floorId, name: 'Lift', kind: 'lift', polygon: box(0, 0, 3, 3) }));
      }
      const beacon = await make('beacons', { ...hall, venueId: tower, location: { x: 1, y: 1, floor: 51 } });
      assert.equal(await zoneOf(beacon), zones.at(-1));
    });

    test('what has something on it is not deleted, and says what', async () => {
      const venue = await make('venues', { name: 'Old wing' });
      const floor = await make('floors', { venueId: pointer('Venue', venue), name: 'Cellar', level: -1 });
      const polygon = box(0, 0, 1, 1);
      const zone = await make('zones', { floorId: pointer('Floor', floor), name: 'Z', kind: 'queue', polygon });
      const beacon = await make('beacons', {
        ...hall,
        venueId: pointer('Venue', venue),
        location: { x: 9, y: 9, floor: '-1' },
      });
      const refused = async (path: string) => {
        const { status, body } = await send('DELETE', path);
        return [status, body.error.error];
      };
      assert.deepEqual(await refused(`floors/${floor}`), [
        400,
        'On this floor there are still 1 zone and 1 beacon. Move or delete them first.',
      ]);
      assert.deepEqual(await refused(`venues/${venue}`), [
        400,
        'The venue still has 1 floor and 1 beacon. Move or delete them first.',
      ]);
      for (const path of [`zones/${zone}`, `beacons/${beacon}`, `floors/${floor}`, `venues/${venue}`])
        assert.equal((await send('DELETE', path)).status, 200, path);
    });

    test('refuses hours that overlap, days that are none, and zones that cross themselves', async () => {
      const venue = (body: object, fields: string[]) => ({
        rule: JSON.stringify(body),
        request: post('venues', { name: 'V', ...body }),
        status: 400,
        code: 142,
        fields,
      });
      const day = (dayName: string, from: string, until: string) => ({ dayName, from, until });
      const floor = await make('floors', { venueId, name: 'Roof', level: 9 });
      const zone = (polygon: object, fields = ['polygon']) => ({
        rule: JSON.stringify(polygon),
        request: post('zones', { floorId: pointer('Floor', floor), name: 'Z', kind: 'room', polygon }),
        status: 400,
        code: 142,
        fields,
      });
      const [a, b, c, d] = box(0, 0, 4, 4);
      const night = [day('Sat', '20:00', '03:00'), day('Sun', '02:00', '05:00')];
      await assertRefusals(app, manager.headers, [
        venue({ timeZone: 'Mars/Base' }, ['timeZone']),
        venue({ timeZone: '+02:00' }, ['timeZone']),
        venue({ openingHours: night }, ['openingHours']),
        venue({ openingHours: [day('Mon', '24:00', '03:00')] }, ['openingHours.0.from']),
        venue({ exceptions: [{ date: '2026-02-30', hours: [] }] }, ['exceptions.0.date']),
        venue({ exceptions: [{ date: '2026-02-03', hours: [day('', '10:00', '12:00'), day('', '11:00', '13:00')] }] }, [
          'exceptions.0.hours',
        ]),
        venue({ location: { latitude: 91, longitude: 0 } }, ['location.latitude']),
        zone([a, b]),
        zone([a, c, b, d]),
        zone([a, b, b, c]),
        zone([a, { x: 2, y: 0 }, b]),
        {
          rule: 'two floors at one level',
          request: post('floors', { venueId, name: 'Other roof', level: 9 }),
          status: 409,
          code: 137,
        },
      ]);
      assert.match(polygonProblem([a, c, b, d] as never) ?? '', /crosses itself: side 1 meets side 3/);
      const visitor = await signIn(app);
      const { status } = await app.send({ ...post('venues', { name: 'V' }), headers: visitor.headers });
      assert.equal(status, 403, 'only managers write');
    });

    test('a name is one line', async () => {
      const floorId = pointer('Floor', await make('floors', { venueId, name: 'Line', level: 60 }));
      const polygon = box(0, 0, 4, 4);
      const gateway = { name: 'a\rb', x: 0, y: 0 };
      const refused = (request: ReturnType<typeof post>, fields: string[]) => ({
        rule: JSON.stringify(request.body),
        request,
        status: 400,
        code: 142,
        fields,
      });
      await assertRefusals(app, manager.headers, [
        refused(post('venues', { name: 'North\nSouth' }), ['name']),
        refused(post('floors', { venueId, name: 'First\r\n', level: 61 }), ['name']),
        refused(post('floors', { venueId, name: 'First', level: 61, gateways: [gateway] }), ['gateways.0.name']),
        refused(post('zones', { floorId, name: 'Hall\u2028', kind: 'room', polygon }), ['name']),
      ]);
      const made = await make('zones', { floorId, name: 'Säle 1–3, “Café” 展示', kind: 'room', polygon });
      const { status } = await send('PUT', `zones/${made}`, { name: 'A\nB' });
      assert.equal(status, 400);
      assert.equal((await send('GET', `zones/${made}`)).body.result.name, 'Säle 1–3, “Café” 展示');
    });

    test('gateways have a name and a place on their floor', async () => {
      const hung = [
        { name: 'By the door', x: 1.5, y: 2 },
        { name: 'Stairs', x: -4, y: 0 },
      ];
      const floor = await make('floors', { venueId, name: 'Loft', level: 40, gateways: hung });
      const gateways = async () => (await send('GET', `floors/${floor}`)).body.result.gateways;
      assert.deepEqual(await gateways(), hung);
      const [door] = hung;
      for (const [sent, field] of [
        [[door, { ...door, x: 3 }], 'gateways.1.name'],
        [[{ ...door, x: 10_001 }], 'gateways.0.x'],
        [[{ ...door, name: '' }], 'gateways.0.name'],
        [Array.from({ length: 201 }, (_, n) => ({ ...door, name: `${n}` })), 'gateways'],
      ] as const) {
        const { status, body } = await send('PUT', `floors/${floor}`, { gateways: sent });
        assert.deepEqual([status, body.error.details?.[0]?.field], [400, field], JSON.stringify(body));
      }
      assert.deepEqual(await gateways(), hung);
      await send('PUT', `floors/${floor}`, { gateways: null });
      assert.equal(await gateways(), undefined);
    });

    test('a gateway names the secret key that it sends, whatever either is called, and each stays without the other', async () => {
      const { secretKeys, appId } = { secretKeys: app.app.secretKeys, appId: app.appId };
      const scopes = [{ resource: 'sightings', verbs: ['create'] }];
      const made = async (name: string) => (await secretKeys.create(appId, { name, scopes }, commandLine)).key.keyId;
      const [keyId, other] = [await made('Ceiling'), await made('Stairs')];
      const door = { name: 'Door', x: 1, y: 2, keyId };
      const floor = await make('floors', { venueId, name: 'Attic', level: 41, gateways: [door] });
      const gateways = async () => (await send('GET', `floors/${floor}`)).body.result.gateways;
      const put = async (sent: readonly object[] | null) => {
        const { status, body } = await send('PUT', `floors/${floor}`, { gateways: sent });
        return [status, body.error?.error];
      };
      assert.deepEqual(await gateways(), [door]);
      const renamed = { ...door, name: 'By the door' };
      assert.deepEqual(await put([renamed]), [200, undefined]);
      assert.deepEqual(await gateways(), [renamed], 'the tie is not by name');
      const stranger = { name: 'Stairs', x: 0, y: 0, keyId: 'nobody' };
      assert.deepEqual(await put([renamed, stranger]), [404, 'gateways.1.keyId: there is no secret key nobody.']);
      await secretKeys.revoke(appId, keyId, commandLine);
      const shared = [renamed, { name: 'Up', x: 3, y: 3, keyId: other }, { name: 'Down', x: 4, y: 4, keyId: other }];
      assert.deepEqual(await put(shared), [200, undefined], 'a revoked key stays, and two may share one');
      assert.deepEqual(await gateways(), shared);
      assert.deepEqual(await put(null), [200, undefined]);
      assert.deepEqual(
        (await secretKeys.list(appId)).map(({ name }) => name),
        ['Stairs'],
        'a key stays without its gateways',
      );
      const [status] = await put([renamed]);
      assert.equal(status, 404, 'what was untied is not tied to a revoked key again');
    });

    test('walls are lines of a floor, kept as they were drawn', async () => {
      const points = [
        { x: 0, y: 0 },
        { x: 4, y: 0 },
        { x: 4, y: 2.5 },
      ];
      const floor = await make('floors', { venueId, name: 'Studio', level: 30, walls: [{ points }] });
      const walls = async () => (await send('GET', `floors/${floor}`)).body.result.walls;
      assert.deepEqual(await walls(), [{ points }]);
      const [first = { x: 0, y: 0 }] = points;
      const long = Array.from({ length: 200 }, (_, x) => ({ x, y: 0 }));
      const refused = (sent: unknown, fields: string[]) => ({
        rule: fields.join(),
        request: { method: 'PUT' as const, url: `/api/v2/floors/${floor}`, body: { walls: sent } },
        status: 400,
        code: 142,
        fields,
      });
      await assertRefusals(app, manager.headers, [
        refused([{ points: [first] }], ['walls.0.points']),
        refused([{ points: [first, first] }], ['walls.0.points']),
        refused([{ points: [first, { x: 10_001, y: 0 }] }], ['walls.0.points.1.x']),
        refused(
          Array.from({ length: 26 }, () => ({ points: long })),
          ['walls'],
        ),
        refused(
          Array.from({ length: 1_001 }, () => ({ points })),
          ['walls'],
        ),
      ]);
      assert.deepEqual(await walls(), [{ points }]);
      await send('PUT', `floors/${floor}`, { walls: null });
      assert.equal(await walls(), undefined);
    });

    test('the plan of a floor is a picture of a bearable size', async () => {
      const upload = async (name: string, type: string, body: Buffer) => {
        const headers = { ...manager.headers, 'content-type': type };
        return (await app.send({ method: 'POST', url: `/api/v2/files/${name}`, headers, body })).body
          .objectId as string;
      };
      const picture = png(20, 10, () => [255, 255, 255]);
      const giant = Buffer.from(picture);
      giant.writeUInt32BE(20_000, 16);
      const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
      const plans: readonly [string, Buffer, RegExp | undefined][] = [
        ['image/png', picture, undefined],
        ['image/png', giant, /20000 × 10 pixels, and a plan may have 8000 × 8000/],
        ['image/png', drawing, /cannot be read as a picture/],
        ['image/jpeg', picture, /cannot be read as a picture/],
        ['image/svg+xml', drawing, /SVG drawing, which may run scripts/],
        ['application/pdf', Buffer.from('%PDF-1.4 broken'), /PDF document: save the page/],
        ['image/png', Buffer.concat([picture, Buffer.alloc(20 * 1024 * 1024)]), /too large: 21 MB/],
        ['image/png', png(10, 10, () => [0, 0, 0]), /has 10 × 10 pixels, not 20 × 10/],
      ];
      const floor = await make('floors', { venueId, name: 'Attic', level: 20 });
      for (const [type, body, problem] of plans) {
        const plan = { fileId: await upload('plan', type, body), width: 20, height: 10 };
        const answer = await send('PUT', `floors/${floor}`, { plan });
        assert.equal(answer.status, problem ? 400 : 200, JSON.stringify(answer.body));
        if (problem) assert.match(answer.body.error.error, problem);
      }
      const headers = { ...manager.headers, 'content-type': 'image/png' };
      const large = {
        method: 'POST',
        url: '/api/v2/files/plan',
        headers,
        body: Buffer.alloc(60 * 1024 * 1024),
      } as const;
      const { status, body } = await app.send(large);
      assert.deepEqual([status, body.error.error], [413, 'The file is larger than 26.2 MB.'], 'of 60 MB');
      assert.equal((await send('GET', `floors/${floor}`)).body.result.plan.width, 20);
      const none = { fileId: 'none', width: 20, height: 10 };
      assert.equal((await send('PUT', `floors/${floor}`, { plan: none })).status, 404);
    });
  });
}
