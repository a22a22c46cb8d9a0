import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type PushProvider, startPushProvider } from '../../../../../test/fakes/push-provider.ts';
import {
  buildApp,
  databases,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../../test/support/build-app.ts';
import { assertRefusals } from '../../../../../test/support/cases.ts';
import { service } from '../../../../access/audit.ts';

/** Live Activities, as they arrive at an APNs that refuses whatever Apple's documentation does not allow. */

const url = '/api/v2/push/live-activity';
const update = { event: 'update', contentState: { minutes: 12 } };
const start = {
  event: 'start',
  contentState: { minutes: 20 },
  attributesType: 'QueueAttributes',
  attributes: { hall: 'Planetarium' },
  alert: { title: 'You are in the queue' },
};

for (const database of databases) {
  describe(`Live Activities on ${database}`, () => {
    let provider: PushProvider;
    let folder: string;
    let app: TestApp;
    let manager: SignedIn;
    beforeAll(async () => {
      provider = await startPushProvider({ now: () => app.clock.now });
      folder = mkdtempSync(join(tmpdir(), 'pharos-test-'));
      writeFileSync(join(folder, 'ca.pem'), provider.ca);
      const settings = { PHAROS_PUSH_URL: provider.origin, PHAROS_PUSH_CA: join(folder, 'ca.pem') };
      app = await buildApp({ database, settings });
      manager = await signInManager(app);
    });
    afterAll(async () => {
      await app.close();
      await provider.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function send(body: object, path = url) {
      app.clock.now += 1_000;
      return app.send({ method: 'POST', url: path, headers: manager.headers, body });
    }
    const setUp = () => app.app.senders.save({ appId: app.appId, kind: 'apns' }, provider.apns.entered, service);

    test('need the credentials of Apple', async () => {
      const { status, body } = await send({ ...update, token: 'ab' });
      assert.equal(status, 412);
      assert.match(body.error.error, /APNs, Apple’s push service, is not set up/);
      await setUp();
    });

    test('start, change and end on one phone', async () => {
      const token = provider.apns.tokenFor('vera');
      const end = { event: 'end', contentState: { minutes: 0 }, dismissAt: '2027-01-01T00:00:00Z' };
      for (const body of [start, { ...update, relevance: 0.5, urgency: 'normal' }, end]) {
        const answer = await send({ ...body, token });
        assert.deepEqual([answer.status, answer.body.result], [200, { state: 'sent' }], JSON.stringify(answer.body));
      }
      const received = provider.received.filter(({ recipient }) => recipient === 'vera');
      const aps = received.map(({ content }) => (content as { aps: Record<string, unknown> }).aps);
      assert.deepEqual(
        aps.map(({ event }) => event),
        ['start', 'update', 'end'],
      );
      assert.deepEqual(
        [aps[0]?.['attributes-type'], aps[0]?.['input-push-token'], aps[2]?.['dismissal-date']],
        ['QueueAttributes', 1, Date.parse('2027-01-01T00:00:00Z') / 1000],
      );
      assert.ok(Number(aps[1]?.['timestamp']) < Number(aps[2]?.['timestamp']), 'iOS ignores what is older');
    });

    test('change for all who follow a channel, which is deleted when it is over', async () => {
      const made = await send({ keepsLatest: false }, `${url}/channels`);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { channelId } = made.body.result;
      assert.equal((await send({ ...update, channelId })).status, 200);
      const late = await send({ ...update, channelId, expiresAt: '2027-01-01T00:00:00Z' });
      assert.deepEqual([late.status, late.body.error.details[0].field], [400, 'channelId'], 'this one stores nothing');
      const gone = () =>
        app.send({
          method: 'DELETE',
          url: `${url}/channels/${encodeURIComponent(channelId)}`,
          headers: manager.headers,
        });
      assert.deepEqual([(await gone()).status, (await gone()).status], [200, 404]);
      assert.equal((await send({ ...update, channelId })).status, 404);
      const keeping = (await send({ keepsLatest: true }, `${url}/channels`)).body.result.channelId;
      assert.equal((await send({ ...update, channelId: keeping, expiresAt: '2027-01-01T00:00:00Z' })).status, 200);
    });

    test('are refused with a reason, and APNs is not asked', async () => {
      const before = provider.received.length;
      const post = (body: object) => ({ method: 'POST', url, body }) as const;
      const bad = { status: 400, code: 142 };
      await assertRefusals(app, manager.headers, [
        { rule: 'nobody', request: post(update), ...bad, fields: ['token'] },
        { rule: 'both', request: post({ ...update, token: 'ab', channelId: 'x' }), ...bad, fields: ['token'] },
        { rule: 'no token', request: post({ ...update, token: '../..' }), ...bad, fields: ['token'] },
        { rule: 'a time', request: post({ ...update, token: 'ab', staleAt: 'soon' }), ...bad, fields: ['staleAt'] },
        {
          rule: 'a start',
          request: post({ event: 'start', contentState: {}, channelId: 'x' }),
          ...bad,
          fields: ['channelId', 'attributesType', 'alert'],
        },
        {
          rule: 'size',
          request: post({ ...update, token: 'ab', contentState: { a: 'x'.repeat(5_000) } }),
          ...bad,
          fields: ['token'],
        },
      ]);
      assert.equal(provider.received.length, before);
      const stranger = await signIn(app);
      await app.app.apps.changeRules(app.appId, { preset: 'visitors' });
      const answer = await app.send({ ...post({ ...update, token: 'ab' }), headers: stranger.headers });
      assert.equal(answer.status, 403);
      await app.app.apps.changeRules(app.appId, { preset: 'specification' });
    });

    test('say what APNs says: not now, and nobody any more', async () => {
      const token = provider.apns.tokenFor('otto');
      provider.tell('otto', 'tooMany', 'gone');
      const later = await send({ ...update, token });
      assert.deepEqual([later.status, later.headers['retry-after']], [503, '3']);
      assert.equal((await send({ ...update, token })).status, 404);
    });
  });
}
