import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../src/access/audit.ts';
import { databases, type SentRequest, type SignedIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { browserOf, openConsole, password, signInToConsole } from '../support/console.ts';
import {
  absent,
  birds,
  json,
  malloryOf,
  nothingOf,
  openScene,
  refused,
  type Scene,
} from '../support/hostile/attempts.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';
import { pointer, type Site, uuid } from '../support/site.ts';

/**
 * What is tried at keys, roles and what belongs to the house, one attempt a test. None may succeed.
 * `npm run test:hostile` counts these with all others.
 */

for (const database of databases) {
  describe(`attempts of somebody who is signed in, on ${database}`, () => {
    let scene: Scene;
    let site: Site;
    let vera: SignedIn;
    let mallory: SignedIn;
    let strangers: Readonly<Record<string, string>>;
    let phone: string;
    let note: string;
    let beacon: string;
    let venue: string;
    let secret: string;
    const { send, get } = malloryOf(() => scene);

    beforeAll(async () => {
      scene = await openScene(database);
      ({ site, vera, mallory, strangers, phone, note, beacon, venue, secret } = scene);
    });
    afterAll(() => site.close());

    describe('at keys and roles', () => {
      test('a bearer of one app is nobody in another', async () => {
        const answer = await site.app.send({
          method: 'GET',
          url: '/api/v2/users/me',
          headers: { ...strangers, ...mallory.headers },
        });
        refused(answer, 401, 403);
      });
      test('a secret key does only what its scope says', async () => {
        const headers = { 'x-service-appkey': secret };
        const ask = (method: SentRequest['method'], url: string, body?: object) =>
          site.app.send({ method, url, headers, ...(body ? { body } : {}) });
        assert.equal((await ask('GET', '/api/v2/beacons')).status, 200);
        refused(await ask('GET', '/api/v2/visits'), 403);
        refused(await ask('GET', `/api/v2/beacons/${beacon}`), 403);
        refused(await ask('PUT', `/api/v2/beacons/${beacon}`, { name: 'x' }), 403);
        refused(await ask('POST', '/api/v2/push/notification', { data: { title: 'x' } }), 403);
        refused(await ask('GET', '/api/v2/users/me'), 401, 403);
      });
      test('a secret key is nothing beside a bearer, or in another app', async () => {
        refused(await get('/api/v2/beacons', { 'x-service-appkey': secret }), 400, 401, 403);
        const headers = { ...strangers, 'x-service-appkey': secret };
        const elsewhere = await site.app.send({ method: 'GET', url: '/api/v2/beacons', headers });
        assert.equal(elsewhere.body.code, 903);
      });
      test('nobody makes herself a manager, gives herself venues or enters the console', async () => {
        await send('PUT', '/api/v2/users/me', { role: 'manager', venueIds: [venue], metadata: { role: 'manager' } });
        refused(await send('PUT', `/api/v2/users/${mallory.userId}/venues`, { venueIds: [venue] }), 403);
        const { body } = await get('/api/v2/users/me');
        assert.deepEqual([body.result.role, body.result.venueIds], [undefined, []]);
        refused(await get('/api/v2/analytics/visits'), 403);
        for (const path of [
          '/console/api/session',
          '/console/api/apps',
          `/console/api/apps/${site.app.appId}/v2/visits`,
        ])
          refused(await get(path), 401, 403, 404);
      });
      test('a token without a signature, or of an issuer that she runs, is nobody', async () => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const claims = { iss: 'https://evil.example', sub: vera.userId, aud: 'app', exp: 9_999_999_999 };
        for (const alg of ['none', 'HS256', 'RS256']) {
          const bearer = `Bearer ${part({ alg, kid: '../../x', jku: 'https://evil.example/keys' })}.${part(claims)}.${alg === 'none' ? '' : 'AAAA'}`;
          refused(await get('/api/v2/users/me', { authorization: bearer }), 401, 403, 400);
        }
      });
      test('a refresh token that was used ends the family', async () => {
        const { body } = await site.app.send({ method: 'GET', url: '/api/v2/users/me', headers: mallory.headers });
        const credentials = { email: body.result.validemail, password: 'correct horse' };
        const signedIn = await send('POST', '/api/v2/users/signin', { ...credentials, refresh: true });
        const { refreshToken } = signedIn.body;
        const first = await send('POST', '/api/v2/users/token', { refreshToken });
        assert.equal(first.status, 200, first.raw.toString());
        // Whoever renewed has the answer (ADR 118): until then it may have been lost.
        const bearer = { authorization: `Bearer ${first.body.accessToken}` };
        assert.equal((await get('/api/v2/users/me', bearer)).status, 200);
        await site.app.app.idle();
        site.app.clock.now += 120_000;
        refused(await send('POST', '/api/v2/users/token', { refreshToken }), 401, 403, 404, 400);
        refused(await get('/api/v2/users/me', bearer), 401, 403);
        const again = await send('POST', '/api/v2/users/token', { refreshToken: first.body.refreshToken });
        refused(again, 401, 403, 404, 400);
      });
      test('she does not approve what waits, neither her own nor that of others', async () => {
        refused(await send('POST', `/api/v2/push/notification/${absent}/approve`), 403, 404);
      });
      test('a rule that an app key may read shows its list and nothing else', async () => {
        refused(await site.app.send({ method: 'GET', url: birds }), 401, 403);
        refused(await site.app.send({ method: 'GET', url: '/api/v2/visits' }), 401, 403);
      });
    });

    describe('at webhooks, devices and broken input', () => {
      test('a webhook to an internal address is refused, in whatever form it is written', async () => {
        const owner = await openConsole(site.app, 'owner');
        const receiver = await startReceiver();
        const { port } = new URL(receiver.url);
        for (const host of [
          '127.0.0.1',
          'localhost',
          '[::1]',
          '2130706433',
          '0x7f.1',
          '0177.0.0.1',
          '[::ffff:127.0.0.1]',
          '169.254.169.254',
          '10.0.0.1',
          '192.168.1.1',
          '[fd00::1]',
          '0.0.0.0',
        ]) {
          const body = { url: `http://${host}:${port}/`, events: ['visit.opened'] };
          const made = await owner.send({ method: 'POST', url: `/apps/${site.app.appId}/webhooks`, body });
          if (made.status !== 201) continue;
          const { objectId } = made.body.result;
          await owner.send({ method: 'POST', url: `/apps/${site.app.appId}/webhooks/${objectId}/test` });
          await site.app.app.idle();
          await owner.send({ method: 'DELETE', url: `/apps/${site.app.appId}/webhooks/${objectId}` });
        }
        assert.deepEqual(receiver.calls, []);
        await receiver.close();
      });
      test('a device of somebody else is not changed, and gives no password', async () => {
        const device = { deviceName: 'Gate', manufacture: 'Acme', topic: 'gate/north' };
        const id = await create(site.app, '/api/v2/device', device, vera.headers);
        refused(await send('PUT', `/api/v2/device/${id}`, { topic: 'gate/mine' }), 403, 404);
        refused(await send('DELETE', `/api/v2/device/${id}`), 403, 404);
        nothingOf(await get(`/api/v2/device/${id}`), 'password');
      });
      for (const [what, url, body] of [
        [
          'a deep where',
          `${birds}?where=${json(JSON.parse(`${'{"$or":['.repeat(60)}{"a":1}${']}'.repeat(60)}`))}`,
          undefined,
        ],
        ['a hundred thousand ids', birds, { metadata: { ids: 'x'.repeat(400_000) } }],
        ['a negative limit', `${birds}?limit=-1`, undefined],
        ['a huge skip', `${birds}?skip=99999999999`, undefined],
        ['a year of analytics by hour', '/api/v2/analytics/visits?unit=hour&from=1970-01-01&to=2100-01-01', undefined],
        [
          'a regular expression that explodes',
          `${birds}?where=${json({ 'metadata.a': { $regex: '(a+)+$' } })}`,
          undefined,
        ],
      ] as const)
        test(`${what} is answered soon, and not with an error of the service`, async () => {
          const began = process.cpuUsage();
          const answer = await send(body ? 'POST' : 'GET', url, body);
          assert.ok(answer.status < 500 && process.cpuUsage(began).user < 10_000_000, answer.raw.toString());
        });
    });

    describe('at the house itself', () => {
      for (const [what, method, path, body] of [
        ['the placements of an install round', 'GET', '/placements', undefined],
        ['a placement', 'PUT', '/beacons/BEACON/placement', { note: 'mine' }],
        ['the photo of a beacon', 'PUT', '/beacons/BEACON/photo', undefined],
        ['the calibration of a beacon', 'GET', '/beacons/BEACON/calibration', undefined],
        ['how many are in the house', 'GET', '/occupancy', undefined],
        ['a venue', 'PUT', '/venues/VENUE', { name: 'Mine' }],
        ['a venue of her own', 'POST', '/venues', { name: 'Mine' }],
        ['the deletion of a venue', 'DELETE', '/venues/VENUE', undefined],
        ['a walk over a floor', 'POST', '/simulations/walks', { floorId: absent, points: [] }],
        ['a push of somebody else', 'GET', '/push/notification/PUSH', undefined],
        ['the end of a push of somebody else', 'POST', '/push/notification/PUSH/cancel', undefined],
        ['a change of a push of somebody else', 'PUT', '/push/notification/PUSH', { data: { title: 'x' } }],
      ] as const)
        test(`${what} is out of reach`, async () => {
          const sendAt = new Date(site.now + 86_400_000).toISOString();
          const push = { where: { channels: 'v' }, data: { title: 'Tonight' }, sendAt };
          const sent = await site.ask({ method: 'POST', url: '/api/v2/push/notification', body: push });
          const id =
            String(sent.headers['location'] ?? absent)
              .split('/')
              .at(-1) ?? absent;
          const url = `/api/v2${path.replace('BEACON', beacon).replace('VENUE', venue).replace('PUSH', id)}`;
          const answer = await send(method, url, body);
          if (answer.status === 200 && method === 'GET')
            assert.deepEqual(answer.body.results, [], answer.raw.toString());
          else refused(answer, 400, 403, 404, 405, 415);
        });
      test('a key for one venue neither finds nor moves what is in another', async () => {
        const other = await create(site.app, '/api/v2/venues', { name: 'West' }, site.user.headers);
        const scopes = [{ resource: 'beacons', verbs: ['list', 'get', 'update', 'create'], venues: [other] }] as const;
        const key = await site.app.app.secretKeys.create(
          site.app.appId,
          { name: 'West', scopes } as never,
          commandLine,
        );
        const ask = (method: SentRequest['method'], url: string, body?: object) =>
          site.app.send({ method, url, headers: { 'x-service-appkey': key.secretKey }, ...(body ? { body } : {}) });
        assert.deepEqual((await ask('GET', '/api/v2/beacons?count=1')).body, { results: [], count: 0 });
        refused(await ask('GET', `/api/v2/beacons/${beacon}`), 404);
        refused(await ask('PUT', `/api/v2/beacons/${beacon}`, { venueId: pointer('Venue', other) }), 404);
        const foreign = { name: 'x', uuid, major: 3, minor: 3, venueId: pointer('Venue', venue) };
        refused(await ask('POST', '/api/v2/beacons', foreign), 404);
        refused(await ask('PUT', `/api/v2/users/${mallory.userId}/venues`, { venueIds: [venue] }), 403);
      });
    });

    describe('as an administrator who is limited', () => {
      test('an editor of another app, and of another venue, finds nothing here by any path', async () => {
        const owner = await openConsole(site.app, 'owner');
        const other = await create(site.app, '/api/v2/venues', { name: 'South' }, site.user.headers);
        const admin = { email: `south-${database}@museum.example`, name: 'South', role: 'editor', password };
        const apps = [{ appId: site.app.appId, venues: [other] }];
        assert.equal(
          (await owner.send({ method: 'POST', url: '/administrators', body: { ...admin, apps } })).status,
          201,
        );
        const limited = browserOf(site.app, await signInToConsole(site.app, admin.email));
        const at = `/apps/${site.app.appId}`;
        for (const [method, url, body] of [
          ['GET', `${at}/v2/beacons/${beacon}`, undefined],
          ['PATCH', `${at}/v2/beacons/${beacon}`, { name: 'x' }],
          ['PUT', `${at}/v2/beacons/${beacon}/owner`, { userId: mallory.userId }],
          ['POST', `${at}/bulk`, { path: '/beacons', ids: [beacon], method: 'DELETE' }],
          ['GET', `${at}/users`, undefined],
          ['GET', `${at}/users/${vera.userId}/export`, undefined],
          ['GET', `${at}/installations/${phone}/export`, undefined],
          ['GET', `${at}/erasures`, undefined],
          ['GET', `${at}/v2/deliveries`, undefined],
          ['GET', `${at}/v2/logs`, undefined],
          ['GET', `${at}/secret-keys`, undefined],
          ['POST', `${at}/rules/try`, { userId: vera.userId }],
          ['GET', '/administrators', undefined],
          ['GET', '/audit', undefined],
        ] as const) {
          const answer = await limited.send({ method, url, ...(body ? { body } : {}) });
          refused(answer, 400, 403, 404);
          nothingOf(answer, phone, note);
        }
        const { body } = await site.ask({ method: 'GET', url: `/api/v2/beacons/${beacon}` });
        assert.equal(body.result.name, 'Door');
      });
      test('files for import that name what is elsewhere change nothing', async () => {
        const analyst = await openConsole(site.app, 'analyst');
        const body = { name: 'Mine', uuid, major: 1, minor: 9 };
        refused(await analyst.send({ method: 'POST', url: `/apps/${site.app.appId}/v2/beacons`, body }), 403);
        refused(
          await analyst.send({ method: 'PATCH', url: `/apps/${site.app.appId}/v2/beacons/${beacon}`, body }),
          403,
        );
      });
    });
  });
}
