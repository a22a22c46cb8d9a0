import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { type Answer, signIn } from '../../../../../test/support/build-app.ts';
import { bothDatabases } from '../../../../../test/support/depth.ts';
import { type Answering, answerWith } from '../../../../../test/support/servers/webhook-receiver.ts';
import { pointer } from '../../../../../test/support/site.ts';
import { openWebhookSite, type WebhookSite } from '../../../../../test/support/sites/webhook-site.ts';

/** Webhooks that refuse or amend records of buckets before these are stored. */

const records = '/api/v2/data/bucket/orders';
const events = ['record.creating', 'record.updating', 'record.deleting'];
const answerJson = (answer: unknown) => answerWith(200, JSON.stringify(answer));

for (const database of bothDatabases) {
  describe(`webhooks before records change on ${database}`, () => {
    let hooks: WebhookSite;
    beforeAll(async () => {
      hooks = await openWebhookSite(database);
      const { app } = hooks.site.app;
      for (const name of ['orders', 'others']) await app.buckets.createBucket(hooks.site.app.appId, name);
      await send('POST', '/api/v2/data/schema/orders', { column: { count: { type: 'Number' } } });
    });
    afterAll(() => hooks.close());
    afterEach(async () => {
      const all = (await hooks.browser.send({ method: 'GET', url: hooks.all() })).body.results;
      for (const { objectId } of all) await hooks.browser.send({ method: 'DELETE', url: `${hooks.all()}/${objectId}` });
      hooks.receiver.calls.length = 0;
    });

    const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown) =>
      hooks.site.ask({ method, url, body });
    const add = (metadata: object, url = records) => send('POST', url, { metadata });
    const idOf = ({ body }: Answer): string => body.result.objectId;
    const read = async (id: string) => (await send('GET', `${records}/${id}`)).body.result;
    const last = () => JSON.parse(hooks.receiver.calls.at(-1)?.body ?? '{}');

    test('one is signed, sees what was and what would be, and amends or refuses it', async () => {
      const hook = await hooks.make({ events, buckets: ['orders'] });
      const userId = hooks.site.user.userId;
      hooks.receiver.answer = answerJson({ allow: true, metadata: { checked: true, card: null } });
      const id = idOf(await add({ count: 1, card: '4111' }));
      assert.deepEqual((await read(id)).metadata, { count: 1, checked: true });
      const [call] = hooks.receiver.calls;
      const headers = call?.headers as Record<string, string>;
      const told = new Webhook(hook.secret).verify(call?.body ?? '', headers) as Answer['body'];
      assert.deepEqual(
        [told.type, told.appId, told.data.bucket, told.data.record, told.data.before, told.data.by],
        [
          'record.creating',
          hooks.site.app.appId,
          'orders',
          { ...(await read(id)), metadata: { count: 1, card: '4111' } },
          undefined,
          { kind: 'user', objectId: userId },
        ],
      );
      hooks.receiver.answer = answerJson({ allow: true, metadata: { total: 20 } });
      hooks.site.app.clock.now += 1_000;
      assert.equal((await send('PATCH', `${records}/${id}`, { count: 2 })).status, 200);
      const changed = await read(id);
      assert.deepEqual(changed.metadata, { count: 2, checked: true, total: 20 });
      const { before, record } = last().data;
      assert.deepEqual(
        [last().type, before.metadata, record.metadata, record.createdBy],
        ['record.updating', { count: 1, checked: true }, { count: 2, checked: true }, pointer('_User', userId)],
      );
      hooks.receiver.answer = answerJson({ allow: false, message: 'The shop is closed.' });
      for (const [method, url, body] of [
        ['POST', records, { metadata: { count: 3 } }],
        ['PUT', `${records}/${id}`, { count: 3 }],
        ['DELETE', `${records}/${id}`, undefined],
      ] as const) {
        const refused = await send(method, url, body);
        assert.deepEqual(
          [refused.status, refused.body.code, refused.body.error.error],
          [400, 142, 'The shop is closed.'],
        );
      }
      assert.deepEqual([last().type, last().data.record, last().data.before], ['record.deleting', undefined, changed]);
      assert.deepEqual(await read(id), changed);
      assert.equal((await add({ count: 3 }, '/api/v2/data/bucket/others')).status, 201);
      hooks.receiver.answer = answerJson({ allow: true });
      assert.equal((await send('DELETE', `${records}/${id}`)).status, 200);
      assert.equal((await send('GET', `${records}/${id}`)).status, 404);
      // What was refused is among the deliveries, once in a second and without the document; what was allowed is not.
      await hooks.site.app.app.idle();
      const [delivery, ...others] = await hooks.deliveries(hook);
      assert.deepEqual(others, []);
      const { event, state, reason, answer, status, payload, objectId: deliveryId } = delivery;
      assert.deepEqual(
        [event, state, reason, status, JSON.parse(answer).message, Object.keys(payload.data)],
        [
          'record.creating',
          'failed',
          "The app's own check refuses this.",
          200,
          'The shop is closed.',
          ['bucket', 'objectId', 'by'],
        ],
      );
      assert.equal(
        hooks.receiver.calls.some(({ headers }) => headers['webhook-id'] === deliveryId),
        true,
      );
      const again = `${hooks.all()}/${hook.objectId}/deliveries/${deliveryId}/redeliver`;
      assert.equal((await hooks.browser.send({ method: 'POST', url: again })).body.code, 142);
    });

    test('without a valid answer the change is refused or let through, as chosen, and nothing of the receiver is told', async () => {
      const hook = await hooks.make({ events, buckets: ['orders'] });
      hooks.receiver.answer = answerJson({ allow: true });
      const id = idOf(await add({ count: 1 }));
      const bad: readonly (readonly [string, Answering])[] = [
        ['no JSON', answerWith(200, 'ok')],
        ['nothing', answerWith(204)],
        ['an unknown member', answerJson({ allow: true, objectId: 'x' })],
        ['a patch that is none', answerJson({ allow: true, metadata: 'x' })],
        ['a refusal with a patch', answerJson({ allow: false, metadata: {} })],
        ['a value of another type', answerJson({ allow: true, metadata: { count: 'secret of the receiver' } })],
        ['too large a document', answerJson({ allow: true, metadata: { text: 'x'.repeat(300_000) } })],
        ['more than is read', answerJson({ allow: true, metadata: { text: 'x'.repeat(2_000_000) } })],
        ['nesting without end', answerWith(200, `{"allow":true,"metadata":{"x":${'['.repeat(400_000)}`)],
        ['an error', answerWith(500, 'secret of the receiver')],
      ];
      const problems = new Set<string>();
      for (const [what, answer] of bad) {
        hooks.receiver.answer = answer;
        const refused = await send('PATCH', `${records}/${id}`, { count: 2 });
        assert.deepEqual([refused.status, refused.body.code], [503, 124], what);
        assert.doesNotMatch(JSON.stringify(refused.body), /secret of the receiver|127\.0\.0\.1/, what);
        await hooks.site.app.app.idle();
        const { lastError } = await hooks.read(hook);
        problems.add(lastError);
        assert.equal((await hooks.deliveries(hook))[0].reason, lastError, what);
        hooks.site.app.clock.now += 1_000;
        // So that it is not left alone for a while.
        hooks.receiver.answer = answerJson({ allow: true });
        await send('PATCH', `${records}/${id}`, { count: 1 });
      }
      assert.deepEqual((await read(id)).metadata, { count: 1 });
      assert.match(
        [...problems].join(),
        /form that is expected.*count must be a number.*at most 256 KiB.*Answered 500/,
      );
      await hooks.site.app.app.idle();
      assert.equal((await hooks.read(hook)).lastError, null);
      const url = `${hooks.all()}/${hook.objectId}`;
      const change = await hooks.browser.send({ method: 'PUT', url, body: { withoutAnswer: 'allow' } });
      assert.deepEqual(
        [change.status, change.body.result.withoutAnswer, change.body.result.buckets],
        [200, 'allow', ['orders']],
      );
      hooks.receiver.answer = answerWith(302, '', { location: 'http://169.254.169.254/' });
      assert.equal((await send('PATCH', `${records}/${id}`, { count: 7 })).status, 200);
      assert.deepEqual((await read(id)).metadata, { count: 7 });
      const away = hooks.receiver.calls.length;
      for (let time = 0; time < 8; time++) assert.equal((await send('DELETE', `${records}/none`)).status, 404);
      for (let time = 0; time < 8; time++) assert.equal((await add({ count: time })).status, 201);
      // After five without an answer in a row it is left alone.
      assert.equal(hooks.receiver.calls.length - away, 4);
    });

    test('what is written is what was seen: a change in between is asked about again', async () => {
      await hooks.make({ events: ['record.updating'] });
      hooks.receiver.answer = answerJson({ allow: true });
      const id = idOf(await add({ count: 1 }));
      const others = new Map<number, Promise<unknown>>();
      hooks.receiver.answer = (call, response) => {
        const { record } = JSON.parse(call.body).data;
        const answer = () =>
          answerJson({ allow: true, metadata: { double: record.metadata.count * 2 } })(call, response);
        const isFirst = others.size === 0;
        // Meanwhile somebody else changes the record.
        if (isFirst) others.set(1, send('PATCH', `${records}/${id}`, { count: 5 }).then(answer));
        else answer();
      };
      assert.equal((await send('PATCH', `${records}/${id}`, { note: 'late' })).status, 200);
      assert.deepEqual((await read(id)).metadata, { count: 5, double: 10, note: 'late' });
      assert.equal(hooks.receiver.calls.length, 3);
    });

    test('what the rules refuse is not even asked, and an answer makes nothing of a record that its maker may not make', async () => {
      const { appId, app } = hooks.site.app;
      await app.apps.changeRules(appId, { buckets: { orders: { create: { 'metadata.count': { $lt: 10 } } } } });
      await hooks.make({ events });
      hooks.receiver.answer = answerJson({ allow: true, metadata: { count: 50 } });
      const user = await signIn(hooks.site.app);
      const add = async (count: number) =>
        (
          await hooks.site.app.send({
            method: 'POST',
            url: records,
            headers: user.headers,
            body: { metadata: { count } },
          })
        ).status;
      assert.equal(await add(20), 403);
      assert.equal(hooks.receiver.calls.length, 0);
      assert.equal(await add(1), 503);
      hooks.receiver.answer = answerJson({ allow: true, metadata: { count: 5 } });
      assert.equal(await add(1), 201);
    });
  });
}
