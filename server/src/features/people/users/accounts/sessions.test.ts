import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Answer, bothDatabases, buildApp, signIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { raw, sql } from '../../../../base/sql.ts';

const users = '/api/v2/users';
const dayMs = 86_400_000;
let people = 0;

for (const database of bothDatabases) {
  describe(`sessions on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database });
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
    });
    afterAll(() => app.close());

    async function enter(more: object = { refresh: true }, headers: Readonly<Record<string, string>> = {}) {
      const account = {
        firstname: 'Vera',
        lastname: 'Visitor',
        email: `s${++people}@example.org`,
        password: 'correct horse',
      };
      await app.send({ method: 'POST', url: users, body: account });
      return { account, answer: await again(account, more, headers) };
    }
    const again = (account: object, more: object = { refresh: true }, headers: Readonly<Record<string, string>> = {}) =>
      app.send({ method: 'POST', url: `${users}/signin`, body: { ...account, ...more }, headers });
    const refresh = (refreshToken: string) =>
      app.send({ method: 'POST', url: `${users}/token`, body: { refreshToken } });
    const bearer = (answer: Answer) => ({ authorization: `Bearer ${answer.body.accessToken}` });
    const isAlive = async (answer: Answer) => {
      const { status } = await app.send({ method: 'GET', url: `${users}/me`, headers: bearer(answer) });
      // That the token has arrived is noted in the background.
      await app.app.idle();
      return status === 200;
    };
    const sessionsOf = async (answer: Answer) =>
      (await app.send({ method: 'GET', url: `${users}/me/sessions`, headers: bearer(answer) })).body.results;
    const assertOver = (answer: Answer, why = /no longer valid/) => {
      assert.deepEqual([answer.status, answer.body.code], [403, 209], JSON.stringify(answer.body));
      assert.match(answer.body.error.error, why);
    };

    test('a sign-in without options gives one long-lived token, as before', async () => {
      const { answer } = await enter({});
      assert.deepEqual(Object.keys(answer.body).sort(), ['accessToken', 'expiresIn', 'objectId', 'tokenType']);
      assert.equal(answer.body.expiresIn, 30 * 86_400);
    });

    test('a token that is renewed lives for minutes, and using it does not extend it', async () => {
      const { answer } = await enter();
      assert.deepEqual([answer.body.expiresIn, answer.body.refreshExpiresIn], [900, 30 * 86_400]);
      app.clock.now += 899_000;
      assert.ok(await isAlive(answer));
      app.clock.now += 1_000;
      assert.ok(!(await isAlive(answer)));
      const renewed = await refresh(answer.body.refreshToken);
      assert.equal(renewed.status, 200, JSON.stringify(renewed.body));
      assert.notEqual(renewed.body.refreshToken, answer.body.refreshToken);
      assert.ok(await isAlive(renewed));
      assert.equal(renewed.body.objectId, answer.body.objectId);
    });

    test('the app sets for how many minutes', async () => {
      await app.app.apps.change(app.appId, { policy: { tokenMinutes: 2, tokenDays: 1 } });
      const { answer } = await enter();
      assert.deepEqual([answer.body.expiresIn, answer.body.refreshExpiresIn], [120, 86_400]);
      await app.app.apps.change(app.appId, { policy: { tokenMinutes: 15, tokenDays: 30 } });
    });

    test('a session lasts as long as it is renewed, and ends a month after', async () => {
      let { answer } = await enter();
      for (let weeks = 0; weeks < 6; weeks++) {
        app.clock.now += 7 * dayMs;
        answer = await refresh(answer.body.refreshToken);
        assert.equal(answer.status, 200);
      }
      app.clock.now += 30 * dayMs;
      assertOver(await refresh(answer.body.refreshToken));
      await app.app.users.sweep();
      const left = await app.storage.db.all(sql`select * from sessions where user_id = ${answer.body.objectId ?? ''}`);
      assert.deepEqual(left, []);
    });

    test('an old refresh token ends the session, whoever has the new one', async () => {
      const { account, answer } = await enter();
      const other = await again(account);
      const second = await refresh(answer.body.refreshToken);
      const third = await refresh(second.body.refreshToken);
      assertOver(await refresh(answer.body.refreshToken), /used before/);
      assert.ok(!(await isAlive(third)), 'its access token is refused from then on');
      assertOver(await refresh(third.body.refreshToken));
      assert.ok(await isAlive(other), 'other sessions go on');
    });

    test('the last refresh token counts for ten seconds more, since its answer may have been lost', async () => {
      const { answer } = await enter();
      const lost = await refresh(answer.body.refreshToken);
      app.clock.now += 10_000;
      const found = await refresh(answer.body.refreshToken);
      assert.equal(found.status, 200);
      assert.equal((await refresh(found.body.refreshToken)).status, 200);
      assertOver(await refresh(lost.body.refreshToken), /used before/);
    });

    test('and for as long as nobody has used anything of that answer: a phone may be without a network for days', async () => {
      const { answer } = await enter();
      const lost = await refresh(answer.body.refreshToken);
      app.clock.now += 3 * dayMs;
      const found = await refresh(answer.body.refreshToken);
      assert.equal(found.status, 200);
      assert.ok(await isAlive(found));
      app.clock.now += 20_000;
      const next = await refresh(found.body.refreshToken);
      assert.equal(next.status, 200, 'what was found goes on');
      assertOver(await refresh(lost.body.refreshToken), /used before/);
      assert.ok(!(await isAlive(next)), 'whoever had the lost answer after all has ended it');
    });

    test('but not once its successor, or the access token that came with it, was used', async () => {
      const used = (await enter()).answer;
      await refresh((await refresh(used.body.refreshToken)).body.refreshToken);
      assertOver(await refresh(used.body.refreshToken), /used before/);
      const late = (await enter()).answer;
      assert.ok(await isAlive(await refresh(late.body.refreshToken)));
      app.clock.now += 10_001;
      assertOver(await refresh(late.body.refreshToken), /used before/);
      const lost = (await enter()).answer;
      app.clock.now += 1;
      await refresh(lost.body.refreshToken);
      assert.ok(await isAlive(lost), 'the access token before it says nothing about the answer');
      app.clock.now += 10_001;
      assert.equal((await refresh(lost.body.refreshToken)).status, 200);
    });

    test('of many renewals at the same moment the last one goes on', async () => {
      const { answer } = await enter();
      const renewed = await Promise.all([1, 2, 3, 4].map(() => refresh(answer.body.refreshToken)));
      assert.deepEqual(
        renewed.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      const [session] = await sessionsOf(renewed[0] as Answer);
      assert.ok(session.isCurrent);
      const stored = await app.storage.db.all(sql`select * from sessions where object_id = ${session.objectId}`);
      assert.equal(stored.length, 1);
    });

    test('requests in transit with the previous access token still succeed, those with older ones do not', async () => {
      const { answer } = await enter();
      app.clock.now += 20_000;
      const second = await refresh(answer.body.refreshToken);
      assert.ok(await isAlive(answer));
      app.clock.now += 20_000;
      await refresh(second.body.refreshToken);
      app.clock.now += 20_000;
      const rows = await app.storage.db.all(sql`select * from tokens where user_id = ${answer.body.objectId}`);
      assert.equal(rows.length, 2);
    });

    test('a wrong refresh token, and one of another app, are refused in the same way', async () => {
      const { answer } = await enter();
      const [first, second] = answer.body.refreshToken.split('.');
      for (const wrong of ['x', answer.body.accessToken, `${second}.${first}`, `${first}`])
        assertOver(await refresh(wrong));
      const { appId, appKey } = await app.app.apps.create('Another app');
      const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey };
      const { refreshToken } = answer.body;
      assertOver(await app.send({ method: 'POST', url: `${users}/token`, headers, body: { refreshToken } }));
      assert.equal((await refresh(refreshToken)).status, 200, 'none of it has harmed the session');
    });

    test('nothing of a refresh token is stored as it is', async () => {
      const { answer } = await enter();
      const rows = JSON.stringify([
        await app.storage.db.all(raw('select * from sessions')),
        await app.storage.db.all(raw('select * from tokens')),
      ]);
      for (const part of answer.body.refreshToken.split('.')) assert.ok(!rows.includes(part));
    });

    test('are listed with how and with what they were begun', async () => {
      const { account } = await enter({}, { 'user-agent': 'MuseumGuide/3.1' });
      app.clock.now += 1000;
      const second = await again(account, { refresh: true }, { 'user-agent': `Browser ${'x'.repeat(400)}` });
      const listed = await sessionsOf(second);
      assert.deepEqual(
        listed.map(({ method, isCurrent }: Record<string, unknown>) => [method, isCurrent]),
        [
          ['password', true],
          ['password', false],
        ],
      );
      assert.equal(listed[1].userAgent, 'MuseumGuide/3.1');
      assert.equal(listed[0].userAgent.length, 300);
    });

    test('are ended one by one, or all others, and only by their user', async () => {
      const { account, answer: first } = await enter();
      app.clock.now += 1000;
      const second = await again(account);
      app.clock.now += 1000;
      const third = await again(account, {});
      const [, mine] = await sessionsOf(third);
      const end = (answer: Answer, id = '') =>
        app.send({ method: 'DELETE', url: `${users}/me/sessions${id}`, headers: bearer(answer) });
      const stranger = await signIn(app);
      const foreign = {
        method: 'DELETE',
        url: `${users}/me/sessions/${mine.objectId}`,
        headers: stranger.headers,
      } as const;
      assert.equal((await app.send(foreign)).status, 404);
      assert.equal((await end(third, `/${mine.objectId}`)).status, 200);
      assert.deepEqual([await isAlive(first), await isAlive(second), await isAlive(third)], [true, false, true]);
      assertOver(await refresh(second.body.refreshToken));
      assert.equal((await end(third)).status, 200);
      assert.deepEqual([await isAlive(first), await isAlive(third)], [false, true]);
      assert.equal((await sessionsOf(third)).length, 1);
    });

    test('end with signing out, with a new password, and when the account is disabled', async () => {
      const { answer } = await enter();
      const out = await app.send({ method: 'POST', url: `${users}/signout`, headers: bearer(answer) });
      assert.equal(out.status, 200);
      assertOver(await refresh(answer.body.refreshToken));
      const changed = await enter();
      const body = { password: 'better horse', currentPassword: 'correct horse' };
      const put = { method: 'PUT', url: `${users}/me`, headers: bearer(changed.answer), body } as const;
      assert.equal((await app.send(put)).status, 200);
      assertOver(await refresh(changed.answer.body.refreshToken));
      const disabled = (await enter()).answer;
      const key = { appId: app.appId, userId: disabled.body.objectId };
      await app.app.users.setUserDisabled(key, true);
      assertOver(await refresh(disabled.body.refreshToken));
    });

    test('refresh is a boolean', async () => {
      const { account } = await enter({});
      const answer = await again(account, { refresh: 'yes' });
      assert.deepEqual([answer.status, answer.body.error.details[0].field], [400, 'refresh']);
    });
  });
}
