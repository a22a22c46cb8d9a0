import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { buildApp, databases, otherApp, type TestApp } from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { type SmtpSink, startSmtpSink } from '../../../../test/support/servers/smtp-sink.ts';
import { raw, sql } from '../../../base/sql.ts';
import { CacheVersion } from '../../../db/nodes/cache-version.ts';
import { createAccounts } from './accounts.ts';
import { accountExample } from './schemas.ts';

const users = '/api/v2/users';
const forgotUrl = `${users}/password/forgot`;
const resetUrl = `${users}/password/reset`;
const hourMs = 3_600_000;

let people = 0;
const someone = () => ({ ...accountExample, email: `forgetful${++people}@example.org` });

for (const database of databases) {
  describe(`password reset on ${database}`, () => {
    let sink: SmtpSink;
    let app: TestApp;
    beforeAll(async () => {
      sink = await startSmtpSink();
      app = await buildApp({
        database,
        settings: { PHAROS_SMTP_URL: sink.url, PHAROS_MAIL_FROM: 'Museum <museum@example.org>' },
      });
    });
    afterAll(async () => {
      await app.close();
      await sink.close();
    });
    beforeEach(async () => {
      sink.recipientAnswer = '250 ok';
      await app.app.idle();
      sink.mails.length = 0;
      // Lets the limits of the previous test expire.
      app.clock.now += hourMs;
    });

    const forgot = (email: unknown) => app.send({ method: 'POST', url: forgotUrl, body: { email } });
    const reset = (body: object, headers = {}) => app.send({ method: 'POST', url: resetUrl, body, headers });
    const login = async (email: string, password: string) =>
      (await app.send({ method: 'POST', url: `${users}/signin`, body: { email, password } })).status;
    const jobs = () => app.storage.db.all<{ state: string; last_error: string }>(raw('select * from jobs'));

    /** The link in the mail, whose lines are folded for transport. */
    function link(): URL {
      const text = (sink.mails.at(-1)?.data ?? '').replace(/=\n/g, '').replace(/=3D/g, '=');
      return new URL(/^\w+:\/\/\S+$/m.exec(text)?.[0] ?? 'no:link');
    }
    const tokenIn = (url: URL) => url.searchParams.get('token') ?? '';

    async function forgetful() {
      const account = someone();
      await create(app, users, account);
      assert.equal((await forgot(account.email)).status, 200);
      await app.app.idle();
      return { account, token: tokenIn(link()) };
    }

    test('mails a link to the address of the account, and answers before it is sent', async () => {
      const account = someone();
      await create(app, users, account);
      const answer = await forgot(`  ${account.email.toUpperCase()}`);
      assert.deepEqual([answer.status, answer.body], [200, { result: {} }]);
      await app.app.idle();
      const [mail, ...more] = sink.mails;
      assert.deepEqual([mail?.from, mail?.to, more], ['museum@example.org', account.email, []]);
      assert.match(mail?.data ?? '', /^From: Museum <museum@example\.org>$/m);
      assert.match(mail?.data ?? '', /^Subject: Your new password for Test app$/m);
      assert.equal(link().href.split('?')[0], 'http://pharos.test/password-reset');
      assert.equal(link().searchParams.get('app'), app.appId);
      assert.match(tokenIn(link()), /^[\w-]{43}$/);
      assert.deepEqual(await jobs(), []);
    });

    // SQLite runs one transaction at a time.
    const onPostgres = database === 'postgres' ? test : undefined;
    onPostgres?.('that is asked for while the address is being changed, is not mailed to the one before', async () => {
      const account = someone();
      const userId = await create(app, users, account);
      const { db } = app.storage;
      const accounts = createAccounts({
        db,
        cacheVersion: new CacheVersion(db),
        now: () => app.clock.now,
        passwords: undefined as never,
        tell: undefined,
        findMissing: undefined as never,
      });
      const waits = sql`select 1 as found from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await db.transaction(async (changing) => {
        await accounts.changeAddress(changing, { appId: app.appId, userId }, `moved${++people}@example.org`);
        await forgot(account.email);
        while (sink.mails.length === 0 && !(await db.one(waits))) await setImmediate();
      });
      await app.app.idle();
      assert.deepEqual(sink.mails, []);
    });

    describe('a change of the account', () => {
      const change = async (body: object) => {
        const account = someone();
        await create(app, users, account);
        const entered = await app.send({ method: 'POST', url: `${users}/signin`, body: account });
        const headers = { authorization: `Bearer ${entered.body.accessToken}` };
        const url = `${users}/me`;
        const send = (body: object) => app.send({ method: 'PUT', url, headers, body });
        const answer = await send({ ...body, currentPassword: account.password });
        await app.app.idle();
        return { account, answer, send };
      };
      const mailed = () => sink.mails.map(({ to, data }) => [to, /^Subject: (.*)$/m.exec(data)?.[1]]);

      test('of the password is told to the address', async () => {
        const { account } = await change({ password: 'better horse' });
        assert.deepEqual(mailed(), [[account.email, 'Your password for Test app was changed']]);
        assert.match(sink.mails[0]?.data ?? '', /\(UTC\)/);
      });

      test('of the address is told to the one before, and names no new one', async () => {
        const email = `new${++people}@example.org`;
        const { account } = await change({ email, password: 'better horse' });
        assert.deepEqual(mailed(), [[account.email, 'Your e-mail address at Test app was changed']]);
        assert.ok(!(sink.mails[0]?.data ?? '').includes(email));
      });

      test('that is refused, or is of something else, is told to nobody', async () => {
        const { send } = await change({ phone: '+43 1 234567' });
        const taken = await send({ email: 'other@example.org', currentPassword: 'wrong' });
        assert.equal(taken.status, 404);
        await app.app.idle();
        assert.deepEqual(mailed(), []);
      });

      test('cannot be used to flood somebody with mails', async () => {
        const { account, send } = await change({ phone: '+43 1 234567' });
        const other = `back${++people}@example.org`;
        for (let times = 0; times < 12; times++)
          for (const email of [other, account.email])
            assert.equal((await send({ email, currentPassword: account.password })).status, 200);
        await app.app.idle();
        assert.equal(sink.mails.filter(({ to }) => to === account.email).length, 10);
      });
    });

    test('answers and stores the same, whether or not the account exists', async () => {
      const account = someone();
      await create(app, users, account);
      const [known, unknown] = [await forgot(account.email), await forgot('nobody@example.org')];
      assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
      await app.app.idle();
      assert.deepEqual(
        sink.mails.map(({ to }) => to),
        [account.email],
      );
    });

    test('sends nothing for a disabled account or to another app', async () => {
      const account = someone();
      const userId = await create(app, users, account);
      await app.app.users.setUserDisabled({ appId: app.appId, userId }, true);
      await forgot(account.email);
      const headers = await otherApp(app);
      await app.send({ method: 'POST', url: forgotUrl, body: { email: account.email }, headers });
      await app.app.idle();
      assert.deepEqual(sink.mails, []);
    });

    test('the token sets a new password once, and ends all tokens', async () => {
      const { account, token } = await forgetful();
      const { body } = await app.send({ method: 'POST', url: `${users}/signin`, body: account });
      const headers = { authorization: `Bearer ${body.accessToken}` };
      const answer = await reset({ token, password: 'a new one' });
      assert.deepEqual([answer.status, answer.body], [200, { result: {} }]);
      assert.equal(await login(account.email, 'a new one'), 200);
      assert.equal(await login(account.email, account.password), 404);
      assert.equal((await app.send({ method: 'GET', url: `${users}/me`, headers })).body.code, 209);
      assert.deepEqual((await reset({ token, password: 'yet another' })).body.code, 101);
    });

    test('of several that use one token at once, one does', async () => {
      const { token } = await forgetful();
      const answers = await Promise.all(['one 1', 'two 2', 'three 3'].map((password) => reset({ token, password })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
    });

    test('refuses each broken rule, and keeps the token for the next try', async () => {
      const { account, token } = await forgetful();
      await app.app.apps.change(app.appId, { policy: { passwordMinLength: 6 } });
      const sent = (body: object) => ({ method: 'POST', url: resetUrl, body }) as const;
      const password = 'a new one';
      await assertRefusals(app, {}, [
        { rule: 'no token', request: sent({ password }), status: 400, code: 142, fields: ['token'] },
        { rule: 'empty token', request: sent({ password, token: '' }), status: 400, code: 142, fields: ['token'] },
        { rule: 'token type', request: sent({ password, token: 5 }), status: 400, code: 142, fields: ['token'] },
        { rule: 'no password', request: sent({ token }), status: 400, code: 201, fields: ['password'] },
        { rule: 'empty password', request: sent({ token, password: '' }), status: 400, code: 201 },
        { rule: 'short', request: sent({ token, password: '12345' }), status: 400, code: 142, fields: ['password'] },
        { rule: 'unknown token', request: sent({ password, token: 'x'.repeat(43) }), status: 404, code: 101 },
        {
          rule: "another app's token",
          request: { ...sent({ password, token }), headers: await otherApp(app) },
          status: 404,
          code: 101,
        },
      ]);
      await app.app.apps.change(app.appId, { policy: { passwordMinLength: 4 } });
      assert.equal((await reset({ token, password })).status, 200);
      assert.equal(await login(account.email, password), 200);
    });

    test('the token is good for one hour, and only its hash is stored', async () => {
      const { token } = await forgetful();
      const rows = async () => app.storage.db.all(raw('select * from password_resets'));
      const stored = await rows();
      assert.ok(stored.length > 0 && !JSON.stringify(stored).includes(token));
      app.clock.now += hourMs;
      assert.equal((await reset({ token, password: 'a new one' })).status, 404);
      await app.app.users.sweep();
      assert.deepEqual(await rows(), []);
    });

    test('a new password or e-mail makes mails that are under way useless', async () => {
      for (const change of [{ password: 'changed meanwhile' }, { email: 'moved@example.org' }]) {
        const { account, token } = await forgetful();
        const signedIn = await app.send({ method: 'POST', url: `${users}/signin`, body: account });
        const headers = { authorization: `Bearer ${signedIn.body.accessToken}` };
        const body = { ...change, currentPassword: account.password };
        assert.equal((await app.send({ method: 'PUT', url: `${users}/me`, headers, body })).status, 200);
        assert.equal((await reset({ token, password: 'a new one' })).status, 404);
        // The mail about the change must not come behind the next one.
        await app.app.idle();
      }
    });

    test('refuses an e-mail that is missing or malformed', async () => {
      const sent = (body: object) => ({ method: 'POST', url: forgotUrl, body }) as const;
      await assertRefusals(app, {}, [
        { rule: 'missing', request: sent({}), status: 400, code: 204, fields: ['email'] },
        { rule: 'empty', request: sent({ email: '' }), status: 400, code: 204, fields: ['email'] },
        { rule: 'malformed', request: sent({ email: 'x' }), status: 400, code: 125, fields: ['email'] },
        { rule: 'long', request: sent({ email: `${'a'.repeat(200)}@example.org` }), status: 400, code: 125 },
        { rule: 'type', request: sent({ email: ['a@example.org'] }), status: 400, code: 125, fields: ['email'] },
      ]);
    });

    test('limits the mails to one account, known or not', async () => {
      const account = someone();
      await create(app, users, account);
      for (const email of [account.email, 'nobody@example.org']) {
        for (let n = 0; n < 3; n++) assert.equal((await forgot(email)).status, 200);
        const refused = await forgot(email.toUpperCase());
        assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 904, '600']);
      }
      await app.app.idle();
      const left = (await jobs()).map(({ state, last_error }) => `${state}: ${last_error}`);
      assert.deepEqual(left, [], 'every mail is taken over');
      assert.equal(sink.mails.length, 3);
    });

    test('tries again while the mail server is busy, and gives up when it refuses the address', async () => {
      sink.recipientAnswer = '451 come back later';
      const account = someone();
      await create(app, users, account);
      await forgot(account.email);
      await app.app.idle();
      const [waiting] = await jobs();
      assert.equal(waiting?.state, 'queued');
      assert.match(waiting?.last_error ?? '', /451/);
      sink.recipientAnswer = '250 ok';
      app.clock.now += 60_000;
      await app.app.idle();
      assert.equal(sink.mails.length, 1);
      assert.equal((await reset({ token: tokenIn(link()), password: 'a new one' })).status, 200);

      sink.recipientAnswer = '550 no such mailbox';
      await forgot(account.email);
      await app.app.idle();
      const [dead] = await jobs();
      assert.equal(dead?.state, 'dead');
      assert.match(dead?.last_error ?? '', /550/);
      await app.storage.db.run(raw('delete from jobs'));
    });

    test('leads to the page of the app where it has one', async () => {
      for (const [own, expected] of [
        ['https://museum.example.org/reset?lang=de', 'https://museum.example.org/reset?lang=de&token='],
        ['museum://reset', 'museum://reset?token='],
      ] as const) {
        await app.app.apps.change(app.appId, { policy: { passwordResetUrl: own } });
        const { token } = await forgetful();
        assert.equal(link().href, expected + token);
      }
      await app.app.apps.change(app.appId, { policy: { passwordResetUrl: '' } });
    });

    test('without a mail server it says so', async () => {
      const bare = await buildApp({ database });
      try {
        await assertRefusals(bare, {}, [
          {
            rule: 'no SMTP',
            request: { method: 'POST', url: forgotUrl, body: { email: 'a@example.org' } },
            status: 403,
            code: 119,
          },
        ]);
        assert.deepEqual(await bare.storage.db.all(raw('select * from jobs')), []);
      } finally {
        await bare.close();
      }
    });

    describe('the page', () => {
      const open = (url: string) => app.app.server.inject({ method: 'GET', url });
      const submit = (fields: Record<string, string>) =>
        app.app.server.inject({
          method: 'POST',
          url: '/password-reset',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams(fields).toString(),
        });

      test('shows a form that works without app headers and without a script, once', async () => {
        const { account, token } = await forgetful();
        const page = await open(link().pathname + link().search);
        assert.equal(page.statusCode, 200);
        assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
        assert.deepEqual(
          ['cache-control', 'referrer-policy', 'x-content-type-options'].map((name) => page.headers[name]),
          ['no-store', 'no-referrer', 'nosniff'],
        );
        assert.ok(!page.payload.includes('<script') && page.payload.includes('Test app'));
        const fields = { app: app.appId, token };
        for (const name of ['app', 'token'] as const)
          assert.ok(page.payload.includes(`name="${name}" value="${fields[name]}"`));
        const short = await submit({ ...fields, password: 'abc' });
        assert.equal(short.statusCode, 400);
        assert.ok(short.payload.includes('at least 4 characters') && short.payload.includes('<form'));
        const done = await submit({ ...fields, password: 'from the page' });
        assert.equal(done.statusCode, 200);
        assert.ok(done.payload.includes('Done'));
        assert.equal(await login(account.email, 'from the page'), 200);
        for (const again of [
          await submit({ ...fields, password: 'once more' }),
          await open(link().pathname + link().search),
        ]) {
          assert.equal(again.statusCode, 404);
          assert.ok(again.payload.includes('Ask for a new mail'));
          assert.match(String(again.headers['content-type']), /^text\/html/);
        }
      });

      test('speaks the language of its reader, without a script, also of what is wrong', async () => {
        const { account, token } = await forgetful();
        const headers = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
        const page = await app.app.server.inject({ method: 'GET', url: link().pathname + link().search, headers });
        assert.match(
          page.payload,
          /<html lang="de">.*<title>Neues Passwort<.*Für Ihr Konto bei Test app\..*4 bis 50 Zeichen/s,
        );
        const send = (password: string) =>
          app.app.server.inject({
            method: 'POST',
            url: '/password-reset',
            headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
            payload: new URLSearchParams({ app: app.appId, token, password }).toString(),
          });
        const short = await send('abc');
        assert.equal(short.statusCode, 400);
        assert.match(short.payload, /role="alert">Das Passwort braucht 4 bis 50 Zeichen\.<.*<form/s);
        assert.match((await send('von der Seite')).payload, /<h1>Erledigt<\/h1><p>Ihr neues Passwort gilt\./);
        assert.equal(await login(account.email, 'von der Seite'), 200);
        assert.match((await send('noch einmal')).payload, /Dieser Link ist ungültig, abgelaufen oder schon benutzt\./);
      });

      test('refuses what is not its link with a page, and shows nothing of what was sent', async () => {
        const { token } = await forgetful();
        const odd = '"><script>alert(1)</script>';
        for (const query of [
          '',
          `?app=${app.appId}`,
          `?token=${token}`,
          `?app=x&token=${token}`,
          `?app=%00&token=%00`,
          `?app=${app.appId}&token=${encodeURIComponent(odd)}`,
          `?app=a&app=b&token=${token}`,
        ]) {
          const page = await open(`/password-reset${query}`);
          assert.equal(page.statusCode, 404, query);
          assert.ok(page.payload.includes('role="alert"') && !page.payload.includes('<script'), query);
        }
        const json = await app.app.server.inject({ method: 'POST', url: '/password-reset', payload: { token } });
        assert.equal(json.statusCode, 415);
        const long = await submit({ app: app.appId, token, password: 'x'.repeat(20_000) });
        assert.equal(long.statusCode, 413);
        assert.ok(long.payload.includes('role="alert"') && long.payload.includes('larger than 16 KiB'));
      });

      test('a disabled app has no page', async () => {
        await forgetful();
        await app.app.apps.change(app.appId, { disabled: true });
        assert.equal((await open(link().pathname + link().search)).statusCode, 404);
        await app.app.apps.change(app.appId, { disabled: false });
        assert.equal((await open(link().pathname + link().search)).statusCode, 200);
      });

      test('limits attempts from one address', async () => {
        const answers: number[] = [];
        for (let n = 0; n < 31; n++) answers.push((await open('/password-reset?app=x&token=x')).statusCode);
        assert.deepEqual([answers[0], answers[29], answers[30]], [404, 404, 429]);
      });
    });
  });
}
