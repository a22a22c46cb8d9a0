import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import {
  type Answer,
  buildApp,
  databases,
  type SentRequest,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import {
  browserOf,
  codeAt,
  consoleOrigin,
  enrolPasskey,
  enrolTotp,
  openConsole,
  password,
  sendFromConsole,
  signInToConsole,
} from '../../../../test/support/console.ts';
import { type SmtpSink, startSmtpSink } from '../../../../test/support/servers/smtp-sink.ts';
import { SoftwarePasskey } from '../../../../test/support/servers/software-passkey.ts';

const me: SentRequest = { method: 'GET', url: '/session' };
const day = 86_400_000;

function assertRefused({ status, body }: Answer, expected: readonly [number, string]): void {
  assert.deepEqual([status, body.error?.name], expected);
}

const post = (app: TestApp, url: string, body: object) => sendFromConsole(app, { method: 'POST', url, body });
const tokenOf = (link: string) => {
  assert.match(link, /^http:\/\/pharos\.test\/console\/link#\w{43}$/);
  return link.split('#')[1] ?? '';
};

/** The token of the link in the latest mail to an address. */
function mailed(smtp: SmtpSink, to: string): string {
  const mail = smtp.mails.findLast((one) => one.to === to);
  // A long line of a mail is folded with = at its end.
  const text = (mail?.data ?? '').replace(/=\n/g, '').replace(/=3D/g, '=');
  const link = /http:\/\/pharos\.test\/console\/link#\w{43}/.exec(text)?.[0];
  assert.ok(link, text);
  return tokenOf(link);
}

async function withApp(
  database: (typeof databases)[number],
  canMail: boolean,
  work: (app: TestApp, smtp: SmtpSink) => Promise<void>,
) {
  const smtp = await startSmtpSink();
  const app = await buildApp({ database, ...(canMail ? { settings: { PHAROS_SMTP_URL: smtp.url } } : {}) });
  try {
    await work(app, smtp);
  } finally {
    await app.close();
    await smtp.close();
  }
}

for (const database of databases)
  describe(`invitations of administrators on ${database}`, () => {
    test('one is sent by mail, opened, and accepted once with a password', () =>
      withApp(database, true, async (app, smtp) => {
        const owner = await openConsole(app, 'owner');
        const body = { email: ' Ed@museum.example', role: 'editor' };
        const invited = await owner.send({ method: 'POST', url: '/invitations', body });
        assert.equal(invited.status, 201);
        const { mailed: isMailed, link, email, role, expired } = invited.body.result;
        assert.deepEqual([isMailed, link, email, role, expired], [true, null, 'Ed@museum.example', 'editor', false]);
        await app.app.idle();
        assert.equal(smtp.mails.length, 1);
        assert.match(smtp.mails[0]?.data ?? '', new RegExp(`${owner.email} has invited you`));
        const token = mailed(smtp, 'Ed@museum.example');
        const stored = JSON.stringify([
          await app.storage.db.all({ strings: ['select * from admin_links'], values: [] }),
          await app.storage.db.all({ strings: ['select * from jobs'], values: [] }),
          await app.storage.db.all({ strings: ['select * from audit'], values: [] }),
        ]);
        assert.ok(!stored.includes(token));

        const opened = await post(app, '/links/open', { token });
        assert.deepEqual(
          [opened.body.result.kind, opened.body.result.email, opened.body.result.role],
          ['invitation', 'Ed@museum.example', 'editor'],
        );
        const join = (more: object) => post(app, '/links/join', { token, name: 'Ed', password, ...more });
        assertRefused(await join({ password: 'short' }), [400, 'ValidationError']);
        assertRefused(await join({ name: '' }), [400, 'ValidationError']);
        assertRefused(await join({ password: undefined }), [400, 'ValidationError']);
        assertRefused(await join({ token: 'x'.repeat(43) }), [404, 'ObjectNotFound']);
        assertRefused(await post(app, '/links/password', { token, password }), [403, 'OperationForbidden']);
        const both = await Promise.all([join({}), join({ name: 'Eddy' })]);
        assert.deepEqual(both.map(({ status }) => status).sort(), [201, 404]);
        const done = both.find(({ status }) => status === 201) as Answer;
        assert.deepEqual([done.body.result.role, done.body.result.email], ['editor', 'Ed@museum.example']);
        assert.equal((await browserOf(app, done).send(me)).status, 200);
        assert.equal((await signInToConsole(app, 'ed@museum.example')).status, 201);
        assertRefused(await post(app, '/links/open', { token }), [404, 'ObjectNotFound']);
        assert.deepEqual((await owner.send({ method: 'GET', url: '/invitations' })).body.results, []);
        const audit = (await owner.send({ method: 'GET', url: '/audit?kind=administrator' })).body.results;
        assert.deepEqual(
          audit.slice(0, 2).map(({ action, actor, subject }: Record<string, string>) => [action, actor, subject]),
          [
            ['administrator.join', 'Ed@museum.example', 'Ed@museum.example'],
            ['administrator.invite', owner.email, 'Ed@museum.example'],
          ],
        );
      }));

    test('one is accepted with a passkey instead of a password, which can be added later', () =>
      withApp(database, false, async (app) => {
        const owner = await openConsole(app, 'owner');
        const body = { email: 'ed@museum.example', role: 'owner' };
        const invited = await owner.send({ method: 'POST', url: '/invitations', body });
        assert.equal(invited.body.result.mailed, false, 'without a mail server the owner hands it over');
        const token = tokenOf(invited.body.result.link);
        const key = new SoftwarePasskey(consoleOrigin);
        const started = await post(app, '/links/passkey', { token });
        assert.equal(started.body.result.user.name, 'ed@museum.example');
        const stranger = new SoftwarePasskey(consoleOrigin).register({ ...started.body.result, challenge: 'bm9uZQ' });
        const join = (more: object) => post(app, '/links/join', { token, name: 'Ed', ...more });
        assertRefused(await join({ passkey: stranger }), [400, 'ValidationError']);
        const again = await post(app, '/links/passkey', { token });
        const both = { passkey: key.register(again.body.result), password };
        assertRefused(await join(both), [400, 'ValidationError']);
        const done = await join({ passkey: both.passkey });
        const ed = browserOf(app, done);
        assert.equal(done.body.result.secondFactor, true);
        assertRefused(await signInToConsole(app, ed.email), [404, 'UserInvalidLoginParams']);
        const factors = (await ed.send({ method: 'GET', url: '/session/factors' })).body.result;
        assert.equal(factors.hasPassword, false);
        const remove = { method: 'DELETE', url: `/session/passkeys/${factors.passkeys[0].passkeyId}` } as const;
        assertRefused(await ed.send(remove), [403, 'OperationForbidden']);

        const { recoveryCodes } = await enrolPasskey(ed);
        assert.deepEqual(recoveryCodes, [], 'they follow a password');

        const asked = (await post(app, '/session/passkey/challenge', {})).body.result;
        const signedIn = browserOf(app, await post(app, '/session/passkey', { passkey: key.sign(asked) }));
        const set = (body: object) => signedIn.send({ method: 'PUT', url: '/session/password', body });
        app.clock.now += 5 * 60_000;
        assertRefused(await set({ password: 'my first password' }), [403, 'ConfirmationNeeded']);
        const toConfirm = (await signedIn.send({ method: 'POST', url: '/session/confirm/challenge' })).body.result;
        const passkey = key.sign(toConfirm);
        assert.equal((await signedIn.send({ method: 'POST', url: '/session/confirm', body: { passkey } })).status, 200);
        assert.equal((await set({ password: 'my first password' })).status, 200);
        const credentials = { email: ed.email, password: 'my first password' };
        assertRefused(await post(app, '/session', credentials), [403, 'SecondFactorNeeded']);
      }));

    test('one expires, is sent again with another link, and is withdrawn', () =>
      withApp(database, false, async (app) => {
        const owner = await openConsole(app, 'owner');
        const body = { email: 'ed@museum.example', role: 'editor' };
        const { link, invitationId } = (await owner.send({ method: 'POST', url: '/invitations', body })).body.result;
        const twice = { ...body, email: 'ED@museum.example' };
        assertRefused(await owner.send({ method: 'POST', url: '/invitations', body: twice }), [409, 'DuplicateValue']);
        const own = { ...body, email: owner.email };
        assertRefused(await owner.send({ method: 'POST', url: '/invitations', body: own }), [409, 'DuplicateValue']);
        for (const [broken, field] of [
          [{ ...body, email: 'no address' }, 'email'],
          [{ ...body, role: 'king' }, 'role'],
          [{ role: 'editor' }, 'email'],
        ] as const) {
          const answer = await owner.send({ method: 'POST', url: '/invitations', body: broken });
          assert.deepEqual([answer.status, answer.body.error.details[0].field], [400, field]);
        }
        const open = (address: string) => post(app, '/links/open', { token: tokenOf(address) });
        assert.equal((await open(link)).status, 200);
        app.clock.now += 7 * day;
        assertRefused(await open(link), [404, 'ObjectNotFound']);
        const fresh = browserOf(app, await signInToConsole(app, owner.email));
        const [listed] = (await fresh.send({ method: 'GET', url: '/invitations' })).body.results;
        assert.deepEqual([listed.expired, listed.invitedBy], [true, owner.email]);
        const again = { method: 'POST', url: `/invitations/${invitationId}/link` } as const;
        const [second, third] = [await fresh.send(again), await fresh.send(again)];
        assert.equal(third.body.result.expired, false);
        assertRefused(await open(second.body.result.link), [404, 'ObjectNotFound']);
        assert.equal((await open(third.body.result.link)).status, 200);
        const withdraw = { method: 'DELETE', url: `/invitations/${invitationId}` } as const;
        assert.equal((await fresh.send(withdraw)).status, 200);
        assertRefused(await fresh.send(withdraw), [404, 'ObjectNotFound']);
        assertRefused(await fresh.send(again), [404, 'ObjectNotFound']);
        assertRefused(await open(third.body.result.link), [404, 'ObjectNotFound']);
      }));
  });

for (const database of databases)
  describe(`forgotten passwords of administrators on ${database}`, () => {
    test('a mail leads to a new password, which ends sessions and links and keeps the second factor', () =>
      withApp(database, true, async (app, smtp) => {
        const ada = await openConsole(app, 'editor');
        const { secret } = await enrolTotp(app, ada);
        const ask = (email: string) => post(app, '/password-reset', { email });
        const [known, unknown] = [await ask(ada.email.toUpperCase()), await ask('nobody@museum.example')];
        assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
        await ask(ada.email);
        await app.app.idle();
        assert.deepEqual(
          smtp.mails.map(({ to }) => to),
          [ada.email, ada.email],
        );
        const token = mailed(smtp, ada.email);
        assert.equal((await post(app, '/links/open', { token })).body.result.kind, 'reset');
        const set = (more: object = {}) => post(app, '/links/password', { token, password: 'a new long one', ...more });
        assertRefused(await set({ password: 'short' }), [400, 'ValidationError']);
        assertRefused(await post(app, '/links/join', { token, name: 'X', password }), [403, 'OperationForbidden']);
        assert.equal((await ada.send(me)).status, 200);
        const both = await Promise.all([set(), set()]);
        assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
        assert.equal((await ada.send(me)).status, 403);
        const first = smtp.mails[0]?.data ?? '';
        const other = /link#(\w{43})/.exec(first.replace(/=\n/g, ''))?.[1] ?? '';
        assertRefused(await post(app, '/links/open', { token: other }), [404, 'ObjectNotFound']);
        app.clock.now += 30_000;
        const credentials = { email: ada.email, password: 'a new long one' };
        assertRefused(await post(app, '/session', credentials), [403, 'SecondFactorNeeded']);
        const code = codeAt(secret, app.clock.now);
        assert.equal((await post(app, '/session', { ...credentials, code })).status, 201);
      }));

    test('a link expires after an hour, and is not sent to administrators who are switched off', () =>
      withApp(database, true, async (app, smtp) => {
        const [owner, ada] = [await openConsole(app, 'owner'), await openConsole(app, 'editor')];
        await post(app, '/password-reset', { email: ada.email });
        await app.app.idle();
        const token = mailed(smtp, ada.email);
        app.clock.now += 3_600_000;
        assertRefused(await post(app, '/links/open', { token }), [404, 'ObjectNotFound']);
        await owner.send({ method: 'POST', url: '/session/confirm', body: { password } });
        await post(app, '/password-reset', { email: ada.email });
        await app.app.idle();
        const off = { method: 'PUT', url: `/administrators/${ada.adminId}`, body: { disabled: true } } as const;
        assert.equal((await owner.send(off)).status, 200);
        assertRefused(await post(app, '/links/open', { token: mailed(smtp, ada.email) }), [404, 'ObjectNotFound']);
        await post(app, '/password-reset', { email: ada.email });
        await app.app.idle();
        assert.equal(smtp.mails.length, 2);
      }));

    test('mails to one account are limited, whether or not it exists', () =>
      withApp(database, true, async (app) => {
        const ada = await openConsole(app, 'editor');
        for (const email of [ada.email, 'nobody@museum.example']) {
          const answers = [];
          for (let n = 0; n < 4; n++) answers.push((await post(app, '/password-reset', { email })).status);
          assert.deepEqual(answers, [200, 200, 200, 429]);
        }
      }));

    for (const [how, change] of [
      ['switched off', { disabled: true }],
      ['made a manager', { role: 'manager' }],
    ] as const)
      test(`an owner who is ${how} has kept no link to come back by`, () =>
        withApp(database, false, async (app) => {
          const [owner, leaving] = [await openConsole(app, 'owner'), await openConsole(app, 'owner')];
          const invite = async (by: typeof owner, email: string) =>
            (await by.send({ method: 'POST', url: '/invitations', body: { email, role: 'owner' } })).body.result;
          const own = await invite(leaving, 'alias@museum.example');
          const ofOthers = await invite(owner, 'ed@museum.example');
          const again = `/invitations/${ofOthers.invitationId}/link`;
          const taken = await leaving.send({ method: 'POST', url: again });
          const reset = await leaving.send({ method: 'POST', url: `/administrators/${owner.adminId}/password-link` });
          const tokens = [own, taken.body.result, reset.body.result].map(({ link }) => tokenOf(link));
          for (const token of tokens) assert.equal((await post(app, '/links/open', { token })).status, 200);
          const done = await owner.send({ method: 'PUT', url: `/administrators/${leaving.adminId}`, body: change });
          assert.equal(done.status, 200, done.raw.toString());
          const [first = '', second = '', third = ''] = tokens;
          for (const token of [first, second]) {
            const joined = await post(app, '/links/join', { token, name: 'Back', password });
            assertRefused(joined, [404, 'ObjectNotFound']);
          }
          const set = await post(app, '/links/password', { token: third, password: 'another password' });
          assertRefused(set, [404, 'ObjectNotFound']);
          const left = (await owner.send({ method: 'GET', url: '/invitations' })).body.results;
          assert.deepEqual(
            left.map(({ email }: { email: string }) => email),
            ['ed@museum.example'],
          );
          const { link } = (await owner.send({ method: 'POST', url: again })).body.result;
          const ed = await post(app, '/links/join', { token: tokenOf(link), name: 'Ed', password });
          assert.equal(ed.status, 201, 'what others have invited is sent again');
        }));

    test('without a mail server an owner hands the link over, and nobody can ask for a mail', () =>
      withApp(database, false, async (app) => {
        const [owner, ada] = [await openConsole(app, 'owner'), await openConsole(app, 'editor')];
        assertRefused(await post(app, '/password-reset', { email: ada.email }), [403, 'OperationForbidden']);
        const make = { method: 'POST', url: `/administrators/${ada.adminId}/password-link` } as const;
        const [first, second] = [await owner.send(make), await owner.send(make)];
        assert.equal(second.body.result.mailed, false);
        const use = (link: string) => post(app, '/links/password', { token: tokenOf(link), password: 'chosen by Ada' });
        assertRefused(await use(first.body.result.link), [404, 'ObjectNotFound']);
        app.clock.now += day - 1;
        assert.equal((await use(second.body.result.link)).status, 200);
        assert.equal((await post(app, '/session', { email: ada.email, password: 'chosen by Ada' })).status, 201);
        const late = browserOf(app, await signInToConsole(app, owner.email));
        const audit = (await late.send({ method: 'GET', url: '/audit?kind=administrator' })).body.results;
        assert.deepEqual(
          audit.slice(0, 2).map(({ action, actor }: Record<string, string>) => [action, actor]),
          [
            ['administrator.resetPassword', ada.email],
            ['administrator.link', owner.email],
          ],
        );
      }));
  });
