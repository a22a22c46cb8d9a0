import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type AdminRole, adminRoles, type Permission } from '../../src/access/roles.ts';
import { apiPrefix } from '../../src/http/api.ts';
import { dataPermission } from '../../src/http/console/console-roles.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { type Answer, buildApp, databases, type SentRequest, type TestApp } from '../support/build-app.ts';
import { type Browser, openConsole, sendFromConsole } from '../support/console.ts';
import { assertDocumented, endpointOf } from '../support/interface/documented.ts';

const everybody = adminRoles;
const leading: readonly AdminRole[] = ['owner', 'manager'];
/** Everybody but those who are there for messages alone, or for numbers alone. */
const looking: readonly AdminRole[] = ['owner', 'manager', 'editor', 'installer', 'analyst'];
const writing: readonly AdminRole[] = ['owner', 'manager', 'editor'];
const placing: readonly AdminRole[] = ['owner', 'manager', 'installer'];

/**
 * Who may read and write what, written down a second time, so that a change to the table of roles has to be deliberate.
 */
const expected: Readonly<Partial<Record<Permission, readonly AdminRole[]>>> = {
  'activity.read': looking,
  'beacons.read': everybody,
  'beacons.write': placing,
  'content.read': everybody,
  'content.write': [...writing, 'author'],
  'devices.read': looking,
  'devices.write': placing,
  'files.read': everybody,
  // Those who install beacons bring the plans of floors.
  'files.upload': [...writing, 'author', 'installer'],
  'files.write': writing,
  'installations.read': ['owner', 'manager', 'editor', 'analyst'],
  'installations.write': leading,
  'numbers.read': [...looking, 'reader'],
  'push.read': [...looking, 'author'],
  'push.send': [...writing, 'author'],
  'records.read': writing,
  'records.write': writing,
  'schemas.read': looking,
  'schemas.write': leading,
  'simulations.run': [...writing, 'author', 'installer'],
  'users.read': leading,
  'venues.read': everybody,
  'venues.write': [...writing, 'installer'],
};

/** Endpoints that only an app or its user can use. */
const forAppsOnly = [
  'signUp',
  'signIn',
  'signInWithToken',
  'refreshToken',
  'listSessions',
  'endSession',
  'endOtherSessions',
  'listIdentities',
  'linkIdentity',
  'unlinkIdentity',
  'addPasskey',
  'disableTotp',
  'enableTotp',
  'finishSignIn',
  'getMyFactors',
  'listPasskeys',
  'removePasskey',
  'renamePasskey',
  'renewRecoveryCodes',
  'signInWithPasskey',
  'startPasskey',
  'startPasskeySignIn',
  'startTotp',
  'startTotpAtSignIn',
  'setUserVenues',
  'signOut',
  'forgotPassword',
  'requestSignInLink',
  'requestVerification',
  'signInWithLink',
  'verifyEmail',
  'resetPassword',
  'getMe',
  'updateMe',
  'patchMe',
  'deleteMe',
  'exportMe',
  'getErasure',
  'getUser',
  'updateUser',
  'patchUser',
  'deleteUser',
  'reportReceipts',
  'sendSightings',
  'planRegions',
  'getBundle',
  'reportFromGateway',
  'reportTelemetry',
  'createLog',
];

