import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, signIn, signInManager, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';

const account = { firstname: 'Vera', lastname: 'Visitor', password: 'correct horse', country: 'AT' };

for (const database of databases) {
  describe(`an app's users in the console on ${database}`, () => {
    let app: TestApp;
    let browser: Browser;
    beforeAll(async () => {
      app = await buildApp({ database });
      browser = await openConsole(app, 'manager');
    });
    afterAll(() => app.close());

    const ask = (rest = '') => browser.send({ method: 'GET', url: `/apps/${app.appId}/users${rest}` });
    const signUp = (email: string) => create(app, '/api/v2/users', { ...account, email });

    test('they are listed with their roles, filtered and counted', async () => {
      const objectId = await signUp('Odd_100%.Name@example.org');
      await signUp('other@example.org');
      const where = encodeURIComponent(JSON.stringify({ email: { $regex: '(?i)odd_100%' } }));
      const { status, body } = await ask(`?where=${where}&count=1`);
      const time = new Date(app.clock.now).toISOString();
      assert.deepEqual(
        [status, body],
        [
          200,
          {
            results: [
              {
                objectId,
                firstname: 'Vera',
                lastname: 'Visitor',
                email: 'Odd_100%.Name@example.org',
                role: 'user',
                createdAt: time,
                updatedAt: time,
              },
            ],
            count: 1,
          },
        ],
      );
      const newest = await ask('?order=-email&limit=1');
      assert.equal(newest.body.results[0].email, 'other@example.org');
      const hidden = await ask(`?where=${encodeURIComponent('{"password_hash":"x"}')}`);
      assert.deepEqual([hidden.status, hidden.body.code], [400, 102]);
    });

    test('a user is shown with active sessions, and without a password', async () => {
      const visitor = await signIn(app);
      const { body } = await ask(`/${visitor.userId}`);
      const { sessions, role, metadata, country, disabledAt } = body.result;
      assert.deepEqual(
        { sessions, role, metadata, country, disabledAt },
        { sessions: 1, role: 'user', metadata: {}, country: null, disabledAt: undefined },
      );
      assert.ok(!JSON.stringify(body).includes('argon2'));
      assert.equal((await ask('/nobody')).status, 404);
    });

    test('erasing takes the account, its sessions, its phone and where that was; the audit keeps the id alone', async () => {
      const visitor = await signIn(app);
      const registered = { installationId: 'hers', deviceType: 'ios' };
      const phone = await create(app, '/api/v2/installations', registered, visitor.headers);
      const beacon = await create(
        app,
        '/api/v2/beacons',
        { name: 'b', uuid: 'u', major: 1, minor: 1 },
        visitor.headers,
      );
      const sightings = [{ beacon, event: 'ENTER', eventId: 'e' }];
      await app.send({ method: 'POST', url: '/api/v2/sightings', body: { installationId: 'hers', sightings } });
      const url = `/apps/${app.appId}/users/${visitor.userId}`;
      const { body: shown } = await ask(`/${visitor.userId}`);
      app.clock.now += 1000;
      const erased = await browser.send({ method: 'DELETE', url });
      assert.equal(erased.status, 200);
      assert.equal((await browser.send({ method: 'DELETE', url })).status, 404);
      const me = await app.send({ method: 'GET', url: '/api/v2/users/me', headers: visitor.headers });
      assert.equal(me.status, 403);
      await app.app.idle();
      const audit = await browser.send({ method: 'GET', url: `/audit?appId=${app.appId}&limit=1` });
      const { headers } = await signInManager(app);
      const visits = await app.send({ method: 'GET', url: '/api/v2/visits', headers });
      assert.deepEqual(visits.body.results, []);
      const left = await app.send({ method: 'GET', url: `/api/v2/installations/${phone}`, headers });
      assert.equal(left.status, 404);
      const [entry] = audit.body.results;
      assert.deepEqual([entry.action, entry.subject], ['user.erase', erased.body.result.erasureId]);
      assert.ok(!JSON.stringify(audit.body).includes(visitor.userId));
      assert.ok(!JSON.stringify(audit.body).includes(shown.result.email));
    });
  });
}
