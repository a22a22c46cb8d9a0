import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  buildApp,
  databases,
  otherApp,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../test/support/cases.ts';
import { raw } from '../../base/sql.ts';
import { accountExample } from './schemas.ts';

const users = '/api/v2/users';
const me = `${users}/me`;
const dayMs = 86_400_000;

let people = 0;
/** A sign-up body with a unique e-mail address. */
const someone = (change: object = {}) => ({ ...accountExample, email: `someone${++people}@example.org`, ...change });

for (const database of databases) {
  describe(`users on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await buildApp({ database, strongPasswords: true });
      // Most of these tests are not about the limit for an address.
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
    });
    after(() => app.close());

    const getMe = async (user: SignedIn) =>
      (await app.send({ method: 'GET', url: me, headers: user.headers })).body.result;
    const login = (body: object, target = app) => target.send({ method: 'POST', url: `${users}/signin`, body });
    const isAlive = async (user: SignedIn) =>
      (await app.send({ method: 'GET', url: me, headers: user.headers })).status === 200;

    describe('signing up', () => {
      test('answers id and time, and ignores what the service generates', async () => {
        const body = someone({ objectId: 'mine', createdAt: 'x', role: 'manager', validemail: 'x' });
        const answer = await app.send({ method: 'POST', url: users, body });
        assert.equal(answer.status, 201);
        assert.deepEqual(Object.keys(answer.body.result).sort(), ['createdAt', 'objectId']);
        assert.equal(answer.body.result.createdAt, new Date(app.clock.now).toISOString());
        assert.match(answer.body.result.objectId, /^[0-9A-Za-z]{20}$/);
      });

      test('ignores an Authorization header', async () => {
        await create(app, users, someone(), { authorization: 'Bearer nonsense' });
      });

      test('has an error of its own for each member, the first in their order, and names all', async () => {
        const sent = (change: object) => ({ method: 'POST', url: users, body: someone(change) }) as const;
        const rule = (change: object, code: number, fields = Object.keys(change)) => ({
          rule: JSON.stringify(change).slice(0, 70),
          request: sent(change),
          status: 400,
          code,
          fields,
        });
        await assertRefusals(app, {}, [
          rule({ firstname: undefined }, 210),
          rule({ firstname: '' }, 210),
          rule({ firstname: 'ab' }, 210),
          rule({ firstname: 'a'.repeat(65) }, 210),
          rule({ firstname: 5 }, 210),
          rule({ firstname: null }, 210),
          rule({ lastname: undefined }, 211),
          rule({ lastname: 'ab' }, 211),
          rule({ lastname: 'a'.repeat(65) }, 211),
          rule({ email: undefined }, 204),
          rule({ email: null }, 204),
          rule({ email: '' }, 204),
          rule({ email: '  ' }, 204),
          rule({ email: 5 }, 125),
          rule({ email: 'text' }, 125),
          rule({ email: 'a@b' }, 125),
          rule({ email: 'a b@example.org' }, 125),
          rule({ email: 'a@example.org, b@example.org' }, 125),
          rule({ email: 'a@example.org\r\nBcc: b@example.org' }, 125),
          rule({ email: '<a@example.org>' }, 125),
          rule({ email: 'a..b@example.org' }, 125),
          rule({ email: 'a@-example.org' }, 125),
          rule({ email: `${'a'.repeat(64)}@${'b.'.repeat(70)}org` }, 125),
          rule({ password: undefined }, 201),
          rule({ password: null }, 201),
          rule({ password: '' }, 201),
          rule({ password: 'abc' }, 142),
          rule({ password: 'a'.repeat(51) }, 142),
          rule({ password: 1234 }, 142),
          rule({ middlename: 5 }, 212),
          rule({ middlename: 'a'.repeat(65) }, 212),
          rule({ country: 'A' }, 213),
          rule({ country: 'AUT' }, 213),
          rule({ country: '12' }, 213),
          rule({ country: 43 }, 213),
          rule({ phone: 431234567 }, 214),
          rule({ phone: 'call me' }, 214),
          rule({ phone: '' }, 214),
          rule({ phone: '+' }, 214),
          rule({ metadata: [] }, 142),
          rule({ metadata: 'text' }, 142),
          rule({ metadata: 1, phone: 1, lastname: 'x' }, 211),
          rule({ password: '', email: 'x' }, 125),
          rule({ country: 'x', password: 'abc' }, 142),
        ]);
        const all = ['firstname', 'lastname', 'email', 'password'];
        await assertRefusals(app, {}, [
          { rule: 'all', request: { method: 'POST', url: users, body: {} }, status: 400, code: 210, fields: all },
        ]);
      });

      test('takes every limit, counted in characters, and names of any script', async () => {
        const id = await create(
          app,
          users,
          someone({
            firstname: '😀'.repeat(64),
            lastname: 'Lí ',
            password: '😀'.repeat(50),
            country: 'at',
            middlename: null,
          }),
        );
        assert.equal(id.length, 20);
      });

      test('an e-mail is taken whatever its case and the space around it', async () => {
        const { email } = someone();
        await create(app, users, someone({ email: ` ${email} ` }));
        for (const again of [email, email.toUpperCase(), `\t${email}\n`]) {
          const answer = await app.send({ method: 'POST', url: users, body: someone({ email: again }) });
          assert.deepEqual([answer.status, answer.body.code, answer.body.error.name], [400, 203, 'UserEmailTaken']);
        }
        const strangers = await otherApp(app);
        await create(app, users, someone({ email }), strangers);
      });

      test('of many at once with one e-mail exactly one gets it', async () => {
        const body = someone();
        const answers = await Promise.all(
          Array.from({ length: 12 }, () => app.send({ method: 'POST', url: users, body })),
        );
        assert.deepEqual(answers.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim()).sort(), [
          '201',
          ...Array.from({ length: 11 }, () => '400 203'),
        ]);
      });

      test('the app may ask for longer passwords', async () => {
        await app.app.apps.change(app.appId, { policy: { passwordMinLength: 10 } });
        const sent = (password: string) => ({ method: 'POST', url: users, body: someone({ password }) }) as const;
        await assertRefusals(app, {}, [
          { rule: 'too short', request: sent('123456789'), status: 400, code: 142, fields: ['password'] },
          { rule: 'far too short', request: sent('12'), status: 400, code: 142, fields: ['password'] },
          { rule: 'missing', request: sent(''), status: 400, code: 201, fields: ['password'] },
        ]);
        assert.equal((await app.send(sent('1234567890'))).status, 201);
        await app.app.apps.change(app.appId, { policy: { passwordMinLength: 4 } });
      });

      test('stores the password only as an argon2id hash', async () => {
        await create(app, users, someone({ password: 'a very secret word' }));
        const rows = await app.storage.db.all(raw('select * from users'));
        assert.ok(!JSON.stringify(rows).includes('a very secret word'));
        assert.match(String(rows.at(-1)?.['password_hash']), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$.{22}\$.{43}$/);
      });
    });

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
          const kept = (await app.send({ method: 'GET', url, headers: other.headers })).body.result;
          assert.ok(!('userId' in kept) && kept.installationId === installation.installationId);
          assert.deepEqual([kept.channels, kept.metadata, 'tokenAt' in kept], [[], {}, false]);
          const stored = await app.storage.db.all(raw(`select * from installations where object_id = '${installed}'`));
          assert.ok(!JSON.stringify(stored).includes('token of') && !JSON.stringify(stored).includes('tag of'));
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

      test('a new password ends all of them', async () => {
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

      test('disabling ends all of them and refuses a sign-in, until it is taken back', async () => {
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

    describe('the list', () => {
      test('shows summaries with the app key alone, and finds by what it shows only', async () => {
        const fresh = await buildApp({ database });
        try {
          const ids: string[] = [];
          for (const firstname of ['Cleo', 'Anna', 'Bert']) {
            ids.push(await create(fresh, users, someone({ firstname })));
            fresh.clock.now += 1000;
          }
          const ask = (query: Record<string, string>, headers = {}) =>
            fresh.send({ method: 'GET', url: `${users}?${new URLSearchParams(query)}`, headers });
          const all = (await ask({}, { authorization: 'Bearer nonsense' })).body.results;
          assert.deepEqual(
            all.map(({ objectId }: { objectId: string }) => objectId),
            ids,
          );
          assert.deepEqual(Object.keys(all[0]), [
            'objectId',
            'firstname',
            'lastname',
            'validemail',
            'createdAt',
            'updatedAt',
          ]);
          const named = async (query: Record<string, string>) =>
            (await ask(query)).body.results.map((user: { firstname: string }) => user.firstname);
          assert.deepEqual(await named({ order: 'firstname', limit: '2' }), ['Anna', 'Bert']);
          assert.deepEqual(await named({ where: '{"firstname":{"$regex":"^[AB]"}}' }), ['Anna', 'Bert']);
          assert.deepEqual(await named({ where: `{"validemail":"${all[0].validemail}"}` }), ['Cleo']);
          assert.deepEqual((await ask({ count: '1', limit: '0' })).body, { results: [], count: 3 });
          for (const hidden of [
            'email',
            'passwordHash',
            'password_hash',
            'phone',
            'country',
            'metadata.language',
            'role',
          ]) {
            assert.equal((await ask({ where: `{"${hidden}":{"$exists":true}}` })).body.code, 102, hidden);
            assert.equal((await ask({ order: hidden })).body.code, 102, hidden);
          }
        } finally {
          await fresh.close();
        }
      });

      test('the app says who may see it', async () => {
        const user = await signIn(app);
        const ask = async (headers = {}) => {
          const { status, body } = await app.send({ method: 'GET', url: users, headers });
          return body.code ?? status;
        };
        const allow = (listUsers: string) => app.app.apps.change(app.appId, { policy: { listUsers } });
        await allow('user');
        assert.deepEqual([await ask(), await ask(user.headers)], [209, 200]);
        await allow('manager');
        assert.deepEqual([await ask(), await ask(user.headers)], [209, 119]);
        await app.app.users.setUserRole({ appId: app.appId, userId: user.userId }, 'manager');
        assert.equal(await ask(user.headers), 200);
        await allow('nobody');
        assert.equal(await ask(user.headers), 119);
        await allow('app');
        assert.equal(await ask(), 200);
      });
    });

    describe('limits', () => {
      test('wrong guesses at one account from one address are limited, right ones are not', async () => {
        const fresh = await buildApp({ database });
        try {
          const [account, other] = [someone(), someone()];
          await create(fresh, users, account);
          await create(fresh, users, other);
          for (let n = 0; n < 8; n++) assert.equal((await login(account, fresh)).status, 200);
          const wrong = { email: account.email, password: 'wrong' };
          for (let n = 0; n < 5; n++) assert.equal((await login(wrong, fresh)).status, 404);
          const refused = await login({ ...account, email: account.email.toUpperCase() }, fresh);
          assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 904, '12']);
          assert.equal((await login(other, fresh)).status, 200, 'another account is not affected');
          fresh.clock.now += 12_000;
          assert.equal((await login(account, fresh)).status, 200);
        } finally {
          await fresh.close();
        }
      });

      test('guesses at many accounts from one address are limited, unless the app switches its limit off', async () => {
        const fresh = await buildApp({ database });
        try {
          const guess = async (n: number) =>
            (await login({ email: `u${n}@example.org`, password: 'wrong' }, fresh)).status;
          const first = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(n)));
          assert.deepEqual([...new Set(first)], [404]);
          assert.equal(await guess(31), 429);
          await fresh.app.apps.change(fresh.appId, {
            policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } },
          });
          assert.equal(await guess(31), 404);
        } finally {
          await fresh.close();
        }
      });

      test('accounts from one address are limited, refused sign-ups do not count', async () => {
        const fresh = await buildApp({ database });
        try {
          const taken = someone();
          await create(fresh, users, taken);
          const signUp = async (body: object) => (await fresh.send({ method: 'POST', url: users, body })).status;
          for (let n = 0; n < 110; n++) assert.equal(await signUp(taken), 400);
          // A few at a time: ninety-nine at once would wait for the hashing of passwords, which is limited too.
          for (let made = 0; made < 99; made += 11) {
            const statuses = await Promise.all(Array.from({ length: 11 }, () => signUp(someone())));
            assert.deepEqual([...new Set(statuses)], [201]);
          }
          assert.equal(await signUp(someone()), 429);
          fresh.clock.now += 1000;
          assert.equal(await signUp(someone()), 201);
        } finally {
          await fresh.close();
        }
      });
    });
  });
}

async function signInAs(app: TestApp, account: { email: string; password: string }): Promise<SignedIn> {
  const { email, password } = account;
  const { body } = await app.send({ method: 'POST', url: `${users}/signin`, body: { email, password } });
  return { userId: body.objectId, token: body.accessToken, headers: { authorization: `Bearer ${body.accessToken}` } };
}
