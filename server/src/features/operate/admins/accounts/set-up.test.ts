import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../../../../test/support/build-app.ts';
import {
  assertConsoleRefusal,
  browserOf,
  openConsole,
  password,
  sendFromConsole,
} from '../../../../../test/support/console.ts';

const owner = { email: 'Ada@museum.example', password, name: 'Ada' };

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
        assertConsoleRefusal(await setUp({ ...owner, token: 'x'.repeat(43) }), 403, 119, 'OperationForbidden');
        assertConsoleRefusal(await setUp({ ...owner, token, password: 'short' }), 400, 142, 'ValidationError');
        assertConsoleRefusal(await setUp({ ...owner, token, email: 'ada' }), 400, 125, 'InvalidEmailAddress');
        assertConsoleRefusal(await setUp(owner), 400, 142, 'ValidationError');
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
        assertConsoleRefusal(
          await setUp({ ...owner, token, email: 'eve@museum.example' }),
          403,
          119,
          'OperationForbidden',
        );
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
        assertConsoleRefusal(answer, 403, 119, 'OperationForbidden');
      } finally {
        await app.close();
      }
    });
  });
}
