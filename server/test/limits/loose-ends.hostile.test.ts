import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { confirmedForMs } from '../../src/http/console/console-endpoint.ts';
import { buildApp, databases, signIn, type TestApp } from '../support/build-app.ts';
import { openConsole, password, sendFromConsole, signInToConsole } from '../support/console.ts';
import { head, listen, openConnection } from '../support/socket.ts';

async function withApp(work: (app: TestApp) => Promise<void>, settings: Readonly<Record<string, string>> = {}) {
  const app = await buildApp({ settings });
  try {
    await work(app);
  } finally {
    await app.close().catch(() => undefined);
  }
}

for (const database of databases)
  describe(`administrators confirm and leave traces on ${database}`, () => {
    test('keys, administrators and their passwords are changed after the password was given a moment ago', async () => {
      const app = await buildApp({ database });
      try {
        const [owner, other] = [await openConsole(app, 'owner'), await openConsole(app, 'editor')];
        const administrator = { email: 'eve@museum.example', name: 'Eve', role: 'owner', password };
        const keys = `/apps/${app.appId}/keys`;
        const [key] = (await owner.send({ method: 'GET', url: keys })).body.results;
        const writes = [
          { method: 'POST', url: '/administrators', body: administrator },
          { method: 'PUT', url: `/administrators/${other.adminId}`, body: { role: 'manager' } },
          { method: 'PUT', url: `/administrators/${other.adminId}/password`, body: { password: 'another long one' } },
          { method: 'POST', url: keys },
          { method: 'DELETE', url: `${keys}/${key.keyId}` },
        ] as const;
        app.clock.now += confirmedForMs;
        for (const write of writes) {
          const { status, body } = await owner.send(write);
          assert.deepEqual(
            [write.url, status, body.code, body.error.name],
            [write.url, 403, 120, 'ConfirmationNeeded'],
          );
        }
        assert.equal((await owner.send({ method: 'GET', url: '/administrators' })).body.results.length, 2);
        const confirm = (given: string) =>
          owner.send({ method: 'POST', url: '/session/confirm', body: { password: given } });
        const wrong = await confirm('not the password');
        assert.deepEqual([wrong.status, wrong.body.code], [404, 101]);
        assert.equal((await owner.send(writes[0])).status, 403, 'a wrong one confirms nothing');
        assert.equal((await confirm(password)).status, 200);
        for (const write of writes) assert.ok((await owner.send(write)).status < 300, write.url);
        assert.equal((await other.send({ method: 'GET', url: '/session' })).status, 403);
      } finally {
        await app.close();
      }
    });

    test('refused sign-ins, sign-outs and purges are in the audit, and repetitions are one record', async () => {
      const app = await buildApp({ database });
      try {
        const owner = await openConsole(app, 'owner');
        const audit = async (action: string) =>
          (await owner.send({ method: 'GET', url: `/audit?kind=${action.split('.')[0]}` })).body.results.filter(
            (entry: { action: string }) => entry.action === action,
          );
        const attempt = (email: string, remoteAddress?: string) =>
          sendFromConsole(app, {
            method: 'POST',
            url: '/session',
            body: { email, password: 'a secret that was mistyped' },
            headers: remoteAddress ? { 'x-forwarded-for': remoteAddress } : {},
          });
        for (let n = 0; n < 4; n++) assert.equal((await attempt(owner.email)).status, 404);
        app.clock.now += 1;
        for (const email of ['nobody@museum.example', 'my password by mistake', 'x@y.example']) await attempt(email);
        const refused = await audit('session.refuse');
        assert.deepEqual(
          refused.map(({ actor, subject, after }: Record<string, unknown>) => [actor, subject, after]),
          [
            ['nobody', 'unknown account', { attempts: 3 }],
            [owner.email, owner.email, { attempts: 4 }],
          ],
        );
        assert.ok(!JSON.stringify(refused).includes('mistyped') && !JSON.stringify(refused).includes('by mistake'));

        const other = await openConsole(app, 'analyst');
        await other.send({ method: 'DELETE', url: '/session' });
        const [end] = await audit('session.end');
        assert.deepEqual([end.actor, end.subject], [other.email, other.email]);

        const old = app.clock.now - 400 * 86_400_000;
        for (let n = 0; n < 3; n++)
          await app.storage.db.run(sql`insert into logs (app_id, object_id, module_type, event, beacon_id, occurred_at, created_at, updated_at)
            values (${app.appId}, ${`0000000${n}`}, 'PRESENCE', 'ENTER', 'b', ${old}, ${old}, ${old})`);
        await app.app.retention.sweep();
        await app.app.retention.sweep();
        const purges = await audit('traces.purge');
        assert.deepEqual(
          purges.map(({ actor, appId, after }: Record<string, unknown>) => [actor, appId, after]),
          [['service', app.appId, { logs: 3 }]],
        );
      } finally {
        await app.close();
      }
    });
  });

