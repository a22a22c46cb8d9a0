import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type AdminRole, adminRoles } from '../../src/access/roles.ts';
import type { ConsoleEndpoint } from '../../src/http/console/console-endpoint.ts';
import { buildApp, databases, type SentRequest, type TestApp } from '../support/build-app.ts';
import { type Browser, openConsole, sendFromConsole } from '../support/console.ts';

/** Everybody but those who are there for messages alone, or for numbers alone. */
const looking: readonly AdminRole[] = ['owner', 'manager', 'editor', 'installer', 'analyst'];

/** Who may call what, written down a second time, so that a change to the table of roles has to be deliberate. */
const expected: Readonly<Record<string, readonly AdminRole[]>> = {
  'GET /session': adminRoles,
  'DELETE /session': adminRoles,
  'GET /session/confirm': adminRoles,
  'POST /session/confirm': adminRoles,
  'POST /session/confirm/challenge': adminRoles,
  'PUT /session/password': adminRoles,
  'GET /session/factors': adminRoles,
  'POST /session/totp': adminRoles,
  'PUT /session/totp': adminRoles,
  'DELETE /session/totp': adminRoles,
  'POST /session/recovery-codes': adminRoles,
  'POST /session/passkeys/challenge': adminRoles,
  'POST /session/passkeys': adminRoles,
  'PUT /session/passkeys/:passkeyId': adminRoles,
  'DELETE /session/passkeys/:passkeyId': adminRoles,
  'POST /session/confirm/sso': adminRoles,
  'GET /session/identities': adminRoles,
  'POST /session/identities': adminRoles,
  'DELETE /session/identities/:providerId': adminRoles,
  'GET /sessions': adminRoles,
  'DELETE /sessions': adminRoles,
  'DELETE /sessions/:sessionId': adminRoles,
  'GET /session/agents': adminRoles,
  'POST /session/agents': adminRoles,
  'DELETE /session/agents/:agentId': adminRoles,
  'GET /session/alerts': adminRoles,
  'PUT /session/alerts': adminRoles,
  'GET /alerts': adminRoles,
  'GET /administrators': ['owner', 'manager'],
  'POST /administrators': ['owner'],
  'GET /administrators/:adminId': ['owner', 'manager'],
  'PUT /administrators/:adminId': ['owner'],
  'PUT /administrators/:adminId/password': ['owner'],
  'DELETE /administrators/:adminId/factors': ['owner'],
  'POST /administrators/:adminId/password-link': ['owner'],
  'GET /invitations': ['owner', 'manager'],
  'POST /invitations': ['owner'],
  'POST /invitations/:invitationId/link': ['owner'],
  'DELETE /invitations/:invitationId': ['owner'],
  'GET /security': ['owner', 'manager'],
  'PUT /security': ['owner'],
  'GET /sso': ['owner', 'manager'],
  'PUT /sso': ['owner'],
  'GET /sso-providers': ['owner'],
  'POST /sso-providers': ['owner'],
  'GET /sso-providers/:providerId': ['owner'],
  'PUT /sso-providers/:providerId': ['owner'],
  'DELETE /sso-providers/:providerId': ['owner'],
  'POST /sso-providers/:providerId/test': ['owner'],
  'GET /apps': adminRoles,
  'POST /apps': ['owner', 'manager'],
  'GET /apps/:appId': adminRoles,
  'PUT /apps/:appId': ['owner', 'manager'],
  'DELETE /apps/:appId': ['owner'],
  'GET /apps/:appId/rules': looking,
  'PUT /apps/:appId/rules': ['owner', 'manager'],
  'POST /apps/:appId/rules/preview': looking,
  'POST /apps/:appId/rules/try': ['owner', 'manager'],
  'GET /apps/:appId/rules/dry-run': looking,
  'PUT /apps/:appId/rules/dry-run': ['owner', 'manager'],
  'DELETE /apps/:appId/rules/dry-run': ['owner', 'manager'],
  'GET /apps/:appId/keys': ['owner', 'manager'],
  'POST /apps/:appId/keys': ['owner', 'manager'],
  'POST /apps/:appId/trial-keys': ['owner', 'manager', 'editor', 'author', 'installer'],
  'DELETE /apps/:appId/keys/:keyId': ['owner', 'manager'],
  'POST /apps/:appId/keys/:keyId/restore': ['owner', 'manager'],
  'GET /apps/:appId/secret-keys': ['owner', 'manager'],
  'POST /apps/:appId/secret-keys': ['owner', 'manager'],
  'DELETE /apps/:appId/secret-keys/:keyId': ['owner', 'manager'],
  'POST /apps/:appId/secret-keys/:keyId/restore': ['owner', 'manager'],
  'GET /apps/:appId/buckets': looking,
  'POST /apps/:appId/buckets': ['owner', 'manager'],
  'DELETE /apps/:appId/buckets/:bucketName': ['owner', 'manager'],
  'GET /apps/:appId/users': ['owner', 'manager'],
  'GET /apps/:appId/users/:userId': ['owner', 'manager'],
  'PUT /apps/:appId/users/:userId': ['owner', 'manager'],
  'DELETE /apps/:appId/users/:userId': ['owner', 'manager'],
  'GET /apps/:appId/users/:userId/factors': ['owner', 'manager'],
  'DELETE /apps/:appId/users/:userId/factors': ['owner', 'manager'],
  'GET /apps/:appId/users/:userId/passkeys': ['owner', 'manager'],
  'DELETE /apps/:appId/users/:userId/passkeys/:passkeyId': ['owner', 'manager'],
  'DELETE /apps/:appId/users/:userId/totp': ['owner', 'manager'],
  'GET /apps/:appId/users/:userId/sessions': ['owner', 'manager'],
  'DELETE /apps/:appId/users/:userId/sessions/:sessionId': ['owner', 'manager'],
  'GET /apps/:appId/identity-providers': ['owner', 'manager'],
  'POST /apps/:appId/identity-providers': ['owner', 'manager'],
  'GET /apps/:appId/identity-providers/:providerId': ['owner', 'manager'],
  'PUT /apps/:appId/identity-providers/:providerId': ['owner', 'manager'],
  'DELETE /apps/:appId/identity-providers/:providerId': ['owner', 'manager'],
  'POST /apps/:appId/identity-providers/:providerId/test': ['owner', 'manager'],
  'GET /apps/:appId/live': looking,
  'GET /apps/:appId/beacon-visits': looking,
  'GET /apps/:appId/funnel': looking,
  'GET /apps/:appId/beacons/:beaconId/heard': ['owner', 'manager', 'installer'],
  'GET /apps/:appId/hearing': ['owner', 'manager', 'editor', 'analyst'],
  'DELETE /apps/:appId/hearing': ['owner', 'manager'],
  'DELETE /apps/:appId/hearing/:installationId': ['owner', 'manager'],
  'GET /apps/:appId/sensing': ['owner', 'manager', 'editor', 'analyst'],
  'GET /apps/:appId/findings': adminRoles,
  'PUT /apps/:appId/findings/:beaconId/:kind': ['owner', 'manager', 'installer'],
  'GET /apps/:appId/radio': looking,
  'DELETE /apps/:appId/radio/:beaconId': ['owner', 'manager', 'installer'],
  'GET /apps/:appId/sighting-counts': looking,
  'POST /apps/:appId/replays': ['owner', 'manager', 'editor', 'author', 'installer'],
  'GET /apps/:appId/replays/:objectId': ['owner', 'manager', 'editor', 'author', 'installer'],
  'DELETE /apps/:appId/replays/:objectId': ['owner', 'manager', 'editor', 'author', 'installer'],
  'GET /apps/:appId/users/:userId/export': ['owner', 'manager'],
  'GET /apps/:appId/installations/:installationId/export': ['owner', 'manager'],
  'GET /apps/:appId/privacy': looking,
  'GET /apps/:appId/erasures': ['owner', 'manager'],
  'GET /apps/:appId/installations/:installationId/consents': ['owner', 'manager'],
  'GET /apps/:appId/own-phones': ['owner', 'manager', 'editor', 'author', 'installer'],
  'GET /apps/:appId/own-phones/heard': ['owner', 'manager', 'installer'],
  'GET /apps/:appId/own-phones/phones/:installationId/samples': ['owner', 'manager', 'editor', 'installer'],
  'POST /apps/:appId/own-phones/code': ['owner', 'manager', 'editor', 'author', 'installer'],
  'DELETE /apps/:appId/own-phones/code': ['owner', 'manager', 'editor', 'author', 'installer'],
  'DELETE /apps/:appId/own-phones/phones/:installationId': ['owner', 'manager', 'editor', 'author', 'installer'],
  'POST /apps/:appId/own-phones/phones/:installationId/tests': ['owner', 'manager', 'editor', 'author'],
  'GET /apps/:appId/own-phones/phones/:installationId/tests/:pushId': ['owner', 'manager', 'editor', 'author'],
  'GET /apps/:appId/reach': ['owner', 'manager', 'editor', 'author'],
  'POST /apps/:appId/notifications/:objectId/storyline': ['owner', 'manager', 'editor', 'author'],
  'POST /apps/:appId/pushes/:pushId/resume': ['owner', 'manager', 'editor', 'author'],
  'GET /apps/:appId/languages': adminRoles,
  'GET /apps/:appId/attention': looking,
  'GET /apps/:appId/reports': ['owner', 'manager', 'editor', 'analyst', 'reader'],
  'POST /apps/:appId/reports': ['owner', 'manager'],
  'GET /apps/:appId/reports/:reportId': ['owner', 'manager', 'editor', 'analyst', 'reader'],
  'PUT /apps/:appId/reports/:reportId': ['owner', 'manager'],
  'DELETE /apps/:appId/reports/:reportId': ['owner', 'manager'],
  'POST /apps/:appId/reports/:reportId/addresses/:addressId/link': ['owner', 'manager'],
  'GET /apps/:appId/reports/:reportId/preview': ['owner', 'manager', 'editor', 'analyst', 'reader'],
  'GET /apps/:appId/reports/:reportId/pdf': ['owner', 'manager', 'editor', 'analyst', 'reader'],
  'POST /apps/:appId/reports/:reportId/send': ['owner', 'manager', 'editor', 'analyst', 'reader'],
  'GET /apps/:appId/webhooks': ['owner', 'manager'],
  'POST /apps/:appId/webhooks': ['owner', 'manager'],
  'GET /apps/:appId/webhooks/:webhookId': ['owner', 'manager'],
  'PUT /apps/:appId/webhooks/:webhookId': ['owner', 'manager'],
  'DELETE /apps/:appId/webhooks/:webhookId': ['owner', 'manager'],
  'POST /apps/:appId/webhooks/:webhookId/secret': ['owner', 'manager'],
  'POST /apps/:appId/webhooks/:webhookId/test': ['owner', 'manager'],
  'GET /apps/:appId/webhooks/:webhookId/deliveries': ['owner', 'manager'],
  'POST /apps/:appId/webhooks/:webhookId/deliveries/:deliveryId/redeliver': ['owner', 'manager'],
  'GET /apps/:appId/devices/:deviceId/credentials': looking,
  'POST /apps/:appId/devices/:deviceId/credentials': ['owner', 'manager', 'installer'],
  'DELETE /apps/:appId/devices/:deviceId/credentials': ['owner', 'manager', 'installer'],
  'POST /apps/:appId/devices/:deviceId/credentials/restore': ['owner', 'manager', 'installer'],
  'GET /apps/:appId/senders': ['owner', 'manager'],
  'GET /apps/:appId/senders/:kind': ['owner', 'manager'],
  'PUT /apps/:appId/senders/:kind': ['owner', 'manager'],
  'DELETE /apps/:appId/senders/:kind': ['owner', 'manager'],
  'POST /apps/:appId/senders/:kind/restore': ['owner', 'manager'],
  'POST /apps/:appId/senders/:kind/test': ['owner', 'manager'],
  // Which kinds of records, the roles' permissions for these say (history/routes.test.ts).
  'GET /apps/:appId/history/:kind/:recordId': adminRoles,
  'POST /apps/:appId/history/:kind/:recordId/:versionId/restore': adminRoles,
  'POST /apps/:appId/bulk': adminRoles,
  'GET /apps/:appId/trash': adminRoles,
  'POST /apps/:appId/trash/:trashId/restore': adminRoles,
  'DELETE /apps/:appId/trash/:trashId': adminRoles,
  'GET /audit': ['owner', 'manager'],
  'GET /apps/:appId/usage': looking,
  'GET /apps/:appId/files/usage': adminRoles,
  'GET /system': ['owner', 'manager'],
  'GET /system/backups': ['owner'],
  'POST /system/backups': ['owner'],
  'GET /system/backups/:backupId/archive': ['owner'],
  'DELETE /system/backups/:backupId': ['owner'],
  'GET /system/backup-plan': ['owner'],
  'PUT /system/backup-plan': ['owner'],
  'POST /system/backups/:backupId/drill': ['owner'],
  'POST /system/backups/:backupId/restore': ['owner'],
  'POST /system/restore/start': ['owner'],
  'DELETE /system/restore': ['owner'],
};

