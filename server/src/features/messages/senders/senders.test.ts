import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type PushProvider, startPushProvider } from '../../../../test/fakes/push-provider.ts';
import { buildApp, databases, type TestApp } from '../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { raw } from '../../../base/sql.ts';

for (const database of databases) {
  describe(`provider credentials on ${database}`, () => {
    let provider: PushProvider;
    let folder: string;
    let app: TestApp;
    let owner: Browser;
    beforeAll(async () => {
      provider = await startPushProvider();
      folder = mkdtempSync(join(tmpdir(), 'pharos-test-'));
      writeFileSync(join(folder, 'ca.pem'), provider.ca);
      const settings = { PHAROS_PUSH_URL: provider.origin, PHAROS_PUSH_CA: join(folder, 'ca.pem') };
      app = await buildApp({ database, settings });
      app.clock.now = Date.now();
      owner = await openConsole(app, 'owner');
    });
    afterAll(async () => {
      await app.close();
      await provider.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const url = (rest = '') => `/apps/${app.appId}/senders${rest}`;
    const put = (kind: string, settings: unknown) => {
      // Audit records are sorted by time.
      app.clock.now += 100;
      return owner.send({ method: 'PUT', url: url(`/${kind}`), body: { settings } });
    };
    const list = async () => (await owner.send({ method: 'GET', url: url() })).body.results;
    const stored = () => app.storage.db.all<{ settings: string }>(raw('select * from senders order by kind'));

    test('are listed before anything is set up, and cannot be tested then', async () => {
      const all = await list();
      assert.deepEqual(
        all.map(({ kind, isSetUp }: Record<string, unknown>) => [kind, isSetUp]),
        [
          ['fcm', false],
          ['apns', false],
          ['webpush', false],
          ['mqtt', false],
        ],
      );
      const answer = await owner.send({ method: 'POST', url: url('/fcm/test'), body: {} });
      assert.deepEqual([answer.status, answer.body.code], [404, 101]);
    });

    test('are kept encrypted, shown by their names only, and the test says what the provider answered', async () => {
      const saved = await put('fcm', { serviceAccount: JSON.stringify(provider.fcm.serviceAccount) });
      assert.equal(saved.status, 200, JSON.stringify(saved.body));
      assert.equal(saved.body.result.summary.projectId, 'lighthouse-1234');
      const [row] = await stored();
      for (const secret of ['PRIVATE KEY', 'lighthouse-1234'])
        assert.ok(!row?.settings.includes(secret) && !row?.settings.includes(Buffer.from(secret).toString('base64')));
      const tested = await owner.send({ method: 'POST', url: url('/fcm/test'), body: {} });
      assert.deepEqual([tested.status, tested.body.result.ok], [200, true], JSON.stringify(tested.body));
      const [fcm] = await list();
      assert.deepEqual([fcm.isSetUp, fcm.lastTest.ok, fcm.lastTest.text], [true, true, tested.body.result.text]);
      const audit = await owner.send({ method: 'GET', url: '/audit?limit=1' });
      assert.equal(audit.body.results[0].action, 'sender.save');
      const everything = JSON.stringify([saved.body, tested.body, fcm, audit.body, app.log]);
      assert.ok(!everything.includes('PRIVATE KEY'), 'the key is nowhere to be seen');
    });

    test('another account is tried before it is saved, and a refusal is reported in the words of the provider', async () => {
      const stranger = {
        ...provider.fcm.serviceAccount,
        client_email: 'stranger@lighthouse-1234.iam.gserviceaccount.com',
      };
      const body = { settings: { serviceAccount: stranger } };
      const tested = await owner.send({ method: 'POST', url: url('/fcm/test'), body });
      assert.deepEqual([tested.status, tested.body.result.ok], [200, false]);
      assert.match(tested.body.result.text, /Invalid issuer/);
      assert.equal((await list())[0].lastTest.ok, true, 'what is saved stays as it was');
    });

    test('the service makes the keys of Web Push when it is asked to', async () => {
      const saved = await put('webpush', { generate: true, subject: 'mailto:ops@example.org' });
      assert.equal(saved.status, 200, JSON.stringify(saved.body));
      assert.match(saved.body.result.summary.publicKey, /^[\w-]{80,90}$/);
      const tested = await owner.send({ method: 'POST', url: url('/webpush/test'), body: {} });
      assert.equal(tested.body.result.ok, true, JSON.stringify(tested.body));
      assert.equal((await owner.send({ method: 'DELETE', url: url('/webpush') })).status, 200);
      assert.equal((await owner.send({ method: 'DELETE', url: url('/webpush') })).status, 404);
    });

    test('are removed as they were seen: others that somebody has entered since stay', async () => {
      const remove = (tag: unknown) =>
        owner.send({ method: 'DELETE', url: url('/webpush'), headers: { 'if-match': String(tag) } });
      const first = await put('webpush', { generate: true, subject: 'mailto:ops@example.org' });
      const second = await put('webpush', { generate: true, subject: 'mailto:desk@example.org' });
      const { status, body } = await remove(first.headers['etag']);
      assert.deepEqual([status, body.error.name], [412, 'PreconditionFailed']);
      const there = (await owner.send({ method: 'GET', url: url('/webpush') })).body.result;
      assert.deepEqual(there, second.body.result);
      assert.equal((await remove(second.headers['etag'])).status, 200);
    });

    const malformed: readonly (readonly [string, string, unknown, readonly string[]])[] = [
      ['no settings', 'fcm', undefined, ['settings']],
      ['a text', 'fcm', 'key', ['settings']],
      ['no service account', 'fcm', {}, ['serviceAccount.project_id']],
      ['another JSON file', 'fcm', { serviceAccount: '{"type":"authorized_user"}' }, ['serviceAccount.type']],
      ['no JSON', 'fcm', { serviceAccount: 'AIza…' }, ['serviceAccount']],
      ['no key of Apple', 'apns', { keyId: 'x', teamId: 'y', key: 'z' }, ['keyId', 'teamId', 'key']],
      ['no keys of Web Push', 'webpush', { publicKey: 'x' }, ['publicKey']],
    ];
    for (const [name, kind, settings, fields] of malformed)
      test(`refuses ${name} and says by field what is wrong`, async () => {
        const answer = await put(kind, settings);
        assert.deepEqual([answer.status, answer.body.code], [400, 142], JSON.stringify(answer.body));
        const named = answer.body.error.details.map(({ field }: { field: string }) => field);
        for (const field of fields) assert.ok(named.includes(field), `${field} in ${named.join()}`);
      });

    test('an unknown provider is not there', async () => {
      assert.equal((await put('pigeon', {})).status, 404);
    });

    test('a push goes through the real sender, and new credentials count at once', async () => {
      const { fcm } = provider;
      await put('fcm', { serviceAccount: fcm.serviceAccount });
      const body = { installationId: 'one', deviceType: 'android', deviceToken: fcm.tokenFor('one') };
      await app.send({ method: 'POST', url: '/api/v2/installations', body });
      const push = async () => {
        app.clock.now += 1_000;
        const sent = await owner.send({
          method: 'POST',
          url: `/apps/${app.appId}/v2/push/notification`,
          body: { data: { title: 'Tonight', alert: 'Open', room: 4 } },
        });
        assert.equal(sent.status, 200, JSON.stringify(sent.body));
        await app.app.idle();
        const id = String(sent.headers['location']).split('/').at(-1);
        return (await owner.send({ method: 'GET', url: `/apps/${app.appId}/v2/push/notification/${id}` })).body.result;
      };
      assert.equal((await push()).sent, 1);
      const [message] = provider.received.filter(({ recipient }) => recipient === 'one');
      const { notification, data } = (
        message as unknown as { content: { message: Record<string, Record<string, string>> } }
      ).content.message;
      assert.deepEqual([notification?.['title'], data?.['room']], ['Tonight', '4']);
      await put('fcm', { serviceAccount: { ...fcm.serviceAccount, project_id: 'another-1234' } });
      const refused = await push();
      assert.equal(refused.sent, 0);
      assert.match(refused.reasons[0].reason, /No such project/);
    });

    test('credentials that cannot be decrypted are reported as such and reach nobody', async () => {
      await put('fcm', { serviceAccount: provider.fcm.serviceAccount });
      await app.storage.db.run(raw("update senders set settings = 'v1.00000000.AAAA', updated_at = updated_at + 1"));
      const tested = await owner.send({ method: 'POST', url: url('/fcm/test'), body: {} });
      assert.deepEqual([tested.status, tested.body.code], [403, 119]);
      const sent = await owner.send({
        method: 'POST',
        url: `/apps/${app.appId}/v2/push/notification`,
        body: { data: { title: 'x' } },
      });
      await app.app.idle();
      const id = String(sent.headers['location']).split('/').at(-1);
      const { result } = (await owner.send({ method: 'GET', url: `/apps/${app.appId}/v2/push/notification/${id}` }))
        .body;
      assert.deepEqual([result.noTarget, result.sent], [1, 0]);
      assert.match(result.reasons[0].reason, /enter them again/);
    });
  });
}
