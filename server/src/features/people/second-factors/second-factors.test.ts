import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { type Answer, buildApp, databases, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { type SmtpSink, startSmtpSink } from '../../../../test/support/servers/smtp-sink.ts';
import { raw } from '../../../base/sql.ts';

const users = '/api/v2/users';
const minuteMs = 60_000;
const password = 'secret 1';
let people = 0;

interface Person {
  readonly email: string;
  readonly objectId: string;
  headers: Record<string, string>;
}

for (const database of databases) {
  describe(`second factors of users on ${database}`, () => {
    let sink: SmtpSink;
    let app: TestApp;
    beforeAll(async () => {
      sink = await startSmtpSink();
      app = await buildApp({
        database,
        settings: {
          PHAROS_SMTP_URL: sink.url,
          PHAROS_MAIL_FROM: 'Museum <museum@example.org>',
          PHAROS_TRUST_PROXY: '1',
        },
      });
    });
    afterAll(async () => {
      await app.close();
      await sink.close();
    });
    beforeEach(async () => {
      await app.app.idle();
      sink.mails.length = 0;
      app.clock.now += 180 * minuteMs;
      await policy({ totp: 'optional', emailVerification: 'off', signInLinkUrl: 'museum://sign-in' });
    });

    const policy = (change: object) => app.app.apps.change(app.appId, { policy: change });
    const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, headers = {}) =>
      app.send({ method, url: `${users}/${path}`, headers, ...(body ? { body } : {}) });
    const refusal = ({ status, body }: Answer) => [status, body.error?.name];
    const signIn = (email: string, more = {}) => send('POST', 'signin', { email, password, ...more });
    const finish = (body: object, headers = {}) => send('POST', 'signin/factor', body, headers);
    const from = (network: number) => ({ 'x-forwarded-for': `198.51.${network}.7` });
    const codeOf = (secret: string) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.clock.now });
    const wrongCode = (secret: string) => String((Number(codeOf(secret)) + 1) % 1_000_000).padStart(6, '0');

    async function someone(): Promise<Person> {
      const email = `factor${++people}@example.org`;
      const objectId = await create(app, users, { email, password, firstname: 'Vera', lastname: 'Example' });
      const { body } = await signIn(email);
      return { email, objectId, headers: { authorization: `Bearer ${body.accessToken}` } };
    }
    /** Sets up an authenticator app. The next code is of another half minute. */
    async function enrol(person: Person) {
      const started = await send('POST', 'me/totp', {}, person.headers);
      assert.equal(started.status, 201, JSON.stringify(started.body));
      const { secret, address } = started.body.result;
      const enabled = await send('PUT', 'me/totp', { code: codeOf(secret) }, person.headers);
      assert.equal(enabled.status, 200, JSON.stringify(enabled.body));
      // A mail that is being sent while the clock jumps would be sent again.
      await app.app.idle();
      app.clock.now += 30_000;
      return { secret, address, recoveryCodes: enabled.body.result.recoveryCodes as string[] };
    }
    const challengeOf = async (email: string, more = {}) => {
      const answer = await signIn(email, more);
      assert.deepEqual(refusal(answer), [403, 'SecondFactorNeeded'], JSON.stringify(answer.body));
      return answer.body.error.challenge as string;
    };

    test('while the app has switched them off nobody sets one up, and nobody is asked', async () => {
      const vera = await someone();
      const { secret } = await enrol(vera);
      await policy({ totp: 'off' });
      assert.equal((await signIn(vera.email)).status, 200, 'old clients know nothing of them');
      const other = await someone();
      assert.deepEqual(refusal(await send('POST', 'me/totp', {}, other.headers)), [403, 'OperationForbidden']);
      await policy({ totp: 'optional' });
      const challenge = await challengeOf(vera.email);
      assert.equal((await finish({ challenge, code: codeOf(secret) })).status, 200, 'what was set up is still there');
    });

    test('an authenticator app protects the password; a code counts once, and its challenge too', async () => {
      const vera = await someone();
      const old = (await signIn(vera.email)).body.accessToken;
      const { secret, address, recoveryCodes } = await enrol(vera);
      assert.match(address, new RegExp(`^otpauth://totp/Test%20app:${encodeURIComponent(vera.email)}`));
      assert.equal(recoveryCodes.length, 10);
      const rows = JSON.stringify([
        await app.storage.db.all(raw('select * from user_totp')),
        await app.storage.db.all(raw('select * from user_recovery_codes')),
      ]);
      assert.ok(
        !rows.includes(secret) && !recoveryCodes.some((code) => rows.includes(code)),
        'nothing readable is stored',
      );
      const ended = await send('GET', 'me', undefined, { authorization: `Bearer ${old}` });
      assert.deepEqual(refusal(ended), [403, 'InvalidSessionToken'], 'other sessions ended');
      assert.equal((await send('GET', 'me', undefined, vera.headers)).status, 200, 'this one goes on');

      const challenge = await challengeOf(vera.email, { refresh: true });
      const code = codeOf(secret);
      const body = { challenge, code };
      assert.deepEqual(refusal(await finish({ challenge, code: wrongCode(secret) })), [404, 'UserInvalidLoginParams']);
      const done = await finish(body);
      assert.deepEqual(
        [done.status, done.body.objectId, typeof done.body.refreshToken],
        [200, vera.objectId, 'string'],
      );
      assert.deepEqual(refusal(await finish(body)), [404, 'UserInvalidLoginParams'], 'finished');
      const replayed = await finish({ challenge: await challengeOf(vera.email), code });
      assert.deepEqual(refusal(replayed), [404, 'UserInvalidLoginParams']);
      assert.match(replayed.body.error.error, /used already/);
      const headers = { authorization: `Bearer ${done.body.accessToken}` };
      const [session] = (await send('GET', 'me/sessions', undefined, headers)).body.results;
      assert.deepEqual([session.method, session.hasSecondFactor], ['password', true]);
      const renewed = await send('POST', 'token', { refreshToken: done.body.refreshToken });
      assert.equal(renewed.status, 200, 'refresh tokens work as they do');
    });

    test('a recovery code replaces the app, once; new ones replace the old', async () => {
      const vera = await someone();
      const { recoveryCodes } = await enrol(vera);
      const [first = '', second = ''] = recoveryCodes;
      const use = async (recoveryCode: string) => finish({ challenge: await challengeOf(vera.email), recoveryCode });
      const done = await use(first.toUpperCase().replaceAll('-', ' '));
      assert.equal(done.status, 200, JSON.stringify(done.body));
      assert.deepEqual(refusal(await use(first)), [404, 'UserInvalidLoginParams']);
      const headers = { authorization: `Bearer ${done.body.accessToken}` };
      const state = (await send('GET', 'me/factors', undefined, headers)).body.result;
      assert.deepEqual([state.recoveryCodesLeft, state.passkeys, state.required], [9, 0, false]);
      const challenge = await challengeOf(vera.email);
      const twice = await Promise.all([2, 3].map((index) => finish({ challenge, recoveryCode: recoveryCodes[index] })));
      assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 404]);
      const left = (await send('GET', 'me/factors', undefined, headers)).body.result.recoveryCodesLeft;
      assert.equal(left, 8, 'the sign-in that came to nothing used none up');
      const renewed = await send('POST', 'me/recovery-codes', undefined, headers);
      assert.equal(renewed.body.result.recoveryCodes.length, 10);
      assert.deepEqual(refusal(await use(second)), [404, 'UserInvalidLoginParams']);
      assert.equal((await use(renewed.body.result.recoveryCodes[0])).status, 200);
      const both = await finish({ challenge: 'x', code: '123456', recoveryCode: 'x' });
      assert.deepEqual([both.status, both.body.error.details[0].field], [400, 'code']);
    });

    test('removing or replacing the app takes a fresh sign-in with both factors', async () => {
      const vera = await someone();
      const { secret } = await enrol(vera);
      app.clock.now += 11 * minuteMs;
      for (const [method, path, body] of [
        ['DELETE', 'me/totp', undefined],
        ['POST', 'me/recovery-codes', undefined],
        ['POST', 'me/totp', { currentPassword: password }],
      ] as const)
        assert.deepEqual(refusal(await send(method, path, body, vera.headers)), [403, 'OperationForbidden'], path);
      const done = await finish({ challenge: await challengeOf(vera.email), code: codeOf(secret) });
      const headers = { authorization: `Bearer ${done.body.accessToken}` };
      assert.equal((await send('DELETE', 'me/totp', undefined, headers)).status, 200);
      assert.equal((await signIn(vera.email)).status, 200);
      assert.deepEqual(refusal(await send('DELETE', 'me/totp', undefined, headers)), [404, 'ObjectNotFound']);
      await app.app.idle();
      const told = sink.mails.filter(({ data }) => /second factor of your account/.test(data.replace(/=\n/g, '')));
      assert.equal(told.length, 2, 'the address was told of both changes');
    });

    test('an administrator removes the app of somebody who has lost it, and the address is notified', async () => {
      const [vera, ada] = [await someone(), await openConsole(app, 'manager')];
      await enrol(vera);
      sink.mails.length = 0;
      const url = `/apps/${app.appId}/users/${vera.objectId}`;
      assert.equal((await ada.send({ method: 'DELETE', url: `${url}/totp` })).status, 200);
      const { totp, recoveryCodesLeft } = (await ada.send({ method: 'GET', url: `${url}/factors` })).body.result;
      assert.deepEqual([totp, recoveryCodesLeft], [null, 0]);
      assert.deepEqual(refusal(await send('GET', 'me', undefined, vera.headers)), [403, 'InvalidSessionToken']);
      assert.equal((await signIn(vera.email)).status, 200);
      await app.app.idle();
      assert.match(String(sink.mails[0]?.data).replace(/=\n/g, ''), /second factor of your account/);
    });

    test('setting one up needs the password or a fresh sign-in, and the right code', async () => {
      const vera = await someone();
      app.clock.now += 11 * minuteMs;
      assert.deepEqual(refusal(await send('POST', 'me/totp', {}, vera.headers)), [400, 'PasswordMissing']);
      const wrong = await send('POST', 'me/totp', { currentPassword: 'wrong one' }, vera.headers);
      assert.deepEqual(refusal(wrong), [404, 'UserInvalidLoginParams']);
      const started = await send('POST', 'me/totp', { currentPassword: password }, vera.headers);
      const { secret } = started.body.result;
      const refused = await send('PUT', 'me/totp', { code: wrongCode(secret) }, vera.headers);
      assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'code']);
      assert.equal((await signIn(vera.email)).status, 200, 'it does not count yet');
      assert.equal((await send('PUT', 'me/totp', { code: codeOf(secret) }, vera.headers)).status, 200);
    });

    test('who guesses with the right password does not lock out the owner, and a challenge is good for five tries', async () => {
      const vera = await someone();
      const { secret, recoveryCodes } = await enrol(vera);
      const own = await finish({ challenge: await challengeOf(vera.email), code: codeOf(secret) }, from(1));
      assert.equal(own.status, 200);
      app.clock.now += 60_000;
      let challenge = '';
      for (let tries = 0; tries < 10; tries++) {
        if (tries % 5 === 0) challenge = await challengeOf(vera.email);
        const guessed = await finish({ challenge, code: wrongCode(secret) }, from(10 + tries));
        assert.deepEqual(refusal(guessed), [404, 'UserInvalidLoginParams']);
      }
      const sixth = await finish({ challenge, code: codeOf(secret) }, from(30));
      assert.match(sixth.body.error.error, /tried too often/);
      challenge = await challengeOf(vera.email);
      const stranger = await finish({ challenge, code: codeOf(secret) }, from(31));
      assert.deepEqual(refusal(stranger), [429, 'APICallLimit'], 'elsewhere even the right one waits');
      assert.equal((await finish({ challenge, code: codeOf(secret) }, from(1))).status, 200, 'the owner comes in');
      challenge = await challengeOf(vera.email);
      const abroad = await finish({ challenge, recoveryCode: recoveryCodes[0] }, from(32));
      assert.equal(abroad.status, 200, 'and with a recovery code from anywhere');
    });

    test('a challenge expires, belongs to its app, and ends with a new password', async () => {
      const vera = await someone();
      const { secret } = await enrol(vera);
      const late = await challengeOf(vera.email);
      app.clock.now += 10 * minuteMs;
      assert.deepEqual(refusal(await finish({ challenge: late, code: codeOf(secret) })), [
        404,
        'UserInvalidLoginParams',
      ]);
      const stale = await challengeOf(vera.email);
      const current = await finish({ challenge: await challengeOf(vera.email), code: codeOf(secret) });
      const headers = { authorization: `Bearer ${current.body.accessToken}` };
      const changed = await send('PUT', 'me', { password: 'secret 2', currentPassword: password }, headers);
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
      app.clock.now += 30_000;
      assert.deepEqual(refusal(await finish({ challenge: stale, code: codeOf(secret) })), [
        404,
        'UserInvalidLoginParams',
      ]);
    });

    test('where everybody needs one, older sessions end, and the next sign-in sets one up', async () => {
      const vera = await someone();
      const renewable = (await signIn(vera.email, { refresh: true })).body;
      await policy({ totp: 'required' });
      assert.deepEqual(refusal(await send('GET', 'me', undefined, vera.headers)), [403, 'InvalidSessionToken']);
      const renewed = await send('POST', 'token', { refreshToken: renewable.refreshToken });
      assert.deepEqual(refusal(renewed), [403, 'InvalidSessionToken']);
      const asked = await signIn(vera.email);
      assert.deepEqual(refusal(asked), [403, 'EnrolmentNeeded']);
      const { challenge } = asked.body.error;
      const early = await finish({ challenge, code: '123456' });
      assert.deepEqual(refusal(early), [404, 'ObjectNotFound'], 'nothing is set up yet');
      const started = await send('POST', 'signin/factor/totp', { challenge });
      assert.equal(started.status, 201, JSON.stringify(started.body));
      const { secret } = started.body.result;
      const done = await finish({ challenge, code: codeOf(secret) });
      assert.deepEqual([done.status, done.body.recoveryCodes.length], [200, 10], JSON.stringify(done.body));
      const headers = { authorization: `Bearer ${done.body.accessToken}` };
      assert.equal((await send('GET', 'me', undefined, headers)).status, 200);
      assert.deepEqual(refusal(await send('DELETE', 'me/totp', undefined, headers)), [403, 'OperationForbidden']);
    });

    test('a mailed link asks for the factor as well; the first proof of an address removes what a stranger set up', async () => {
      const vera = await someone();
      const { secret } = await enrol(vera);
      const tokenIn = async () => {
        await send('POST', 'signin/link', { email: vera.email });
        await app.app.idle();
        const text = (sink.mails.at(-1)?.data ?? '').replace(/=\n/g, '').replace(/=3D/g, '=');
        return new URL(/^museum:\/\/\S+$/m.exec(text)?.[0] ?? 'no:link').searchParams.get('token') ?? '';
      };
      const first = await send('POST', 'signin/link/token', { token: await tokenIn() });
      assert.equal(first.status, 200, 'nobody had shown to read the mails: the factor went with the password');
      const again = { ...vera, headers: { authorization: `Bearer ${first.body.accessToken}` } };
      app.clock.now += 20 * minuteMs;
      const second = await send('POST', 'signin/link/token', { token: await tokenIn() });
      again.headers = { authorization: `Bearer ${second.body.accessToken}` };
      const own = await enrol(again);
      assert.notEqual(own.secret, secret);
      app.clock.now += 20 * minuteMs;
      const linked = await send('POST', 'signin/link/token', { token: await tokenIn() });
      assert.deepEqual(refusal(linked), [403, 'SecondFactorNeeded']);
      const { challenge } = linked.body.error;
      assert.equal((await finish({ challenge, code: codeOf(own.secret) })).status, 200);
    });

    test('an export has them without secrets, and an erasure removes them', async () => {
      const vera = await someone();
      const { secret } = await enrol(vera);
      await challengeOf(vera.email);
      const text = JSON.stringify((await send('GET', 'me/export', undefined, vera.headers)).body);
      assert.ok(
        text.includes('user_totp') && !text.includes(secret) && !text.includes('known_network'),
        text.slice(0, 300),
      );
      assert.equal((await send('DELETE', 'me', undefined, vera.headers)).status, 200);
      await app.app.idle();
      for (const table of ['user_totp', 'user_recovery_codes', 'half_sign_ins', 'sessions']) {
        const left = JSON.stringify(await app.storage.db.all(raw(`select * from ${table}`)));
        assert.ok(!left.includes(vera.objectId), table);
      }
    });
  });
}
