import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { buildApp, databases } from '../../../../test/support/build-app.ts';
import {
  assertConsoleRefusal,
  consoleOrigin,
  openConsole,
  password,
  sendFromConsole,
} from '../../../../test/support/console.ts';

/** From where somebody may write and sign in, and how often. */

const owner = { email: 'Ada@museum.example', password, name: 'Ada' };

for (const database of databases) {
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
          if (status === 403) assertConsoleRefusal(made, 403, 119, 'OperationForbidden');
        }
        const signIn = { method: 'POST', url: '/session', body: { email: browser.email, password } } as const;
        const foreign = await sendFromConsole(app, { ...signIn, headers: { origin: 'http://evil.example' } });
        assertConsoleRefusal(foreign, 403, 119, 'OperationForbidden');
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
          /^__Host-pharos-\w{8}=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; /,
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
          assertConsoleRefusal(await signIn(host), 403, 119, 'OperationForbidden');
        // Behind a proxy, the name of this machine is only what somebody claims.
        assertConsoleRefusal(
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
          assertConsoleRefusal(await attempt(root.email), 404, 101, 'UserInvalidLoginParams');
        const refused = await attempt(root.email, { email: root.email, password });
        assertConsoleRefusal(refused, 429, 904, 'APICallLimit');
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
        assertConsoleRefusal(await sendFromConsole(app, { method: 'GET', url: '/nothing' }), 404, 101, 'NotFound');
        const wrong = await sendFromConsole(app, { method: 'PATCH', url: '/session' });
        assertConsoleRefusal(wrong, 405, 119, 'MethodNotAllowed');
        assert.equal(wrong.headers['allow'], 'DELETE, GET, HEAD, OPTIONS, POST');
      } finally {
        await app.close();
      }
    });
  });
}
