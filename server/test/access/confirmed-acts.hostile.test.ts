import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { confirmedForMs } from '../../src/http/console/console-endpoint.ts';
import { buildConsoleOpenApi, type Operation } from '../../src/http/openapi/openapi.ts';
import { buildApp, databases, type SentRequest, signIn, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, openConsole, password } from '../support/console.ts';

/**
 * What an administrator does only within five minutes of signing in or of a confirmation, written down a second time, so that a
 * change of it has to be deliberate: whoever finds a computer that is signed in must not be able to do it.
 */
const expected = [
  // Keys
  'createSecretKey',
  'disableKey',
  'restoreKey',
  'restoreSecretKey',
  'revokeSecretKey',
  'rotateKey',
  // Administrators, and how they and users sign in
  'changeAdministrator',
  'changeIdentityProvider',
  'changeSecurity',
  'changeSsoPolicy',
  'changeSsoProvider',
  'createAdministrator',
  'createIdentityProvider',
  'createSsoProvider',
  'deleteSsoProvider',
  'inviteAdministrator',
  'sendInvitationAgain',
  // Passwords and second factors, and who acts for whom
  'addOwnAgent',
  'addPasskey',
  'disableTotp',
  'disconnectIdentity',
  'enableTotp',
  'resetAppUserFactors',
  'removeAppUserPasskey',
  'removeAppUserTotp',
  'removePasskey',
  'renewRecoveryCodes',
  'resetAdministratorFactors',
  'resetAdministratorPassword',
  'sendPasswordLink',
  'startConnection',
  'startPasskey',
  'startTotp',
  // Erasure
  'deleteApp',
  'deleteInstallation',
  'eraseAppUser',
  'prepareRestore',
  'startRestore',
  // All about somebody, or everybody, in a file
  'checkConfirmation',
  'downloadBackup',
  'exportAppUser',
  'exportInstallation',
].sort();

