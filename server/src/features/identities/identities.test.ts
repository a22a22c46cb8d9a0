import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { Secret, TOTP } from 'otpauth';
import {
  type Answer,
  buildApp,
  databases,
  type SignedIn,
  signIn,
  type TestApp,
} from '../../../test/support/build-app.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../test/support/identity-provider.ts';
import { raw, sql } from '../../base/sql.ts';

const users = '/api/v2/users';
const mine = `${users}/me/identities`;
const by = { name: 'test', address: null };
const settings = { PHAROS_PRIVATE_TARGETS: '127.0.0.1', PHAROS_SMTP_URL: 'smtp://127.0.0.1:9' };

let people = 0;

for (const database of databases) {
  describe(`signing in through an identity provider on ${database}`, () => {
    let app: TestApp;
    let provider: IdentityProvider;
    let providerId: string;
    before(async () => {
      provider = await startIdentityProvider();
      app = await buildApp({ database, settings });
      const fields = {
        name: 'staff',
        kind: 'oidc',
        issuer: provider.issuer,
        audiences: [provider.clientId],
        roles: { claim: 'groups', manager: ['curators'] },
      } as const;
      providerId = (await app.app.identityProviders.create(app.appId, fields as never, by)).objectId;
    });
    after(async () => {
      await app?.close();
      await provider?.close();
    });
    // The provider lives in real time.
    beforeEach(() => {
      app.clock.now = Math.max(app.clock.now, Date.now());
      provider.condition = 'up';
    });

    /** Somebody with an account at the provider. */
    function someone(change: object = {}) {
      const account = `person${++people}`;
      const email = `${account}@example.org`;
      provider.accounts.set(account, {
        email,
        email_verified: true,
        given_name: 'Vera',
        family_name: 'Visitor',
        ...change,
      });
      return { account, email };
    }
    const present = (idToken: string, more: object = {}) =>
      app.send({ method: 'POST', url: `${users}/signin/token`, body: { provider: 'staff', idToken, ...more } });
    /** Two tokens of one second are alike without a nonce. */
    const enter = async (account: string) => {
      const nonce = `n${++people}`;
      return present(await provider.idToken({ account, nonce }), { nonce });
    };
    const bearer = (answer: Answer) => ({ authorization: `Bearer ${answer.body.accessToken}` });
    const me = async (headers: Record<string, string>) =>
      (await app.send({ method: 'GET', url: `${users}/me`, headers })).body.result;
    const link = async (headers: Readonly<Record<string, string>>, account: string, more: object = {}) => {
      const nonce = `n${++people}`;
      const idToken = await provider.idToken({ account, nonce });
      return app.send({ method: 'POST', url: mine, headers, body: { provider: 'staff', idToken, nonce, ...more } });
    };
    const assertRefused = (answer: Answer, status: number, code: number, why: RegExp) => {
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
      assert.match(answer.body.error.error, why);
    };
    const later = (ms: number) => {
      app.clock.now += ms;
    };

    test('makes an account the first time, and finds it the next time', async () => {
      const { account, email } = someone();
      const first = await enter(account);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.deepEqual([first.body.isNew, first.body.tokenType], [true, 'Bearer']);
      const { firstname, lastname, validemail, emailVerifiedAt } = await me(bearer(first));
      assert.deepEqual([firstname, lastname, validemail], ['Vera', 'Visitor', email]);
      assert.equal(emailVerifiedAt, new Date(app.clock.now).toISOString());
      const second = await enter(account);
      assert.deepEqual([second.body.isNew, second.body.objectId], [false, first.body.objectId]);
      const listed = await app.send({ method: 'GET', url: mine, headers: bearer(second) });
      const shown = listed.body.results.map(({ provider, issuer, email }: Record<string, string>) => [
        provider,
        issuer,
        email,
      ]);
      assert.deepEqual(shown, [['staff', provider.issuer, email]]);
    });

    test('a person of whom the provider tells nothing has an account without names and address', async () => {
      const { account } = someone({
        email: undefined,
        email_verified: undefined,
        given_name: undefined,
        family_name: undefined,
      });
      const answer = await present(await provider.idToken({ account }), { firstname: 'Li' });
      const { firstname, lastname, validemail, emailVerifiedAt } = await me(bearer(answer));
      assert.deepEqual([firstname, lastname, validemail, emailVerifiedAt], ['Li', '', '', null]);
      const others = await enter(someone({ email: undefined }).account);
      assert.equal(others.body.isNew, true, 'several accounts may be without an address');
    });

    test('an address that the provider has not verified is not taken over', async () => {
      const { account, email } = someone({ email_verified: false });
      const answer = await enter(account);
      assert.equal((await me(bearer(answer))).validemail, '');
      const body = { firstname: 'Vera', lastname: 'Visitor', email, password: 'correct horse' };
      assert.equal((await app.send({ method: 'POST', url: users, body })).status, 201, 'it is free for whoever has it');
    });

    test('the role follows the claim at each sign-in', async () => {
      const { account, email } = someone({ groups: ['guards', 'curators'] });
      const { userId } = userOf(await enter(account));
      const roleOf = async () =>
        (await app.storage.db.one<{ role: string }>(sql`select role from users where object_id = ${userId}`))?.role;
      assert.equal(await roleOf(), 'manager');
      provider.accounts.set(account, { email, groups: ['guards'] });
      await enter(account);
      assert.equal(await roleOf(), 'user');
    });
    const userOf = (answer: Answer) => ({ userId: answer.body.objectId as string });

    describe('refuses', () => {
      test('a token for another audience, even with a valid signature', async () => {
        const idToken = await provider.idToken({ account: someone().account, clientId: 'another-app' });
        assertRefused(await present(idToken), 404, 101, /another audience/);
      });

      test('a token for several audiences that was issued to another of them', async () => {
        const claims = { aud: [provider.clientId, 'another-app'], azp: 'another-app' };
        assertRefused(await present(await provider.forge({ claims })), 404, 101, /several audiences/);
      });

      test('a token of another issuer', async () => {
        const other = await startIdentityProvider();
        try {
          other.accounts.set('x', {});
          assertRefused(await present(await other.idToken({ account: 'x' })), 404, 101, /./);
          const idToken = await provider.forge({ claims: { iss: `${provider.issuer}/` } });
          assertRefused(await present(idToken), 404, 101, /another issuer/);
        } finally {
          await other.close();
        }
      });

      test('a token without a signature, and one that is signed with the public key as a secret', async () => {
        const claims = { sub: 'forged', nbf: 0 };
        const now = Math.floor(Date.now() / 1000);
        const unsigned = new UnsecuredJWT(claims)
          .setIssuer(provider.issuer)
          .setAudience(provider.clientId)
          .setIssuedAt(now)
          .setExpirationTime(now + 600)
          .encode();
        assertRefused(await present(unsigned), 404, 101, /./);
        const confused = await new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .setIssuer(provider.issuer)
          .setAudience(provider.clientId)
          .setIssuedAt(now)
          .setExpirationTime(now + 600)
          .sign(Buffer.from(provider.publicPem()));
        assertRefused(await present(confused), 404, 101, /alg/);
      });

      test('a token whose content was changed', async () => {
        const [head, , signature] = (await provider.idToken({ account: someone().account })).split('.');
        const claims = { iss: provider.issuer, aud: provider.clientId, sub: 'somebody else', iat: 1, exp: 1e10 };
        const idToken = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
        assertRefused(await present(idToken), 404, 101, /signature/);
      });

      test('a token that has expired, and one that is older than a day', async () => {
        const idToken = await provider.idToken({ account: someone().account });
        later(3_700_000);
        assertRefused(await present(idToken), 404, 101, /expired/);
        const now = Math.floor(app.clock.now / 1000);
        const old = await provider.forge({ claims: { iat: now - 90_000, exp: now + 90_000 } });
        assertRefused(await present(old), 404, 101, /./);
        app.clock.now = Date.now();
      });

      test('an access token, an event, and what is no token at all', async () => {
        assertRefused(await present(await provider.forge({ header: { typ: 'at+jwt' } })), 404, 101, /no ID token/);
        assertRefused(await present(await provider.forge({ claims: { events: {} } })), 404, 101, /no ID token/);
        assertRefused(await present('x'), 404, 101, /no valid JSON Web Token/);
      });

      test('a token that was used before, also if its signature is written in another way', async () => {
        const { account } = someone();
        const idToken = await provider.idToken({ account });
        assert.equal((await present(idToken)).status, 200);
        assertRefused(await present(idToken), 404, 101, /used before/);
        // The last digit of the signature has bits that mean nothing.
        const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
        const last = digits[digits.indexOf(idToken.at(-1) ?? '') ^ 1];
        assert.notEqual((await present(idToken.slice(0, -1) + last)).status, 200);
      });

      test('a provider that the app does not have, or that is switched off', async () => {
        const idToken = await provider.idToken({ account: someone().account });
        assertRefused(await present(idToken, { provider: 'nobody' }), 404, 101, /no identity provider nobody/);
        await app.app.identityProviders.change(app.appId, providerId, { set: { enabled: false }, cleared: [] }, { by });
        assertRefused(await present(idToken), 403, 119, /switched off/);
        await app.app.identityProviders.change(app.appId, providerId, { set: { enabled: true }, cleared: [] }, { by });
        assert.equal((await present(idToken)).status, 200, 'what was refused has not used the token up');
      });

      test('a new account where the rules let nobody sign up', async () => {
        const known = someone();
        await enter(known.account);
        await app.app.apps.changeRules(app.appId, { resources: { users: { create: 'nobody' } } }, by);
        assertRefused(await enter(someone().account), 403, 119, /rules/);
        assert.equal((await enter(known.account)).status, 200);
        await app.app.apps.changeRules(app.appId, {}, by);
      });

      test('an account that is disabled', async () => {
        const { account } = someone();
        const { userId } = userOf(await enter(account));
        await app.app.users.setUserDisabled({ appId: app.appId, userId }, true);
        assertRefused(await enter(account), 403, 119, /disabled/);
      });
    });

    describe('the nonce', () => {
      test('has to be the one that was signed, or the one whose hash was signed', async () => {
        const { account } = someone();
        assertRefused(await present(await provider.idToken({ account, nonce: 'n-1' })), 404, 101, /nonce/);
        assertRefused(
          await present(await provider.idToken({ account, nonce: 'n-1' }), { nonce: 'n-2' }),
          404,
          101,
          /nonce/,
        );
        assertRefused(await present(await provider.idToken({ account }), { nonce: 'n-1' }), 404, 101, /nonce/);
        assert.equal((await present(await provider.idToken({ account, nonce: 'n-1' }), { nonce: 'n-1' })).status, 200);
        const nonce = createHash('sha256').update('n-3').digest('hex');
        assert.equal((await present(await provider.idToken({ account, nonce }), { nonce: 'n-3' })).status, 200);
      });
    });

    describe('an account with the same address', () => {
      const signedUp = async (email: string): Promise<SignedIn> => {
        const account = { firstname: 'Vera', lastname: 'Visitor', email, password: 'correct horse' };
        await app.send({ method: 'POST', url: users, body: account });
        const answer = await app.send({ method: 'POST', url: `${users}/signin`, body: account });
        return { ...userOf(answer), token: answer.body.accessToken, headers: bearer(answer) };
      };
      const verify = (email: string) =>
        app.storage.db.run(sql`update users set email_verified_at = 1 where email_key = ${email}`);

      test('is not entered while its address is not verified here, nor by an address that is not verified there', async () => {
        const { account, email } = someone();
        await signedUp(email);
        assertRefused(await enter(account), 400, 203, /link this identity/);
        await verify(email);
        provider.accounts.set(account, { email, email_verified: false });
        assertRefused(await enter(account), 400, 203, /link this identity/);
      });

      test('is entered if both have verified it', async () => {
        const { account, email } = someone();
        const { userId } = await signedUp(email);
        await verify(email);
        const answer = await enter(account);
        assert.deepEqual([answer.body.objectId, answer.body.isNew], [userId, false]);
      });

      test('is linked by who has signed in to it, and its address counts as verified if the provider says so', async () => {
        const { account, email } = someone();
        const user = await signedUp(email);
        const linked = await link(user.headers, account);
        assert.equal(linked.status, 201, JSON.stringify(linked.body));
        assert.equal((await enter(account)).body.objectId, user.userId);
        assert.notEqual((await me(user.headers)).emailVerifiedAt, null);
      });

      test('a new password by mail casts out identities that were linked before the address was verified', async () => {
        const { account } = someone({ email_verified: false });
        const { email } = someone();
        const thief = await signedUp(email);
        assert.equal((await link(thief.headers, account)).status, 201);
        const token = 'x'.repeat(43);
        const tokenHash = createHash('sha256').update(token).digest('base64url');
        await app.storage.db.run(sql`insert into password_resets (app_id, token_hash, user_id, expires_at)
          values (${app.appId}, ${tokenHash}, ${thief.userId}, ${app.clock.now + 1000})`);
        const body = { token, password: 'better horse' };
        assert.equal((await app.send({ method: 'POST', url: `${users}/password/reset`, body })).status, 200);
        assert.notEqual((await enter(account)).body.objectId, thief.userId);
      });
    });

    describe('linking', () => {
      test('needs the password once the session is older than ten minutes', async () => {
        const user = await signIn(app);
        const { account } = someone();
        later(601_000);
        assertRefused(await link(user.headers, account), 400, 201, /currentPassword/);
        const wrong = { currentPassword: 'wrong' };
        assertRefused(await link(user.headers, account, wrong), 404, 101, /currentPassword/);
        app.clock.now = Math.max(app.clock.now, Date.now());
        const right = { currentPassword: 'correct horse' };
        assert.equal((await link(user.headers, account, right)).status, 201);
        app.clock.now = Date.now();
      });

      test('takes no identity from another account', async () => {
        const { account } = someone();
        await enter(account);
        const user = await signIn(app);
        assertRefused(await link(user.headers, account), 409, 137, /another account/);
      });

      test('is undone, but not for the last way to sign in', async () => {
        const entered = await enter(someone().account);
        const list = async (headers: Record<string, string>) =>
          (await app.send({ method: 'GET', url: mine, headers })).body.results as { objectId: string }[];
        const [only] = await list(bearer(entered));
        const remove = (objectId = '', headers: Record<string, string> = bearer(entered)) =>
          app.send({ method: 'DELETE', url: `${mine}/${objectId}`, headers });
        assertRefused(await remove(only?.objectId), 403, 119, /last way/);
        const { headers } = await signIn(app);
        assertRefused(await remove(only?.objectId, { ...headers }), 404, 101, /no identity/);
        await link(bearer(entered), someone().account);
        assert.equal((await remove(only?.objectId)).status, 200);
        assert.equal((await list(bearer(entered))).length, 1);
        const set = {
          method: 'PUT',
          url: `${users}/me`,
          headers: bearer(entered),
          body: { password: 'correct horse' },
        } as const;
        assert.equal((await app.send(set)).status, 200, 'a fresh sign-in may set the first password');
      });

      test('an account without a password changes its address only with a fresh sign-in', async () => {
        const entered = await enter(someone().account);
        const set = (email: string) =>
          app.send({ method: 'PUT', url: `${users}/me`, headers: bearer(entered), body: { email } });
        later(601_000);
        assertRefused(await set('new1@example.org'), 403, 119, /Sign in again/);
        app.clock.now -= 601_000;
        assert.equal((await set('new2@example.org')).status, 200);
        const { validemail, emailVerifiedAt } = await me(bearer(entered));
        assert.deepEqual([validemail, emailVerifiedAt], ['new2@example.org', null]);
      });
    });

    test('asks for the second factor of the account, and for setting one up where everybody needs one', async () => {
      const policy = (totp: string) => app.app.apps.change(app.appId, { policy: { totp } as never });
      const codeOf = (secret: string) =>
        new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.clock.now });
      await policy('optional');
      const [protectedOne, bare] = [someone(), someone()];
      const headers = bearer(await enter(protectedOne.account));
      await enter(bare.account);
      const started = await app.send({ method: 'POST', url: `${users}/me/totp`, headers, body: {} });
      assert.equal(started.status, 201, JSON.stringify(started.body));
      const { secret } = started.body.result;
      const body = { code: codeOf(secret) };
      assert.equal((await app.send({ method: 'PUT', url: `${users}/me/totp`, headers, body })).status, 200);
      app.clock.now += 30_000;
      const half = await enter(protectedOne.account);
      assert.deepEqual(
        [half.status, half.body.error?.name, half.body.accessToken],
        [403, 'SecondFactorNeeded', undefined],
      );
      const { challenge } = half.body.error;
      const finish = (code: string) =>
        app.send({ method: 'POST', url: `${users}/signin/factor`, body: { challenge, code } });
      assert.notEqual((await finish('000000')).status, 200);
      assert.equal((await finish(codeOf(secret))).status, 200);
      await policy('required');
      const none = await enter(bare.account);
      assert.deepEqual([none.status, none.body.accessToken], [403, undefined], JSON.stringify(none.body));
      const fresh = await enter(someone().account);
      assert.deepEqual([fresh.status, fresh.body.accessToken], [403, undefined], 'nor does a new account');
      await policy('off');
    });

    test('two first sign-ins at the same moment make one account', async () => {
      const { account } = someone();
      const tokens = [];
      for (let n = 0; n < 4; n++) tokens.push(await provider.idToken({ account, nonce: String(n) }));
      const answers = await Promise.all(tokens.map((idToken, n) => present(idToken, { nonce: String(n) })));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      assert.equal(new Set(answers.map(({ body }) => body.objectId)).size, 1);
      assert.equal(answers.filter(({ body }) => body.isNew).length, 1);
    });

    test('an erased account leaves no identity, and its person begins anew', async () => {
      const { account } = someone();
      const entered = await enter(account);
      assert.equal((await app.send({ method: 'DELETE', url: `${users}/me`, headers: bearer(entered) })).status, 200);
      const again = await enter(account);
      assert.deepEqual([again.status, again.body.isNew], [200, true]);
      assert.notEqual(again.body.objectId, entered.body.objectId);
    });

    describe("the provider's keys", () => {
      const keyReadings = () => provider.requests.filter((path) => path.startsWith('/jwks')).length;

      test('are read once for many sign-ins', async () => {
        await enter(someone().account);
        const before = keyReadings();
        for (let n = 0; n < 3; n++) await enter(someone().account);
        assert.equal(keyReadings(), before);
      });

      test('are read again for a key that is not known, but not for every invented one', async () => {
        later(31_000);
        provider.rotate();
        const { account } = someone();
        assert.equal((await enter(account)).status, 200, 'a new key is found at once');
        const before = keyReadings();
        for (let n = 0; n < 5; n++)
          assertRefused(await present(await provider.forge({ header: { kid: `invented ${n}` } })), 404, 101, /no key/);
        assert.equal(keyReadings(), before, 'not within half a minute');
        later(31_000);
        await present(await provider.forge({ header: { kid: 'invented' } }));
        assert.equal(keyReadings(), before + 1);
        app.clock.now = Date.now();
      });

      test('that are known serve for a day while the provider does not answer, and not longer', async () => {
        const { account } = someone();
        const [soon, late] = [await provider.idToken({ account }), await provider.idToken({ account, nonce: 'late' })];
        provider.condition = 'failing';
        later(1_200_000);
        assert.equal((await present(soon)).status, 200);
        later(86_400_000);
        assertRefused(await present(late, { nonce: 'late' }), 503, 124, /cannot be read.*500/);
        provider.condition = 'up';
        app.clock.now += 6_000;
        assertRefused(await present(late, { nonce: 'late' }), 404, 101, /expired/);
        app.clock.now = Date.now();
      });
    });

    describe('tokens that are accepted as they are', () => {
      const accept = (acceptsTokens: boolean) =>
        app.app.identityProviders.change(app.appId, providerId, { set: { acceptsTokens }, cleared: [] }, { by });
      const bearerOf = (token: string) => ({ authorization: `Bearer ${token}` });
      const ask = (token: string) => app.send({ method: 'GET', url: `${users}/me`, headers: bearerOf(token) });
      const seconds = () => Math.floor(app.clock.now / 1000);
      before(() => accept(true));
      after(() => accept(false));

      test('make an account at first sight, and no second one', async () => {
        const claims = { sub: 'reader', email: 'reader@example.org', email_verified: true };
        const tokens = await Promise.all(['a', 'b', 'c'].map((jti) => provider.forge({ claims: { ...claims, jti } })));
        const answers = await Promise.all(tokens.map(ask));
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200],
        );
        assert.equal(new Set(answers.map(({ body }) => body.result.objectId)).size, 1);
        assert.equal(answers[0]?.body.result.validemail, 'reader@example.org');
        assert.equal((await ask(tokens[0] ?? '')).status, 200, 'as often as one likes');
      });

      test('name who they are in records, and are the account of who signs in with an ID token', async () => {
        const { account } = someone();
        const idToken = await provider.idToken({ account });
        const { objectId } = (await ask(idToken)).body.result;
        assert.equal((await enter(account)).body.objectId, objectId);
      });

      test('make no other account of somebody who was erased, until the provider issues a new one', async () => {
        const tokenAt = (iat: number) => provider.forge({ claims: { sub: 'leaver', iat, exp: iat + 86_400 } });
        const [old, without] = [
          await tokenAt(seconds() - 60),
          await provider.forge({ claims: { sub: 'leaver', iat: undefined } }),
        ];
        const { objectId } = (await ask(old)).body.result;
        const erased = await app.send({ method: 'DELETE', url: `${users}/me`, headers: bearerOf(old) });
        assert.equal(erased.status, 200);
        await app.app.idle();
        for (const token of [old, without]) assertRefused(await ask(token), 403, 209, /no longer valid/);
        const stored = JSON.stringify(await app.storage.db.all(raw('select * from erased_identities')));
        assert.ok(stored.includes('person_hash') && !stored.includes('leaver'), 'only a hash is kept');
        later(2_000);
        const again = await ask(await tokenAt(seconds()));
        assert.equal(again.status, 200, JSON.stringify(again.body));
        assert.notEqual(again.body.result.objectId, objectId);
        app.clock.now = Date.now();
      });

      test('give the role that their claim says', async () => {
        await app.app.apps.change(app.appId, { policy: { listUsers: 'manager' } });
        const list = async (groups: string[]) =>
          app.send({
            method: 'GET',
            url: users,
            headers: bearerOf(await provider.forge({ claims: { sub: 'r', groups } })),
          });
        assert.equal((await list(['guards'])).status, 403);
        assert.equal((await list(['curators'])).status, 200);
        await app.app.apps.change(app.appId, { policy: { listUsers: 'app' } });
      });

      test('are refused when they are for others, unsigned or expired, also those that were accepted', async () => {
        const refused = async (token: string) => assertRefused(await ask(token), 403, 209, /no longer valid/);
        await refused(await provider.forge({ claims: { aud: 'another-app' } }));
        await refused(await provider.forge({ claims: { iss: 'https://elsewhere.example' } }));
        await refused(await provider.forge({ header: { typ: 'logout+jwt' } }));
        const head = Buffer.from('{"alg":"none"}').toString('base64url');
        const token = await provider.forge({ claims: { exp: seconds() + 60 } });
        await refused(`${head}.${token.split('.')[1]}.x`);
        assert.equal((await ask(token)).status, 200);
        later(61_000);
        await refused(token);
        app.clock.now = Date.now();
      });

      test('are refused at once when the provider, or the user, is switched off', async () => {
        const token = await provider.forge({ claims: { sub: 'switched' } });
        const { objectId: userId } = (await ask(token)).body.result;
        await accept(false);
        assertRefused(await ask(token), 403, 209, /./);
        await accept(true);
        assert.equal((await ask(token)).status, 200);
        await app.app.users.setUserDisabled({ appId: app.appId, userId }, true);
        assertRefused(await ask(token), 403, 209, /./);
      });

      test('do not enter an account with the same address that has not been verified', async () => {
        const user = await signIn(app);
        const { validemail: email } = await me({ ...user.headers });
        const answer = await ask(await provider.forge({ claims: { sub: 'thief', email, email_verified: true } }));
        assert.notEqual(answer.body.result.objectId, user.userId);
        assert.equal(answer.body.result.validemail, '');
      });

      test('are not asked of the provider again while they are known', async () => {
        const token = await provider.forge({ claims: { sub: 'often' } });
        assert.equal((await ask(token)).status, 200);
        provider.condition = 'failing';
        const before = provider.requests.length;
        for (let n = 0; n < 5; n++) assert.equal((await ask(token)).status, 200);
        assert.equal(provider.requests.length, before);
      });
    });

    test('used tokens are forgotten once they have expired', async () => {
      await enter(someone().account);
      later(3_700_000);
      await app.app.identities.sweep();
      const left = await app.storage.db.all(raw('select * from used_id_tokens'));
      assert.equal(left.length, 0);
      app.clock.now = Date.now();
    });

    test('makes no more accounts for one address than signing up does', async () => {
      // The limit is the same on both, and takes a hundred accounts.
      if (database !== 'sqlite') return;
      const statuses = [];
      while (statuses.length < 103 && statuses.at(-1) !== 429) statuses.push((await enter(someone().account)).status);
      assert.equal(statuses.at(-1), 429);
      assert.deepEqual([...new Set(statuses.slice(0, -1))], [200]);
    });
  });
}
