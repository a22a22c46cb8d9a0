import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { bothDatabases, signIn, type TestApp } from '../../../../test/support/build-app.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../../test/support/servers/identity-provider.ts';
import {
  assertRefused,
  by,
  catchUp,
  closeStaffApp,
  openStaffApp,
  type StaffApp,
  staffOf,
  userOf,
  users,
} from '../../../../test/support/sites/staff-app.ts';
import { raw } from '../../../base/sql.ts';

for (const database of bothDatabases) {
  describe(`signing in through an identity provider on ${database}`, () => {
    let opened: StaffApp;
    let app: TestApp;
    let provider: IdentityProvider;
    let providerId: string;
    const { someone, present, enter, me, later } = staffOf(() => opened);
    beforeAll(async () => {
      opened = await openStaffApp(database);
      ({ app, provider, providerId } = opened);
    });
    afterAll(() => closeStaffApp(opened));
    beforeEach(() => catchUp(opened));

    describe('refuses', () => {
      test('a token for another audience, even with a valid signature', async () => {
        const idToken = await provider.idToken({ account: someone().account, clientId: 'another-app' });
        assertRefused(await present(idToken), 404, 101, /another audience/);
      });

      test('a token for several audiences that was issued to another app', async () => {
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
      beforeAll(() => accept(true));
      afterAll(() => accept(false));

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

      test('make their user the creator of records, and lead to the same account as an ID token', async () => {
        const { account } = someone();
        const idToken = await provider.idToken({ account });
        const { objectId } = (await ask(idToken)).body.result;
        assert.equal((await enter(account)).body.objectId, objectId);
      });

      test('create no new account for an erased person, until the provider issues a new token', async () => {
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

      test('are for several services if they are access tokens; an ID token has to be issued to this app', async () => {
        const aud = [provider.clientId, 'another-app'];
        const send = async (claims: object, header = {}) =>
          (await ask(await provider.forge({ claims: { sub: 'several', aud, ...claims }, header }))).status;
        const idTokens = [{}, { azp: 'another-app' }, { azp: [provider.clientId] }];
        for (const claims of idTokens) assert.equal(await send(claims), 403, JSON.stringify(claims));
        assert.equal(await send({ azp: provider.clientId }), 200, 'an ID token that was issued to this app');
        const azp = 'another-app';
        assert.equal(await send({ azp }, { typ: 'at+jwt' }), 200, 'RFC 9068');
        for (const claims of [{ client_id: azp }, { scope: 'openid' }, { scp: ['read'] }])
          assert.equal(await send({ azp, ...claims }), 200, JSON.stringify(claims));
        assert.equal(await send({ azp, aud: ['a', 'b'] }, { typ: 'at+jwt' }), 403, 'for other services alone');
      });

      test('are refused while they are issued in the future, but for clocks that differ', async () => {
        const issued = async (iat: number) =>
          (await ask(await provider.forge({ claims: { sub: 'ahead', iat, exp: iat + 600 } }))).status;
        assert.equal(await issued(seconds() + 120), 403);
        assert.equal(await issued(seconds() + 20), 200);
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
  });
}