test('however many addresses try to sign in, an hour of refusals stays a hundred records', async () => {
  await withApp(
    async (app) => {
      const owner = await openConsole(app, 'owner');
      const attempts = 130;
      for (let n = 0; n < attempts; n++) {
        const headers = { 'x-forwarded-for': `198.51.${n}.7` };
        const body = { email: 'nobody@museum.example', password };
        assert.equal((await sendFromConsole(app, { method: 'POST', url: '/session', body, headers })).status, 404);
      }
      const rows = await app.storage.db.all<{ after_state: string }>(
        sql`select after_state from audit where action = 'session.refuse'`,
      );
      assert.equal(rows.length, 101);
      const counted = rows.reduce((sum, { after_state }) => sum + JSON.parse(after_state).attempts, 0);
      assert.equal(counted, attempts);
      assert.equal((await signInToConsole(app, owner.email)).status, 201, 'whoever knows the password gets in');
    },
    { PHAROS_TRUST_PROXY: '1' },
  );
});

test('with a public address the console takes nothing under a foreign name', async () => {
  await withApp(async (app) => {
    const { email } = await openConsole(app, 'owner');
    const port = await listen(app);
    const signIn = (origin: string, host: string, more: Readonly<Record<string, string>> = {}) =>
      sendFromConsole(app, {
        method: 'POST',
        url: '/session',
        body: { email, password },
        headers: { origin, host, ...more },
      });
    for (const [origin, host, more, status] of [
      ['http://pharos.test', 'pharos.test', {}, 201],
      // A proxy that puts its own name into Host.
      ['http://pharos.test', 'upstream:8080', {}, 201],
      [`http://127.0.0.1:${port}`, `127.0.0.1:${port}`, {}, 201],
      [`http://localhost:${port}`, `localhost:${port}`, {}, 201],
      // An attacker's name that was made to point here.
      [`http://rebound.example:${port}`, `rebound.example:${port}`, {}, 403],
      ['http://127.0.0.1.rebound.example', '127.0.0.1.rebound.example', {}, 403],
      ['http://localhost', 'localhost', { 'x-forwarded-for': '192.0.2.1' }, 403],
      ['http://localhost:1', `localhost:${port}`, {}, 403],
    ] as const) {
      const answer = await signIn(origin, host, more);
      assert.deepEqual([origin, answer.status], [origin, status], JSON.stringify(answer.body));
    }
    const headers = { origin: undefined, 'sec-fetch-site': 'same-origin', host: 'rebound.example' };
    const hidden = await sendFromConsole(app, { method: 'POST', url: '/session', body: { email, password }, headers });
    assert.equal(hidden.status, 403);
  });
});

describe('the address of a client behind proxies', () => {
  test('is the one that the outermost trusted proxy has seen, whatever the client sends itself', async () => {
    await withApp(
      async (app) => {
        const guess = async (forged: string) => {
          // The proxy appends the address that it sees.
          const headers = { 'x-forwarded-for': `${forged}, 203.0.113.9` };
          const body = { email: 'nobody@example.org', password: 'wrong' };
          return (await app.send({ method: 'POST', url: '/api/v2/users/signin', headers, body })).status;
        };
        const statuses: number[] = [];
        for (let n = 0; n < 8; n++) statuses.push(await guess(`198.51.100.${n}`));
        assert.deepEqual(statuses.slice(5), [429, 429, 429]);
      },
      { PHAROS_TRUST_PROXY: '1' },
    );
  });

  test('true is refused with what to write instead, and so is what is no address', () => {
    for (const wrong of ['true', 'maybe', '0', '21', '-1', '10.0.0.0/33', '300.1.1.1', '10.0.0.1,yes'])
      assert.throws(
        () => readConfig({ PHAROS_TRUST_PROXY: wrong }),
        /PHAROS_TRUST_PROXY must .*the number of proxies in front of the service, such as 1, or their addresses/s,
        wrong,
      );
    for (const [text, value] of [
      ['', false],
      ['false', false],
      ['2', 2],
      ['10.0.0.1, fd00::/8', ['10.0.0.1', 'fd00::/8']],
      ['loopback', ['loopback']],
    ] as const)
      assert.deepEqual(readConfig({ PHAROS_TRUST_PROXY: text }).trustProxy, value);
  });
});

