import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { fail } from '../../../base/errors.ts';
import type { Endpoint } from '../../../http/endpoint.ts';

for (const database of databases) {
  describe(`many records at once on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let manager: Browser;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      manager = await openConsole(app, 'manager');
      await app.app.buckets.createBucket(app.appId, 'birds');
    });
    afterAll(() => app.close());

    const tick = () => {
      app.clock.now += 1_000;
    };
    const bulk = async (body: object) => {
      tick();
      const answer = await manager.send({ method: 'POST', url: `/apps/${app.appId}/bulk`, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.result;
    };
    const get = async (path: string) =>
      (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers: user.headers })).body.result;
    const beacon = (minor: number, more: object = {}) =>
      create(app, '/api/v2/beacons', { name: `B${minor}`, uuid: 'AA', major: 1, minor, ...more }, user.headers);
    const auditOf = async () => {
      const owner = await openConsole(app, 'owner');
      return (await owner.send({ method: 'GET', url: `/audit?appId=${app.appId}&kind=many` })).body.results;
    };

    test('what somebody has changed since is not overwritten, and named', async () => {
      const ids = [await beacon(1), await beacon(2), await beacon(3)];
      const seen = await Promise.all(ids.map(async (id) => (await get(`beacons/${id}`)).updatedAt as string));
      tick();
      const url = `/api/v2/beacons/${ids[1]}`;
      await app.send({ method: 'PATCH', url, headers: user.headers, body: { radius: 9 } });
      const records = ids.map((objectId, index) => ({ objectId, updatedAt: seen[index] }));
      const result = await bulk({ operation: 'patchBeacon', ids, change: { radius: 5 }, records });
      assert.deepEqual(result.done, [ids[0], ids[2]]);
      assert.deepEqual(
        result.failed.map(({ objectId, error }: Record<string, string>) => [objectId, error]),
        [[ids[1], 'PreconditionFailed']],
      );
      assert.deepEqual(await Promise.all(ids.map(async (id) => (await get(`beacons/${id}`)).radius)), [5, 9, 5]);
      // Back again, each to what it was, as one change; not what was changed meanwhile.
      tick();
      const other = `/api/v2/beacons/${ids[2]}`;
      await app.send({ method: 'PATCH', url: other, headers: user.headers, body: { name: 'Mine' } });
      const back = result.changed.map((one: object) => ({ ...one, change: { radius: null } }));
      const undone = await bulk({ operation: 'patchBeacon', ids: result.done, records: back });
      assert.deepEqual([undone.done, undone.failed[0].objectId], [[ids[0]], ids[2]]);
      assert.equal((await get(`beacons/${ids[0]}`)).radius, undefined);
      const [last, first] = await auditOf();
      assert.deepEqual([first.after.change, first.after.count], [{ radius: 5 }, 2]);
      assert.equal(last.after.changes[0].change.radius, null);
    });

    test('what somebody has changed since is not overwritten while the clock is behind, either', async () => {
      const ids = [await beacon(31)];
      const url = `/api/v2/beacons/${ids[0]}`;
      // As after a clock was set right: both changes are from before the beacon, and no moment apart.
      app.clock.now -= 60_000;
      const { changed } = await bulk({ operation: 'patchBeacon', ids, change: { radius: 5 } });
      for (const method of ['PATCH', 'PUT'] as const) {
        const theirs = await app.send({ method, url, headers: user.headers, body: { radius: 9 } });
        assert.equal(theirs.status, 200);
        const records = changed.map((one: object) => ({ ...one, change: { radius: null } }));
        const undone = await bulk({ operation: 'patchBeacon', ids, records });
        assert.deepEqual([undone.done, undone.failed[0]?.error], [[], 'PreconditionFailed'], method);
        assert.equal((await get(`beacons/${ids[0]}`)).radius, 9);
        changed.splice(0, 1, { objectId: ids[0], updatedAt: (await get(`beacons/${ids[0]}`)).updatedAt });
      }
      app.clock.now += 60_000;
    });

    test('if the service cannot continue, it reports what was done, and why the rest was not', async () => {
      const ids = [await beacon(41), await beacon(42), await beacon(43)];
      const patch = app.app.endpoints.find(({ operationId }) => operationId === 'patchBeacon') as {
        handle: Endpoint['handle'];
      };
      const { handle } = patch;
      let count = 0;
      patch.handle = async (call) => {
        if (++count > 1) throw fail('Timeout');
        return handle(call);
      };
      try {
        const result = await bulk({ operation: 'patchBeacon', ids, change: { radius: 5 } });
        assert.deepEqual([result.done, result.changed.length], [[ids[0]], 1]);
        assert.deepEqual(
          result.failed.map(({ objectId, error }: Record<string, string>) => [objectId, error]),
          [ids[1], ids[2]].map((id) => [id, 'Timeout']),
        );
        assert.equal(count, 2, 'what is no answer to one is not asked again');
        assert.equal((await auditOf())[0].after.count, 1);
        const none = { operation: 'patchBeacon', ids: [ids[1]], change: { radius: 5 } };
        const answer = await manager.send({ method: 'POST', url: `/apps/${app.appId}/bulk`, body: none });
        assert.equal(answer.status, 503, 'with nothing done it is an error');
      } finally {
        patch.handle = handle;
      }
    });

    test('a change in several requests has one entry, which grows; other changes have their own', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 160; n++) ids.push(await beacon(100 + n));
      const before = (await auditOf()).length;
      const url = (entry: string) => `/apps/${app.appId}/bulk?continues=${entry}`;
      const part = async (from: number, until: number, entry: string, more: object = {}, who = manager) => {
        const body = { operation: 'patchBeacon', ids: ids.slice(from, until), change: { radius: 8 }, ...more };
        const answer = await who.send({ method: 'POST', url: url(entry), body });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body.result.entry as string;
      };
      const first = await part(0, 60, 'none');
      assert.deepEqual([await part(60, 130, first), await part(130, 160, first)], [first, first]);
      const [entry, ...others] = (await auditOf()).slice(0, -before || undefined);
      assert.deepEqual([entry.auditId, entry.subject, others], [first, '160 of Beacons', []]);
      assert.deepEqual(entry.after, { count: 160, ids: ids.slice(0, 100), change: { radius: 8 } });
      // Not of this change, of somebody else, and of a change that is long over.
      const stranger = await openConsole(app, 'manager');
      const own = await part(0, 1, first, { change: { radius: 9 } });
      const theirs = await part(1, 2, first, {}, stranger);
      const gone = await part(2, 3, first, { operation: 'deleteBeacon', change: undefined });
      app.clock.now += 2 * 3_600_000;
      manager = await openConsole(app, 'manager');
      const later = await part(3, 4, first);
      assert.equal(new Set([first, own, theirs, gone, later]).size, 5);
      const again = (await auditOf()).find(({ auditId }: { auditId: string }) => auditId === first);
      assert.equal(again.after.count, 160);
    });

    test('what was done is in the audit, also if the service fails or ends in the middle', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 60; n++) ids.push(await beacon(300 + n));
      const patch = app.app.endpoints.find(({ operationId }) => operationId === 'patchBeacon') as {
        handle: Endpoint['handle'];
      };
      const { handle } = patch;
      let count = 0;
      const seen: unknown[] = [];
      patch.handle = async (call) => {
        if (++count === 56) {
          seen.push((await auditOf())[0].after.count);
          throw new Error('a defect');
        }
        return handle(call);
      };
      try {
        const body = { operation: 'patchBeacon', ids, change: { radius: 3 } };
        const answer = await manager.send({ method: 'POST', url: `/apps/${app.appId}/bulk`, body });
        assert.equal(answer.status, 500);
      } finally {
        patch.handle = handle;
      }
      assert.deepEqual(seen, [50], 'as much as a process that ends there leaves behind');
      const [entry] = await auditOf();
      assert.deepEqual([entry.after.count, entry.after.ids], [55, ids.slice(0, 55)]);
    });

    test('if the audit cannot be written for a moment, no more is changed, and what was done is reported', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 30; n++) ids.push(await beacon(400 + n));
      const patch = app.app.endpoints.find(({ operationId }) => operationId === 'patchBeacon') as {
        handle: Endpoint['handle'];
      };
      const { handle } = patch;
      const { db } = app.storage;
      const transaction = db.transaction.bind(db);
      let count = 0;
      patch.handle = async (call) => {
        const answer = await handle(call);
        if (++count === 25)
          db.transaction = () => {
            db.transaction = transaction;
            throw fail('Timeout');
          };
        return answer;
      };
      try {
        const result = await bulk({ operation: 'patchBeacon', ids, change: { radius: 6 } });
        assert.deepEqual([result.done, result.changed.length], [ids.slice(0, 25), 25]);
        assert.deepEqual(
          result.failed.map(({ objectId, error }: Record<string, string>) => [objectId, error]),
          ids.slice(25).map((id) => [id, 'Timeout']),
        );
        const [entry] = await auditOf();
        assert.deepEqual([entry.auditId, entry.after.ids], [result.entry, ids.slice(0, 25)]);
      } finally {
        patch.handle = handle;
        db.transaction = transaction;
      }
    });

    test('sent again because the answer was lost, nothing is done twice, nor said to be the work of somebody else', async () => {
      const ids = [await beacon(61), await beacon(62, { location: { x: 1, y: 2, floor: 0 } })];
      const records = await Promise.all(
        ids.map(async (objectId) => ({ objectId, updatedAt: (await get(`beacons/${objectId}`)).updatedAt as string })),
      );
      const told = async (body: object) => {
        const { done, failed } = await bulk({ ids, records, ...body });
        return [
          done,
          failed.map((one: Record<string, unknown>) => [one['objectId'], one['error'], one['isAlready'] ?? false]),
        ];
      };
      const change = { operation: 'patchBeacon', change: { location: { x: 3, y: 2, floor: 0 } } };
      assert.deepEqual(await told(change), [ids, []]);
      const entries = (await auditOf()).length;
      assert.deepEqual(await told(change), [[], ids.map((id) => [id, 'PreconditionFailed', true])]);
      tick();
      const url = `/api/v2/beacons/${ids[1]}`;
      await app.send({ method: 'PATCH', url, headers: user.headers, body: { location: { x: 4 } } });
      assert.deepEqual(
        await told(change),
        [[], ids.map((id, index) => [id, 'PreconditionFailed', index === 0])],
        'the second one has something else since',
      );
      assert.equal((await auditOf()).length, entries);
      assert.deepEqual((await bulk({ operation: 'deleteBeacon', ids })).done, ids);
      assert.deepEqual(await told({ operation: 'deleteBeacon' }), [[], ids.map((id) => [id, 'ObjectNotFound', true])]);
      assert.equal((await auditOf()).length, entries + 1);
    });

    test('what a record cannot take is refused with its reason, and the others are done', async () => {
      const ids = [await beacon(11, { location: { x: 1, y: 2, floor: 0 } }), await beacon(12)];
      const result = await bulk({ operation: 'patchBeacon', ids, change: { location: { floor: 3 } } });
      assert.deepEqual([result.done, result.failed[0].objectId], [[ids[0]], ids[1]]);
      assert.match(result.failed[0].message, /location/);
      assert.deepEqual((await get(`beacons/${ids[0]}`)).location, { x: 1, y: 2, floor: 3 });
    });

    test('what somebody has changed since is not deleted; venues are changed, and files deleted', async () => {
      const ids = [await beacon(31), await beacon(32)];
      const seen = await Promise.all(ids.map(async (id) => (await get(`beacons/${id}`)).updatedAt as string));
      const records = ids.map((objectId, index) => ({ objectId, updatedAt: seen[index] }));
      tick();
      await app.send({ method: 'PATCH', url: `/api/v2/beacons/${ids[0]}`, headers: user.headers, body: { radius: 9 } });
      const result = await bulk({ operation: 'deleteBeacon', ids, records });
      assert.deepEqual(
        [result.done, result.failed.map((one: { error: string }) => one.error)],
        [[ids[1]], ['PreconditionFailed']],
      );
      assert.equal((await get(`beacons/${ids[0]}`)).radius, 9);
      const venues = `/apps/${app.appId}/v2/venues`;
      const made = await manager.send({ method: 'POST', url: venues, body: { name: 'House' } });
      const house = made.body.result.objectId as string;
      const { updatedAt } = await get(`venues/${house}`);
      const change = { timeZone: 'Europe/Vienna' };
      const ofHouse = { operation: 'patchVenue', ids: [house], change, records: [{ objectId: house, updatedAt }] };
      assert.deepEqual((await bulk(ofHouse)).done, [house]);
      assert.deepEqual((await bulk(ofHouse)).failed.length, 1, 'it has been changed since');
      assert.equal((await get(`venues/${house}`)).timeZone, 'Europe/Vienna');
      const headers = { ...user.headers, 'content-type': 'image/png' };
      const file = await app.send({ method: 'POST', url: '/api/v2/files/hall.png', headers, body: 'hall' });
      const id = file.body.objectId as string;
      const stale = [{ objectId: id, updatedAt: '2026-01-01T00:00:00.000Z' }];
      assert.deepEqual((await bulk({ operation: 'deleteFile', ids: [id], records: stale })).done, []);
      const now = [{ objectId: id, updatedAt: (await get(`files/${id}`)).updatedAt }];
      assert.deepEqual((await bulk({ operation: 'deleteFile', ids: [id], records: now })).done, [id]);
      const url = `/api/v2/files/${id}`;
      assert.equal((await app.send({ method: 'GET', url, headers: user.headers })).status, 404);
    });

    test('members of records and devices are changed, and rules replaced as a whole', async () => {
      const made = [{ species: 'kite', count: 1 }, { species: 'owl' }];
      const ids: string[] = [];
      for (const metadata of made) ids.push(await create(app, '/api/v2/data/bucket/birds', { metadata }, user.headers));
      const records = await Promise.all(
        ids.map(async (objectId) => ({
          objectId,
          updatedAt: (await get(`data/bucket/birds/${objectId}`)).updatedAt,
        })),
      );
      const change = { metadata: { ringed: true } };
      const operation = 'patchRecord';
      const first = await bulk({ operation, bucketName: 'birds', ids, change, records });
      assert.deepEqual([first.done, first.changed.length], [ids, 2]);
      const stale = await bulk({ operation, bucketName: 'birds', ids, change, records });
      assert.deepEqual([stale.done, stale.failed.length], [[], 2]);
      const documents = await Promise.all(ids.map(async (id) => (await get(`data/bucket/birds/${id}`)).metadata));
      assert.deepEqual(
        documents,
        made.map((one) => ({ ...one, ringed: true })),
      );
      const [entry] = await auditOf();
      assert.equal(entry.after.change, undefined, 'what is in records may be personal');
      const sign = { deviceName: 'Sign', manufacture: 'Acme', topic: 'museum/sign' };
      const device = await create(app, '/api/v2/device', sign, user.headers);
      const moved = await bulk({ operation: 'patchDevice', ids: [device], change: { topic: 'museum/gate' } });
      assert.deepEqual([moved.done, moved.changed.length], [[device], 1]);
      const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: await beacon(21) };
      const hello = { description: 'Hi', beaconId, event: 'ENTER', type: 'TEXT', isEnabled: true };
      const message = { alertTitle: 'Hi', alertMessage: 'There' };
      const delivery = { oncePer: 'event' };
      const id = await create(app, '/api/v2/notifications', { ...hello, message, delivery }, user.headers);
      const rules = { coolDown: { seconds: 60, per: 'trigger' } };
      await bulk({ operation: 'updateNotification', ids: [id], change: { delivery: rules } });
      assert.deepEqual((await get(`notifications/${id}`)).delivery, rules);
    });
  });
}
