import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  otherApp,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { raw } from '../../../base/sql.ts';
import { accountExample } from './schemas.ts';

const users = '/api/v2/users';

let people = 0;
/** A sign-up body with a unique e-mail address. */
const someone = (change: object = {}) => ({ ...accountExample, email: `someone${++people}@example.org`, ...change });

for (const database of databases) {
  describe(`users on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database, strongPasswords: true });
      // Most of these tests are not about the limit for an address.
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
    });
    afterAll(() => app.close());

    const login = (body: object, target = app) => target.send({ method: 'POST', url: `${users}/signin`, body });

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
          rule({ metadata: { text: 'x'.repeat(70_000) } }, 142),
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

      test('addresses are for managers, in apps for visitors unless they say otherwise, and elsewhere where they say so', async () => {
        const fresh = await buildApp({ database });
        try {
          const [anna, ben, manager] = [await signIn(fresh), await signIn(fresh), await signInManager(fresh)];
          const me = await fresh.send({ method: 'GET', url: `${users}/me`, headers: ben.headers });
          const { validemail } = me.body.result;
          const asking = (query: Record<string, string>, headers: object = {}) =>
            fresh.send({
              method: 'GET',
              url: `${users}?${new URLSearchParams({ limit: '1000', ...query })}`,
              headers: { ...headers },
            });
          const hiding = { validemail: { hidden: ['app', 'user'] } } as const;
          for (const rules of [
            { preset: 'visitors', resources: { users: { list: 'app' } } },
            { resources: { users: { list: 'app', members: hiding } } },
          ] as const) {
            await fresh.app.apps.changeRules(fresh.appId, rules);
            for (const headers of [{}, anna.headers]) {
              const listed = await asking({ count: '1' }, headers);
              assert.equal(listed.body.count, 3);
              assert.deepEqual(Object.keys(listed.body.results[0]), [
                'objectId',
                'firstname',
                'lastname',
                'createdAt',
                'updatedAt',
              ]);
              assert.ok(!/example\.org/.test(listed.raw.toString()), listed.raw.toString());
              const questions: readonly Record<string, string>[] = [
                { where: `{"validemail":"${validemail}"}` },
                { where: '{"$or":[{"validemail":{"$regex":"^v"}},{"firstname":"Vera"}]}' },
                { where: '{"$nor":[{"validemail":{"$exists":false}}]}' },
                { where: '{"validemail":{"$gt":"a"}}', count: '1', limit: '0' },
                { order: '-validemail' },
              ];
              for (const question of questions)
                assert.equal((await asking(question, headers)).body.code, 102, JSON.stringify(question));
            }
            const all = await asking({ where: `{"validemail":"${validemail}"}` }, manager.headers);
            assert.equal(all.status, 200, all.raw.toString());
            assert.deepEqual(
              all.body.results.map(({ objectId }: { objectId: string }) => objectId),
              [ben.userId],
            );
          }
          const open = { preset: 'visitors', resources: { users: { list: 'user', members: {} } } } as const;
          await fresh.app.apps.changeRules(fresh.appId, open);
          assert.equal((await asking({}, anna.headers)).body.results.length, 3);
          assert.ok((await asking({}, anna.headers)).raw.includes(validemail), 'the app says so');
        } finally {
          await fresh.close();
        }
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
