import assert from 'node:assert/strict';
import { test } from 'vitest';
import { type App, createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { buildApp, databases, openStorage, signIn } from '../support/build-app.ts';

test('wrong app keys are counted by address, and a right one from there is let in all the same', async () => {
  const app = await buildApp();
  try {
    const wrong = (appId = app.appId) =>
      app.send({
        method: 'POST',
        url: '/api/v2/users/signin',
        headers: { 'x-service-appid': appId, 'x-service-appkey': 'x'.repeat(43) },
        body: {},
      });
    for (let n = 0; n < 100; n++) assert.equal((await wrong(n % 2 ? 'nobody' : app.appId)).body.code, 903);
    for (const appId of [app.appId, 'nobody']) {
      const { status, body, headers } = await wrong(appId);
      assert.deepEqual([status, body.code, headers['retry-after']], [429, 904, '1']);
      assert.match(body.error.error, /wrong AppId or AppKey/);
    }
    const right = await app.send({ method: 'POST', url: '/api/v2/users/signin', body: {} });
    assert.equal(right.body.code, 200, 'judged by its body');
    app.clock.now += 1_000;
    assert.deepEqual([(await wrong()).body.code, (await wrong()).body.code], [903, 904], 'one a second');
  } finally {
    await app.close();
  }
});

test('a user and a secret key have one limit over all their addresses, and nobody else is delayed', async () => {
  const app = await buildApp({ settings: { PHAROS_TRUST_PROXY: '1' } });
  try {
    await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: true, perSecond: 1, burst: 20 } } });
    const scopes = [{ resource: 'beacons', verbs: ['list' as const] }];
    const { secretKey } = await app.app.secretKeys.create(
      app.appId,
      { name: 'Import', scopes },
      { name: 'test', address: null },
    );
    const [vera, victor] = [await signIn(app), await signIn(app)];
    let address = 0;
    const ask = (headers: Readonly<Record<string, string>>) =>
      app.send({
        method: 'GET',
        url: '/api/v2/beacons?limit=1',
        headers: { 'x-forwarded-for': `198.51.100.${++address % 250}`, ...headers },
      });
    for (const caller of [vera.headers, { 'x-service-appkey': secretKey }]) {
      for (let n = 0; n < 20; n++) assert.equal((await ask(caller)).status, 200);
      const { status, body, headers } = await ask(caller);
      assert.deepEqual([status, body.code, headers['retry-after']], [429, 904, '1']);
    }
    assert.equal((await ask(victor.headers)).status, 200);
    app.clock.now += 1_000;
    assert.deepEqual([(await ask(vera.headers)).status, (await ask(vera.headers)).status], [200, 429], 'one a second');
  } finally {
    await app.close();
  }
});

for (const database of databases) {
  test(`guesses do not begin afresh with a restart, on ${database}`, async () => {
    const storage = await openStorage(database);
    const config = readConfig({ PHAROS_SECRET_KEY: 'ab'.repeat(32), PHAROS_LOG_LEVEL: 'silent', ...storage.settings });
    const clock = { now: Date.now() };
    const start = () => createApp({ repeats: false, config, db: storage.db, now: () => clock.now });
    const consoleHeaders = { origin: 'http://localhost:80', host: 'localhost:80' };
    try {
      let app: App = await start();
      const { appId, appKey } = await app.apps.create('Museum');
      const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey };
      const guess = async (email: string) => {
        const payload = { email, password: 'wrong password' };
        return (await app.server.inject({ method: 'POST', url: '/api/v2/users/signin', headers, payload })).statusCode;
      };
      const guessAdmin = async () => {
        const payload = { email: 'ada@museum.example', password: 'wrong password' };
        const request = { method: 'POST', url: '/console/api/session', headers: consoleHeaders, payload } as const;
        return (await app.server.inject(request)).statusCode;
      };
      const user = [];
      for (let n = 0; n < 6; n++) user.push(await guess('vera@example.org'));
      assert.deepEqual(user, [404, 404, 404, 404, 404, 429]);
      const admin = [];
      for (let n = 0; n < 11; n++) admin.push(await guessAdmin());
      assert.deepEqual(admin, [...Array(10).fill(404), 429]);
      await app.close();

      app = await start();
      assert.deepEqual([await guess('vera@example.org'), await guessAdmin()], [429, 429], 'after the restart');
      assert.equal(await guess('somebody@example.org'), 404, 'other accounts are not affected');
      clock.now += 12_000;
      assert.deepEqual([await guess('vera@example.org'), await guess('vera@example.org')], [404, 429], 'one in 12 s');
      await app.close();

      clock.now += 3_600_000;
      app = await start();
      assert.equal(await guess('vera@example.org'), 404, 'when the time is over it is forgotten');
      await app.close();
    } finally {
      await storage.close();
    }
  });
}
