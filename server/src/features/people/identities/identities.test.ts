import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { databases, type SignedIn, signIn, type TestApp } from '../../../../test/support/build-app.ts';
import type { IdentityProvider } from '../../../../test/support/servers/identity-provider.ts';
import {
  assertRefused,
  catchUp,
  closeStaffApp,
  mine,
  openStaffApp,
  type StaffApp,
  staffOf,
  userOf,
  users,
} from '../../../../test/support/sites/staff-app.ts';
import { sql } from '../../../base/sql.ts';

for (const database of databases) {
  describe(`signing in through an identity provider on ${database}`, () => {
    let opened: StaffApp;
    let app: TestApp;
    let provider: IdentityProvider;
    const { someone, present, enter, bearer, me, link, later } = staffOf(() => opened);
    beforeAll(async () => {
      opened = await openStaffApp(database);
      ({ app, provider } = opened);
    });
    afterAll(() => closeStaffApp(opened));
    beforeEach(() => catchUp(opened));

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

      test('is linked by a user who has signed in to it, and its address counts as verified if the provider says so', async () => {
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

    test('makes no more accounts for one address than signing up does', async () => {
      // The limit is the same on both, and takes a hundred accounts.
      if (database !== 'sqlite') return;
      const now = Math.floor(app.clock.now / 1000);
      const statuses: number[] = [];
      while (statuses.length <= 100 && statuses.at(-1) !== 429) {
        const claims = { sub: `one of many ${statuses.length}`, iat: now, exp: now + 600 };
        statuses.push((await present(await provider.forge({ claims }))).status);
      }
      assert.equal(statuses.at(-1), 429);
      assert.deepEqual([...new Set(statuses.slice(0, -1))], [200]);
    });
  });
}
