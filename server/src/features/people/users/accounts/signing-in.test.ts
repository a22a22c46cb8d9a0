import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, otherApp, type SignedIn, signIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../../test/support/cases.ts';
import {
  dayMs,
  me,
  openUserApp,
  someone,
  userRequests,
  users,
} from '../../../../../test/support/sites/user-accounts.ts';
import { raw } from '../../../../base/sql.ts';

for (const database of databases) {
  describe(`signing in as a user on ${database}`, () => {
    let app: TestApp;
    const { getMe, login, isAlive } = userRequests(() => app);
    beforeAll(async () => {
      app = await openUserApp(database);
    });
    afterAll(() => app.close());

    describe('signing in', () => {
      test('a text that is too long for any account is neither normalised nor hashed', async () => {
        // Normalising a run of combining marks takes time that grows with its square: a megabyte of them took a minute.
        const marks = `a${'\u0301\u0323'.repeat(240_000)}`;
        const given: number[] = [];
        const { normalize } = String.prototype;
        String.prototype.normalize = function (form?: string) {
          given.push(this.length);
          return this.length > 1_000 ? String(this) : normalize.call(this, form);
        };
        try {
          const account = someone();
          await create(app, users, account);
          const wrong = [404, 101];
          const asked: readonly (readonly [what: string, path: string, body: object, expected: readonly number[]])[] = [
            ['e-mail', '/signin', { email: `${marks}@example.org`, password: 'correct horse' }, wrong],
            ['password', '/signin', { email: account.email, password: marks }, wrong],
            ['password of 51', '/signin', { email: account.email, password: 'x'.repeat(51) }, wrong],
            ['password, nobody', '/signin', { email: 'nobody@example.org', password: marks }, wrong],
            ['new e-mail', '', someone({ email: `${marks}@example.org` }), [400, 125]],
            ['new password', '', someone({ password: marks }), [400, 142]],
            ['forgotten', '/password/forgot', { email: `${marks}@example.org` }, [400, 125]],
            ['reset', '/password/reset', { token: 'x'.repeat(43), password: marks }, [400, 142]],
            ['reset token', '/password/reset', { token: marks, password: 'correct horse' }, [404, 101]],
          ];
          for (const [what, path, body, expected] of asked) {
            const answer = await app.send({ method: 'POST', url: `${users}${path}`, body });
            assert.deepEqual([answer.status, answer.body.code], expected, what);
          }
        } finally {
          String.prototype.normalize = normalize;
        }
        assert.ok(given.length > 0, 'nothing was normalised');
        assert.ok(!given.includes(51), 'a password that no user can have was hashed');
        assert.ok(Math.max(...given) <= 200, `${Math.max(...given)} characters were normalised`);
      });

      test('answers a flat object, and keeps only a hash of the token', async () => {
        const account = someone();
        const id = await create(app, users, account);
        const answer = await login({ email: ` ${account.email.toUpperCase()} `, password: account.password });
        assert.deepEqual(answer.body, {
          accessToken: answer.body.accessToken,
          expiresIn: 30 * 86_400,
          objectId: id,
          tokenType: 'Bearer',
        });
        assert.match(answer.body.accessToken, /^[\w-]{43}$/);
        const tokens = await app.storage.db.all(raw('select * from tokens'));
        assert.ok(!JSON.stringify(tokens).includes(answer.body.accessToken));
      });

      test('answers a wrong e-mail and a wrong password alike', async () => {
        const account = someone();
        await create(app, users, account);
        const strangers = await otherApp(app);
        const refused = await Promise.all([
          login({ email: 'nobody@example.org', password: account.password }),
          login({ email: account.email, password: 'wrong' }),
          login({ email: account.email, password: `${account.password} ` }),
          login({ email: 'no e-mail', password: 'x'.repeat(2000) }),
          app.send({ method: 'POST', url: `${users}/signin`, body: account, headers: strangers }),
        ]);
        for (const { status, body } of refused) {
          const { requestId, ...error } = body.error;
          assert.ok(requestId);
          assert.deepEqual(
            [status, body.code, error],
            [
              404,
              101,
              {
                code: 101,
                error: 'The e-mail address or the password is wrong.',
                name: 'UserInvalidLoginParams',
                status: 404,
              },
            ],
          );
        }
      });

      test('names what is missing: the e-mail is the user name', async () => {
        const sent = (body: object) => ({ method: 'POST', url: `${users}/signin`, body }) as const;
        await assertRefusals(app, {}, [
          { rule: 'both', request: sent({}), status: 400, code: 200, fields: ['email', 'password'] },
          { rule: 'e-mail', request: sent({ password: 'x' }), status: 400, code: 200, fields: ['email'] },
          { rule: 'empty e-mail', request: sent({ email: ' ', password: 'x' }), status: 400, code: 200 },
          { rule: 'null', request: sent({ email: null, password: 'x' }), status: 400, code: 200 },
          { rule: 'password', request: sent({ email: 'a@example.org' }), status: 400, code: 201, fields: ['password'] },
          { rule: 'empty password', request: sent({ email: 'a@example.org', password: '' }), status: 400, code: 201 },
          { rule: 'type', request: sent({ email: 5, password: 'x' }), status: 400, code: 142, fields: ['email'] },
          { rule: 'type', request: sent({ email: 'a', password: {} }), status: 400, code: 142, fields: ['password'] },
        ]);
      });

      test('leaves older tokens alone', async () => {
        const account = someone();
        await create(app, users, account);
        const tokens = [await login(account), await login(account)].map(({ body }) => body.accessToken);
        assert.notEqual(tokens[0], tokens[1]);
        for (const token of tokens) {
          const headers = { authorization: `Bearer ${token}` };
          assert.equal((await app.send({ method: 'GET', url: me, headers })).status, 200);
        }
      });

      test('takes a password in whichever way a keyboard composes it', async () => {
        const account = someone({ password: 'caf\u00e9' });
        await create(app, users, account);
        assert.equal((await login({ email: account.email, password: 'cafe\u0301' })).status, 200);
      });

      test('the app sets how long a token lasts', async () => {
        await app.app.apps.change(app.appId, { policy: { tokenDays: 1 } });
        const user = await signIn(app);
        assert.equal((await getMe(user)).expiresIn, 86_400);
        app.clock.now += dayMs;
        assert.ok(!(await isAlive(user)));
        await app.app.apps.change(app.appId, { policy: { tokenDays: 30 } });
      });
    });

    describe('what ends a token, from the next request on', () => {
      test('signing out ends the token that is sent and no other', async () => {
        const account = someone();
        await create(app, users, account);
        const [one, two] = [await signInAs(app, account), await signInAs(app, account)];
        assert.ok((await isAlive(one)) && (await isAlive(two)));
        const bodiless = { method: 'POST', url: `${users}/signout` } as const;
        const answer = await app.send({ ...bodiless, headers: { ...one.headers, 'content-type': 'application/json' } });
        assert.deepEqual([answer.status, answer.body], [200, { result: {} }]);
        assert.ok(!(await isAlive(one)) && (await isAlive(two)));
        assert.equal((await app.send({ ...bodiless, headers: one.headers })).body.code, 209);
        assert.equal(
          (await app.send({ ...bodiless, headers: two.headers })).status,
          200,
          'also without a content type',
        );
      });

      test('a token is the same however its scheme is written, and is then ended in every spelling', async () => {
        const user = await signIn(app);
        const spellings = ['Bearer ', 'bearer ', 'BEARER   '].map((scheme) => ({
          headers: { ...user.headers, authorization: `${scheme}${user.token}` },
        }));
        const alive = async () => {
          const seen = [];
          for (const { headers } of [...spellings, ...spellings])
            seen.push((await app.send({ method: 'GET', url: me, headers })).status);
          return seen;
        };
        assert.deepEqual(await alive(), Array(6).fill(200));
        const [, other] = spellings;
        assert.equal((await app.send({ method: 'POST', url: `${users}/signout`, ...other })).status, 200);
        assert.deepEqual(await alive(), Array(6).fill(403));
      });

      test('a new password ends all sessions', async () => {
        const account = someone();
        await create(app, users, account);
        const [one, two, other] = [await signInAs(app, account), await signInAs(app, account), await signIn(app)];
        assert.ok((await isAlive(one)) && (await isAlive(two)));
        const body = { password: 'another one', currentPassword: account.password };
        assert.equal((await app.send({ method: 'PUT', url: me, headers: one.headers, body })).status, 200);
        assert.ok(!(await isAlive(one)) && !(await isAlive(two)) && (await isAlive(other)));
        assert.equal((await login(account)).status, 404);
        assert.equal((await login({ ...account, ...body })).status, 200);
      });

      test('disabling ends all sessions and refuses sign-ins, until it is undone', async () => {
        const account = someone();
        await create(app, users, account);
        const user = await signInAs(app, account);
        assert.ok(await isAlive(user));
        const key = { appId: app.appId, userId: user.userId };
        await app.app.users.setUserDisabled(key, true);
        assert.ok(!(await isAlive(user)));
        assert.equal(
          (await login({ ...account, password: 'wrong' })).status,
          404,
          'only who knows the password is told',
        );
        assert.deepEqual([(await login(account)).status, (await login(account)).body.code], [403, 119]);
        await app.app.users.setUserDisabled(key, false);
        assert.ok(!(await isAlive(user)));
        assert.equal((await login(account)).status, 200);
        await assert.rejects(app.app.users.setUserDisabled({ ...key, userId: 'none' }, true), {
          name: 'ObjectNotFound',
        });
      });

      test('a token is extended by its use, at most once a day, and swept once it has expired', async () => {
        const user = await signIn(app);
        const started = app.clock.now;
        const left = async () => (await getMe(user)).expiresIn;
        app.clock.now = started + dayMs;
        assert.equal(await left(), 29 * 86_400);
        app.clock.now = started + dayMs + 1000;
        assert.equal(await left(), 30 * 86_400);
        await app.app.idle();
        const find = async () =>
          app.storage.db.all<{ last_used_at: number }>(raw(`select * from tokens where user_id = '${user.userId}'`));
        assert.deepEqual(
          (await find()).map((row) => row.last_used_at),
          [app.clock.now],
          'it is written back',
        );
        app.clock.now += 30 * dayMs - 1;
        await app.app.users.sweep();
        assert.equal((await find()).length, 1);
        app.clock.now += 1;
        assert.ok(!(await isAlive(user)));
        await app.app.users.sweep();
        assert.equal((await find()).length, 0);
      });
    });
  });
}

async function signInAs(app: TestApp, account: { email: string; password: string }): Promise<SignedIn> {
  const { email, password } = account;
  const { body } = await app.send({ method: 'POST', url: `${users}/signin`, body: { email, password } });
  return { userId: body.objectId, token: body.accessToken, headers: { authorization: `Bearer ${body.accessToken}` } };
}
