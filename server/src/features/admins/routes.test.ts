import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answer, buildApp, databases, type SentRequest, type TestApp } from '../../../test/support/build-app.ts';
import {
  browserOf,
  consoleOrigin,
  cookieOf,
  openConsole,
  password,
  sendFromConsole,
  signInToConsole,
} from '../../../test/support/console.ts';

const hour = 3_600_000;
const owner = { email: 'Ada@museum.example', password, name: 'Ada' };

function assertRefused(answer: Answer, status: number, code: number, name: string): void {
  const { error } = answer.body;
  assert.deepEqual(
    { status: answer.status, code: error?.code, outer: answer.body.code, name: error?.name },
    { status, code, outer: code, name },
  );
  assert.equal(error.requestId, answer.headers['x-request-id']);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

const auditOf = async (app: TestApp) =>
  (await app.storage.db.all<{ actor: string; action: string; subject: string; address: string | null }>({
    strings: ['select actor, action, subject, address from audit order by audit_id'],
    values: [],
  })) as readonly { actor: string; action: string; subject: string; address: string | null }[];

for (const database of databases) {
  describe(`setting up on ${database}`, () => {
    test('the one-time link makes the first owner, signs in, and works once', async () => {
      const app = await buildApp({ database });
      try {
        const token = await app.app.admins.makeSetupToken();
        assert.match(token ?? '', /^\w{43}$/);
        assert.equal(await app.app.admins.makeSetupToken(), undefined, 'a second start gives out no second link');
        const setUp = (body: unknown) => sendFromConsole(app, { method: 'POST', url: '/setup', body });
        const needed = async () => (await sendFromConsole(app, { method: 'GET', url: '/setup' })).body.result.needed;
        assert.equal(await needed(), true);
        assertRefused(await setUp({ ...owner, token: 'x'.repeat(43) }), 403, 119, 'OperationForbidden');
        assertRefused(await setUp({ ...owner, token, password: 'short' }), 400, 142, 'ValidationError');
        assertRefused(await setUp({ ...owner, token, email: 'ada' }), 400, 125, 'InvalidEmailAddress');
        assertRefused(await setUp(owner), 400, 142, 'ValidationError');
        const made = await setUp({ ...owner, token });
        const browser = browserOf(app, made);
        const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
        assert.deepEqual(
          { ...made.body.result, adminId: '', createdAt: '', updatedAt: '' },
          {
            adminId: '',
            email: owner.email,
            name: 'Ada',
            role: 'owner',
            disabled: false,
            secondFactor: false,
            apps: null,
            createdAt: '',
            updatedAt: '',
            demo: false,
            mustEnrol: false,
            timeZone: zone,
          },
        );
        const me = await browser.send({ method: 'GET', url: '/session' });
        const shown = {
          email: owner.email,
          name: 'Ada',
          role: 'owner',
          apps: null,
          demo: false,
          mustEnrol: false,
          timeZone: zone,
        };
        assert.deepEqual(me.body.result, { adminId: browser.adminId, ...shown });
        assertRefused(await setUp({ ...owner, token, email: 'eve@museum.example' }), 403, 119, 'OperationForbidden');
        assert.equal(await needed(), false);
        assert.equal(await app.app.admins.makeSetupToken(), undefined);
        assert.ok(
          (await auditOf(app)).some(({ action, actor }) => action === 'administrator.create' && actor === owner.email),
        );
      } finally {
        await app.close();
      }
    });

    test('of two set-ups at the same moment one is refused', async () => {
      const app = await buildApp({ database });
      try {
        const token = await app.app.admins.makeSetupToken();
        const answers = await Promise.all(
          ['ada@museum.example', 'eve@museum.example'].map((email) =>
            sendFromConsole(app, { method: 'POST', url: '/setup', body: { ...owner, email, token } }),
          ),
        );
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403]);
        assert.equal((await app.app.admins.list()).length, 1);
      } finally {
        await app.close();
      }
    });

    test('an administrator from the command line ends the link', async () => {
      const app = await buildApp({ database });
      try {
        const token = await app.app.admins.makeSetupToken();
        await openConsole(app, 'manager');
        const answer = await sendFromConsole(app, { method: 'POST', url: '/setup', body: { ...owner, token } });
        assertRefused(answer, 403, 119, 'OperationForbidden');
      } finally {
        await app.close();
      }
    });
  });

  describe(`sessions on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await buildApp({ database });
    });
    after(() => app.close());
    const me: SentRequest = { method: 'GET', url: '/session' };

    test('a wrong e-mail address, a wrong password and a disabled administrator get the same refusal', async () => {
      const root = await openConsole(app, 'owner');
      const gone = await openConsole(app, 'editor');
      await root.send({ method: 'PUT', url: `/administrators/${gone.adminId}`, body: { disabled: true } });
      const signIn = (email: string, given: string) =>
        sendFromConsole(app, { method: 'POST', url: '/session', body: { email, password: given } });
      const answers = [
        await signIn('nobody@museum.example', password),
        await signIn(root.email, 'wrong'),
        await signIn(gone.email, password),
      ];
      for (const answer of answers) {
        assertRefused(answer, 404, 101, 'UserInvalidLoginParams');
        assert.equal(answer.headers['set-cookie'], undefined);
        assert.equal(answer.body.error.error, answers[0]?.body.error.error);
      }
      const spelt = await signIn(`  ${root.email.toUpperCase()} `, password);
      assert.equal(spelt.status, 201, 'case and space do not matter');
    });

    test('the cookie is HttpOnly and SameSite=Strict, and only a hash of it is stored', async () => {
      const browser = await openConsole(app, 'owner');
      const answer = await signInToConsole(app, browser.email);
      assert.match(
        String(answer.headers['set-cookie']),
        /^pharos=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
      );
      const token = cookieOf(answer).slice('pharos='.length);
      const stored = await app.storage.db.all({ strings: ['select * from admin_sessions'], values: [] });
      assert.ok(stored.length > 0);
      assert.ok(!JSON.stringify(stored).includes(token));
    });

    test('without a session, with a made-up one, and after signing out everything is refused', async () => {
      const browser = await openConsole(app, 'owner');
      assertRefused(await sendFromConsole(app, me), 403, 209, 'InvalidSessionToken');
      assertRefused(await sendFromConsole(app, me, `pharos=${'a'.repeat(43)}`), 403, 209, 'InvalidSessionToken');
      assertRefused(await sendFromConsole(app, me, 'pharos='), 403, 209, 'InvalidSessionToken');
      assert.equal((await sendFromConsole(app, me, `a=b; ${browser.cookie}; c=d`)).status, 200);
      const out = await browser.send({ method: 'DELETE', url: '/session' });
      assert.equal(out.status, 200);
      assert.match(String(out.headers['set-cookie']), /^pharos=; .*Max-Age=0$/);
      assertRefused(await browser.send(me), 403, 209, 'InvalidSessionToken');
    });

    test('a session ends after 12 idle hours, and after 7 days however it is used', async () => {
      const idle = await openConsole(app, 'owner');
      app.clock.now += 12 * hour - 1000;
      assert.equal((await idle.send(me)).status, 200);
      await app.app.idle();
      app.clock.now += 12 * hour - 1000;
      assert.equal((await idle.send(me)).status, 200, 'a use begins a new idle time');
      await app.app.idle();
      app.clock.now += 12 * hour;
      assertRefused(await idle.send(me), 403, 209, 'InvalidSessionToken');
      const busy = await openConsole(app, 'owner');
      for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
        assert.equal((await busy.send(me)).status, 200);
        await app.app.idle();
        app.clock.now += 6 * hour;
      }
      assert.equal((await busy.send(me)).status, 200);
      app.clock.now += 6 * hour;
      assertRefused(await busy.send(me), 403, 209, 'InvalidSessionToken');
    });

    test('changing the own password needs the current one, ends the other sessions and keeps this one', async () => {
      const here = await openConsole(app, 'analyst');
      const elsewhere = browserOf(app, await signInToConsole(app, here.email));
      const change = (body: unknown) => here.send({ method: 'PUT', url: '/session/password', body });
      assertRefused(
        await change({ currentPassword: 'wrong', password: 'quite another one' }),
        404,
        101,
        'UserInvalidLoginParams',
      );
      assertRefused(await change({ currentPassword: password, password: 'short' }), 400, 142, 'ValidationError');
      const done = await change({ currentPassword: password, password: 'quite another one' });
      assert.equal(done.status, 200);
      assertRefused(await elsewhere.send(me), 403, 209, 'InvalidSessionToken');
      assertRefused(await here.send(me), 403, 209, 'InvalidSessionToken');
      assert.equal((await sendFromConsole(app, me, cookieOf(done))).status, 200);
      assertRefused(await signInToConsole(app, here.email), 404, 101, 'UserInvalidLoginParams');
    });

    test('disabling an administrator and resetting a password end the sessions at once', async () => {
      const root = await openConsole(app, 'owner');
      const cases = [
        { url: '', body: { disabled: true } },
        { url: '/password', body: { password: 'chosen by the owner' } },
      ];
      for (const { url, body } of cases) {
        const other = await openConsole(app, 'manager');
        const done = await root.send({ method: 'PUT', url: `/administrators/${other.adminId}${url}`, body });
        assert.equal(done.status, 200);
        assertRefused(await other.send(me), 403, 209, 'InvalidSessionToken');
      }
    });

    test('a new role counts from the next request on', async () => {
      const root = await openConsole(app, 'owner');
      const other = await openConsole(app, 'manager');
      const audit: SentRequest = { method: 'GET', url: '/audit' };
      assert.equal((await other.send(audit)).status, 200);
      await root.send({ method: 'PUT', url: `/administrators/${other.adminId}`, body: { role: 'editor' } });
      assertRefused(await other.send(audit), 403, 119, 'OperationForbidden');
    });
  });

  describe(`guards on ${database}`, () => {
    test('a write is refused unless it comes from a page of the console', async () => {
      const app = await buildApp({ database });
      try {
        const browser = await openConsole(app, 'owner');
        const cases: readonly (readonly [Record<string, string | undefined>, number])[] = [
          [{ origin: consoleOrigin }, 201],
          [{ origin: 'http://localhost', host: 'localhost' }, 201],
          [{ origin: undefined, 'sec-fetch-site': 'same-origin' }, 201],
          [{ origin: undefined }, 403],
          [{ origin: 'null' }, 403],
          [{ origin: 'http://evil.example' }, 403],
          [{ origin: 'https://pharos.test' }, 403],
          [{ origin: 'http://pharos.test.evil.example' }, 403],
          [{ origin: undefined, 'sec-fetch-site': 'same-site' }, 403],
          [{ origin: undefined, 'sec-fetch-site': 'cross-site' }, 403],
          [{ origin: undefined, 'sec-fetch-site': 'none' }, 403],
          [{ origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' }, 403],
        ];
        for (const [headers, status] of cases) {
          const made = await browser.send({ method: 'POST', url: '/apps', headers, body: { name: 'Guide' } });
          assert.equal(made.status, status, JSON.stringify(headers));
          if (status === 403) assertRefused(made, 403, 119, 'OperationForbidden');
        }
        const signIn = { method: 'POST', url: '/session', body: { email: browser.email, password } } as const;
        const foreign = await sendFromConsole(app, { ...signIn, headers: { origin: 'http://evil.example' } });
        assertRefused(foreign, 403, 119, 'OperationForbidden');
        const read = await browser.send({ method: 'GET', url: '/apps', headers: { origin: undefined } });
        assert.equal(read.status, 200);
        assert.equal(read.headers['access-control-allow-origin'], undefined);
      } finally {
        await app.close();
      }
    });

    test('under https the cookie has the __Host- prefix and Secure', async () => {
      const app = await buildApp({ database, settings: { PHAROS_PUBLIC_URL: 'https://pharos.test' } });
      try {
        await app.app.admins.create({ ...owner, role: 'owner' }, { name: 'test', address: null });
        const answer = await sendFromConsole(app, {
          method: 'POST',
          url: '/session',
          headers: { origin: 'https://pharos.test' },
          body: owner,
        });
        assert.match(
          String(answer.headers['set-cookie']),
          /^__Host-pharos=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; /,
        );
      } finally {
        await app.close();
      }
    });

    test('with a public address, a foreign name that was made to point here cannot change anything', async () => {
      const app = await buildApp({ database, settings: { PHAROS_PUBLIC_URL: 'https://pharos.test' } });
      try {
        await app.app.admins.create({ ...owner, role: 'owner' }, { name: 'test', address: null });
        const signIn = (host: string, more: object = {}) =>
          sendFromConsole(app, {
            method: 'POST',
            url: '/session',
            headers: { host, origin: `http://${host}`, ...more },
            body: owner,
          });
        for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example'])
          assertRefused(await signIn(host), 403, 119, 'OperationForbidden');
        // Behind a proxy, the name of this machine is only what somebody claims.
        assertRefused(
          await signIn('localhost:8080', { 'x-forwarded-for': '10.0.0.1' }),
          403,
          119,
          'OperationForbidden',
        );
        for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080'])
          assert.equal((await signIn(host)).status, 201, host);
      } finally {
        await app.close();
      }
    });

    test('attempts to sign in are limited for an account and address, and for an address', async () => {
      const app = await buildApp({ database });
      try {
        const attempt = (email: string, body: object = { email, password: 'wrong' }) =>
          sendFromConsole(app, { method: 'POST', url: '/session', body });
        const root = await openConsole(app, 'owner');
        for (let tries = 0; tries < 9; tries++)
          assertRefused(await attempt(root.email), 404, 101, 'UserInvalidLoginParams');
        const refused = await attempt(root.email, { email: root.email, password });
        assertRefused(refused, 429, 904, 'APICallLimit');
        assert.ok(Number(refused.headers['retry-after']) > 0);
        app.clock.now += 30_000;
        assert.equal((await attempt(root.email, { email: root.email, password })).status, 201);
        app.clock.now -= 1;
        const answers = await Promise.all(Array.from({ length: 35 }, (_, n) => attempt(`a${n}@museum.example`)));
        assert.ok(answers.some(({ status }) => status === 429));
        assert.ok(answers.some(({ status }) => status === 404));
      } finally {
        await app.close();
      }
    });

    test('unknown paths and methods have an error body', async () => {
      const app = await buildApp({ database });
      try {
        assertRefused(await sendFromConsole(app, { method: 'GET', url: '/nothing' }), 404, 101, 'NotFound');
        const wrong = await sendFromConsole(app, { method: 'PATCH', url: '/session' });
        assertRefused(wrong, 405, 119, 'MethodNotAllowed');
        assert.equal(wrong.headers['allow'], 'DELETE, GET, HEAD, OPTIONS, POST');
      } finally {
        await app.close();
      }
    });
  });

  describe(`administrators on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await buildApp({ database });
    });
    after(() => app.close());

    test('an owner creates, lists and changes administrators, and no answer holds a password', async () => {
      const root = await openConsole(app, 'owner');
      const body = { email: 'ed@museum.example', name: 'Ed', role: 'editor', password };
      const made = await root.send({ method: 'POST', url: '/administrators', body });
      assert.equal(made.status, 201);
      const { adminId } = made.body.result;
      const again = await root.send({
        method: 'POST',
        url: '/administrators',
        body: { ...body, email: 'ED@museum.example' },
      });
      assertRefused(again, 409, 137, 'DuplicateValue');
      const changed = await root.send({
        method: 'PUT',
        url: `/administrators/${adminId}`,
        body: { role: 'manager', name: 'Edgar' },
      });
      assert.deepEqual([changed.body.result.role, changed.body.result.name], ['manager', 'Edgar']);
      const list = await root.send({ method: 'GET', url: '/administrators' });
      assert.ok(list.body.results.some(({ email }: { email: string }) => email === body.email));
      for (const answer of [made, changed, list]) assert.doesNotMatch(JSON.stringify(answer.body), /argon2|password/);
      const signedIn = await signInToConsole(app, body.email);
      assert.equal(signedIn.status, 201);
    });

    test('broken rules are refused with the field and the rule', async () => {
      const root = await openConsole(app, 'owner');
      const good = { email: 'new@museum.example', name: 'New', role: 'editor', password };
      const cases: readonly (readonly [object, number, string])[] = [
        [{ ...good, email: undefined }, 142, 'email'],
        [{ ...good, email: 'no address' }, 125, 'email'],
        [{ ...good, email: `${'x'.repeat(200)}@a.example` }, 125, 'email'],
        [{ ...good, name: '' }, 142, 'name'],
        [{ ...good, role: 'king' }, 142, 'role'],
        [{ ...good, password: 'too short' }, 142, 'password'],
        [{ ...good, password: 1234567890 }, 142, 'password'],
      ];
      for (const [body, code, field] of cases) {
        const answer = await root.send({ method: 'POST', url: '/administrators', body });
        assert.deepEqual([answer.status, answer.body.code, answer.body.error.details[0].field], [400, code, field]);
      }
      const unknown = await root.send({ method: 'PUT', url: '/administrators/nobody', body: { name: 'X' } });
      assertRefused(unknown, 404, 101, 'ObjectNotFound');
      const nul = await root.send({ method: 'PUT', url: '/administrators/%00', body: { name: 'X' } });
      assertRefused(nul, 404, 101, 'ObjectNotFound');
      const text = await root.send({
        method: 'POST',
        url: '/administrators',
        body: '{',
        headers: { 'content-type': 'application/json' },
      });
      assertRefused(text, 400, 107, 'InvalidJSON');
    });

    test('the last owner can neither step down nor be disabled, also not two at the same moment', async () => {
      const own = await buildApp({ database });
      try {
        const [first, second] = [await openConsole(own, 'owner'), await openConsole(own, 'owner')];
        const stepDown = (body: object) => (browser: typeof first) =>
          first.send({ method: 'PUT', url: `/administrators/${browser.adminId}`, body });
        const both = await Promise.all([first, second].map(stepDown({ role: 'manager' })));
        assert.equal(both.filter(({ status }) => status === 200).length, 1);
        const [left] = (await own.app.admins.list()).filter(({ role }) => role === 'owner');
        for (const change of [{ role: 'editor' as const }, { disabled: true }]) {
          await assert.rejects(
            own.app.admins.change(left?.adminId ?? '', change, { by: { name: 'test', address: null } }),
            {
              name: 'OperationForbidden',
            },
          );
        }
      } finally {
        await own.close();
      }
    });
  });

  describe(`the audit record on ${database}`, () => {
    test('each change is recorded once, with before and after and no secret, newest first, page by page', async () => {
      const app = await buildApp({ database });
      try {
        const root = await openConsole(app, 'owner');
        const step = async (request: SentRequest) => {
          app.clock.now += 1000;
          const answer = await root.send(request);
          assert.ok(answer.status < 300, JSON.stringify(answer.body));
          return answer.body.result;
        };
        const { appId, keyId, appKey } = await step({ method: 'POST', url: '/apps', body: { name: 'Guide' } });
        await step({ method: 'PUT', url: `/apps/${appId}`, body: { name: 'Tour', policy: { tokenDays: 7 } } });
        const second = await step({ method: 'POST', url: `/apps/${appId}/keys` });
        await step({ method: 'DELETE', url: `/apps/${appId}/keys/${keyId}` });
        await step({ method: 'POST', url: `/apps/${appId}/buckets`, body: { name: 'visits' } });
        await step({ method: 'DELETE', url: `/apps/${appId}/buckets/visits` });
        await step({ method: 'DELETE', url: `/apps/${appId}` });
        const refused = await root.send({ method: 'PUT', url: `/apps/${appId}`, body: { name: 'X' } });
        assert.equal(refused.status, 404);

        const all = await root.send({ method: 'GET', url: `/audit?appId=${appId}` });
        const shown = all.body.results.map((entry: Record<string, unknown>) => [
          entry['action'],
          entry['before'],
          entry['after'],
        ]);
        assert.deepEqual(shown, [
          ['app.delete', { name: 'Tour' }, null],
          ['bucket.delete', { name: 'visits' }, null],
          ['bucket.create', null, { name: 'visits' }],
          ['key.disable', { keyId }, null],
          ['key.rotate', null, { keyId: second.keyId, disabledKeyIds: [] }],
          ['app.change', { name: 'Guide', tokenDays: 30 }, { name: 'Tour', tokenDays: 7 }],
          ['app.create', null, { name: 'Guide' }],
        ]);
        for (const entry of all.body.results) {
          assert.deepEqual([entry.actor, entry.address, entry.appId], [root.email, '127.0.0.1', appId]);
        }
        const everything = JSON.stringify((await root.send({ method: 'GET', url: '/audit' })).body);
        for (const secret of [appKey, second.appKey, password, 'argon2'])
          assert.ok(!everything.includes(secret), 'no secret is in it');

        const paged: unknown[] = [];
        for (let before = ''; ; ) {
          const page = await root.send({ method: 'GET', url: `/audit?appId=${appId}&limit=3${before}` });
          paged.push(...page.body.results);
          if (!page.body.next) break;
          before = `&before=${page.body.next}`;
        }
        assert.deepEqual(paged, all.body.results);
        for (const limit of ['0', '-1', 'x', '1.5', '']) {
          const answer = await root.send({ method: 'GET', url: `/audit?limit=${limit}` });
          assertRefused(answer, 400, 102, 'InvalidQuery');
        }
      } finally {
        await app.close();
      }
    });
  });
}
