import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, type SignedIn, signIn } from '../../../../test/support/build-app.ts';
import { openSite, type Site } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';
import { raw } from '../../../base/sql.ts';

const secret = 'a'.repeat(43);
const shown = { 'installation-secret': secret };
const wrong = { 'installation-secret': 'b'.repeat(43) };
const none = {};

type Headers = Readonly<Record<string, string>>;

for (const database of databases) {
  describe(`what proves an installation on ${database}`, () => {
    let site: Site;
    let user: SignedIn;
    let other: SignedIn;
    beforeAll(async () => {
      site = await openSite(database);
      [user, other] = [await signIn(site.app), await signIn(site.app)];
    });
    afterAll(() => site.close());

    async function register(installationId: string, headers: Headers = none, more: object = {}) {
      site.app.clock.now += 1;
      const body = { installationId, deviceType: 'ios', ...more };
      return site.app.send({ method: 'POST', url: '/api/v2/installations', body, headers });
    }
    const refused = { status: 403, code: 119 };
    const outcome = ({ status, body }: Awaited<ReturnType<typeof register>>) =>
      status < 300 ? status : { status, code: body.code };

    test('one with a secret is registered again with it or by its user, and by nobody else', async () => {
      assert.equal(outcome(await register('phone-a', shown)), 201);
      for (const headers of [none, wrong, { ...other.headers }, { ...other.headers, ...wrong }])
        assert.deepEqual(outcome(await register('phone-a', headers)), refused);
      assert.equal(outcome(await register('phone-a', shown)), 200);
      assert.equal(outcome(await register('phone-a', { ...shown, ...user.headers })), 200);
      assert.equal(outcome(await register('phone-a', user.headers)), 200, 'its user');
      assert.equal(outcome(await register('phone-a', shown)), 200, 'signed out');
      const { body } = await site.ask({
        method: 'GET',
        url: '/api/v2/installations?where={"installationId":"phone-a"}',
      });
      assert.equal(body.results[0].userId.objectId, user.userId, 'it keeps its user');
    });

    test('its push token alone is no proof any more', async () => {
      const token = { deviceToken: 'c'.repeat(64), pushType: 'fcm' };
      await register('phone-b', shown, token);
      assert.deepEqual(outcome(await register('phone-b', none, token)), refused);
    });

    test('its user, with a new secret, replaces one that was lost', async () => {
      await register('phone-c', { ...shown, ...user.headers });
      assert.equal(outcome(await register('phone-c', { ...wrong, ...user.headers })), 200);
      assert.deepEqual(outcome(await register('phone-c', shown)), refused);
      assert.equal(outcome(await register('phone-c', wrong)), 200);
    });

    test('one without a secret works as before, and gets one with its next registration', async () => {
      await register('phone-d');
      assert.equal(outcome(await register('phone-d')), 200);
      assert.equal(outcome(await register('phone-d', shown)), 200);
      assert.deepEqual(outcome(await register('phone-d')), refused);
    });

    test('taking over an installation by its id does not give it a secret', async () => {
      await register('phone-e', user.headers);
      assert.equal(outcome(await register('phone-e', wrong)), 200);
      assert.equal(outcome(await register('phone-e', { ...shown, ...user.headers })), 200, 'its user is back');
      assert.deepEqual(outcome(await register('phone-e', wrong)), refused);
    });

    test('a secret that can be guessed is refused, and one is stored as a hash', async () => {
      const { status, body } = await register('phone-f', { 'installation-secret': 'short' });
      assert.deepEqual([status, body.code, body.error.details[0].field], [400, 142, 'Installation-Secret']);
      await register('phone-g', shown);
      const rows = await site.app.storage.db.all(raw('select * from installations'));
      assert.ok(!JSON.stringify([rows, site.app.log]).includes(secret));
      const { body: read } = await site.ask({ method: 'GET', url: '/api/v2/installations' });
      assert.ok(!/secret/i.test(JSON.stringify(read)));
    });

    test('sightings, log records and receipts of one with a secret need it, its user or a server', async () => {
      const { body: made } = await register('phone-h', { ...shown, ...user.headers });
      const { objectId } = made.result;
      const { secretKey } = await site.app.app.secretKeys.create(
        site.app.appId,
        {
          name: 'Gateway',
          scopes: ['sightings', 'logs', 'receipts'].map((resource) => ({ resource, verbs: ['create'] })),
        },
        commandLine,
      );
      const log = () => ({
        installationId: { __type: 'Pointer', className: '_Installation', objectId },
        beaconId: { __type: 'Pointer', className: 'Beacon', objectId: site.hall },
        event: 'ENTER',
        moduleType: 'PRESENCE',
      });
      const requests = [
        ['/api/v2/sightings', () => ({ installationId: 'phone-h', sightings: [site.decided('ENTER')] })],
        ['/api/v2/receipts', () => ({ installationId: 'phone-h', receipts: [{ deliveryId: 'x', event: 'opened' }] })],
        ['/api/v2/logs', log],
      ] as const;
      for (const [url, bodyOf] of requests) {
        const send = (headers: Headers) => {
          site.app.clock.now += 1_000;
          return site.app.send({ method: 'POST', url, body: bodyOf(), headers });
        };
        for (const headers of [none, wrong]) assert.deepEqual(outcome(await send(headers)), refused, url);
        for (const headers of [shown, { 'x-service-appkey': secretKey }]) {
          const answer = await send(headers);
          assert.ok(answer.status < 300, `${url}: ${JSON.stringify(answer.body)}`);
        }
      }
      // A receipt is for everyone with the app key, whose bearer is not read.
      for (const [url, bodyOf] of requests.filter(([path]) => path !== '/api/v2/receipts')) {
        const answer = await site.app.send({ method: 'POST', url, body: bodyOf(), headers: user.headers });
        assert.ok(answer.status < 300, `${url}: ${JSON.stringify(answer.body)}`);
      }
    });

    test('nothing of refused sightings is recorded, and others of their transaction are', async () => {
      const { body: made } = await register('phone-i', shown);
      const { body: open } = await register('phone-j');
      site.app.clock.now += 60_000;
      const send = (installationId: string) => {
        const body = { installationId, sightings: [site.decided('ENTER')] };
        return site.app.send({ method: 'POST', url: '/api/v2/sightings', body });
      };
      const answers = await Promise.all([send('phone-i'), send('phone-j')]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [403, 200],
      );
      const visited = (await site.list('visits')).map(
        ({ installationId }: { installationId: { objectId: string } }) => installationId.objectId,
      );
      assert.deepEqual(
        [made, open].map(({ result }) => visited.includes(result.objectId)),
        [false, true],
      );
    });

    test('a gateway with the app key is told which of its sightings are of one with a secret', async () => {
      await site.ask({
        method: 'PUT',
        url: `/api/v2/beacons/${site.hall}`,
        body: { metadata: { gatewayId: 'gate' } },
      });
      await register('phone-k', { ...shown, ...site.user.headers }, { metadata: { advertisedId: 'aabbcc001101' } });
      await register('phone-l', site.user.headers, { metadata: { advertisedId: 'aabbcc001102' } });
      const sightings = ['aabbcc001101', 'aabbcc001102'].map((id) => ({ id, rssi: -50 }));
      const body = { gateway: 'gate', sightings };
      const answer = await site.app.send({ method: 'POST', url: '/api/v2/sightings', body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(
        answer.body.result.problems.map(({ index, code }: { index: number; code: string }) => [index, code]),
        [[0, 'not_proven']],
      );
    });

    test('where the app requires it, a new installation needs a secret, and older ones go on', async () => {
      await register('older');
      const made = await site.app.app.apps.create('Visitors', commandLine, 'visitors');
      assert.equal((await site.app.app.apps.get(made.appId)).policy.installationProof, 'required', 'by its preset');
      const closed = await site.app.app.apps.create('Closed later', commandLine);
      await site.app.app.apps.changeRules(closed.appId, { preset: 'visitors' });
      const { policy } = await site.app.app.apps.get(closed.appId);
      assert.equal(policy.installationProof, 'offered', 'the phones in the field go on');
      await site.app.app.apps.change(site.app.appId, { policy: { installationProof: 'required' } });
      try {
        assert.deepEqual(outcome(await register('phone-m')), { status: 400, code: 142 });
        assert.deepEqual(outcome(await register('phone-m', user.headers)), { status: 400, code: 142 });
        assert.equal(outcome(await register('phone-m', shown)), 201);
        assert.equal(outcome(await register('older')), 200);
        assert.equal(outcome(await register('made-by-staff', site.user.headers)), 201);
      } finally {
        await site.app.app.apps.change(site.app.appId, { policy: { installationProof: 'offered' } });
      }
    });
  });
}
