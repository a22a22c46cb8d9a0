import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  bothDatabases,
  buildApp,
  otherApp,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { sql } from '../../../base/sql.ts';

const url = '/api/v2/logs';
const beaconBody = { name: 'Hall', uuid: 'u', major: 1, minor: 1 };
const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

for (const database of bothDatabases) {
  describe(`logs on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let hall: string;
    let cafe: string;
    let phone: string;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signInManager(app);
      hall = await create(app, '/api/v2/beacons', beaconBody, user.headers);
      cafe = await create(app, '/api/v2/beacons', beaconBody, user.headers);
      phone = await create(app, '/api/v2/installations', { installationId: 'phone-1', deviceType: 'android' });
    });
    afterAll(() => app.close());

    const body = (change: object = {}) => ({
      event: 'ENTER',
      beaconId: pointer('Beacon', hall),
      moduleType: 'PRESENCE',
      ...change,
    });
    const write = (change: object = {}, headers: Record<string, string | undefined> = {}) =>
      app.send({ method: 'POST', url, body: body(change), headers });
    const list = async (
      query: Record<string, string | object> = {},
      headers: Readonly<Record<string, string>> = user.headers,
    ) => {
      const text = Object.entries(query).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      return app.send({ method: 'GET', url: `${url}?${new URLSearchParams(text as [string, string][])}`, headers });
    };
    const rows = async () =>
      (await app.storage.db.all(sql`select object_id from logs where app_id = ${app.appId}`)).length;

    test('writes a record that answers show without its kind, its own time and its own id', async () => {
      const sent = {
        installationId: pointer('_Installation', phone),
        occurredAt: '2026-01-02T03:04:05.678Z',
        eventId: 'first',
      };
      const answer = await write(sent);
      const now = new Date(app.clock.now).toISOString();
      assert.equal(answer.status, 201);
      assert.deepEqual(answer.body, { result: { createdAt: now, objectId: answer.body.result.objectId } });
      const { objectId } = answer.body.result;
      const { body: found } = await list({ where: { objectId } });
      assert.deepEqual(found, {
        results: [
          {
            objectId,
            beaconId: pointer('Beacon', hall),
            installationId: pointer('_Installation', phone),
            event: 'ENTER',
            createdAt: now,
            updatedAt: now,
          },
        ],
      });
      const row = await app.storage.db.one(
        sql`select occurred_at, event_id, module_type from logs where app_id = ${app.appId} and object_id = ${objectId}`,
      );
      assert.deepEqual(
        { ...row },
        { occurred_at: Date.parse(sent.occurredAt), event_id: 'first', module_type: 'PRESENCE' },
      );
    });

    test('without an installation and a time, the one is null and the other that of arrival', async () => {
      const { objectId } = (await write()).body.result;
      assert.equal((await list({ where: { objectId } })).body.results[0].installationId, null);
      const row = await app.storage.db.one<{ occurred_at: number }>(
        sql`select occurred_at from logs where app_id = ${app.appId} and object_id = ${objectId}`,
      );
      assert.equal(row?.occurred_at, app.clock.now);
    });

    test('never pushes: nothing but the record is written', async () => {
      await write({ eventId: 'silent' });
      assert.deepEqual(await app.storage.db.all(sql`select 1 as x from pushes where app_id = ${app.appId}`), []);
      assert.deepEqual(await app.storage.db.all(sql`select 1 as x from jobs where app_id = ${app.appId}`), []);
    });

    test('answers an event that is sent again as the first time and writes nothing', async () => {
      const first = await write({ eventId: 'again' });
      const before = await rows();
      app.clock.now += 5000;
      for (const change of [{}, { event: 'EXIT', moduleType: 'STORYLINE' }, { beaconId: pointer('Beacon', cafe) }]) {
        const again = await write({ eventId: 'again', ...change });
        assert.deepEqual([again.status, again.body], [201, first.body]);
      }
      assert.equal(await rows(), before);
      const strangers = await otherApp(app);
      const stranger = await signIn(app, strangers);
      const beaconId = pointer(
        'Beacon',
        await create(app, '/api/v2/beacons', beaconBody, { ...strangers, ...stranger.headers }),
      );
      const foreign = await write({ eventId: 'again', beaconId }, strangers);
      assert.notEqual(foreign.body.result.objectId, first.body.result.objectId, 'an id counts within its app');
    });

    test('writes one record of an event that arrives many times at once', async () => {
      const before = await rows();
      const answers = await Promise.all(Array.from({ length: 20 }, () => write({ eventId: 'at once' })));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
      assert.equal(await rows(), before + 1);
    });

    test('answers a repeated event although its beacon is gone by now', async () => {
      const id = await create(app, '/api/v2/beacons', beaconBody, user.headers);
      const first = await write({ beaconId: pointer('Beacon', id), eventId: 'before the end' });
      await app.send({ method: 'DELETE', url: `/api/v2/beacons/${id}`, headers: user.headers });
      assert.deepEqual((await write({ beaconId: pointer('Beacon', id), eventId: 'before the end' })).body, first.body);
      assert.equal((await write({ beaconId: pointer('Beacon', id), eventId: 'after it' })).status, 404);
    });

    test('refuses what breaks a rule, names it, and writes nothing', async () => {
      const before = await rows();
      const strangers = await otherApp(app);
      const stranger = await signIn(app, strangers);
      const foreign = await create(app, '/api/v2/beacons', beaconBody, { ...strangers, ...stranger.headers });
      const broken = (change: object, fields: string[]) => ({
        rule: JSON.stringify(change).slice(0, 80),
        request: { method: 'POST', url, body: body(change) } as const,
        status: 400,
        code: 142,
        fields,
      });
      const missing = (change: object) => ({ ...broken(change, []), status: 404, code: 101 });
      const ahead = (ms: number) => new Date(app.clock.now + ms).toISOString();
      await assertRefusals(app, {}, [
        { ...broken({}, ['beaconId', 'event', 'moduleType']), request: { method: 'POST', url, body: {} } },
        broken({ event: 'NEAR' }, ['event']),
        broken({ event: 'enter' }, ['event']),
        broken({ moduleType: 'OTHER' }, ['moduleType']),
        broken({ moduleType: null }, ['moduleType']),
        broken({ beaconId: hall }, ['beaconId']),
        broken({ beaconId: pointer('Notification', hall) }, ['beaconId.className']),
        broken({ beaconId: { ...pointer('Beacon', hall), __type: 'Object' } }, ['beaconId.__type']),
        broken({ installationId: pointer('Installation', phone) }, ['installationId.className']),
        broken({ occurredAt: 'yesterday' }, ['occurredAt']),
        broken({ occurredAt: 1_700_000_000_000 }, ['occurredAt']),
        broken({ occurredAt: ahead(86_400_001) }, ['occurredAt']),
        broken({ occurredAt: '1970-01-01T00:00:00.000Z' }, ['occurredAt']),
        broken({ eventId: '' }, ['eventId']),
        broken({ eventId: 'x'.repeat(65) }, ['eventId']),
        broken({ eventId: 7 }, ['eventId']),
        missing({ beaconId: pointer('Beacon', 'nosuch') }),
        missing({ beaconId: pointer('Beacon', foreign) }),
        missing({ installationId: pointer('_Installation', 'nosuch') }),
        missing({ installationId: pointer('_Installation', hall) }),
      ]);
      const said = (await write({ installationId: pointer('_Installation', 'nosuch') })).body.error.error;
      assert.match(said, /^installationId: .*nosuch/);
      assert.match((await write({ beaconId: pointer('Beacon', 'nosuch') })).body.error.error, /^beaconId: .*nosuch/);
      assert.equal(await rows(), before);
      assert.equal((await write({ occurredAt: ahead(86_400_000) })).status, 201, 'a day ahead is still a clock');
      assert.equal((await write({ eventId: 'x'.repeat(64) })).status, 201);
    });

    test('is written with the app key alone, and a bearer that is sent must be valid', async () => {
      assert.equal((await write({}, user.headers)).status, 201);
      assert.equal((await write({}, { authorization: `Bearer ${'x'.repeat(43)}` })).body.code, 209);
      assert.equal((await write({}, { 'x-service-appkey': undefined })).body.code, 902);
    });

    test('is read only by users, also where everybody may read beacons', async () => {
      await app.app.apps.change(app.appId, { policy: { readContent: 'app' } });
      assert.equal((await app.send({ method: 'GET', url })).body.code, 209);
      await app.app.apps.change(app.appId, { policy: { readContent: 'user' } });
    });

    test('lists newest first, filters by kind, beacon, installation, event and time, pages and counts', async () => {
      const own = await buildApp({ database });
      try {
        const me = await signInManager(own);
        const beacons = [
          await create(own, '/api/v2/beacons', beaconBody, me.headers),
          await create(own, '/api/v2/beacons', beaconBody, me.headers),
        ];
        const device = await create(own, '/api/v2/installations', { installationId: 'phone-2', deviceType: 'ios' });
        const written: string[] = [];
        const times: string[] = [];
        for (let n = 0; n < 12; n++) {
          own.clock.now += 1000;
          const log = {
            event: n % 2 === 0 ? 'ENTER' : 'EXIT',
            moduleType: n % 3 === 0 ? 'STORYLINE' : 'PRESENCE',
            beaconId: pointer('Beacon', beacons[n % 4 === 0 ? 1 : 0] ?? ''),
            ...(n % 6 === 0 ? { installationId: pointer('_Installation', device) } : {}),
          };
          written.push(await create(own, url, log));
          times.push(new Date(own.clock.now).toISOString());
        }
        const ask = async (query: Record<string, string | object>) => {
          const text = Object.entries(query).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]);
          return own.send({
            method: 'GET',
            url: `${url}?${new URLSearchParams(text as [string, string][])}`,
            headers: me.headers,
          });
        };
        const found = async (where: object, more: Record<string, string> = {}) =>
          (await ask({ where, ...more })).body.results.map(({ objectId }: { objectId: string }) =>
            written.indexOf(objectId),
          );
        const all = written.map((_, index) => index);
        const newest = (condition: (n: number) => boolean) => all.filter(condition).reverse();
        const t = (n: number) => times[n] ?? '';
        const rows: readonly (readonly [object, number[]])[] = [
          [{}, newest(() => true)],
          [{ moduleType: 'PRESENCE' }, newest((n) => n % 3 !== 0)],
          [{ moduleType: 'STORYLINE' }, newest((n) => n % 3 === 0)],
          [{ moduleType: { $in: ['PRESENCE', 'STORYLINE'] } }, newest(() => true)],
          [{ moduleType: { $ne: 'PRESENCE' } }, newest((n) => n % 3 === 0)],
          [{ moduleType: 'presence' }, []],
          [{ event: 'EXIT' }, newest((n) => n % 2 === 1)],
          [{ moduleType: 'STORYLINE', event: 'EXIT' }, newest((n) => n % 3 === 0 && n % 2 === 1)],
          [{ beaconId: pointer('Beacon', beacons[1] ?? '') }, newest((n) => n % 4 === 0)],
          [{ beaconId: pointer('Other', beacons[1] ?? '') }, []],
          [{ beaconId: { $ne: pointer('Beacon', beacons[1] ?? '') } }, newest((n) => n % 4 !== 0)],
          [
            { beaconId: { $in: beacons.map((id) => pointer('Beacon', id)) }, moduleType: 'STORYLINE' },
            newest((n) => n % 3 === 0),
          ],
          [{ installationId: pointer('_Installation', device) }, newest((n) => n % 6 === 0)],
          [{ installationId: null }, newest((n) => n % 6 !== 0)],
          [{ installationId: { $exists: true } }, newest((n) => n % 6 === 0)],
          [{ objectId: { $in: [written[2], written[5]] } }, [5, 2]],
          [{ createdAt: t(4) }, [4]],
          [{ createdAt: { $gte: t(3), $lt: t(6) } }, [5, 4, 3]],
          [{ createdAt: { $gt: t(3), $lte: t(6) } }, [6, 5, 4]],
          [{ createdAt: { $gt: { __type: 'Date', iso: t(9) } } }, [11, 10]],
          [{ createdAt: { $gte: t(3), $lt: t(9) }, moduleType: 'STORYLINE' }, [6, 3]],
          [{ createdAt: { $gte: t(2), $lt: t(9) }, beaconId: pointer('Beacon', beacons[1] ?? '') }, [8, 4]],
          [{ $or: [{ createdAt: { $lt: t(1) } }, { createdAt: { $gt: t(10) } }] }, [11, 0]],
          [{ $nor: [{ createdAt: { $gt: t(1) } }] }, [1, 0]],
          [{ createdAt: { $ne: t(0) }, moduleType: 'STORYLINE' }, [9, 6, 3]],
          [{ createdAt: { $gte: '1800-01-01' } }, newest(() => true)],
          [{ createdAt: { $lt: '9999-01-01' } }, newest(() => true)],
          [{ createdAt: { $lt: '1800-01-01' } }, []],
          [{ createdAt: { $gt: '9999-01-01' } }, []],
        ];
        for (const [where, expected] of rows) assert.deepEqual(await found(where), expected, JSON.stringify(where));
        assert.deepEqual(await found({}, { order: 'createdAt' }), all);
        assert.deepEqual(
          await found({}, { order: '-createdAt' }),
          newest(() => true),
        );
        assert.deepEqual(await found({}, { order: 'createdAt,-objectId' }), all);
        assert.deepEqual(await found({}, { order: 'event,-createdAt' }), [
          ...newest((n) => n % 2 === 0),
          ...newest((n) => n % 2 === 1),
        ]);
        assert.deepEqual(await found({}, { order: 'moduleType', limit: '1' }), [1]);
        assert.deepEqual(await found({ moduleType: 'PRESENCE' }, { skip: '2', limit: '2' }), [8, 7]);
        assert.deepEqual((await ask({ where: { moduleType: 'STORYLINE' }, count: '1', limit: '0' })).body, {
          results: [],
          count: 4,
        });
        assert.equal((await ask({ where: { createdAt: { $gte: t(3) } }, count: '1', limit: '1' })).body.count, 9);
        for (const field of ['occurredAt', 'eventId', 'occurred_at', 'module_type', 'app_id', 'nosuch']) {
          assert.equal((await ask({ where: { [field]: 'x' } })).body.code, 102, field);
          assert.equal((await ask({ order: field })).body.code, 102, field);
        }
      } finally {
        await own.close();
      }
    });

    test('answers at most 100 records without a limit', async () => {
      const values = Array.from({ length: 120 }, (_, n) => n);
      for (const { status, body } of await Promise.all(values.map(() => write())))
        assert.equal(status, 201, JSON.stringify(body));
      assert.equal((await list()).body.results.length, 100);
      assert.ok((await list({ limit: '1000' })).body.results.length >= 120);
    });

    test('shows an app nothing of another', async () => {
      const strangers = await otherApp(app);
      const stranger = await signIn(app, strangers);
      assert.deepEqual((await list({ count: '1' }, { ...strangers, ...stranger.headers })).body, {
        results: [],
        count: 0,
      });
    });
  });
}
