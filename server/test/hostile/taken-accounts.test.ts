import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { databases } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { phones, refused } from '../support/hostile/attempts.ts';
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts';
import { openSite, pointer, type Site } from '../support/site.ts';

/** Somebody makes an account with the address of another person, or has her password, and tries to keep a foot in it. */

const users = '/api/v2/users';
const minuteMs = 60_000;
const password = 'secret 1';
let people = 0;

for (const database of databases) {
  describe(`accounts that are taken, on ${database}`, () => {
    let sink: SmtpSink;
    let site: Site;
    beforeAll(async () => {
      sink = await startSmtpSink();
      const settings = { PHAROS_SMTP_URL: sink.url, PHAROS_MAIL_FROM: 'Museum <museum@example.org>' };
      site = await openSite(database, settings);
      const rateLimit = { enabled: false, perSecond: 1, burst: 1 };
      const policy = { rateLimit, totp: 'optional', signInLinkUrl: 'museum://sign-in' } as const;
      await site.app.app.apps.change(site.app.appId, { policy });
    });
    afterAll(async () => {
      await site.close();
      await sink.close();
    });
    beforeEach(async () => {
      await site.app.app.idle();
      sink.mails.length = 0;
      site.provider.calls.length = 0;
      site.app.clock.now += 60 * minuteMs;
      await site.signInAgain();
    });

    type Headers = Readonly<Record<string, string>>;
    const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object, headers: Headers = {}) =>
      site.app.send({ method, url, headers, ...(body ? { body } : {}) });
    const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
    async function someone() {
      const email = `taken${++people}@example.org`;
      const userId = await create(site.app, users, { email, password, firstname: 'Vera', lastname: 'Visitor' });
      const { body } = await send('POST', `${users}/signin`, { email, password });
      return { email, userId, headers: bearer(body.accessToken) };
    }
    /** The token of the mail that came last. */
    async function mailed(): Promise<string> {
      await site.app.app.idle();
      const text = (sink.mails.at(-1)?.data ?? '').replace(/=\n/g, '').replace(/=3D/g, '=');
      return new URL(/^\w+:\/\/\S+$/m.exec(text)?.[0] ?? 'no:link').searchParams.get('token') ?? '';
    }
    const byLink = async (email: string) => {
      await send('POST', `${users}/signin/link`, { email });
      const answer = await send('POST', `${users}/signin/link/token`, { token: await mailed() });
      assert.equal(answer.status, 200, answer.raw.toString());
      return bearer(answer.body.accessToken);
    };
    const byReset = async (email: string) => {
      await send('POST', `${users}/password/forgot`, { email });
      const reset = { token: await mailed(), password: 'her own 2' };
      assert.equal((await send('POST', `${users}/password/reset`, reset)).status, 200);
      const { body } = await send('POST', `${users}/signin`, { email, password: reset.password });
      return bearer(body.accessToken);
    };
    const tokensReached = async (userId: string) => {
      const body = { where: { userId: pointer('_User', userId) }, data: { title: 'For her' } };
      await site.ask({ method: 'POST', url: '/api/v2/push/notification', body });
      const calls = await site.pushes();
      return calls.map(({ target }) => target.token);
    };
    const secretOf = (letter: string) => ({ 'installation-secret': letter.repeat(43) });

    for (const [how, takeBack] of [
      ['a mailed link', byLink],
      ['a new password by mail', byReset],
    ] as const) {
      test(`whoever proves to read the mails, by ${how}, does not inherit the phone of whoever made the account`, async () => {
        const thief = await someone();
        const registration = {
          installationId: `of-thief-${people}`,
          deviceType: 'android',
          deviceToken: `thief ${people}`,
        };
        const phone = await create(site.app, phones, registration, { ...thief.headers, ...secretOf('t') });
        assert.deepEqual(
          await tokensReached(thief.userId),
          [registration.deviceToken],
          'while it is the account of the thief',
        );
        site.provider.calls.length = 0;
        site.app.clock.now += 1000;
        const hers = await takeBack(thief.email);
        assert.deepEqual((await send('GET', phones, undefined, hers)).body.results, []);
        assert.deepEqual(await tokensReached(thief.userId), []);
        for (const [more, headers] of [
          [{}, secretOf('t')],
          [{ previousDeviceToken: registration.deviceToken, deviceToken: `new ${people}` }, secretOf('t')],
          [registration, secretOf('u')],
          [registration, { ...thief.headers, ...secretOf('t') }],
        ] as const) {
          const again = await send('POST', phones, { ...registration, ...more }, headers);
          refused(again, 200, 403);
          assert.deepEqual(await tokensReached(thief.userId), [], JSON.stringify(more));
        }
        assert.equal((await send('GET', `${phones}/${phone}`, undefined, hers)).status, 404);
      });

      test(`her own phone is hers again, with what it recorded, when it registers after ${how}`, async () => {
        const vera = await someone();
        const registration = {
          installationId: `of-vera-${people}`,
          deviceType: 'android',
          deviceToken: `vera ${people}`,
        };
        await create(site.app, phones, registration, { ...vera.headers, ...secretOf('v') });
        site.app.clock.now += 1000;
        const body = { installationId: registration.installationId, sightings: [site.decided('ENTER')] };
        assert.equal(
          (await send('POST', '/api/v2/sightings', body, { ...vera.headers, ...secretOf('v') })).status,
          200,
        );
        site.app.clock.now += 1000;
        const hers = await takeBack(vera.email);
        const visits = async () => (await send('GET', '/api/v2/visits', undefined, hers)).body.results.length;
        assert.equal(await visits(), 0);
        const again = await send('POST', phones, registration, { ...hers, ...secretOf('v') });
        assert.equal(again.status, 200, again.raw.toString());
        site.app.clock.now += 1000;
        assert.equal(await visits(), 1);
        assert.deepEqual(await tokensReached(vera.userId), [registration.deviceToken]);
        const stranger = await send('POST', phones, registration, secretOf('x'));
        refused(stranger, 403);
      });
    }

    test('a password that was found does not lead past the second factor by way of another address', async () => {
      const vera = await someone();
      // She has proved to read her mails, so that the factor stays.
      const own = { ...vera, headers: await byReset(vera.email) };
      const codeOf = (secret: string) =>
        new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: site.now });
      const started = await send('POST', `${users}/me/totp`, {}, own.headers);
      const { secret } = started.body.result;
      const enabled = await send('PUT', `${users}/me/totp`, { code: codeOf(secret) }, own.headers);
      assert.equal(enabled.status, 200, enabled.raw.toString());
      const move = (headers: Headers, email: string) =>
        send('PUT', `${users}/me`, { email, currentPassword: 'her own 2' }, headers);
      site.app.clock.now += 11 * minuteMs;
      // Found with the phone: a session, and the password.
      const answer = await move(own.headers, 'thief@example.org');
      refused(answer, 403);
      assert.match(answer.body.error.error, /second factor/);
      const kept = await send('GET', `${users}/me`, undefined, own.headers);
      assert.equal(kept.body.result.validemail, vera.email);
      assert.equal((await send('PUT', `${users}/me`, { firstname: 'Anna' }, own.headers)).status, 200);
      // With both factors given just now it is hers to change.
      const half = await send('POST', `${users}/signin`, { email: vera.email, password: 'her own 2' });
      const whole = await send('POST', `${users}/signin/factor`, {
        challenge: half.body.error.challenge,
        code: codeOf(secret),
      });
      assert.equal(whole.status, 200, whole.raw.toString());
      assert.equal((await move(bearer(whole.body.accessToken), `moved${people}@example.org`)).status, 200);
    });
  });
}
