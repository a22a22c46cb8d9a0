import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../src/access/audit.ts';
import { createApp } from '../../src/app/app.ts';
import { raw } from '../../src/base/sql.ts';
import {
  type Answer,
  buildApp,
  databases,
  pointerTo,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../support/build-app.ts';
import { openConsole } from '../support/console.ts';
import { exchange, head, listen } from '../support/socket.ts';

const birds = '/api/v2/data/bucket/birds';
const push = '/api/v2/push/notification';

for (const database of databases) {
  describe(`quotas on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_TRUST_PROXY: '1' } });
      await app.app.buckets.createBucket(app.appId, 'birds');
      user = await signIn(app);
    });
    afterAll(() => app.close());

    const setQuotas = async (change: object) => {
      const { policy } = await app.app.apps.get(app.appId);
      await app.app.apps.change(app.appId, { policy: { quotas: { ...policy.quotas, ...change } } });
    };
    const create = (note = '') =>
      app.send({ method: 'POST', url: birds, headers: user.headers, body: { metadata: { note } } });
    const upload = (bytes: number) =>
      app.send({
        method: 'POST',
        url: '/api/v2/files/a.bin',
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
        body: Buffer.alloc(bytes),
      });
    const codeOf = ({ status, body }: { status: number; body: { code?: number } }) => [status, body.code];

    test('records and their bytes are bounded, and room is given back', async () => {
      await setQuotas({ records: 3, recordBytes: 1_000 });
      const ids: string[] = [];
      for (let n = 0; n < 3; n++) {
        const answer = await create();
        assert.equal(answer.status, 201);
        ids.push(answer.body.result.objectId);
      }
      assert.deepEqual(codeOf(await create()), [403, 119]);
      const change = (note: string) =>
        app.send({ method: 'PUT', url: `${birds}/${ids[0]}`, headers: user.headers, body: { note } });
      assert.deepEqual(codeOf(await change('x'.repeat(1_000))), [403, 119], 'records cannot be made larger either');
      assert.equal((await change('x'.repeat(900))).status, 200);
      await app.send({ method: 'DELETE', url: `${birds}/${ids[1]}`, headers: user.headers });
      assert.deepEqual(codeOf(await create('x'.repeat(200))), [403, 119], 'too large for what is left');
      assert.equal((await create()).status, 201);
      await app.send({ method: 'DELETE', url: `${birds}/${ids[0]}`, headers: user.headers });
      assert.equal((await create('x'.repeat(200))).status, 201);
    });

    test('files and their bytes are bounded, and room is given back', async () => {
      await setQuotas({ files: 2, fileBytes: 1_000 });
      const first = await upload(600);
      assert.equal(first.status, 201);
      assert.deepEqual(codeOf(await upload(600)), [403, 119]);
      assert.equal((await upload(400)).status, 201);
      assert.deepEqual(codeOf(await upload(0)), [403, 119], 'the number of files');
      const url = `/api/v2/files/${first.body.objectId}`;
      assert.equal((await app.send({ method: 'DELETE', url, headers: user.headers })).status, 200);
      assert.equal((await upload(600)).status, 201);
    });

    test('usage is known after a restart, also after one that lost the counts in memory', async () => {
      await setQuotas({ records: 1_000, recordBytes: 1e9, files: 3, fileBytes: 1_000 });
      // What the running service has in memory would be added to the count of the other one.
      while ((await app.storage.db.one<{ files: number }>(raw('select files from usage')))?.files !== 2)
        await delay(50);
      await app.storage.db.run(raw('delete from usage'));
      const other = await createApp({
        repeats: false,
        config: app.config,
        db: app.storage.db,
        now: () => app.clock.now,
      });
      try {
        const uploadThere = () =>
          other.server.inject({
            method: 'POST',
            url: '/api/v2/files/b.bin',
            headers: { ...app.credentials, 'content-type': 'text/plain', 'content-length': '1' },
            payload: 'x',
          });
        assert.equal((await uploadThere()).statusCode, 403, 'the bytes of two files are known');
      } finally {
        await other.close();
      }
      const row = await app.storage.db.one(raw('select files, file_bytes, is_exact from usage'));
      assert.deepEqual({ ...row }, { files: 2, file_bytes: 1_000, is_exact: 1 });
    });

    test('one user cannot use up what is there for all; managers and secret keys have the quotas of the app', async () => {
      await setQuotas({ records: 1_000, recordBytes: 1e9, files: 1_000, fileBytes: 1e9 });
      const [anna, ben] = [await signIn(app), await signIn(app)];
      const add = (by: SignedIn, note = '') =>
        app.send({ method: 'POST', url: birds, headers: by.headers, body: { metadata: { note } } });
      const send = (by: SignedIn, bytes: number) =>
        app.send({
          method: 'POST',
          url: '/api/v2/files/own.bin',
          headers: { ...by.headers, 'content-type': 'text/plain', 'content-length': String(bytes) },
          body: Buffer.alloc(bytes),
        });
      const first = (await add(anna)).body.result.objectId;
      assert.equal((await send(anna, 600)).status, 201);
      await setQuotas({ recordsPerUser: 2, recordBytesPerUser: 1_000, filesPerUser: 2, fileBytesPerUser: 1_000 });

      assert.equal((await add(anna)).status, 201);
      const refused = await add(anna);
      assert.deepEqual(codeOf(refused), [403, 119]);
      assert.equal(refused.body.error.error, 'One user of this app may store 2 records. Delete some of yours first.');
      const grow = (by: SignedIn, note: string) =>
        app.send({ method: 'PUT', url: `${birds}/${first}`, headers: by.headers, body: { note } });
      assert.deepEqual(codeOf(await grow(anna, 'x'.repeat(1_000))), [403, 119], 'records cannot be made larger either');
      assert.equal((await grow(anna, 'x'.repeat(800))).status, 200);
      assert.equal((await app.send({ method: 'DELETE', url: `${birds}/${first}`, headers: anna.headers })).status, 200);
      assert.equal((await add(anna, 'x'.repeat(800))).status, 201);
      assert.deepEqual(codeOf(await send(anna, 600)), [403, 119]);
      const small = await send(anna, 400);
      assert.equal(small.status, 201);
      assert.deepEqual(codeOf(await send(anna, 0)), [403, 119], 'the number of files');
      const url = `/api/v2/files/${small.body.objectId}`;
      assert.equal((await app.send({ method: 'DELETE', url, headers: anna.headers })).status, 200);
      assert.equal((await send(anna, 400)).status, 201);

      assert.equal((await add(ben)).status, 201, 'somebody else has room of their own');
      const { userId } = anna;
      await app.app.users.setUserRole({ appId: app.appId, userId }, 'manager');
      assert.equal((await add(anna)).status, 201);
      await app.app.users.setUserRole({ appId: app.appId, userId }, 'user');
      // What somebody else has deleted, or another node, is counted before anybody is refused.
      await app.storage.db.run(raw('delete from records'));
      app.clock.now += 10_000;
      assert.equal((await add(anna)).status, 201);
      await setQuotas({ recordsPerUser: 1e6, recordBytesPerUser: 1e9, filesPerUser: 1e6, fileBytesPerUser: 1e9 });
    });

    test('concurrent writes are counted together, for a user and for the app', async () => {
      const most = { records: 1e6, recordBytes: 1e9, files: 1e6, fileBytes: 1e9, uploadsPerHour: 1e6 };
      await setQuotas({
        ...most,
        recordsPerUser: 5,
        fileBytesPerUser: 500,
        recordBytesPerUser: 1e9,
        filesPerUser: 1e6,
      });
      const [anna, ben] = [await signIn(app), await signIn(app)];
      const add = (by: SignedIn) =>
        app.send({ method: 'POST', url: birds, headers: by.headers, body: { metadata: { note: 'at once' } } });
      const send = (by: SignedIn) => {
        const headers = { ...by.headers, 'content-type': 'text/plain', 'content-length': '100' };
        return app.send({ method: 'POST', url: '/api/v2/files/own.bin', headers, body: Buffer.alloc(100) });
      };
      const atOnce = async (what: () => Promise<Answer>) =>
        (await Promise.all(Array.from({ length: 40 }, what))).filter(({ status }) => status === 201).length;
      assert.equal(await atOnce(() => send(anna)), 5, 'files of a user');
      assert.equal(await atOnce(() => add(anna)), 5, 'records of a user');
      const owner = await openConsole(app, 'owner');
      const { result } = (await owner.send({ method: 'GET', url: `/apps/${app.appId}/usage` })).body;
      const { records, files } = { records: result.records.used, files: result.files.used };
      await setQuotas({ recordsPerUser: 1e6, fileBytesPerUser: 1e9, records: records + 3, files: files + 3 });
      assert.equal(await atOnce(() => send(ben)), 3, 'files of the app');
      assert.equal(await atOnce(() => add(ben)), 3, 'records of the app');
      await setQuotas({ ...most, recordsPerUser: 1e6, fileBytesPerUser: 1e9 });
    });

    test('two nodes let a user store at most the quota on each, and refuse nobody by an old count', async () => {
      const most = { records: 1e6, recordBytes: 1e9, files: 1e6, fileBytes: 1e9, uploadsPerHour: 1e6 };
      await setQuotas({
        ...most,
        recordsPerUser: 1e6,
        recordBytesPerUser: 1e9,
        filesPerUser: 5,
        fileBytesPerUser: 1e9,
      });
      const anna = await signIn(app);
      const other = await createApp({
        repeats: false,
        config: app.config,
        db: app.storage.db,
        now: () => app.clock.now,
      });
      try {
        const headers = { ...anna.headers, 'content-type': 'text/plain', 'content-length': '5' };
        const request = { method: 'POST', url: '/api/v2/files/own.txt', headers } as const;
        const here = async () => (await app.send({ ...request, body: 'hello' })).status;
        const there = async () => {
          const all = { ...app.credentials, ...headers };
          return (await other.server.inject({ ...request, headers: all, payload: 'hello' })).statusCode;
        };
        // Both have counted none.
        assert.deepEqual([await here(), await there()], [201, 201]);
        const all = await Promise.all([here, there].flatMap((ask) => Array.from({ length: 20 }, ask)));
        const stored = 2 + all.filter((status) => status === 201).length;
        assert.ok(stored >= 5 && stored <= 10, `${stored} are stored`);
        app.clock.now += 10_000;
        assert.deepEqual(
          [await here(), await there()],
          [403, 403],
          'nobody is let in by a count that is known to be old',
        );
        const { results } = (await app.send({ method: 'GET', url: '/api/v2/files?limit=1000', headers: anna.headers }))
          .body;
        assert.equal(results.length, stored);
        for (const { objectId } of results.slice(0, stored - 4)) {
          const url = `/api/v2/files/${objectId}`;
          assert.equal((await app.send({ method: 'DELETE', url, headers: anna.headers })).status, 200);
        }
        app.clock.now += 10_000;
        assert.equal(await there(), 201, 'what the other node has deleted is known before anybody is refused');
      } finally {
        await other.close();
        app.clock.now += 3_600_000;
        await setQuotas({ filesPerUser: 1e6 });
      }
    });

    test('nobody uses up what somebody else may store by handing things over', async () => {
      const most = { records: 1e6, recordBytes: 1e9, files: 1e6, fileBytes: 1e9, uploadsPerHour: 1e6 };
      await setQuotas({ ...most, recordsPerUser: 4, recordBytesPerUser: 1e6, filesPerUser: 4, fileBytesPerUser: 1e6 });
      await app.app.apps.changeRules(app.appId, { buckets: { birds: { update: 'owner', get: 'owner' } } });
      const [anna, ben, manager] = [await signIn(app), await signIn(app), await signInManager(app)];
      const file = async (by: SignedIn) => {
        const headers = { ...by.headers, 'content-type': 'text/plain', 'content-length': '5' };
        return app.send({ method: 'POST', url: '/api/v2/files/own.txt', headers, body: 'hello' });
      };
      const giveFile = (id: string, by: SignedIn, { userId }: SignedIn) =>
        app.send({ method: 'PUT', url: `/api/v2/files/${id}/owner`, headers: by.headers, body: { userId } });
      const add = (by: SignedIn) =>
        app.send({ method: 'POST', url: birds, headers: by.headers, body: { metadata: { note: 'gift' } } });
      const giveRecord = (id: string, by: SignedIn, to: SignedIn | null) => {
        const body = { metadata: { note: 'gift' }, createdBy: to && pointerTo(to) };
        return app.send({ method: 'PUT', url: `${birds}/${id}`, headers: by.headers, body });
      };
      for (const n of [1, 2]) {
        assert.equal((await giveFile((await file(anna)).body.objectId, anna, ben)).status, 200, `file ${n}`);
        assert.equal((await giveRecord((await add(anna)).body.result.objectId, anna, ben)).status, 200, `record ${n}`);
      }
      const [third, note] = [(await file(anna)).body.objectId, (await add(anna)).body.result.objectId];
      const refused = await giveFile(third, anna, ben);
      assert.deepEqual(codeOf(refused), [403, 119], 'half of what Ben may store is his');
      assert.match(refused.body.error.error, /half/);
      assert.deepEqual(codeOf(await giveRecord(note, anna, ben)), [403, 119]);
      assert.deepEqual(codeOf(await giveRecord(note, anna, null)), [403, 119], 'nor is it nobodys, beyond every quota');
      for (const n of [1, 2]) {
        assert.equal((await file(ben)).status, 201, `file ${n} of his own`);
        assert.equal((await add(ben)).status, 201, `record ${n} of his own`);
      }
      assert.deepEqual(
        [codeOf(await file(ben)), codeOf(await add(ben))],
        [
          [403, 119],
          [403, 119],
        ],
      );
      // What has been given away no longer counts: Anna has one file left, and room for three.
      for (let n = 0; n < 3; n++) assert.equal((await file(anna)).status, 201);
      assert.deepEqual(codeOf(await file(anna)), [403, 119]);
      // A manager knows what he does, and has no quota of his own.
      assert.equal((await giveFile(third, manager, ben)).status, 200);
      for (let n = 0; n < 5; n++)
        assert.equal((await giveRecord((await add(manager)).body.result.objectId, manager, ben)).status, 200);
      assert.equal((await giveRecord(note, anna, manager)).status, 200);
      await app.app.apps.changeRules(app.appId, { buckets: {} });
      await setQuotas({
        ...most,
        recordsPerUser: 1e6,
        filesPerUser: 1e6,
        fileBytesPerUser: 1e9,
        recordBytesPerUser: 1e9,
      });
    });

    test('uploads an hour are bounded for an address', async () => {
      const least = { uploadsPerHour: 4, uploadBytesPerHour: 1_000 };
      await setQuotas({ files: 1_000, fileBytes: 1e9, ...least });
      app.clock.now += 3_600_000;
      assert.equal((await upload(900)).status, 201);
      const refused = await upload(900);
      assert.deepEqual([...codeOf(refused), Number(refused.headers['retry-after']) > 60], [429, 904, true]);
      for (let n = 0; n < 3; n++) assert.equal((await upload(0)).status, 201);
      assert.deepEqual(codeOf(await upload(0)), [429, 904], 'the number of uploads');
      app.clock.now += 900_000;
      assert.equal((await upload(0)).status, 201);
    });

    test('uploads an hour are bounded for a user, over all addresses, and one user does not use up those of another', async () => {
      await setQuotas({ files: 1_000, fileBytes: 1e9, uploadsPerHour: 3, uploadBytesPerHour: 1_000_000 });
      app.clock.now += 3_600_000;
      const [one, two] = [await signIn(app), await signIn(app)];
      let address = 0;
      const upload = ({ headers }: SignedIn) =>
        app.send({
          method: 'POST',
          url: '/api/v2/files/mine.txt',
          headers: { ...headers, 'content-type': 'text/plain', 'x-forwarded-for': `198.51.100.${++address}` },
          body: 'hello',
        });
      for (let n = 0; n < 3; n++) assert.equal((await upload(one)).status, 201);
      assert.deepEqual(codeOf(await upload(one)), [429, 904]);
      assert.equal((await upload(two)).status, 201);
    });

    test('an upload in chunks uses up what it has, not what it might have had', async () => {
      const port = await listen(app);
      await setQuotas({ files: 1_000, fileBytes: 1e9, uploadsPerHour: 1_000, uploadBytesPerHour: 30_000_000 });
      app.clock.now += 3_600_000;
      const headers = Object.entries({
        ...app.credentials,
        'content-type': 'text/plain',
        'transfer-encoding': 'chunked',
      });
      for (let n = 0; n < 5; n++) {
        const answer = await exchange(port, `${head('POST /api/v2/files/a.txt', headers)}5\r\nhello\r\n0\r\n\r\n`);
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
      }
    });

    test('a hundred pushes in a second are impossible, and managers are not kept from theirs', async () => {
      const send = (who: SignedIn) =>
        app.send({ method: 'POST', url: push, headers: who.headers, body: { data: { alert: 'Hello' } } });
      const codes: (number | undefined)[] = [];
      for (let n = 0; n < 100; n++) codes.push((await send(n % 2 ? user : await signIn(app))).body.code);
      assert.equal(
        codes.filter((code) => code === undefined).length,
        30,
        'half of what one address may send in an hour',
      );
      assert.ok(codes.every((code) => code === undefined || code === 904));
      const manager = await signIn(app);
      await app.app.users.setUserRole({ appId: app.appId, userId: manager.userId }, 'manager', service);
      assert.equal((await send(manager)).status, 200);
    });
  });
}