for (const database of databases) {
  describe(`what has to be confirmed in the console on ${database}`, () => {
    let app: TestApp;
    let owner: Browser;
    beforeAll(async () => {
      app = await buildApp({ database });
      owner = await openConsole(app, 'owner');
    });
    afterAll(() => app.close());

    const confirm = () => owner.send({ method: 'POST', url: '/session/confirm', body: { password } });

    test('is what the table of this test says', () => {
      const { consoleEndpoints, endpoints } = app.app;
      const found = [...consoleEndpoints, ...endpoints].filter(({ needsConfirmation }) => needsConfirmation);
      assert.deepEqual(found.map(({ operationId }) => operationId).sort(), expected);
      const documented = Object.values(buildConsoleOpenApi(consoleEndpoints, '1').paths).flatMap(
        Object.values<Operation>,
      );
      for (const { operationId } of consoleEndpoints.filter(({ needsConfirmation }) => needsConfirmation)) {
        const { responses } = documented.find((operation) => operation.operationId === operationId) ?? {};
        assert.match(JSON.stringify(responses), /ConfirmationNeeded/, `${operationId} documents it`);
      }
    });

    test('nobody is erased, and no app with all its people, from a console that was left open', async () => {
      const at = `/apps/${app.appId}`;
      const vera = await signIn(app);
      const phone = await create(app, '/api/v2/installations', { installationId: 'hers', deviceType: 'ios' });
      const other = await app.app.apps.create('Other');
      const erasures: readonly SentRequest[] = [
        { method: 'DELETE', url: `${at}/users/${vera.userId}` },
        { method: 'DELETE', url: `${at}/v2/installations/${phone}` },
        { method: 'DELETE', url: `/apps/${other.appId}` },
      ];
      app.clock.now += confirmedForMs;
      for (const erasure of erasures) {
        const { status, body } = await owner.send(erasure);
        assert.deepEqual([erasure.url, status, body.error.name], [erasure.url, 403, 'ConfirmationNeeded']);
      }
      assert.equal((await app.send({ method: 'GET', url: '/api/v2/users/me', headers: vera.headers })).status, 200);
      assert.equal((await owner.send({ method: 'GET', url: `${at}/v2/installations/${phone}` })).status, 200);
      assert.equal((await owner.send({ method: 'GET', url: `/apps/${other.appId}` })).status, 200);
      assert.equal((await confirm()).status, 200);
      for (const erasure of erasures) assert.equal((await owner.send(erasure)).status, 200, erasure.url);
    });

    test('nobody can export a person, or save a backup, from it', async () => {
      const vera = await signIn(app);
      const phone = await create(app, '/api/v2/installations', { installationId: 'exported', deviceType: 'ios' });
      const { backupId } = (await owner.send({ method: 'POST', url: '/system/backups' })).body.result;
      await app.app.idle();
      const files = [
        `/apps/${app.appId}/users/${vera.userId}/export`,
        `/apps/${app.appId}/installations/${phone}/export`,
        `/system/backups/${backupId}/archive`,
      ];
      const ask = (url: string) => owner.send({ method: 'GET', url });
      app.clock.now += confirmedForMs;
      for (const url of ['/session/confirm', ...files]) {
        const { status, body } = await ask(url);
        assert.deepEqual([url, status, body.error.name], [url, 403, 'ConfirmationNeeded']);
      }
      const { results } = (await ask('/audit?limit=100')).body;
      const exported = results.filter(({ action }: { action: string }) => /export|download/.test(action));
      assert.deepEqual(exported, [], 'nothing was handed out');
      await confirm();
      for (const url of ['/session/confirm', ...files]) assert.equal((await ask(url)).status, 200, url);
    });

    test('nobody lets the users of another provider in from it', async () => {
      const url = `/apps/${app.appId}/identity-providers`;
      const body = { name: 'google', kind: 'google', audiences: ['guide'] };
      await confirm();
      const made = await owner.send({ method: 'POST', url, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      app.clock.now += confirmedForMs;
      const roles = { claim: 'email', manager: ['mallory@example.org'] };
      for (const write of [
        { method: 'POST', url, body: { ...body, name: 'apple', kind: 'apple' } },
        { method: 'PUT', url: `${url}/${made.body.result.objectId}`, body: { roles } },
      ] as const)
        assert.equal((await owner.send(write)).body.error?.name, 'ConfirmationNeeded');
    });

    test('nobody can make a user a manager, who would see everything, from it', async () => {
      const [vera, url] = [await signIn(app), `/apps/${app.appId}/users`];
      const change = (role: string) => owner.send({ method: 'PUT', url: `${url}/${vera.userId}`, body: { role } });
      app.clock.now += confirmedForMs;
      assert.equal((await change('manager')).body.error?.name, 'ConfirmationNeeded');
      const shown = await owner.send({ method: 'GET', url: `${url}/${vera.userId}` });
      assert.equal(shown.body.result.role, 'user');
      await confirm();
      assert.equal((await change('manager')).status, 200);
      app.clock.now += confirmedForMs;
      assert.equal((await change('user')).status, 200, 'to take it away needs none');
    });

    test('a confirmation that another node has just taken counts, though its clock is a little ahead', async () => {
      const url = `/apps/${app.appId}/keys`;
      const rotate = () => owner.send({ method: 'POST', url });
      const confirmAt = (at: number) => app.storage.db.run(sql`update admin_sessions set confirmed_at = ${at}`);
      await confirmAt(app.clock.now + 900);
      assert.notEqual((await rotate()).body.error?.name, 'ConfirmationNeeded');
      await confirmAt(app.clock.now + 3_600_000);
      assert.equal((await rotate()).body.error?.name, 'ConfirmationNeeded', 'but not one of a wrong clock');
      await confirm();
    });

    test('a user deletes the own phone in the app as before', async () => {
      const vera = await signIn(app);
      const body = { installationId: 'veras', deviceType: 'ios', deviceToken: 'hers' };
      const phone = await create(app, '/api/v2/installations', body, vera.headers);
      app.clock.now += confirmedForMs;
      const url = `/api/v2/installations/${phone}`;
      assert.equal((await app.send({ method: 'DELETE', url, headers: vera.headers })).status, 200);
    });
  });
}
