import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  type Answer,
  buildApp,
  databases,
  type SentRequest,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import {
  type Browser,
  browserOf,
  consoleOrigin,
  enrolPasskey,
  openConsole,
  password,
  sendFromConsole,
  signInToConsole,
} from '../../../../test/support/console.ts';
import { SoftwarePasskey } from '../../../../test/support/servers/software-passkey.ts';

const me: SentRequest = { method: 'GET', url: '/session' };

function assertRefused({ status, body }: Answer, expected: readonly [number, string]): void {
  assert.deepEqual([status, body.error?.name], expected);
}

for (const database of databases)
  describe(`passkeys of administrators on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database });
    });
    afterAll(() => app.close());

    const post = (url: string, body?: object, headers: Record<string, string> = {}) =>
      sendFromConsole(app, { method: 'POST', url, headers, ...(body ? { body } : {}) });
    const challenge = async () => {
      // The limit on attempts is not what these tests are about.
      app.clock.now += 20_000;
      const answer = await post('/session/passkey/challenge');
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.result;
    };
    const signIn = (passkey: object) => post('/session/passkey', { passkey });
    /** It may have signed in an hour ago. */
    const confirmed = async (browser: Browser) => {
      const answer = await browser.send({ method: 'POST', url: '/session/confirm', body: { password } });
      assert.equal(answer.status, 200);
    };

    test('one signs in alone, without name and password', async () => {
      const ada = await openConsole(app, 'editor');
      const { key, recoveryCodes } = await enrolPasskey(ada);
      assert.equal(recoveryCodes.length, 10, 'it is a second factor too');
      assertRefused(await signInToConsole(app, ada.email), [403, 'SecondFactorNeeded']);
      const asked = await challenge();
      assert.deepEqual([asked.rpId, asked.userVerification, asked.allowCredentials], ['pharos.test', 'required', []]);
      const browser = browserOf(app, await signIn(key.sign(asked)));
      assert.equal((await browser.send(me)).body.result.email, ada.email);
      const [session] = (await browser.send({ method: 'GET', url: '/sessions' })).body.results;
      assert.equal(session.method, 'passkey');
      const synced = key.sign(await challenge(), { isSynced: true });
      assertRefused(await signIn(synced), [404, 'UserInvalidLoginParams']);
    });

    test('a copied passkey that counts no signatures signs in again and again', async () => {
      const ada = await openConsole(app, 'editor');
      const key = new SoftwarePasskey(consoleOrigin);
      const started = (await ada.send({ method: 'POST', url: '/session/passkeys/challenge' })).body.result;
      const body = { name: 'Phone', passkey: key.register(started, { isSynced: true }) };
      const added = await ada.send({ method: 'POST', url: '/session/passkeys', body });
      assert.equal(added.body.result.passkey.synced, true);
      for (let n = 0; n < 3; n++)
        assert.equal((await signIn(key.sign(await challenge(), { isSynced: true }))).status, 201);
    });

    test('an answer counts once, for what was asked, in time, for this console and with the person verified', async () => {
      const ada = await openConsole(app, 'editor');
      const { key } = await enrolPasskey(ada);
      const used = key.sign(await challenge());
      assert.equal((await signIn(used)).status, 201);
      assertRefused(await signIn(used), [404, 'UserInvalidLoginParams']);

      const late = key.sign(await challenge());
      app.clock.now += 5 * 60_000;
      assertRefused(await signIn(late), [404, 'UserInvalidLoginParams']);

      const wrong: readonly (readonly [string, (asked: { challenge: string; rpId: string }) => object])[] = [
        ['never asked', (asked) => key.sign({ ...asked, challenge: 'bmV2ZXIgYXNrZWQ' })],
        ['from another site', (asked) => key.sign(asked, { origin: 'https://pharos.evil.example' })],
        ['for another name', (asked) => key.sign({ ...asked, rpId: 'evil.example' })],
        ['by nobody in particular', (asked) => key.sign(asked, { verifies: false })],
        ['unknown', (asked) => new SoftwarePasskey(consoleOrigin).sign(asked)],
        [
          'signed by another key',
          (asked) => ({ ...new SoftwarePasskey(consoleOrigin).sign(asked), id: key.id, rawId: key.id }),
        ],
        [
          'cloned: an older count',
          (asked) => {
            const { count } = key;
            key.count = 0;
            const answer = key.sign(asked);
            key.count = count;
            return answer;
          },
        ],
      ];
      for (const [what, answer] of wrong) {
        const refused = await signIn(answer(await challenge()));
        assert.deepEqual([what, refused.status, refused.body.code], [what, 404, 101]);
        assert.equal(refused.headers['set-cookie'], undefined);
      }
      assert.equal((await signIn(key.sign(await challenge()))).status, 201);

      const own = browserOf(app, await signIn(key.sign(await challenge())));
      const toConfirm = (await own.send({ method: 'POST', url: '/session/confirm/challenge' })).body.result;
      assertRefused(await signIn(key.sign(toConfirm)), [404, 'UserInvalidLoginParams']);
    });

    test('broken answers are refused with the member that is wrong', async () => {
      const ada = await openConsole(app, 'editor');
      const { key } = await enrolPasskey(ada);
      const good = key.sign(await challenge());
      const cases: readonly (readonly [unknown, string])[] = [
        [undefined, 'passkey'],
        ['x', 'passkey'],
        [{ ...good, id: '' }, 'passkey.id'],
        [{ ...good, type: 'password' }, 'passkey.type'],
        [{ ...good, response: { ...good.response, signature: 7 } }, 'passkey.response.signature'],
      ];
      for (const [passkey, field] of cases) {
        const { status, body } = await post('/session/passkey', { passkey });
        assert.deepEqual([status, body.code, body.error.details[0].field], [400, 142, field]);
      }
      for (const clientDataJSON of ['bm8ganNvbg', 'bnVsbA', '%%%']) {
        const broken = { ...good, response: { ...good.response, clientDataJSON } };
        assertRefused(await signIn(broken), [404, 'UserInvalidLoginParams']);
      }
      await confirmed(ada);
      const started = (await ada.send({ method: 'POST', url: '/session/passkeys/challenge' })).body.result;
      const fresh = new SoftwarePasskey(consoleOrigin).register(started);
      const add = (passkey: object, name: unknown = 'Key') =>
        ada.send({ method: 'POST', url: '/session/passkeys', body: { name, passkey } });
      assert.equal((await add(fresh, '')).body.error.details[0].field, 'name');
      const noKey = { ...fresh, response: { ...fresh.response, attestationObject: 'AAAA' } };
      const refused = await add(noKey);
      assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'passkey']);
      assert.equal((await add(fresh)).status, 400, 'a challenge is answered once');
      const unverified = (await ada.send({ method: 'POST', url: '/session/passkeys/challenge' })).body.result;
      const weak = new SoftwarePasskey(consoleOrigin).register(unverified, { verifies: false });
      assert.equal((await add(weak)).status, 400);
    });

    test('they are named, listed, renamed and removed by their owner, who keeps a way to sign in', async () => {
      const [ada, eve] = [await openConsole(app, 'editor'), await openConsole(app, 'owner')];
      const { key, passkey } = await enrolPasskey(ada, undefined, 'Blue key');
      const list = async () => (await ada.send({ method: 'GET', url: '/session/factors' })).body.result.passkeys;
      const [shown] = await list();
      assert.deepEqual(
        [shown.name, shown.host, shown.synced, shown.lastUsedAt],
        ['Blue key', 'pharos.test', false, null],
      );
      const started = (await ada.send({ method: 'POST', url: '/session/passkeys/challenge' })).body.result;
      assert.deepEqual(
        started.excludeCredentials.map(({ id, transports }: { id: string; transports: string[] }) => [id, transports]),
        [[key.id, ['usb']]],
      );
      const again = { name: 'Again', passkey: key.register(started) };
      const twice = await ada.send({ method: 'POST', url: '/session/passkeys', body: again });
      assertRefused(twice, [409, 'DuplicateValue']);
      const url = `/session/passkeys/${passkey.passkeyId}`;
      const rename = (browser: Browser) => browser.send({ method: 'PUT', url, body: { name: 'Old key' } });
      assertRefused(await rename(eve), [404, 'ObjectNotFound']);
      assert.equal((await rename(ada)).status, 200);
      assert.equal((await signIn(key.sign(await challenge()))).status, 201);
      const [used] = await list();
      assert.equal(used.name, 'Old key');
      assert.ok(used.lastUsedAt);
      await confirmed(eve);
      assertRefused(await eve.send({ method: 'DELETE', url }), [404, 'ObjectNotFound']);
      await confirmed(ada);
      assert.equal((await ada.send({ method: 'DELETE', url })).status, 200);
      assertRefused(await signIn(key.sign(await challenge())), [404, 'UserInvalidLoginParams']);
      assert.equal((await signInToConsole(app, ada.email)).status, 201);
    });

    test('one confirms like a password, and only that of the same administrator', async () => {
      const [ada, eve] = [await openConsole(app, 'owner'), await openConsole(app, 'owner')];
      const [{ key }, other] = [await enrolPasskey(ada), await enrolPasskey(eve)];
      app.clock.now += 5 * 60_000;
      const create = () => ada.send({ method: 'POST', url: `/apps/${app.appId}/keys` });
      assertRefused(await create(), [403, 'ConfirmationNeeded']);
      const start = async (browser: Browser) =>
        (await browser.send({ method: 'POST', url: '/session/confirm/challenge' })).body.result;
      const confirm = (passkey: unknown, more: object = {}) =>
        ada.send({ method: 'POST', url: '/session/confirm', body: { passkey, ...more } });
      const asked = await start(ada);
      assert.deepEqual(
        asked.allowCredentials.map(({ id }: { id: string }) => id),
        [key.id],
      );
      assertRefused(await confirm(other.key.sign(asked)), [404, 'UserInvalidLoginParams']);
      assertRefused(await confirm(key.sign(await start(eve))), [404, 'UserInvalidLoginParams']);
      assertRefused(await confirm(key.sign(await challenge())), [404, 'UserInvalidLoginParams']);
      assertRefused(await confirm(key.sign(await start(ada)), { password }), [400, 'ValidationError']);
      assertRefused(await confirm(undefined), [400, 'ValidationError']);
      assertRefused(await create(), [403, 'ConfirmationNeeded']);
      assert.equal((await confirm(key.sign(await start(ada)))).status, 200);
      assert.equal((await create()).status, 201);
      const plain = await openConsole(app, 'owner');
      assertRefused(await plain.send({ method: 'POST', url: '/session/confirm/challenge' }), [
        403,
        'OperationForbidden',
      ]);
    });

    test('an administrator who was switched off cannot sign in', async () => {
      const [owner, ada] = [await openConsole(app, 'owner'), await openConsole(app, 'editor')];
      const { key } = await enrolPasskey(ada);
      const off = { method: 'PUT', url: `/administrators/${ada.adminId}`, body: { disabled: true } } as const;
      assert.equal((await owner.send(off)).status, 200);
      assertRefused(await signIn(key.sign(await challenge())), [404, 'UserInvalidLoginParams']);
    });

    test('they are bound to the name under which the console was opened, and work under no address', async () => {
      const local = await buildApp({ database, settings: { PHAROS_PUBLIC_URL: 'https://pharos.museum.example' } });
      try {
        const ask = (host: string, origin: string) =>
          local.send({
            method: 'POST',
            url: '/console/api/session/passkey/challenge',
            headers: { host, origin },
          });
        const named = await ask('10.0.0.5:8080', 'https://pharos.museum.example');
        assert.equal(named.body.result.rpId, 'pharos.museum.example', 'behind a proxy, whatever the host is called');
        const direct = await ask('localhost:8080', 'http://localhost:8080');
        assert.equal(direct.body.result.rpId, 'localhost');
        assertRefused(await ask('evil.example', 'http://evil.example'), [403, 'OperationForbidden']);
        const numbered = await ask('127.0.0.1:8080', 'http://127.0.0.1:8080');
        assertRefused(numbered, [403, 'OperationForbidden']);
        assert.match(numbered.body.error.error, /bound to a host name, and 127\.0\.0\.1 is an address/);
      } finally {
        await local.close();
      }
    });

    test('attempts from one address are limited', async () => {
      const own = await buildApp({ database });
      try {
        const ask = () => sendFromConsole(own, { method: 'POST', url: '/session/passkey/challenge' });
        const answers = await Promise.all(Array.from({ length: 31 }, ask));
        assert.deepEqual(
          answers
            .map(({ status }) => status)
            .sort()
            .slice(-2),
          [201, 429],
        );
      } finally {
        await own.close();
      }
    });
  });