const nameOf = ({ method, path }: ConsoleEndpoint) => `${method} ${path}`;

for (const database of databases) {
  describe(`roles of the console on ${database}`, () => {
    let app: TestApp;
    let browsers: Readonly<Record<AdminRole, Browser>>;
    beforeAll(async () => {
      app = await buildApp({ database });
      const opened = await Promise.all(adminRoles.map(async (role) => [role, await openConsole(app, role)] as const));
      browsers = Object.fromEntries(opened) as Record<AdminRole, Browser>;
    });
    afterAll(() => app.close());

    const guarded = () =>
      app.app.consoleEndpoints.filter(({ permission }) => permission !== 'public' && permission !== 'anybody');
    /** Names and says nothing, so that an allowed request changes nothing either. */
    const harmless = ({ method, path, body }: ConsoleEndpoint): SentRequest => ({
      method,
      url: path.replace(/:\w+/g, 'none'),
      ...(body ? { body: { name: 7, role: 7 } } : {}),
    });

    test('every endpoint is in the table of this test, and the other way round', () => {
      assert.deepEqual(guarded().map(nameOf).sort(), Object.keys(expected).sort());
    });

    test('each role may call what the table says and nothing else', async () => {
      for (const endpoint of guarded().filter(
        (one) => nameOf(one) !== 'DELETE /session' && nameOf(one) !== 'POST /apps',
      )) {
        for (const role of adminRoles) {
          const { status, body } = await browsers[role].send(harmless(endpoint));
          const isRefused = status === 403 && body.error.name === 'OperationForbidden' && /role/.test(body.error.error);
          const isAllowed = expected[nameOf(endpoint)]?.includes(role) ?? false;
          assert.equal(!isRefused, isAllowed, `${role} ${nameOf(endpoint)}: ${status}`);
          assert.notEqual(status, 500, `${role} ${nameOf(endpoint)}`);
        }
      }
    });

    test('each role may sign out, and only owner and manager create apps', async () => {
      for (const role of adminRoles) {
        const browser = await openConsole(app, role);
        const made = await browser.send({ method: 'POST', url: '/apps', body: { name: role } });
        assert.equal(made.status, expected['POST /apps']?.includes(role) ? 201 : 403);
        assert.equal((await browser.send({ method: 'DELETE', url: '/session' })).status, 200);
      }
    });

    test('without a session every endpoint is refused before its path and body are looked at', async () => {
      for (const endpoint of guarded()) {
        const { status, body } = await sendFromConsole(app, harmless(endpoint));
        assert.deepEqual([status, body.code], [403, 209], nameOf(endpoint));
      }
    });

    test('an unknown app is answered as such before the body is looked at', async () => {
      const ofApp = guarded().filter(({ path }) => path.startsWith('/apps/:appId'));
      for (const endpoint of ofApp) {
        const request = harmless(endpoint);
        const broken = endpoint.body ? { body: '{', headers: { 'content-type': 'application/json' } } : {};
        const { status, body } = await browsers.owner.send({ ...request, ...broken });
        assert.deepEqual([status, body.code], [404, 101], nameOf(endpoint));
      }
    });

    test('every endpoint has a name of its own, and reads the body that it documents', () => {
      const ids = app.app.consoleEndpoints.map(({ operationId }) => operationId);
      assert.equal(new Set(ids).size, ids.length);
      for (const { body } of app.app.consoleEndpoints) {
        if (body) assert.doesNotThrow(() => body.read(body.example));
      }
    });
  });
}
