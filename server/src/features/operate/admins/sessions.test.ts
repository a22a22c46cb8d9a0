import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type SentRequest, type TestApp } from '../../../../test/support/build-app.ts';
import {
  assertConsoleRefusal,
  browserOf,
  cookieOf,
  openConsole,
  password,
  sendFromConsole,
  signInToConsole,
} from '../../../../test/support/console.ts';

const hour = 3_600_000;

for (const database of databases) {
  describe(`sessions on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database });
    });
    afterAll(() => app.close());
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
        assertConsoleRefusal(answer, 404, 101, 'UserInvalidLoginParams');
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
        /^pharos-\w{8}=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
      );
      const [, token = ''] = cookieOf(answer).split('=');
      const stored = await app.storage.db.all({ strings: ['select * from admin_sessions'], values: [] });
      assert.ok(stored.length > 0);
      assert.ok(!JSON.stringify(stored).includes(token));
    });

    test('without a session, with a made-up one, and after signing out everything is refused', async () => {
      const browser = await openConsole(app, 'owner');
      assertConsoleRefusal(await sendFromConsole(app, me), 403, 209, 'InvalidSessionToken');
      for (const name of [browser.cookie.split('=')[0], 'pharos'])
        for (const value of ['a'.repeat(43), ''])
          assertConsoleRefusal(await sendFromConsole(app, me, `${name}=${value}`), 403, 209, 'InvalidSessionToken');
      assert.equal((await sendFromConsole(app, me, `a=b; ${browser.cookie}; c=d`)).status, 200);
      const present = { method: 'GET', url: '/session/present' } as const;
      assert.deepEqual((await browser.send(present)).body, (await browser.send(me)).body);
      const out = await browser.send({ method: 'DELETE', url: '/session' });
      assert.equal(out.status, 200);
      assert.match(String(out.headers['set-cookie']), /^pharos-\w{8}=; .*Max-Age=0$/);
      assertConsoleRefusal(await browser.send(me), 403, 209, 'InvalidSessionToken');
      for (const cookie of [undefined, browser.cookie]) {
        const { status, body } = await sendFromConsole(app, present, cookie);
        assert.deepEqual(
          [status, body],
          [200, { result: null }],
          'whether somebody is signed in may be asked by anybody',
        );
      }
    });

    test('whoever signs in to another service on the same host stays signed in here, since cookies ignore ports', async () => {
      const other = await buildApp({ database });
      try {
        // What a browser would send to both.
        const jar = new Map<string, string>();
        for (const one of [app, other]) {
          const [name = '', value = ''] = (await openConsole(one, 'owner')).cookie.split('=');
          jar.set(name, value);
        }
        const cookies = [...jar].map((pair) => pair.join('=')).join('; ');
        for (const one of [app, other]) assert.equal((await sendFromConsole(one, me, cookies)).status, 200);
      } finally {
        await other.close();
      }
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
      assertConsoleRefusal(await idle.send(me), 403, 209, 'InvalidSessionToken');
      const busy = await openConsole(app, 'owner');
      for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
        assert.equal((await busy.send(me)).status, 200);
        await app.app.idle();
        app.clock.now += 6 * hour;
      }
      assert.equal((await busy.send(me)).status, 200);
      app.clock.now += 6 * hour;
      assertConsoleRefusal(await busy.send(me), 403, 209, 'InvalidSessionToken');
    });

    test('changing the own password needs the current one, ends the other sessions and keeps this one', async () => {
      const here = await openConsole(app, 'analyst');
      const elsewhere = browserOf(app, await signInToConsole(app, here.email));
      const change = (body: unknown) => here.send({ method: 'PUT', url: '/session/password', body });
      assertConsoleRefusal(
        await change({ currentPassword: 'wrong', password: 'quite another one' }),
        404,
        101,
        'UserInvalidLoginParams',
      );
      assertConsoleRefusal(await change({ currentPassword: password, password: 'short' }), 400, 142, 'ValidationError');
      const done = await change({ currentPassword: password, password: 'quite another one' });
      assert.equal(done.status, 200);
      assertConsoleRefusal(await elsewhere.send(me), 403, 209, 'InvalidSessionToken');
      assertConsoleRefusal(await here.send(me), 403, 209, 'InvalidSessionToken');
      assert.equal((await sendFromConsole(app, me, cookieOf(done))).status, 200);
      assertConsoleRefusal(await signInToConsole(app, here.email), 404, 101, 'UserInvalidLoginParams');
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
        assertConsoleRefusal(await other.send(me), 403, 209, 'InvalidSessionToken');
      }
    });

    test('a new role counts from the next request on', async () => {
      const root = await openConsole(app, 'owner');
      const other = await openConsole(app, 'manager');
      const audit: SentRequest = { method: 'GET', url: '/audit' };
      assert.equal((await other.send(audit)).status, 200);
      await root.send({ method: 'PUT', url: `/administrators/${other.adminId}`, body: { role: 'editor' } });
      assertConsoleRefusal(await other.send(audit), 403, 119, 'OperationForbidden');
    });
  });
}