const hall = { name: 'Main hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 12 };

for (const database of databases) {
  describe(`an app's data in the console on ${database}`, () => {
    let app: TestApp;
    let browsers: Readonly<Record<AdminRole, Browser>>;
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_MAX_FILE_BYTES: '100000' } });
      const opened = await Promise.all(adminRoles.map(async (role) => [role, await openConsole(app, role)] as const));
      browsers = Object.fromEntries(opened) as Record<AdminRole, Browser>;
    });
    afterAll(() => app.close());

    const url = (path: string, appId = app.appId) => `/apps/${appId}/v2${path}`;
    const reached = () => app.app.endpoints.filter((endpoint) => dataPermission(endpoint));

    /** Sends, and checks the answer against the endpoint's documentation. */
    async function send(role: AdminRole, request: SentRequest): Promise<Answer> {
      // Ids sort by creation.
      app.clock.now += 1_000;
      const answer = await browsers[role].send({ ...request, url: url(request.url) });
      const endpoint = endpointOf(app.app.endpoints, request.method, apiPrefix + request.url);
      if (endpoint && answer.status < 400) assertDocumented(endpoint, answer.status, answer.body);
      return answer;
    }

    async function lastChange() {
      const { body } = await browsers.owner.send({ method: 'GET', url: '/audit?limit=1' });
      return body.results[0];
    }

    const harmless = ({ method, path, body, takesStream, answer }: Endpoint): SentRequest => ({
      method,
      // A stream has no end, except one that is refused for its number.
      url: url(path.replace(/:\w+/g, takesStream ? '%01' : 'none')) + (answer.type === undefined ? '' : '?after=none'),
      ...(body ? { body: [] } : {}),
    });

    test('every operation is for the console by its tag, or for apps only', () => {
      const others = app.app.endpoints.filter((endpoint) => !dataPermission(endpoint));
      assert.deepEqual(others.map(({ operationId }) => operationId).sort(), [...forAppsOnly].sort());
    });

    test('each role reads and writes what the table says and nothing else', async () => {
      for (const endpoint of reached()) {
        const roles = expected[dataPermission(endpoint) ?? 'session.own'] ?? [];
        for (const role of adminRoles) {
          const { status, body } = await browsers[role].send(harmless(endpoint));
          const isRefused = status === 403 && body.error.name === 'OperationForbidden' && /role/.test(body.error.error);
          assert.equal(!isRefused, roles.includes(role), `${role} ${endpoint.operationId}: ${status}`);
          assert.ok(status < 500, `${role} ${endpoint.operationId}: ${status}`);
        }
      }
    });

    test('nothing is reached without a session, from a foreign page, or in an app that is not there', async () => {
      for (const endpoint of reached()) {
        const name = endpoint.operationId;
        const request = harmless(endpoint);
        const stranger = await sendFromConsole(app, request);
        assert.deepEqual([stranger.status, stranger.body.code], [403, 209], name);
        const nowhere = await browsers.owner.send({
          ...request,
          url: request.url.replace(app.appId, 'none'),
          ...(endpoint.body ? { body: '{', headers: { 'content-type': 'application/json' } } : {}),
        });
        assert.deepEqual([nowhere.status, nowhere.body.code], [404, 101], name);
        if (endpoint.method === 'GET') continue;
        const foreign = await browsers.owner.send({ ...request, headers: { origin: 'http://elsewhere.test' } });
        assert.deepEqual([foreign.status, foreign.body.code], [403, 119], name);
      }
    });

    test('operations for apps only, and unknown methods, are not there', async () => {
      for (const [method, path, status] of [
        ['POST', '/users/signin', 404],
        ['GET', '/users/me', 404],
        ['POST', '/sightings', 404],
        ['POST', '/logs', 405],
        ['PATCH', '/beacons', 405],
      ] as const)
        assert.equal((await browsers.owner.send({ method, url: url(path) })).status, status, `${method} ${path}`);
    });

    test('a beacon is created, changed, merged and deleted, with an audit entry for each step', async () => {
      const { status, body } = await send('installer', { method: 'POST', url: '/beacons', body: hall });
      assert.equal(status, 201);
      const { objectId } = body.result;
      const path = `/beacons/${objectId}`;
      const made = await lastChange();
      assert.deepEqual(
        [made.action, made.subject, made.appId, made.actor, made.before, made.after.name],
        ['data.createBeacon', objectId, app.appId, browsers.installer.email, null, 'Main hall'],
      );
      await send('owner', {
        method: 'PUT',
        url: path,
        body: { name: 'Great hall', metadata: { note: 'x'.repeat(900) } },
      });
      const changed = await lastChange();
      assert.deepEqual(changed.before, { name: 'Main hall', metadata: {} });
      assert.equal(changed.after.name, 'Great hall');
      assert.ok(changed.after.metadata.length < 600, 'a long member is cut');
      await send('manager', { method: 'PATCH', url: path, body: { radius: 5 } });
      const patched = await lastChange();
      assert.deepEqual(
        [patched.action, patched.before, patched.after.radius],
        ['data.patchBeacon', { name: 'Great hall' }, 5],
      );
      assert.equal((await send('analyst', { method: 'GET', url: path })).body.result.name, 'Great hall');
      await send('installer', { method: 'DELETE', url: path });
      const removed = await lastChange();
      assert.deepEqual([removed.action, removed.before.name, removed.after], ['data.deleteBeacon', 'Great hall', null]);
      assert.equal((await send('owner', { method: 'GET', url: path })).status, 404);
    });

    test('refusals are the same as for apps, and are not in the audit', async () => {
      const known = (await lastChange()).auditId;
      const { status, body } = await send('owner', {
        method: 'POST',
        url: '/beacons',
        body: { ...hall, major: 70_000 },
      });
      assert.deepEqual([status, body.code, body.error.details[0].field], [400, 142, 'major']);
      assert.equal((await lastChange()).auditId, known);
    });

    test('the policy of the app binds apps, not administrators', async () => {
      await app.app.apps.change(app.appId, { policy: { writeContent: 'nobody', push: 'nobody' } }, service);
      assert.equal((await send('owner', { method: 'POST', url: '/beacons', body: hall })).status, 201);
      await app.app.apps.change(app.appId, { policy: { writeContent: 'user', push: 'user' } }, service);
    });

    test('no limit of the app is taken from', async () => {
      const rateLimit = { enabled: true, perSecond: 1, burst: 1 };
      await app.app.apps.change(app.appId, { policy: { rateLimit } }, service);
      for (let call = 0; call < 5; call++)
        assert.equal((await send('owner', { method: 'GET', url: '/beacons?limit=1' })).status, 200);
      await app.app.apps.change(app.appId, { policy: { rateLimit: { ...rateLimit, enabled: false } } }, service);
    });

    test('a file is uploaded, told by the audit, and deleted', async () => {
      const headers = { 'content-type': 'text/plain' };
      const { status, body } = await send('editor', {
        method: 'POST',
        url: '/files/plan.txt',
        headers,
        body: 'ground floor',
      });
      assert.equal(status, 201);
      const made = await lastChange();
      assert.equal(made.action, 'data.uploadFile');
      assert.ok(made.subject.endsWith(body.objectId));
      assert.match(made.after.name, /plan\.txt$/);
      const served = await app.send({ method: 'GET', url: new URL(body.url).pathname });
      assert.equal(served.raw.toString(), 'ground floor');
      const tooLarge = await send('editor', {
        method: 'POST',
        url: '/files/big.txt',
        headers,
        body: 'x'.repeat(100_001),
      });
      assert.equal(tooLarge.status, 413);
      assert.equal((await send('editor', { method: 'DELETE', url: `/files/${body.objectId}` })).status, 200);
    });

    test('who installs beacons uploads the plan of a floor, and leaves all files alone', async () => {
      const upload = { method: 'POST', url: '/files/plan.txt', headers: { 'content-type': 'text/plain' } } as const;
      const made = await send('installer', { ...upload, body: 'ground floor' });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const refused = await send('installer', { method: 'DELETE', url: `/files/${made.body.objectId}` });
      assert.equal(refused.status, 403);
      assert.equal((await send('analyst', { ...upload, body: 'ground floor' })).status, 403);
    });

    test('a push is accepted without a user', async () => {
      const body = { channels: ['news'], data: { alert: 'Hello' } };
      const { status } = await send('editor', { method: 'POST', url: '/push/notification', body });
      assert.equal(status, 200);
      assert.equal((await lastChange()).action, 'data.sendPush');
    });

    test('asking what would happen is not a change', async () => {
      const known = (await lastChange()).auditId;
      const body = { installationId: 'somebody', sightings: [] };
      assert.equal((await send('installer', { method: 'POST', url: '/simulations', body })).status, 200);
      assert.equal((await lastChange()).auditId, known);
    });

    test('records and installations are in the audit by their ids only, because a person may have to be erased', async () => {
      await app.app.buckets.createBucket(app.appId, 'birds');
      const record = await send('editor', {
        method: 'POST',
        url: '/data/bucket/birds',
        body: { metadata: { email: 'v@x.org' } },
      });
      const change = await lastChange();
      assert.deepEqual(
        [change.action, change.subject, change.before, change.after],
        ['data.createRecord', `birds/${record.body.result.objectId}`, null, null],
      );
    });

    test('an analyst and an editor see installations without the members that identify their users', async () => {
      const body = { installationId: 'phone-1', deviceType: 'ios', metadata: { name: 'Vera' }, channels: ['news'] };
      const { objectId } = (await app.send({ method: 'POST', url: '/api/v2/installations', body })).body.result;
      const shown = await send('analyst', { method: 'GET', url: '/installations?count=1' });
      assert.deepEqual(Object.keys(shown.body.results[0]).sort(), [
        'channels',
        'createdAt',
        'deviceType',
        'objectId',
        'updatedAt',
      ]);
      assert.equal(shown.body.count, 1);
      const one = await send('analyst', { method: 'GET', url: `/installations/${objectId}` });
      assert.equal(one.body.result.metadata, undefined);
      assert.equal(
        (await send('manager', { method: 'GET', url: `/installations/${objectId}` })).body.result.metadata.name,
        'Vera',
      );
      const by = (query: string) => send('analyst', { method: 'GET', url: `/installations?${query}` });
      const where = (value: unknown) => `where=${encodeURIComponent(JSON.stringify(value))}`;
      for (const query of [
        where({ 'metadata.name': 'Vera' }),
        where({ $or: [{ deviceType: 'ios' }, { $and: [{ deviceToken: { $regex: '^a' } }] }] }),
        'order=deviceType,-installationId',
      ])
        assert.deepEqual([(await by(query)).status, (await by(query)).body.code], [400, 102], query);
      assert.equal((await by(where({ deviceType: 'ios' }))).body.results.length, 1);
      assert.equal((await by('where=%7B')).body.code, 102);
      const counted = await send('editor', { method: 'GET', url: '/installations?count=1' });
      assert.equal(counted.body.count, 1);
      assert.equal(counted.body.results[0].metadata, undefined);
    });

    test('an app that is switched off can still be looked at and worked on', async () => {
      await app.app.apps.change(app.appId, { disabled: true }, service);
      assert.equal((await send('analyst', { method: 'GET', url: '/beacons' })).status, 200);
      assert.equal((await send('owner', { method: 'POST', url: '/beacons', body: hall })).status, 201);
      assert.equal((await app.send({ method: 'GET', url: '/api/v2/beacons' })).body.error.name, 'InvalidCredentials');
    });
  });
}

const service = { name: 'test', address: null };
