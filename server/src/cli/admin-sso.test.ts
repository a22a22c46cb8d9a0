import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../test/support/console.ts';
import { type IdentityProvider, startIdentityProvider } from '../../test/support/servers/identity-provider.ts';
import { loopback } from '../../test/support/servers/single-sign-on.ts';
import { setOnlyWay } from '../features/operate/admins/sso/store.ts';
import { runCommandLine } from './run.ts';

for (const database of databases) {
  describe(`single sign-on from the command line on ${database}`, () => {
    let app: TestApp;
    let idp: IdentityProvider;
    let owner: Browser;
    beforeAll(async () => {
      app = await buildApp({ database, settings: loopback });
      idp = await startIdentityProvider();
      owner = await openConsole(app, 'owner');
    });
    afterAll(async () => {
      await idp?.close();
      await app?.close();
    });

    async function run(line: string, input = '') {
      const [out, err]: [string[], string[]] = [[], []];
      const environment = { PHAROS_SECRET_KEY: 'ab'.repeat(32), ...loopback, ...app.storage.settings };
      const code = await runCommandLine({
        words: line.split(' '),
        environment,
        terminal: {
          out: (text) => void out.push(text),
          err: (text) => void err.push(text),
          readInput: async () => input,
          isInteractive: true,
        },
      });
      return { code, out: out.join('\n'), err: err.join('\n') };
    }
    const seen = async () => (await owner.send({ method: 'GET', url: '/sso-providers' })).body.results;
    const make = () =>
      run(
        `admin sso set Museum --issuer ${idp.issuer} --client-id ${idp.consoleClient.clientId} --client-secret-stdin --groups-claim groups --role owner=heads --role owner=a=b --role editor=curators --factor-value mfa`,
        `${idp.consoleClient.clientSecret}\n`,
      );

    test('a provider is made, shown, tested, changed and removed', async () => {
      assert.equal((await run('admin sso show')).out, 'There is no single sign-on.');
      const made = await make();
      assert.equal(made.code, 0, made.err);
      assert.ok(!made.out.includes(idp.consoleClient.clientSecret));
      const [{ name, roles, hasSecret, enabled }] = await seen();
      assert.deepEqual(
        [name, roles, hasSecret, enabled],
        ['Museum', { owner: ['heads', 'a=b'], editor: ['curators'] }, true, true],
      );
      assert.match((await run('admin sso test Museum')).out, /^The provider answers, and has one key/);
      const changed = await run('admin sso set Museum --enabled no --default-role analyst --scopes openid,email');
      assert.match(changed.out, /switched off[\s\S]*owner: heads, a=b; editor: curators; everybody else: analyst/);
      assert.equal((await seen())[0].hasSecret, true, 'what is not named stays');
      assert.match((await run('admin sso show')).out, /Passwords and passkeys are accepted as well/);
      assert.match((await run('admin sso show')).out, /new people: in no app until an owner gives them some/);
      const limit = await run('admin sso set Museum --join-app one:editor@hall+cafe --join-app two');
      assert.match(limit.out, /new people: one:editor@hall\+cafe two/);
      assert.deepEqual((await seen())[0].joinApps, [
        { appId: 'one', role: 'editor', venues: ['hall', 'cafe'] },
        { appId: 'two' },
      ]);
      const places = await run(
        'admin sso set Museum --app-role one:editor@hall+cafe=guides --app-role two:manager=a=b',
      );
      assert.match(places.out, /one:editor@hall\+cafe: guides; two:manager: a=b/);
      const appRoles = [
        { group: 'guides', role: 'editor', appId: 'one', venues: ['hall', 'cafe'] },
        { group: 'a=b', role: 'manager', appId: 'two' },
      ];
      assert.deepEqual((await seen())[0].appRoles, appRoles);
      await run('admin sso set Museum --join-app none');
      assert.deepEqual((await seen())[0].appRoles, appRoles, 'what is not named stays');
      await run('admin sso set Museum --app-role none');
      assert.deepEqual((await seen())[0].appRoles, []);
      assert.deepEqual((await seen())[0].joinApps, []);
      assert.match((await run('admin sso set Museum --join-app all')).out, /new people: in all apps/);
      assert.equal((await seen())[0].joinApps, 'all');
      const unsure = await run('admin sso remove Museum');
      assert.deepEqual([unsure.code, (await seen()).length], [2, 1], unsure.err);
      assert.equal((await run('admin sso remove Museum --yes')).code, 0);
      assert.deepEqual(await seen(), []);
      const audit = await owner.send({ method: 'GET', url: '/audit?actor=command%20line' });
      assert.deepEqual(
        audit.body.results.map(({ action }: { action: string }) => action),
        ['single-sign-on.delete', ...Array.from({ length: 6 }, () => 'single-sign-on.change'), 'single-sign-on.create'],
      );
    });

    test('what is wrong is refused with what to do', async () => {
      const wrong: readonly (readonly [string, number, RegExp])[] = [
        ['admin sso set Other --issuer https://192.0.2.1', 1, /clientId is required/],
        [`admin sso set Other --issuer ${idp.issuer} --client-id x --role king=a`, 2, /--role takes a role/],
        [`admin sso set Other --issuer ${idp.issuer} --client-id x --role owner=a`, 1, /groupsClaim is needed/],
        ['admin sso set Other --join-app one:owner', 2, /--join-app takes the roles/],
        ['admin sso set Other --app-role one:owner=a', 2, /--app-role takes the roles/],
        ['admin sso set Other --app-role one:editor', 2, /--app-role takes APP:ROLE/],
        [
          `admin sso set Other --issuer ${idp.issuer} --client-id x --app-role one:editor=a`,
          1,
          /groupsClaim is needed/,
        ],
        ['admin sso set Other --join-app all --join-app one', 2, /all or none by itself/],
        ['admin sso set Other --enabled maybe', 2, /takes yes or no/],
        ['admin sso test Other', 2, /There is no provider Other/],
      ];
      for (const [line, code, message] of wrong) {
        const refused = await run(line);
        assert.deepEqual([line, refused.code], [line, code], refused.err);
        assert.match(refused.err, message);
      }
      assert.deepEqual(await seen(), []);
      await make();
      idp.condition = 'failing';
      const tested = await run('admin sso test Museum');
      idp.condition = 'up';
      assert.equal(tested.code, 1, tested.out);
      assert.match(tested.out, /cannot be used/);
    });

    test('when the provider is gone, passwords are allowed again', async () => {
      await setOnlyWay(app.storage.db, true);
      assert.match((await run('admin sso show')).out, /It is the only way/);
      assert.equal((await run('admin sso remove Museum --yes')).code, 1, 'the last one stays as long');
      assert.equal((await run('admin sso allow-passwords')).code, 0);
      assert.equal((await run('admin sso remove Museum --yes')).code, 0);
      assert.equal((await owner.send({ method: 'GET', url: '/session' })).status, 200);
    });
  });
}
