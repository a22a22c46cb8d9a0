import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { PharosClient, type PharosError } from '../../../sdk/src/index.ts';
import { service } from '../../src/access/audit.ts';
import { type App, createApp } from '../../src/app/app.ts';
import type { Database } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { ScriptedSender } from '../fakes/scripted-sender.ts';
import { buildApp, type SignedIn, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, consoleOrigin, openConsole } from '../support/console.ts';
import { isFull, testInFull } from '../support/depth.ts';
import { type CutProxy, startCutProxy } from '../support/servers/cut-proxy.ts';

const hour = 3_600_000;

/** A node loses its database in the middle of what somebody does; another one still has it, and says what is there. */
describe('revocations while the database is away', () => {
  let app: TestApp;
  let fcm: ScriptedSender;
  let owner: Browser;
  let manager: SignedIn;
  let proxy: CutProxy;
  let db: Database;
  let node: App;
  beforeAll(async () => {
    fcm = new ScriptedSender();
    const senders = [fcm.definition('fcm')];
    app = await buildApp({ database: 'postgres', senders });
    await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
    owner = await openConsole(app, 'owner');
    manager = await signInManager(app);
    const url = new URL(app.storage.settings['PHAROS_DATABASE_URL'] ?? '');
    proxy = await startCutProxy(Number(url.port));
    url.port = String(proxy.port);
    db = openPostgres({ url: url.href, poolSize: 2, queryDeadlineMs: 5_000 });
    const now = () => app.clock.now;
    node = await createApp({
      repeats: false,
      config: app.config,
      db,
      now,
      logStream: { write: () => undefined },
      senders,
    });
    const body = { installationId: 'phone', deviceType: 'android', deviceToken: 'token' };
    await create(app, '/api/v2/installations', body, {});
  });
  afterAll(async () => {
    proxy?.mend();
    await node?.close();
    await db?.close();
    await proxy?.close();
    await app?.close();
  });

  /** Asks the node whose database may be away. */
  async function ask(path: string) {
    const url = `/console/api/apps/${app.appId}${path}`;
    const headers = { origin: consoleOrigin, cookie: owner.cookie };
    const { statusCode, payload } = await node.server.inject({ method: 'POST', url, headers });
    return { status: statusCode, body: JSON.parse(payload) };
  }
  /** Until it answers: it may take a moment to find the database again. */
  async function askUntilThere(path: string) {
    for (;;) {
      const answer = await ask(path);
      if (answer.status !== 503) return answer;
      await delay(100);
    }
  }
  const read = async (path: string) => (await owner.send({ method: 'GET', url: `/apps/${app.appId}${path}` })).body;
  const audited = async (action: string, subject: string) => {
    const { results } = (await owner.send({ method: 'GET', url: '/audit' })).body;
    type Entry = Readonly<Record<'action' | 'subject', string>>;
    return results.filter((entry: Entry) => entry.action === action && entry.subject === subject).length;
  };
  const post = (path: string, body?: object) =>
    owner.send({ method: 'POST', url: `/apps/${app.appId}${path}`, ...(body ? { body } : {}) });

  /** A push in an hour that was cancelled. */
  async function cancelled(): Promise<string> {
    app.clock.now += 1_000;
    const body = { data: { title: 'Tonight' }, sendAt: new Date(app.clock.now + hour).toISOString() };
    const answer = await post('/v2/push/notification', body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const id = String(answer.headers['location']).split('/').at(-1) ?? '';
    await app.app.idle();
    assert.equal((await post(`/v2/push/notification/${id}/cancel`)).status, 200);
    return id;
  }
  const stateOf = async (id: string) => (await read(`/v2/push/notification/${id}`)).result.state;

  /** A device in the trash: its id there, and its own. */
  async function deleted(name: string) {
    const deviceId = await create(
      app,
      '/api/v2/device',
      { deviceName: name, manufacture: 'Acme', topic: `museum/${name}` },
      manager.headers,
    );
    const url = `/apps/${app.appId}/v2/device/${deviceId}`;
    assert.equal((await owner.send({ method: 'DELETE', url })).status, 200);
    const { results } = await read('/trash?kind=devices');
    const { objectId } = results.find(({ recordId }: { recordId: string }) => recordId === deviceId);
    return { id: objectId as string, deviceId };
  }
  const isThere = async (deviceId: string) =>
    (await owner.send({ method: 'GET', url: `/apps/${app.appId}/v2/device/${deviceId}` })).status === 200;

  test('a push stays cancelled, and goes out once when it is resumed afterwards', async () => {
    const id = await cancelled();
    proxy.cut();
    const refused = await ask(`/pushes/${id}/resume`);
    assert.equal(refused.status, 503, JSON.stringify(refused.body));
    assert.deepEqual([await stateOf(id), await audited('push.resume', id)], ['cancelled', 0]);
    proxy.mend();
    assert.equal((await askUntilThere(`/pushes/${id}/resume`)).status, 200);
    app.clock.now += hour;
    await app.app.idle();
    assert.deepEqual([await stateOf(id), fcm.calls.length, await audited('push.resume', id)], ['done', 1, 1]);
  });

  test('a device stays in the trash, and comes back whole when it is restored afterwards', async () => {
    const { id, deviceId } = await deleted('lamp');
    proxy.cut();
    assert.equal((await ask(`/trash/${id}/restore`)).status, 503);
    assert.equal(await isThere(deviceId), false);
    proxy.mend();
    assert.equal((await askUntilThere(`/trash/${id}/restore`)).status, 200);
    assert.equal(await isThere(deviceId), true);
  });

  test('lost at any moment of it, it has happened with its entry in the audit, or not at all', async () => {
    const seen = new Set<string>();
    for (let bytes = 0; bytes < 6_000; bytes += isFull ? 150 : 450) {
      const push = await cancelled();
      const before = fcm.calls.length;
      proxy.cutAllAfter(bytes);
      await ask(`/pushes/${push}/resume`);
      proxy.mend();
      const state = await stateOf(push);
      seen.add(state);
      assert.equal(await audited('push.resume', push), state === 'cancelled' ? 0 : 1, `${state} after ${bytes} bytes`);
      if (state === 'cancelled') assert.equal((await askUntilThere(`/pushes/${push}/resume`)).status, 200);
      // Either node may have taken its jobs, the other one when that node lost the database with them.
      while ((await stateOf(push)) !== 'done') {
        app.clock.now += hour;
        await Promise.all([app.app.idle(), node.idle()]);
      }
      assert.deepEqual([await stateOf(push), fcm.calls.length - before], ['done', 1], `after ${bytes} bytes`);
    }
    assert.ok(seen.size > 1, `cut before it and after it: ${[...seen]}`);
  });

  testInFull(
    'lost at any moment of it, what the client creates is there once, and what it deletes is gone without an error',
    async () => {
      await node.server.listen({ host: '127.0.0.1', port: 0 });
      let [repeated, unknown] = [0, 0];
      const client = new PharosClient({
        baseUrl: `http://127.0.0.1:${(node.server.server.address() as AddressInfo).port}`,
        appId: app.appId,
        appKey: app.appKey,
        token: manager.token,
        fetch: async (url, request) => {
          const answer = await fetch(url, request);
          if ((await answer.clone().text()).includes('"mayBeDone":true')) unknown++;
          return answer;
        },
        retry: {
          attempts: 40,
          sleep: () => {
            repeated++;
            proxy.mend();
            return delay(25);
          },
        },
      });
      const named = async (name: string) => (await client.beacons.list({ where: { name } })).results.length;
      /** Whether the database was lost before the end of the deletion. */
      async function deleteWith(bytes: number): Promise<boolean> {
        app.clock.now += 5_000;
        const name = `${bytes} ${app.clock.now}`;
        proxy.cutAllAfter(bytes);
        const { objectId } = await client.beacons.create({ name, uuid: 'u', major: 1, minor: 1 });
        proxy.mend();
        assert.equal(await named(name), 1, `created once, after ${bytes} bytes`);
        repeated = 0;
        proxy.cutAllAfter(bytes);
        await client.beacons
          .delete(objectId)
          .catch((error: PharosError) => assert.fail(`${error.name} after ${bytes} bytes`));
        proxy.mend();
        const isLost = repeated > 0;
        assert.equal(await named(name), 0, `deleted, after ${bytes} bytes`);
        return isLost;
      }
      let lastLost = 0;
      // What the service asks beside it takes bytes of the connection too, so one that got through is not the end.
      for (let bytes = 0; bytes <= lastLost + 300; bytes += 100) if (await deleteWith(bytes)) lastLost = bytes;
      // Where it is confirmed is somewhere near.
      for (let bytes = Math.max(0, lastLost - 220); bytes <= lastLost + 120; bytes += 4) await deleteWith(bytes);
      assert.ok(unknown > 0, 'also while the database was about to confirm it');
    },
  );
});
