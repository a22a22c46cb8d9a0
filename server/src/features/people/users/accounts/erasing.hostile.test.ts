import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { openConsole } from '../../../../../test/support/console.ts';
import { startIdentityProvider } from '../../../../../test/support/servers/identity-provider.ts';
import { sql } from '../../../../base/sql.ts';
import { filesFolder } from '../../../../config/config.ts';

/** Where the app says so, somebody who finds a phone must not be able to erase its user. */

const minuteMs = 60_000;

for (const database of databases) {
  describe(`erasing the own account on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_PRIVATE_TARGETS: '127.0.0.1' } });
      await app.app.apps.change(app.appId, { policy: { selfErasure: 'fresh' } });
    });
    afterAll(() => app.close());

    const erase = (headers: Readonly<Record<string, string>>, who = 'me') =>
      app.send({ method: 'DELETE', url: `/api/v2/users/${who}`, headers });
    const isThere = async ({ headers }: SignedIn) =>
      (await app.send({ method: 'GET', url: '/api/v2/users/me', headers })).status === 200;

    test('needs a sign-in in the last ten minutes, by either path, and says so', async () => {
      for (const path of ['me', 'id'] as const) {
        const vera = await signIn(app);
        const who = path === 'id' ? vera.userId : 'me';
        app.clock.now += 10 * minuteMs + 1;
        const { status, body } = await erase(vera.headers, who);
        assert.deepEqual([status, body.code], [403, 119]);
        assert.match(body.error.error, /Sign in again first/);
        assert.ok(await isThere(vera));
        const email = (await app.send({ method: 'GET', url: '/api/v2/users/me', headers: vera.headers })).body.result
          .validemail;
        const again = { email, password: 'correct horse' };
        const entered = await app.send({ method: 'POST', url: '/api/v2/users/signin', body: again });
        const headers = { authorization: `Bearer ${entered.body.accessToken}` };
        app.clock.now += 10 * minuteMs;
        assert.equal((await erase(headers, who)).status, 200);
        assert.ok(!(await isThere(vera)));
      }
    });

    test('renewing a session does not make it fresh', async () => {
      const account = {
        firstname: 'Vera',
        lastname: 'Visitor',
        email: 'renewed@example.org',
        password: 'correct horse',
      };
      await app.send({ method: 'POST', url: '/api/v2/users', body: account });
      const body = { ...account, refresh: true };
      const { refreshToken } = (await app.send({ method: 'POST', url: '/api/v2/users/signin', body })).body;
      app.clock.now += 11 * minuteMs;
      const renewed = await app.send({ method: 'POST', url: '/api/v2/users/token', body: { refreshToken } });
      assert.equal(renewed.status, 200);
      assert.equal((await erase({ authorization: `Bearer ${renewed.body.accessToken}` })).status, 403);
    });

    test('leaves no file whose upload ends afterwards', async () => {
      const vera = await signIn(app);
      const content = new PassThrough();
      content.write('x'.repeat(500));
      const folder = filesFolder(app.config);
      const stored = () =>
        existsSync(folder)
          ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
              // The folder's own mark stays.
              (entry) => entry.isFile() && entry.name !== '.pharos-folder',
            ).length
          : 0;
      const before = stored();
      const uploading = app.app.server.inject({
        method: 'POST',
        url: '/api/v2/files/tour.txt',
        headers: { ...app.credentials, ...vera.headers, 'content-type': 'text/plain', 'content-length': '1000' },
        payload: content,
      });
      while (stored() === before) await setImmediate();
      assert.equal((await erase(vera.headers)).status, 200);
      await app.app.idle();
      content.end('x'.repeat(500));
      assert.equal((await uploading).statusCode, 403);
      const left = await app.storage.db.all(sql`select object_id from files where created_by = ${vera.userId}`);
      assert.deepEqual([left, stored()], [[], before]);
    });

    test('is left to the issuer where an app has users of its own', async () => {
      const provider = await startIdentityProvider();
      try {
        const { issuer, clientId } = provider;
        const fields = { name: 'own', kind: 'oidc', issuer, audiences: [clientId], acceptsTokens: true };
        await app.app.identityProviders.create(app.appId, fields as never, { name: 'test', address: null });
        app.clock.now = Math.max(app.clock.now, Date.now());
        const exp = Math.floor(app.clock.now / 1000) + 86_400;
        const headers = { authorization: `Bearer ${await provider.forge({ claims: { sub: 'reader', exp } })}` };
        const me = await app.send({ method: 'GET', url: '/api/v2/users/me', headers });
        assert.equal(me.status, 200, me.raw.toString());
        app.clock.now += 30 * minuteMs;
        assert.equal((await erase(headers)).status, 200);
      } finally {
        await provider.close();
      }
    });

    test('is as it ever was in other apps, and new apps for visitors ask for it', async () => {
      const owner = await openConsole(app, 'owner');
      for (const [preset, expected] of [
        ['specification', 'session'],
        ['visitors', 'fresh'],
      ] as const) {
        const made = (await owner.send({ method: 'POST', url: '/apps', body: { name: preset, preset } })).body.result;
        assert.equal((await app.app.apps.get(made.appId)).policy.selfErasure, expected);
      }
      await app.app.apps.change(app.appId, { policy: { selfErasure: 'session' } });
      const vera = await signIn(app);
      app.clock.now += 60 * minuteMs;
      assert.equal((await erase(vera.headers)).status, 200);
    });
  });
}
