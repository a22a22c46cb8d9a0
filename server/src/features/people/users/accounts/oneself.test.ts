import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  databases,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../../test/support/build-app.ts';
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
  describe(`a user by herself on ${database}`, () => {
    let app: TestApp;
    const { getMe, login, isAlive } = userRequests(() => app);
    beforeAll(async () => {
      app = await openUserApp(database);
    });
    afterAll(() => app.close());

    describe('oneself', () => {
      test('all members are there, null where unset', async () => {
        const bare = { firstname: 'Eva', lastname: 'Bare', email: 'Bare@Example.org', password: 'four' };
        const id = await create(app, users, bare);
        const { accessToken } = (await login(bare)).body;
        app.clock.now += 90_500;
        const answer = await app.send({ method: 'GET', url: me, headers: { authorization: `bearer  ${accessToken}` } });
        assert.deepEqual(answer.body.result, {
          objectId: id,
          firstname: 'Eva',
          middlename: null,
          lastname: 'Bare',
          validemail: 'Bare@Example.org',
          emailVerifiedAt: null,
          country: null,
          phone: null,
          metadata: {},
          venueIds: [],
          accessToken,
          expiresIn: 30 * 86_400 - 91,
          expireAt: new Date(app.clock.now - 90_500 + 30 * dayMs).toISOString().replace('Z', '+00:00'),
          tokenType: 'Bearer',
        });
      });

      test('by the own id without the token members; another id is refused, whether it exists or not', async () => {
        const [user, other] = [await signIn(app), await signIn(app)];
        const own = await app.send({ method: 'GET', url: `${users}/${user.userId}`, headers: user.headers });
        const { accessToken, expiresIn, expireAt, tokenType, ...profile } = await getMe(user);
        assert.ok(accessToken && expiresIn && expireAt && tokenType);
        const { createdAt, updatedAt, ...same } = own.body.result;
        assert.ok(createdAt === updatedAt);
        assert.deepEqual(same, profile);
        const messages = new Set();
        for (const id of [other.userId, '0000000000000000NONE', '%00', 'x'.repeat(500)]) {
          for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
            const request = {
              method,
              url: `${users}/${id}`,
              headers: user.headers,
              body: method === 'GET' ? undefined : {},
            };
            const answer = await app.send(request);
            assert.deepEqual([answer.status, answer.body.code], [403, 119], `${method} ${id}`);
            messages.add(answer.body.error.error);
          }
        }
        assert.equal(messages.size, 1);
        assert.ok(await isAlive(other));
      });

      for (const at of ['me', 'the own id'] as const) {
        const urlOf = (user: SignedIn) => (at === 'me' ? me : `${users}/${user.userId}`);

        test(`PUT at ${at} keeps what is omitted, replaces what is sent and clears with null`, async () => {
          const account = someone({ middlename: 'Maria' });
          await create(app, users, account);
          const user = await signInAs(app, account);
          app.clock.now += 1000;
          const body = { firstname: 'Vroni', country: null, metadata: { a: 1 }, objectId: 'x', role: 'manager' };
          const put = await app.send({ method: 'PUT', url: urlOf(user), headers: user.headers, body });
          assert.deepEqual(put.body, { result: { updatedAt: new Date(app.clock.now).toISOString() } });
          const { firstname, middlename, country, phone, metadata, objectId } = await getMe(user);
          assert.deepEqual(
            { firstname, middlename, country, phone, metadata, objectId },
            {
              firstname: 'Vroni',
              middlename: 'Maria',
              country: null,
              phone: account.phone,
              metadata: { a: 1 },
              objectId: user.userId,
            },
          );
        });

        test(`PATCH at ${at} merges metadata`, async () => {
          const account = someone({ metadata: { a: { b: 1, c: 2 }, d: 3 } });
          await create(app, users, account);
          const user = await signInAs(app, account);
          const patch = async (body: object) =>
            app.send({ method: 'PATCH', url: urlOf(user), headers: user.headers, body });
          assert.equal((await patch({ metadata: { a: { b: null, e: 5 } }, phone: null })).status, 200);
          const { metadata, phone, country } = await getMe(user);
          assert.deepEqual([metadata, phone, country], [{ a: { c: 2, e: 5 }, d: 3 }, null, account.country]);
          await patch({ metadata: null });
          assert.deepEqual((await getMe(user)).metadata, {});
        });

        test(`a new e-mail or password at ${at} needs the current one, and guesses at it are counted`, async () => {
          const account = someone();
          await create(app, users, account);
          const user = await signInAs(app, account);
          const url = urlOf(user);
          const before = await getMe(user);
          const change = (method: 'PUT' | 'PATCH', body: object) =>
            app.send({ method, url, headers: user.headers, body });
          for (const method of ['PUT', 'PATCH'] as const)
            for (const wish of [{ email: someone().email }, { password: 'another one' }]) {
              for (const currentPassword of [undefined, null, '']) {
                const { status, body } = await change(method, { ...wish, currentPassword });
                const [{ field }] = body.error.details;
                assert.deepEqual([status, body.code, field], [400, 201, 'currentPassword']);
              }
              const typed = await change(method, { ...wish, currentPassword: 5 });
              assert.deepEqual([typed.status, typed.body.code], [400, 142]);
            }
          assert.equal((await change('PUT', { email: account.email, phone: '+43 1 2' })).status, 200, 'nothing new');
          for (let n = 0; n < 5; n++) {
            const { status, body } = await change('PUT', { password: 'another one', currentPassword: `guess ${n}` });
            assert.deepEqual([status, body.code], [404, 101]);
          }
          const right = { password: 'another one', currentPassword: account.password };
          assert.equal((await change('PUT', right)).status, 429);
          assert.equal((await login(account)).status, 429, 'they count as wrong sign-ins do');
          app.clock.now += 60_000;
          assert.deepEqual({ ...(await getMe(user)), expiresIn: 0 }, { ...before, expiresIn: 0, phone: '+43 1 2' });
          assert.equal((await change('PUT', right)).status, 200);
          assert.equal((await login({ ...account, password: 'another one' })).status, 200);
        });

        test(`an update at ${at} is judged as a sign-up and writes nothing when it is refused`, async () => {
          const taken = someone();
          await create(app, users, taken);
          const user = await signIn(app);
          const before = await getMe(user);
          const url = urlOf(user);
          const rule = (body: object, code: number, fields: string[], status = 400) =>
            (['PUT', 'PATCH'] as const).map((method) => ({
              rule: `${method} ${JSON.stringify(body)}`,
              request: { method, url, body },
              status,
              code,
              fields,
            }));
          await assertRefusals(app, user.headers, [
            ...rule({ firstname: null, country: 'AT' }, 210, ['firstname']),
            ...rule({ lastname: 'x' }, 211, ['lastname']),
            ...rule({ email: null }, 204, ['email']),
            ...rule({ email: '' }, 204, ['email']),
            ...rule({ email: 'x' }, 125, ['email']),
            ...rule({ email: ` ${taken.email.toUpperCase()}`, country: 'AT', currentPassword: 'correct horse' }, 203, [
              'email',
            ]),
            ...rule({ password: '' }, 201, ['password']),
            ...rule({ password: null }, 201, ['password']),
            ...rule({ password: 'abc' }, 142, ['password']),
            ...rule({ country: 'AUT', phone: 'x' }, 213, ['country', 'phone']),
            ...rule({ metadata: 5 }, 142, ['metadata']),
          ]);
          assert.deepEqual(await getMe(user), before);
        });

        test(`DELETE at ${at} erases the user and all that names it`, async () => {
          const account = someone();
          await create(app, users, account);
          const [user, second] = [await signInAs(app, account), await signInAs(app, account)];
          const installation = {
            deviceType: 'ios',
            installationId: `of ${user.userId}`,
            deviceToken: `token of ${user.userId}`,
            metadata: { advertisedId: `tag of ${user.userId}` },
            channels: ['hers'],
          };
          const installed = await create(app, '/api/v2/installations', installation, user.headers);
          const picture = await app.send({
            method: 'POST',
            url: '/api/v2/files/hers.txt',
            headers: { ...user.headers, 'content-type': 'text/plain' },
            body: 'a picture of her',
          });
          const erased = await app.send({ method: 'DELETE', url: urlOf(user), headers: user.headers });
          assert.deepEqual([erased.status, Object.keys(erased.body.result)], [200, ['erasureId']]);
          assert.ok(!(await isAlive(user)) && !(await isAlive(second)));
          assert.equal((await login(account)).status, 404);
          const other = await signInManager(app);
          const url = `/api/v2/installations/${installed}`;
          assert.equal((await app.send({ method: 'GET', url, headers: other.headers })).status, 404);
          const again = await app.send({ method: 'POST', url: '/api/v2/installations', body: installation });
          assert.equal(again.status, 201, 'its app goes on as a new one');
          assert.notEqual(again.body.result.objectId, installed);
          await app.app.idle();
          const address = picture.body.url.slice('http://pharos.test'.length);
          assert.equal((await app.send({ method: 'GET', url: address })).status, 404);
          const bytes = readdirSync(join(app.storage.folder, 'files'), { recursive: true, encoding: 'utf8' });
          assert.ok(!bytes.some((name) => name.includes(picture.body.name)), 'and the bytes are gone');
          const naming = [
            'users where object_id',
            'tokens where user_id',
            'password_resets where user_id',
            'files where created_by',
          ];
          for (const table of naming) {
            const rows = await app.storage.db.all(raw(`select * from ${table} = '${user.userId}'`));
            assert.deepEqual(rows, [], table);
          }
          await create(app, users, account);
        });
      }

      test('the own e-mail may be written differently, and a new one signs in', async () => {
        const account = someone();
        await create(app, users, account);
        const user = await signInAs(app, account);
        const put = (email: string) =>
          app.send({
            method: 'PUT',
            url: me,
            headers: user.headers,
            body: { email, currentPassword: account.password },
          });
        assert.equal((await put(account.email.toUpperCase())).status, 200);
        assert.equal((await getMe(user)).validemail, account.email.toUpperCase());
        const { email } = someone();
        assert.equal((await put(email)).status, 200);
        assert.equal((await login({ email: account.email, password: account.password })).status, 404);
        assert.equal((await login({ email, password: account.password })).status, 200);
      });
    });
  });
}

async function signInAs(app: TestApp, account: { email: string; password: string }): Promise<SignedIn> {
  const { email, password } = account;
  const { body } = await app.send({ method: 'POST', url: `${users}/signin`, body: { email, password } });
  return { userId: body.objectId, token: body.accessToken, headers: { authorization: `Bearer ${body.accessToken}` } };
}
