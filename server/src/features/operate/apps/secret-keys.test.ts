import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  type SentRequest,
  type SignedIn,
  signIn,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { openStream } from '../../../../test/support/event-stream.ts';
import { openNode, openSite, type Site } from '../../../../test/support/site.ts';
import { listen } from '../../../../test/support/socket.ts';
import { commandLine } from '../../../access/audit.ts';
import { raw } from '../../../base/sql.ts';

const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
const gateway = [{ resource: 'sightings', verbs: ['create'] }];
const reading = [{ resource: 'beacons', verbs: ['list'] }];
const list: SentRequest = { method: 'GET', url: '/api/v2/beacons' };

for (const database of databases) {
  describe(`secret keys on ${database}`, () => {
    let app: TestApp;
    let browser: Browser;
    beforeAll(async () => {
      // The address is what the one proxy in front of the service reports.
      app = await buildApp({ database, settings: { PHAROS_TRUST_PROXY: '1' } });
      browser = await openConsole(app, 'manager');
    });
    afterAll(() => app.close());

    const keysUrl = () => `/apps/${app.appId}/secret-keys`;
    const post = (body: object) => browser.send({ method: 'POST', url: keysUrl(), body });
    async function make(change: object = {}) {
      const { status, body } = await post({ name: `Key ${++made}`, scopes: reading, ...change });
      assert.equal(status, 201, JSON.stringify(body));
      const { secretKey, key } = body.result as { secretKey: string; key: { keyId: string; name: string } };
      return { ...key, secretKey, headers: { 'x-service-appkey': secretKey } };
    }
    let made = 0;
    const send = (key: { headers: Readonly<Record<string, string>> }, request = list, more = {}) =>
      app.send({ ...request, headers: { ...request.headers, ...key.headers, ...more } });
    const codeOf = async (...asked: Parameters<typeof send>) => {
      const { status, body } = await send(...asked);
      return [status, body.code];
    };

    test('one is shown when it is made and never again, and is stored as a hash', async () => {
      const key = await make({ name: 'CMS' });
      assert.match(key.secretKey, /^phs_[A-Za-z0-9_-]{43}$/);
      const listed = await browser.send({ method: 'GET', url: keysUrl() });
      const shown = listed.body.results.find(({ name }: { name: string }) => name === 'CMS');
      assert.deepEqual(
        { ...shown, keyId: '', createdAt: '', createdBy: '' },
        {
          keyId: '',
          name: 'CMS',
          hint: key.secretKey.slice(-4),
          scopes: reading,
          networks: [],
          expiresAt: null,
          lastUsedAt: null,
          lastUsedFrom: null,
          createdBy: '',
          createdAt: '',
        },
      );
      assert.equal(shown.createdBy, browser.email);
      const audited = await browser.send({ method: 'GET', url: `/audit?appId=${app.appId}` });
      const rows = await app.storage.db.all(raw('select * from secret_keys'));
      for (const what of [listed.body, audited.body, rows, app.log])
        assert.ok(!JSON.stringify(what).includes(key.secretKey), 'the key is kept nowhere');
      assert.match(JSON.stringify(audited.body), /secretKey\.create/);
      assert.equal((await send(key)).status, 200);
    });

    test('what is wrong with a new one is said', async () => {
      const cases: readonly (readonly [object, string])[] = [
        [{ name: ' ' }, 'name'],
        [{ name: 'a\u0007b' }, 'name'],
        [{ scopes: [] }, 'scopes'],
        [{ scopes: Array.from({ length: 101 }, () => reading[0]) }, 'scopes'],
        [{ scopes: ['beacons'] }, 'scopes.0'],
        [{ scopes: [{ resource: 'beacons', verbs: ['list'], gateways: ['a'] }] }, 'scopes.0.gateways'],
        [{ scopes: [{ resource: 'sightings', verbs: ['create'], gateways: ['a/b'] }] }, 'scopes.0.gateways'],
        [{ scopes: [{ resource: 'beacon', verbs: ['list'] }] }, 'scopes.0.resource'],
        [{ scopes: [{ resource: 'sightings', verbs: ['list'] }] }, 'scopes.0.verbs'],
        [{ scopes: [{ resource: 'beacons', verbs: [] }] }, 'scopes.0.verbs'],
        [{ scopes: [{ resource: 'beacons', verbs: ['list'], buckets: ['a'] }] }, 'scopes.0.buckets'],
        [{ scopes: [{ resource: 'records', verbs: ['list'], buckets: ['a b'] }] }, 'scopes.0.buckets'],
        [{ scopes: [{ resource: 'beacons', verbs: ['list'], venue: 'x' }] }, 'scopes.0.venue'],
        [{ scopes: [{ resource: 'devices', verbs: ['list'], venues: ['x'] }] }, 'scopes.0.venues'],
        [{ scopes: [{ resource: 'visits', verbs: ['list', 'listen'], venues: ['x'] }] }, 'scopes.0.venues'],
        [{ scopes: [{ resource: 'beacons', verbs: ['list'], venues: [] }] }, 'scopes.0.venues'],
        [{ networks: ['10.0.0.0/33'] }, 'networks.0'],
        [{ networks: ['10.0.0.1', 'example.org'] }, 'networks.1'],
        [{ networks: Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`) }, 'networks'],
        [{ expiresAt: 'tomorrow' }, 'expiresAt'],
        [{ expiresAt: new Date(app.clock.now).toISOString() }, 'expiresAt'],
      ];
      for (const [change, field] of cases) {
        const { status, body } = await post({ name: `Key ${++made}`, scopes: reading, ...change });
        assert.deepEqual([status, body.code, body.error.details?.[0]?.field], [400, 142, field], JSON.stringify(body));
      }
      const { name } = await make();
      assert.equal((await post({ name, scopes: reading })).body.error.details[0].field, 'name', 'two of one name');
    });

    test('an expired one is refused like a wrong one, from the moment on', async () => {
      const key = await make({ expiresAt: new Date(app.clock.now + 60_000).toISOString() });
      assert.equal((await send(key)).status, 200);
      app.clock.now += 59_999;
      assert.equal((await send(key)).status, 200);
      app.clock.now += 1;
      const expired = await send(key);
      const wrong = await send({ headers: { 'x-service-appkey': `phs_${'x'.repeat(43)}` } });
      const said = ({ body }: typeof wrong) => ({ ...body.error, requestId: '' });
      assert.deepEqual([expired.status, said(expired)], [404, said(wrong)]);
      assert.ok(app.log.some((line) => line.includes(key.keyId) && line.includes('it has expired')));
    });

    test('one that names networks is refused from elsewhere like a wrong one, and the log says so', async () => {
      const key = await make({ networks: ['192.0.2.0/24', '2001:db8:7::/48', '198.51.100.7'] });
      const from = (address: string) => codeOf(key, list, { 'x-forwarded-for': address });
      for (const inside of ['192.0.2.1', '192.0.2.255', '::ffff:192.0.2.9', '2001:db8:7:1::5', '198.51.100.7'])
        assert.deepEqual(await from(inside), [200, undefined], inside);
      for (const outside of ['192.0.3.1', '2001:db8:8::1', '198.51.100.8', '::ffff:198.51.100.8', 'nonsense'])
        assert.deepEqual(await from(outside), [404, 903], outside);
      assert.ok(app.log.some((line) => line.includes(key.keyId) && line.includes('192.0.3.1') && /network/.test(line)));
    });

    test('guesses count with those of app keys, and a right one is let in from the same address all the same', async () => {
      const key = await make({ networks: ['203.0.113.0/24'] });
      const from = { 'x-forwarded-for': '203.0.113.9' };
      const guess = () => codeOf({ headers: { 'x-service-appkey': `phs_${'y'.repeat(43)}` } }, list, from);
      for (let n = 0; n < 100; n++) assert.deepEqual(await guess(), [404, 903]);
      assert.deepEqual(await guess(), [429, 904]);
      assert.deepEqual(await codeOf(key, list, from), [200, undefined]);
    });

    test('a revoked one is refused from the next request on', async () => {
      const key = await make();
      assert.equal((await send(key)).status, 200);
      const url = `${keysUrl()}/${key.keyId}`;
      assert.equal((await browser.send({ method: 'DELETE', url })).status, 200);
      assert.deepEqual(await codeOf(key), [404, 903]);
      assert.equal((await browser.send({ method: 'DELETE', url })).body.code, 101, 'once');
      const { body } = await browser.send({ method: 'GET', url: keysUrl() });
      assert.ok(body.results.every(({ keyId }: { keyId: string }) => keyId !== key.keyId));
    });

    test('making and revoking need the password again', async () => {
      const later = await openConsole(app, 'manager');
      const { keyId } = await make();
      app.clock.now += 6 * 60_000;
      for (const request of [
        { method: 'POST', url: keysUrl(), body: { name: 'Late', scopes: reading } },
        { method: 'DELETE', url: `${keysUrl()}/${keyId}` },
      ] as const)
        assert.equal((await later.send(request)).body.error.name, 'ConfirmationNeeded');
      browser = await openConsole(app, 'manager');
    });

    test('its last use is noted with the address, at most once an hour', async () => {
      const key = await make();
      const noted = async () => {
        await app.app.idle();
        const { body } = await browser.send({ method: 'GET', url: keysUrl() });
        const { lastUsedAt, lastUsedFrom } = body.results.find(({ keyId }: { keyId: string }) => keyId === key.keyId);
        return [lastUsedAt === null ? null : Date.parse(lastUsedAt), lastUsedFrom];
      };
      assert.deepEqual(await noted(), [null, null]);
      const first = app.clock.now;
      await send(key, list, { 'x-forwarded-for': '192.0.2.1' });
      assert.deepEqual(await noted(), [first, '192.0.2.1']);
      app.clock.now += 3_600_000;
      await send(key, list, { 'x-forwarded-for': '192.0.2.2' });
      assert.deepEqual(await noted(), [first, '192.0.2.1']);
      app.clock.now += 1;
      browser = await openConsole(app, 'manager');
      await send(key, list, { 'x-forwarded-for': '192.0.2.3' });
      assert.deepEqual(await noted(), [app.clock.now, '192.0.2.3']);
    });

    test('each request names its key in the log, and what a secret key changes names it in the audit', async () => {
      const key = await make({ name: 'CMS "north"', scopes: [{ resource: 'beacons', verbs: ['create', 'update'] }] });
      const objectId = await create(app, '/api/v2/beacons', hall, key.headers);
      await send(key, { method: 'PUT', url: `/api/v2/beacons/${objectId}`, body: { name: 'Great hall' } });
      const { body } = await browser.send({ method: 'GET', url: `/audit?appId=${app.appId}&limit=2` });
      const [changed, added] = body.results;
      assert.deepEqual([added.actor, added.action, added.subject], ['key CMS "north"', 'data.createBeacon', objectId]);
      assert.deepEqual(
        [changed.action, changed.before, changed.after],
        ['data.updateBeacon', { name: 'Hall' }, { name: 'Great hall' }],
      );
      const lines = app.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
      assert.deepEqual([lines.at(-2)?.key, lines.at(-2)?.keyName], [key.keyId, 'CMS "north"']);
      await app.send({ method: 'GET', url: '/api/v2/users' });
      const { keys } = await app.app.apps.get(app.appId);
      assert.equal(JSON.parse(app.log.at(-1) ?? '').key, keys[0]?.keyId);
      assert.equal(JSON.parse(app.log.at(-1) ?? '').keyName, undefined);
    });

    test('what one makes belongs to nobody, and no visitor may change it', async () => {
      const user = await signIn(app);
      const key = await make({ scopes: [{ resource: 'devices', verbs: ['create'] }] });
      const device = { deviceName: 'Gate', manufacture: 'Acme', topic: 'a/b' };
      const objectId = await create(app, '/api/v2/device', device, key.headers);
      const shown = await app.send({ method: 'GET', url: `/api/v2/device/${objectId}`, headers: user.headers });
      assert.equal(shown.body.result.createdBy, undefined);
      const change = { method: 'PUT', url: `/api/v2/device/${objectId}`, headers: user.headers, body: device } as const;
      assert.deepEqual([(await app.send(change)).status, (await app.send(change)).body.code], [403, 119]);
    });

    test('it links an installation to any user, which the app key cannot', async () => {
      const user: SignedIn = await signIn(app);
      const key = await make({ scopes: [{ resource: 'installations', verbs: ['create', 'get'] }] });
      const body = {
        installationId: 'linked-by-server',
        deviceType: 'ios',
        userId: { __type: 'Pointer', className: '_User', objectId: user.userId },
      };
      const register = { method: 'POST', url: '/api/v2/installations', body } as const;
      assert.deepEqual([(await app.send(register)).status, (await app.send(register)).body.code], [403, 119]);
      const { body: answer } = await send(key, register);
      const url = `/api/v2/installations/${answer.result.objectId}`;
      assert.equal((await send(key, { method: 'GET', url })).body.result.userId.objectId, user.userId);
    });

    test('members that are hidden from managers are hidden from it, and cannot be asked by', async () => {
      const key = await make({ scopes: [{ resource: 'beacons', verbs: ['list', 'create'] }] });
      await create(app, '/api/v2/beacons', { ...hall, radius: 4 }, key.headers);
      const members = { radius: { hidden: ['manager'] } } as const;
      await app.app.apps.changeRules(app.appId, { resources: { beacons: { members } } });
      try {
        const { body } = await send(key);
        assert.ok(body.results.length > 0 && body.results.every((beacon: object) => !('radius' in beacon)));
        assert.deepEqual(await codeOf(key, { ...list, url: `${list.url}?where={"radius":4}` }), [400, 102]);
      } finally {
        await app.app.apps.changeRules(app.appId, {});
      }
      assert.ok((await send(key)).body.results.some((beacon: object) => 'radius' in beacon));
    });

    test('an Idempotency-Key of one is not that of another caller', async () => {
      const scopes = [{ resource: 'beacons', verbs: ['create'] }];
      const [one, other] = [await make({ scopes }), await make({ scopes })];
      const post = (key: typeof one) =>
        send(key, { method: 'POST', url: '/api/v2/beacons', body: hall, headers: { 'idempotency-key': 'same' } });
      const first = await post(one);
      assert.equal((await post(one)).body.result.objectId, first.body.result.objectId);
      assert.notEqual((await post(other)).body.result.objectId, first.body.result.objectId);
    });
  });

  describe(`secret keys of more than one node on ${database}`, () => {
    let site: Site;
    beforeAll(async () => {
      site = await openSite(database);
    });
    afterAll(() => site.close());

    const ask = (secretKey: string, request: SentRequest = list) =>
      site.app.send({ ...request, headers: { 'x-service-appkey': secretKey } });
    const make = (name: string, scopes: unknown, app = site.app.app) =>
      app.secretKeys.create(site.app.appId, { name, scopes }, commandLine);

    test('one that another node made is right at once, and one that it revoked is refused soon', async () => {
      const node = await openNode(site);
      try {
        const { secretKey, key } = await make('Elsewhere', reading, node.app);
        assert.equal((await ask(secretKey)).status, 200);
        await node.app.secretKeys.revoke(site.app.appId, key.keyId, commandLine);
        // Not so often that the limit of requests answers.
        while ((await ask(secretKey)).status !== 404) await delay(20);
      } finally {
        await node.close();
      }
    });

    test('a gateway sends sightings of any installation and reads nothing', async () => {
      const owner = await signIn(site.app);
      const userId = { __type: 'Pointer', className: '_User', objectId: owner.userId };
      await site.installation({ installationId: 'of-somebody', userId });
      const { secretKey } = await make('Gateway', gateway);
      const body = { installationId: 'of-somebody', sightings: [site.decided('ENTER')] };
      const answer = await ask(secretKey, { method: 'POST', url: '/api/v2/sightings', body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { received, events, problems } = answer.body.result;
      assert.deepEqual([received, events, problems], [1, [], []], 'it is not told what follows');
      assert.equal(
        (await site.list('visits', { order: '-createdAt' }))[0].beaconId.objectId,
        site.hall,
        'and it counts',
      );
      for (const url of ['/api/v2/beacons', '/api/v2/visits', '/api/v2/installations'])
        assert.equal((await ask(secretKey, { method: 'GET', url })).body.code, 119, url);
    });

    test('the stream tells one only what its scopes listen to, and ends when it is revoked or expires', async () => {
      const port = await listen(site.app);
      const { secretKey, key } = await make('Dashboard', [{ resource: 'visits', verbs: ['listen'] }]);
      const stream = await openStream(port, '/api/v2/stream', {
        ...site.app.credentials,
        'x-service-appkey': secretKey,
      });
      await stream.ready;
      await site.send([site.decided('ENTER', site.now - 10_000)]);
      await site.send([site.decided('EXIT', site.now - 5_000)]);
      await stream.received(2);
      assert.deepEqual(
        stream.events.map(({ event }) => event),
        ['visit.opened', 'visit.closed'],
      );
      await site.app.app.secretKeys.revoke(site.app.appId, key.keyId, commandLine);
      await site.send([site.decided('ENTER', site.now)]);
      await stream.ended;

      const expiring = {
        name: 'Tonight',
        scopes: [{ resource: 'visits', verbs: ['listen'] }],
        expiresAt: new Date(site.now + 60_000).toISOString(),
      };
      const tonight = await site.app.app.secretKeys.create(site.app.appId, expiring, commandLine);
      const headers = { ...site.app.credentials, 'x-service-appkey': tonight.secretKey };
      const last = await openStream(port, '/api/v2/stream', headers);
      await last.ready;
      site.app.clock.now += 60_000;
      await last.ended;
      assert.equal((await openStream(port, '/api/v2/stream', headers)).status, 404);
    });
  });
}
