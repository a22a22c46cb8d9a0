import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../../../../test/support/build-app.ts';
import { assertConsoleRefusal, openConsole, password, signInToConsole } from '../../../../../test/support/console.ts';

for (const database of databases) {
  describe(`administrators on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database });
    });
    afterAll(() => app.close());

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
      assertConsoleRefusal(again, 409, 137, 'DuplicateValue');
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
      assertConsoleRefusal(unknown, 404, 101, 'ObjectNotFound');
      const nul = await root.send({ method: 'PUT', url: '/administrators/%00', body: { name: 'X' } });
      assertConsoleRefusal(nul, 404, 101, 'ObjectNotFound');
      const text = await root.send({
        method: 'POST',
        url: '/administrators',
        body: '{',
        headers: { 'content-type': 'application/json' },
      });
      assertConsoleRefusal(text, 400, 107, 'InvalidJSON');
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
}