test('what the database and the files are kept in is closed to other users, also in a folder that was there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-modes-'));
  try {
    const config = readConfig({ PHAROS_DATA: folder });
    const modes = (names: readonly string[]) =>
      names.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
    const names = ['pharos.db', 'pharos.db-wal', 'pharos.db-shm'];
    chmodSync(folder, 0o755);
    for (const round of ['new', 'old']) {
      const db = await openDatabase(config);
      await migrate(db, Date.now());
      assert.deepEqual(modes(names), ['600', '600', '600'], round);
      if (round === 'old') assert.deepEqual(modes(['files']), ['700']);
      await db.close();
      chmodSync(join(folder, 'pharos.db'), 0o644);
      mkdirSync(join(folder, 'files'), { recursive: true });
      chmodSync(join(folder, 'files'), 0o755);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('every answer of the interface says nosniff, refusals of broken requests too', async () => {
  await withApp(async (app) => {
    const user = await signIn(app);
    for (const url of ['/api/v2/beacons', '/api/v2/users/me', '/api/v2/nothing', '/readyz', '/nothing']) {
      const { headers } = await app.send({ method: 'GET', url, headers: user.headers });
      assert.equal(headers['x-content-type-options'], 'nosniff', url);
    }
    const connection = await openConnection(await listen(app));
    connection.send('this is not HTTP\r\n\r\n');
    assert.equal((await connection.answer()).headers['x-content-type-options'], 'nosniff');
    connection.socket.destroy();
  });
});

test('a deleted file is asked for again: no cache may keep it for others, and asking is cheap', async () => {
  await withApp(async (app) => {
    const user = await signIn(app);
    const upload = { ...user.headers, 'content-type': 'image/png' };
    const { body } = await app.send({ method: 'POST', url: '/api/v2/files/a.png', headers: upload, body: 'bytes' });
    const url = body.url.slice('http://pharos.test'.length);
    const first = await app.send({ method: 'GET', url });
    const lifetime = /^private, max-age=(\d+), must-revalidate$/.exec(String(first.headers['cache-control']));
    assert.ok(lifetime && Number(lifetime[1]) <= 60, String(first.headers['cache-control']));
    const headers = { 'if-none-match': String(first.headers['etag']) };
    const again = await app.send({ method: 'GET', url, headers });
    assert.deepEqual([again.status, again.raw.length], [304, 0]);
    await app.send({ method: 'DELETE', url: `/api/v2/files/${body.objectId}`, headers: user.headers });
    const gone = await app.send({ method: 'GET', url, headers });
    assert.deepEqual([gone.status, gone.headers['cache-control']], [404, 'no-store']);
  });
});

test('while it stops, requests on open connections get the error of the catalogue, and an EventSource comes back', async () => {
  await withApp(async (app) => {
    const user = await signIn(app);
    const port = await listen(app);
    const credentials = Object.entries({ ...app.credentials, ...user.headers });
    const body = JSON.stringify({ deviceName: 'Gateway', manufacture: 'Acme', topic: 'a/b' });
    const sized = [...credentials, ['content-type', 'application/json'], ['content-length', String(body.length)]];
    const connections = [await openConnection(port), await openConnection(port)];
    for (const connection of connections) {
      const arrived = once(app.app.server.server, 'request');
      connection.send(head('POST /api/v2/device', sized as [string, string][]));
      await arrived;
    }
    const closed = app.app.close();
    // It is stopping from the moment at which it refuses connections.
    for (let isRefused = false; !isRefused; ) {
      const probe = connect({ host: '127.0.0.1', port });
      isRefused = await once(probe, 'connect').then(
        () => false,
        () => true,
      );
      probe.destroy();
    }
    const next = [
      head('GET /api/v2/beacons', credentials),
      head('GET /api/v2/stream', [...credentials, ['accept', 'text/event-stream']]),
    ];
    const answers = await Promise.all(
      connections.map(async (connection, index) => {
        connection.send(body + next[index]);
        assert.equal((await connection.answer()).status, 201, 'what was accepted is finished');
        return connection.answer();
      }),
    );
    const [refusal, stream] = answers;
    assert.deepEqual(
      [refusal?.status, refusal?.body.code, refusal?.body.error?.name, refusal?.headers['retry-after']],
      [503, 124, 'Timeout', '1'],
    );
    assert.deepEqual(
      [stream?.status, stream?.headers['content-type'], stream?.body],
      [200, 'text/event-stream; charset=utf-8', 'retry: 1000\n\n'],
    );
    for (const { socket } of connections) socket.destroy();
    await closed;
  });
});
