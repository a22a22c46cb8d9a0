import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, type SignedIn, signIn } from '../../../../test/support/build-app.ts';
import { openSite, pointer, type Site } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';

/** A secret key with `installations:create` registers new installations; one that is known it neither changes nor learns about. */

type Headers = Readonly<Record<string, string>>;

const secret = { 'installation-secret': 'a'.repeat(43) };

for (const database of databases) {
  describe(`registering with a secret key on ${database}`, () => {
    let site: Site;
    let vera: SignedIn;
    let creating: Headers;
    let updating: Headers;
    beforeAll(async () => {
      site = await openSite(database);
      vera = await signIn(site.app);
      const keyWith = async (name: string, verbs: readonly string[]) => {
        const scopes = [{ resource: 'installations', verbs }];
        const { secretKey } = await site.app.app.secretKeys.create(site.app.appId, { name, scopes }, commandLine);
        return { 'x-service-appkey': secretKey };
      };
      creating = await keyWith('Creates', ['create']);
      updating = await keyWith('Updates', ['create', 'update']);
    });
    afterAll(() => site.close());

    async function register(installationId: string | undefined, headers: Headers, more: object = {}) {
      site.app.clock.now += 1_000;
      const body = { ...(installationId ? { installationId } : {}), deviceType: 'android', ...more };
      return site.app.send({ method: 'POST', url: '/api/v2/installations', body, headers });
    }
    const refused = (answer: Awaited<ReturnType<typeof register>>) => {
      assert.deepEqual([answer.status, answer.body.code], [403, 119], answer.raw.toString());
      assert.match(answer.body.error.error, /registered already.*installations:update/s);
    };
    const stored = async (id: string) => JSON.stringify(await site.get(`installations/${id}`));
    const toVera = () => ({ userId: pointer('_User', vera.userId) });

    test('a repeated registration is answered again, and changes nothing', async () => {
      const all = {
        ...toVera(),
        deviceToken: 'token of one',
        channels: ['news', 'news'],
        metadata: { tour: 3 },
        consents: { messages: { granted: true, textVersion: '1' } },
      };
      const made = await register('one', { ...creating, ...secret }, all);
      assert.equal(made.status, 201, made.raw.toString());
      const was = await stored(made.body.result.objectId);
      const again = await register('one', { ...creating, ...secret }, all);
      assert.deepEqual(
        [again.status, again.body.result],
        [200, { ...made.body.result, updatedAt: made.body.result.createdAt }],
      );
      assert.equal(await stored(made.body.result.objectId), was);
    });

    test('any other one is refused, whatever it has in common with what is stored', async () => {
      const all = {
        ...toVera(),
        deviceToken: 'token of two',
        channels: ['news'],
        consents: { messages: { granted: true, textVersion: '1' } },
      };
      const { objectId } = (await register('two', creating, all)).body.result;
      const was = await stored(objectId);
      const { userId: _user, ...noUser } = all;
      const { consents: _consents, ...undecided } = all;
      for (const more of [
        {},
        toVera(),
        noUser,
        undecided,
        { ...all, deviceToken: 'mine' },
        { ...all, previousDeviceToken: all.deviceToken, deviceToken: 'mine' },
        { ...all, channels: [] },
        { ...all, metadata: { a: 1 } },
        { ...all, consents: { messages: { granted: false } } },
        { ...all, consents: { ...all.consents, analytics: { granted: false, erase: true } } },
      ])
        refused(await register('two', creating, more));
      refused(await register(undefined, creating, { deviceToken: all.deviceToken }));
      refused(await register('two', { ...creating, ...secret }, toVera()));
      assert.equal(await stored(objectId), was);
    });

    test('nor does it tell for longer than a day, or once something has changed, that the guess is right', async () => {
      await register('three', creating, toVera());
      site.app.clock.now += 86_400_000;
      refused(await register('three', creating, toVera()));
      await register('four', creating, toVera());
      assert.equal((await register('four', updating, { ...toVera(), appVersion: '2' })).status, 200);
      refused(await register('four', creating, { ...toVera(), appVersion: '2' }));
    });

    test('a phone that registered itself is not taken over; with its secret the key acts as the phone', async () => {
      const { objectId } = (await register('five', {})).body.result;
      refused(await register('five', creating, { ...toVera(), deviceToken: 'of another' }));
      await register('six', { ...vera.headers, ...secret }, { deviceToken: 'of six' });
      refused(await register('six', creating, { deviceToken: 'mine' }));
      refused(await register('six', { ...creating, 'installation-secret': 'b'.repeat(43) }));
      assert.equal((await register('six', { ...creating, ...secret }, { appVersion: '3' })).status, 200);
      const other = pointer('_User', (await signIn(site.app)).userId);
      const named = await register('six', { ...creating, ...secret }, { userId: other });
      assert.deepEqual([named.status, named.body.code], [403, 119]);
      assert.equal((await site.get(`installations/${objectId}`)).userId, undefined);
    });

    test('a new one takes neither the topic nor the tag of another', async () => {
      const topic = { deviceType: 'embedded', deviceToken: 'gate/north' };
      await register('seven', vera.headers, topic);
      const taken = await register('eight', creating, topic);
      assert.deepEqual([taken.status, taken.body.code], [403, 119]);
      assert.equal((await register('eight', updating, topic)).status, 201);
      const metadata = { advertisedId: 'AA:BB:CC:00:11:33' };
      const hers = (await register('nine', vera.headers, { metadata })).body.result.objectId;
      assert.equal((await register('ten', creating, { metadata, userId: undefined })).status, 201);
      await site.beacon({ metadata: { gatewayId: 'room-9' } });
      site.app.clock.now += 10_000;
      const sightings = [4, 3, 2, 1].map((n) => ({ id: 'aabbcc001133', rssi: -50, occurredAt: site.now - n * 1000 }));
      await site.app.send({ method: 'POST', url: '/api/v2/sightings', body: { gateway: 'room-9', sightings } });
      const visits = await site.list('visits');
      assert.deepEqual(
        visits.map(({ installationId }: { installationId: { objectId: string } }) => installationId.objectId),
        [hers],
      );
    });

    test('with `installations:update`, a known one is changed as before', async () => {
      const { objectId } = (await register('eleven', {})).body.result;
      assert.equal((await register('eleven', updating, { ...toVera(), deviceToken: 'new' })).status, 200);
      assert.equal((await site.get(`installations/${objectId}`)).userId.objectId, vera.userId);
    });
  });
}
