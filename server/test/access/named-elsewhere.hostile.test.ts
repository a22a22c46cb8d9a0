import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../src/access/audit.ts';
import { databases, type SentRequest } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { absent, said } from '../support/interface/everything.ts';
import { openSite, pointer, type Site, uuid } from '../support/site.ts';

/** What a write names in another venue is answered like what is not there, also to a secret key that may read nothing. */

const triangle = [
  { x: 0, y: 0 },
  { x: 5, y: 0 },
  { x: 5, y: 5 },
];

for (const database of databases) {
  describe(`what a secret key of one venue names, on ${database}`, () => {
    let site: Site;
    let north: Readonly<Record<'venue' | 'floor' | 'zone' | 'beacon' | 'notification', string>>;
    let south: typeof north;
    let keys = 0;
    let level = 7;

    const half = async (name: string, minor: number) => {
      const make = (path: string, body: object) => create(site.app, `/api/v2/${path}`, body, site.user.headers);
      const venue = await make('venues', { name });
      const venueId = pointer('Venue', venue);
      const floor = await make('floors', { name, level: 0, venueId });
      const zone = await make('zones', { name, kind: 'room', floorId: pointer('Floor', floor), polygon: triangle });
      const beacon = await site.beacon({ name, minor, venueId });
      const notification = await site.notification({ beaconId: pointer('Beacon', beacon) });
      return { venue, floor, zone, beacon, notification };
    };
    const keyWith = async (scopes: readonly object[]) => {
      const { secretKey } = await site.app.app.secretKeys.create(
        site.app.appId,
        { name: `Key ${++keys}`, scopes },
        commandLine,
      );
      return (method: SentRequest['method'], url: string, body: object) =>
        site.app.send({ method, url: `/api/v2/${url}`, headers: { 'x-service-appkey': secretKey }, body });
    };

    beforeAll(async () => {
      site = await openSite(database);
      north = await half('North', 21);
      south = await half('South', 22);
    });
    afterAll(() => site.close());

    const message = { type: 'TEXT', message: { alertTitle: 'a', alertMessage: 'b' }, event: 'ENTER', isEnabled: true };
    const beacon = { name: 'New', uuid, major: 7, minor: 7 };
    const writes: readonly (readonly [
      string,
      string,
      keyof typeof north,
      (id: string) => object,
      keyof typeof north,
    ])[] = [
      ['beacons', 'venueId', 'venue', (id) => ({ ...beacon, venueId: pointer('Venue', id) }), 'beacon'],
      [
        'beacons',
        'zoneId',
        'zone',
        (id) => ({ ...beacon, venueId: pointer('Venue', north.venue), zoneId: pointer('Zone', id) }),
        'beacon',
      ],
      ['floors', 'venueId', 'venue', (id) => ({ name: 'x', level: ++level, venueId: pointer('Venue', id) }), 'floor'],
      [
        'zones',
        'floorId',
        'floor',
        (id) => ({ name: 'x', kind: 'room', polygon: triangle, floorId: pointer('Floor', id) }),
        'zone',
      ],
      [
        'notifications',
        'beaconId',
        'beacon',
        (id) => ({ ...message, description: 'x', beaconId: pointer('Beacon', id) }),
        'notification',
      ],
      ...(['beacon', 'zone', 'venue'] as const).map(
        (kind) =>
          [
            'notifications',
            `goal.${kind}Id`,
            kind,
            (id: string) => ({
              ...message,
              description: 'x',
              beaconId: pointer('Beacon', north.beacon),
              goal: { kind: 'visit', [`${kind}Id`]: id, withinHours: 1 },
            }),
            'notification',
          ] as const,
      ),
    ];
    for (const [resource, member, kind, bodyWith, record] of writes)
      test(`is hidden elsewhere and found at home: ${member} of ${resource}`, async () => {
        const ask = await keyWith([{ resource, verbs: ['create', 'update'], venues: [north.venue] }]);
        for (const [method, url] of [
          ['POST', resource],
          ['PUT', `${resource}/${north[record]}`],
          ['PATCH', `${resource}/${north[record]}`],
        ] as const) {
          const [hidden, unknown] = [
            await ask(method, url, bodyWith(south[kind])),
            await ask(method, url, bodyWith(absent)),
          ];
          assert.equal(said(hidden, south[kind]), said(unknown, absent), `${method} ${url}`);
          assert.ok(hidden.status === 404 || (resource === 'floors' && method !== 'POST'), `${method} ${hidden.raw}`);
          const own = await ask(method, url, bodyWith(north[kind]));
          assert.ok(own.status < 300, `${method} ${url} ${own.raw}`);
        }
      });

    test('is named as what it is to a key that may read it, and to one of the whole app', async () => {
      const reading = await keyWith([
        { resource: 'beacons', verbs: ['create'], venues: [north.venue] },
        { resource: 'venues', verbs: ['get'] },
      ]);
      const body = { ...beacon, venueId: pointer('Venue', south.venue) };
      assert.equal((await reading('POST', 'beacons', body)).status, 403);
      const whole = await keyWith([{ resource: 'beacons', verbs: ['create'] }]);
      assert.equal((await whole('POST', 'beacons', body)).status, 201);
    });
  });
}
