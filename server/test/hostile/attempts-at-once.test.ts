import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Answer, bothDatabases, buildApp, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { codeAt, enrolTotp, openConsole, password, sendFromConsole } from '../support/console.ts';
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts';

/** What counts once counts once, also when it is sent several times in the same moment. */

const users = '/api/v2/users';
const attempts = 4;
const halfMinute = 30_000;

for (const database of bothDatabases) {
  describe(`attempts in the same moment, on ${database}`, () => {
    let sink: SmtpSink;
    let app: TestApp;
    beforeAll(async () => {
      sink = await startSmtpSink();
      app = await buildApp({ database, settings: { PHAROS_SMTP_URL: sink.url } });
      await app.app.apps.change(app.appId, { policy: { totp: 'optional', signInLinkUrl: 'museum://sign-in' } });
    });
    afterAll(async () => {
      await app.close();
      await sink.close();
    });

    const post = (path: string, body: object, headers = {}) =>
      app.send({ method: 'POST', url: `${users}/${path}`, body, headers });
    /** The sessions that begin where each of these is sent at once. */
    const openedBy = async (send: (index: number) => Promise<Answer>, refusal: string) => {
      const answers = await Promise.all(Array.from({ length: attempts }, (_, index) => send(index)));
      const refused = answers.filter(({ status }) => status >= 400);
      for (const { body } of refused) assert.equal(body.error.name, refusal);
      return attempts - refused.length;
    };
    const someone = async (email: string) => {
      await create(app, users, { email, password, firstname: 'Vera', lastname: 'Example' });
      return { authorization: `Bearer ${(await post('signin', { email, password })).body.accessToken}` };
    };

    test('a mailed link signs in one of several', async () => {
      const email = 'link@example.org';
      await someone(email);
      await post('signin/link', { email });
      await app.app.idle();
      const text = (sink.mails.at(-1)?.data ?? '').replace(/=\n/g, '').replace(/=3D/g, '=');
      const token = /museum:\/\/sign-in\?token=([\w-]+)/.exec(text)?.[1];
      assert.equal(await openedBy(() => post('signin/link/token', { token }), 'UserInvalidLoginParams'), 1);
    });

    test('a code of an authenticator app and a recovery code let one sign-in go on', async () => {
      const email = 'factor@example.org';
      const headers = await someone(email);
      const { secret } = (await post('me/totp', {}, headers)).body.result;
      const body = { code: codeAt(secret, app.clock.now) };
      const enabled = await app.send({ method: 'PUT', url: `${users}/me/totp`, headers, body });
      const [recoveryCode] = enabled.body.result.recoveryCodes;
      await app.app.idle();
      app.clock.now += halfMinute;
      const challenges: string[] = [];
      for (let n = 0; n < attempts; n++)
        challenges.push((await post('signin', { email, password })).body.error.challenge);
      for (const proof of [{ code: codeAt(secret, app.clock.now) }, { recoveryCode }]) {
        const finish = (index: number) => post('signin/factor', { challenge: challenges[index], ...proof });
        assert.equal(await openedBy(finish, 'UserInvalidLoginParams'), 1, JSON.stringify(proof));
      }
    });

    test('those of an administrator too', async () => {
      const owner = await openConsole(app, 'owner');
      const { secret, recoveryCodes } = await enrolTotp(app, owner);
      app.clock.now += halfMinute;
      const { email } = owner;
      const [recoveryCode] = recoveryCodes;
      for (const proof of [{ code: codeAt(secret, app.clock.now) }, { recoveryCode }]) {
        const body = { email, password, ...proof };
        const signIn = () => sendFromConsole(app, { method: 'POST', url: '/session', body });
        assert.equal(await openedBy(signIn, 'UserInvalidLoginParams'), 1, JSON.stringify(proof));
      }
    });
  });
}
