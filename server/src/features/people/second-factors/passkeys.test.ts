import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  type Answer,
  buildApp,
  databases,
  type SignedIn,
  signIn,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { openConsole, password } from '../../../../test/support/console.ts';
import { SoftwarePasskey } from '../../../../test/support/servers/software-passkey.ts';

const users = '/api/v2/users';
const site = 'https://app.museum.example';
const android = `android:apk-key-hash:${'aB3-'.repeat(10)}xyz`;

for (const database of databases) {
  describe(`passkeys of users on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database });
      await policy({ passkeys: { enabled: true, rpId: 'museum.example', origins: [site, android] } });
    });
    afterAll(() => app.close());

    const policy = (change: object) => app.app.apps.change(app.appId, { policy: change });
    const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, headers = {}) => {
      app.clock.now += 5_000;
      return app.send({ method, url: `${users}/${path}`, headers, ...(body ? { body } : {}) });
    };
    const refusal = ({ status, body }: Answer) => [status, body.error?.name];
    const challenge = async () => (await send('POST', 'signin/passkey/challenge')).body.result;
    const signInWith = (passkey: object, more = {}) => send('POST', 'signin/passkey', { passkey, ...more });
    async function register(user: SignedIn, origin = site, name = 'My phone') {
      const asked = await send('POST', 'me/passkeys/challenge', {}, user.headers);
      assert.equal(asked.status, 201, JSON.stringify(asked.body));
      const key = new SoftwarePasskey(origin);
      const added = await send('POST', 'me/passkeys', { name, passkey: key.register(asked.body.result) }, user.headers);
      assert.equal(added.status, 201, JSON.stringify(added.body));
      return { key, asked: asked.body.result, passkey: added.body.result };
    }

    test('one signs in alone, on a page and in an Android app, with a refresh token', async () => {
      for (const origin of [site, android]) {
        const vera = await signIn(app);
        const { key, asked, passkey } = await register(vera, origin);
        assert.deepEqual([asked.rp, passkey.host], [{ name: 'Test app', id: 'museum.example' }, 'museum.example']);
        const done = await signInWith(key.sign(await challenge()), { refresh: true });
        assert.deepEqual(
          [done.status, done.body.objectId, typeof done.body.refreshToken],
          [200, vera.userId, 'string'],
        );
        const headers = { authorization: `Bearer ${done.body.accessToken}` };
        const [session] = (await send('GET', 'me/sessions', undefined, headers)).body.results;
        assert.deepEqual([session.method, session.hasSecondFactor], ['passkey', true]);
      }
    });

    test('is two factors: where everybody needs a second one, it is enough', async () => {
      const vera = await signIn(app);
      const { key } = await register(vera);
      await policy({ totp: 'required' });
      try {
        assert.deepEqual(refusal(await send('GET', 'me', undefined, vera.headers)), [403, 'InvalidSessionToken']);
        const done = await signInWith(key.sign(await challenge()));
        const headers = { authorization: `Bearer ${done.body.accessToken}` };
        assert.equal((await send('GET', 'me', undefined, headers)).status, 200);
      } finally {
        await policy({ totp: 'off' });
      }
    });

    test('an answer counts once, in time, for this app, and from its pages alone', async () => {
      const { key } = await register(await signIn(app));
      const used = key.sign(await challenge());
      assert.equal((await signInWith(used)).status, 200);
      assert.deepEqual(refusal(await signInWith(used)), [404, 'UserInvalidLoginParams']);
      const late = key.sign(await challenge());
      app.clock.now += 5 * 60_000;
      assert.deepEqual(refusal(await signInWith(late)), [404, 'UserInvalidLoginParams']);
      const wrong: readonly (readonly [string, (asked: { challenge: string; rpId: string }) => object])[] = [
        ['from another site', (asked) => key.sign(asked, { origin: 'https://museum.example.evil.example' })],
        ['from another page of the site', (asked) => key.sign(asked, { origin: 'https://blog.museum.example' })],
        ['from another Android app', (asked) => key.sign(asked, { origin: `android:apk-key-hash:${'x'.repeat(43)}` })],
        ['for another name', (asked) => key.sign({ ...asked, rpId: 'evil.example' })],
        ['by nobody in particular', (asked) => key.sign(asked, { verifies: false })],
        ['unknown', (asked) => new SoftwarePasskey(site).sign(asked)],
      ];
      for (const [what, answer] of wrong) {
        const refused = await signInWith(answer(await challenge()));
        assert.deepEqual([what, ...refusal(refused)], [what, 404, 'UserInvalidLoginParams']);
      }
      const other = await app.app.apps.create('Another app');
      await app.app.apps.change(other.appId, {
        policy: { passkeys: { enabled: true, rpId: 'museum.example', origins: [site] } },
      });
      const elsewhere = await send(
        'POST',
        'signin/passkey',
        { passkey: key.sign(await challenge()) },
        {
          'x-service-appid': other.appId,
          'x-service-appkey': other.appKey,
        },
      );
      assert.deepEqual(refusal(elsewhere), [404, 'UserInvalidLoginParams']);
    });

    test('are listed, renamed and removed by their owner, and cannot be added by somebody who has found the phone', async () => {
      const [vera, eve] = [await signIn(app), await signIn(app)];
      const { key, passkey } = await register(vera);
      const path = `me/passkeys/${passkey.objectId}`;
      assert.deepEqual(refusal(await send('PUT', path, { name: 'Mine' }, eve.headers)), [404, 'ObjectNotFound']);
      assert.deepEqual(refusal(await send('DELETE', path, undefined, eve.headers)), [404, 'ObjectNotFound']);
      assert.equal((await send('PUT', path, { name: 'Old phone' }, vera.headers)).status, 200);
      const asked = (await send('POST', 'me/passkeys/challenge', {}, vera.headers)).body.result;
      assert.deepEqual(
        asked.excludeCredentials.map(({ id }: { id: string }) => id),
        [key.id],
      );
      const twice = await send('POST', 'me/passkeys', { name: 'x', passkey: key.register(asked) }, vera.headers);
      assert.deepEqual(refusal(twice), [409, 'DuplicateValue']);
      const [shown] = (await send('GET', 'me/passkeys', undefined, vera.headers)).body.results;
      assert.deepEqual([shown.name, shown.synced, shown.lastUsedAt], ['Old phone', false, null]);
      app.clock.now += 11 * 60_000;
      const late = await send('POST', 'me/passkeys/challenge', {}, vera.headers);
      assert.deepEqual(refusal(late), [400, 'PasswordMissing']);
      assert.deepEqual(refusal(await send('DELETE', path, undefined, vera.headers)), [403, 'OperationForbidden']);
      const fresh = await signInWith(key.sign(await challenge()));
      const headers = { authorization: `Bearer ${fresh.body.accessToken}` };
      assert.equal((await send('DELETE', path, undefined, headers)).status, 200);
      assert.deepEqual(refusal(await signInWith(key.sign(await challenge()))), [404, 'UserInvalidLoginParams']);
    });

    test('nobody takes the passkey of somebody else by its id, or answers what somebody else was asked', async () => {
      const [vera, eve] = [await signIn(app), await signIn(app)];
      const { key } = await register(vera);
      const start = async (user: SignedIn) =>
        (await send('POST', 'me/passkeys/challenge', {}, user.headers)).body.result;
      const add = (user: SignedIn, passkey: object) =>
        send('POST', 'me/passkeys', { name: 'Mine', passkey }, user.headers);
      const copy = Object.assign(new SoftwarePasskey(site), { id: key.id });
      assert.deepEqual(refusal(await add(eve, copy.register(await start(eve)))), [409, 'DuplicateValue']);
      const asked = await start(vera);
      const wrong = await add(eve, new SoftwarePasskey(site).register(asked));
      assert.deepEqual([wrong.status, wrong.body.error.details[0].field], [400, 'passkey']);
      const toSignIn = await challenge();
      assert.equal((await add(eve, new SoftwarePasskey(site).register({ ...asked, ...toSignIn }))).status, 400);
      assert.deepEqual(refusal(await signInWith(copy.sign(await challenge()))), [404, 'UserInvalidLoginParams']);
      const done = await signInWith(key.sign(await challenge()));
      assert.equal(done.body.objectId, vera.userId);
    });

    test('an administrator sees them by name, and removes one or all for somebody who has lost the phone', async () => {
      const [vera, ada] = [await signIn(app), await openConsole(app, 'owner')];
      const { key } = await register(vera);
      const ask = (method: 'GET' | 'DELETE', rest: string, body?: object) =>
        ada.send({ method, url: `/apps/${app.appId}/users/${vera.userId}/${rest}`, ...(body ? { body } : {}) });
      assert.equal((await ask('GET', 'factors')).body.result.passkeys, 1);
      const { body } = await signInWith(key.sign(await challenge()));
      const [passkey] = (await ask('GET', 'passkeys')).body.results;
      assert.equal(passkey.lastUsedAt, new Date(app.clock.now).toISOString());
      const sessions = (await ask('GET', 'sessions')).body.results as Record<string, unknown>[];
      assert.deepEqual(sessions.map(({ method, hasSecondFactor }) => [method, hasSecondFactor]).sort(), [
        ['passkey', true],
        ['password', false],
      ]);
      const byPasskey = sessions.find(({ method }) => method === 'passkey');
      assert.equal((await ask('DELETE', `sessions/${byPasskey?.['objectId']}`)).status, 200);
      const ended = { authorization: `Bearer ${body.accessToken}` };
      assert.deepEqual(refusal(await send('GET', 'me', undefined, ended)), [403, 'InvalidSessionToken']);
      assert.equal((await send('GET', 'me', undefined, vera.headers)).status, 200);
      await ada.send({ method: 'POST', url: '/session/confirm', body: { password } });
      const other = await register(vera);
      const removed = await ask('DELETE', `passkeys/${passkey.objectId}`);
      assert.equal(removed.status, 200, JSON.stringify(removed.body));
      assert.equal((await ask('DELETE', `passkeys/${passkey.objectId}`)).status, 404);
      assert.equal((await ask('DELETE', 'totp')).status, 404);
      assert.deepEqual(refusal(await signInWith(key.sign(await challenge()))), [404, 'UserInvalidLoginParams']);
      assert.deepEqual(refusal(await send('GET', 'me', undefined, vera.headers)), [403, 'InvalidSessionToken']);
      const reset = await ask('DELETE', 'factors');
      assert.equal(reset.status, 200, JSON.stringify(reset.body));
      assert.deepEqual(refusal(await signInWith(other.key.sign(await challenge()))), [404, 'UserInvalidLoginParams']);
      const { results } = (await ada.send({ method: 'GET', url: `/audit?appId=${app.appId}&limit=3` })).body;
      assert.deepEqual(
        results.map((entry: { action: string; before: object }) => [entry.action, entry.before]),
        [
          ['user.removeFactor', { authenticatorApp: false, passkeys: 1 }],
          ['user.removeFactor', { passkey: passkey.name }],
          ['user.endSession', { session: byPasskey?.['objectId'] }],
        ],
      );
    });

    test('one that is taken away while it signs in leaves no session', async () => {
      const ada = await openConsole(app, 'owner');
      await ada.send({ method: 'POST', url: '/session/confirm', body: { password } });
      for (let round = 0; round < 4; round++) {
        const vera = await signIn(app);
        const { key } = await register(vera);
        const signed = key.sign(await challenge());
        const url = `/apps/${app.appId}/users/${vera.userId}/factors`;
        const [signedIn, taken] = await Promise.all([signInWith(signed), ada.send({ method: 'DELETE', url })]);
        assert.equal(taken.status, 200, JSON.stringify(taken.body));
        const headers = { authorization: `Bearer ${signedIn.body.accessToken}` };
        assert.equal((await send('GET', 'me', undefined, headers)).status, 403, `round ${round}`);
      }
    });

    test('need a host name, origins that belong to it, and to be switched on', async () => {
      const wrong: readonly (readonly [object, string])[] = [
        [{ rpId: 'https://museum.example' }, 'passkeys.rpId'],
        [{ rpId: '192.0.2.7' }, 'passkeys.rpId'],
        [{ origins: [] }, 'passkeys.origins'],
        [{ origins: ['https://evil.example'] }, 'passkeys.origins.0'],
        [{ origins: [site, `${site}/path`] }, 'passkeys.origins.1'],
        [{ origins: ['http://museum.example'] }, 'passkeys.origins.0'],
        [{ origins: ['android:apk-key-hash:short'] }, 'passkeys.origins.0'],
      ];
      const good = { enabled: true, rpId: 'museum.example', origins: [site, android] };
      for (const [change, field] of wrong)
        await assert.rejects(
          policy({ passkeys: { ...good, ...change } }),
          (error: { details: { field: string }[] }) => {
            assert.deepEqual(
              error.details.map((one) => one.field),
              [field],
            );
            return true;
          },
        );
      await policy({ passkeys: { ...good, enabled: false } });
      assert.deepEqual(refusal(await send('POST', 'signin/passkey/challenge')), [403, 'OperationForbidden']);
      await policy({ passkeys: good });
    });
  });
}
