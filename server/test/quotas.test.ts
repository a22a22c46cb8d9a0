import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { service } from '../src/access/audit.ts';
import { createApp } from '../src/app/app.ts';
import { raw } from '../src/base/sql.ts';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from './support/build-app.ts';
import { exchange, head, listen } from './support/socket.ts';

const birds = '/api/v2/data/bucket/birds';
const push = '/api/v2/push/notification';

for (const database of databases) {
  describe(`quotas on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    before(async () => {
      app = await buildApp({ database, settings: { PHAROS_TRUST_PROXY: '1' } });
      await app.app.buckets.createBucket(app.appId, 'birds');
      user = await signIn(app);
    });
    after(() => app.close());

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

    test('what is stored is known after a restart, also after one that lost what was in memory', async () => {
      await setQuotas({ records: 1_000, recordBytes: 1e9, files: 3, fileBytes: 1_000 });
      await app.storage.db.run(raw('delete from usage'));
      const other = await createApp({ config: app.config, db: app.storage.db, now: () => app.clock.now });
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
