import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { type Answer, buildApp, databases, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { type SmtpSink, startSmtpSink } from '../../../../test/support/servers/smtp-sink.ts';
import { commandLine } from '../../../access/audit.ts';
import { raw } from '../../../base/sql.ts';

const users = '/api/v2/users';
const minuteMs = 60_000;
let people = 0;
const someone = () => ({
  email: `mailed${++people}@example.org`,
  password: 'secret 1',
  firstname: 'Vera',
  lastname: 'Example',
});

for (const database of databases) {
  describe(`links in mails to users on ${database}`, () => {
    let sink: SmtpSink;
    let app: TestApp;
    beforeAll(async () => {
      sink = await startSmtpSink();
      app = await buildApp({
        database,
        settings: { PHAROS_SMTP_URL: sink.url, PHAROS_MAIL_FROM: 'Museum <museum@example.org>' },
      });
    });
    afterAll(async () => {
      await app.close();
      await sink.close();
    });
    beforeEach(async () => {
      await app.app.idle();
      sink.mails.length = 0;
      // Lets the limits of the previous test expire.
      app.clock.now += 60 * minuteMs;
    });

    const policy = (change: object) => app.app.apps.change(app.appId, { policy: change });
    const post = (path: string, body: object, headers = {}) =>
      app.send({ method: 'POST', url: `${users}/${path}`, body, headers });
    const refusal = ({ status, body }: Answer) => [status, body.error?.name];
    const linkIn = (data = '') => {
      const text = data.replace(/=\n/g, '').replace(/=3D/g, '=');
      return new URL(/^\w+:\/\/\S+$/m.exec(text)?.[0] ?? 'no:link');
    };
    /** The token of the last mail. */
    const token = async () => {
      await app.app.idle();
      return linkIn(sink.mails.at(-1)?.data).searchParams.get('token') ?? '';
    };
    const me = async (accessToken: string) =>
      (await app.send({ method: 'GET', url: `${users}/me`, headers: { authorization: `Bearer ${accessToken}` } })).body
        .result;

    test('a mailed link signs in, once, within a quarter of an hour, and shows that the address is one’s own', async () => {
      const account = someone();
      const objectId = await create(app, users, account);
      assert.deepEqual(refusal(await post('signin/link', { email: account.email })), [403, 'OperationForbidden']);
      await policy({ signInLinkUrl: 'museum://sign-in' });
      const asked = await post('signin/link', { email: ` ${account.email.toUpperCase()}` });
      assert.deepEqual([asked.status, asked.body], [200, { result: {} }]);
      const first = await token();
      assert.equal(linkIn(sink.mails[0]?.data).protocol, 'museum:');
      const jobs = JSON.stringify(await app.storage.db.all(raw('select * from jobs')));
      const links = JSON.stringify(await app.storage.db.all(raw('select * from mail_links')));
      assert.ok(!jobs.includes(first) && !links.includes(first), 'nothing that is stored signs in');
      const wrong = await post('signin/link/token', { token: `${first.startsWith('x') ? 'y' : 'x'}${first.slice(1)}` });
      const { status, body } = await post('signin/link/token', { token: first, refresh: true });
      assert.deepEqual(
        [status, body.objectId, typeof body.refreshToken],
        [200, objectId, 'string'],
        JSON.stringify(body),
      );
      assert.ok((await me(body.accessToken)).emailVerifiedAt);
      const again = await post('signin/link/token', { token: first });
      assert.deepEqual(refusal(again), refusal(wrong));
      assert.equal(again.body.error.name, 'UserInvalidLoginParams');
      await post('signin/link', { email: account.email });
      const late = await token();
      app.clock.now += 15 * minuteMs;
      assert.equal((await post('signin/link/token', { token: late })).body.error.name, 'UserInvalidLoginParams');
    });

    test('nobody learns whether there is an account, and no mailbox is flooded', async () => {
      const account = someone();
      await create(app, users, account);
      const known = await post('signin/link', { email: account.email });
      const unknown = await post('signin/link', { email: 'nobody@example.org' });
      assert.deepEqual([unknown.status, unknown.body], [known.status, known.body]);
      await app.app.idle();
      assert.deepEqual(
        sink.mails.map(({ to }) => to),
        [account.email],
      );
      for (const _ of [2, 3]) assert.equal((await post('signin/link', { email: account.email })).status, 200);
      assert.deepEqual(refusal(await post('signin/link', { email: account.email })), [429, 'APICallLimit']);
    });

    test('somebody who has signed up with another person’s address loses access to the account', async () => {
      const account = someone();
      await create(app, users, account);
      const thief = (await post('signin', account)).body.accessToken;
      await post('signin/link', { email: account.email });
      assert.equal((await post('signin/link/token', { token: await token() })).status, 200);
      assert.equal((await post('signin', account)).body.error.name, 'UserInvalidLoginParams');
      assert.equal(await me(thief), undefined);
      // From now on the password is the owner's, and stays.
      await post('password/forgot', { email: account.email });
      assert.equal((await post('password/reset', { token: await token(), password: 'my own' })).status, 200);
      await post('signin/link', { email: account.email });
      assert.equal((await post('signin/link/token', { token: await token() })).status, 200);
      assert.equal((await post('signin', { ...account, password: 'my own' })).status, 200);
    });

    test('where it is required, a password signs in only after the address is confirmed', async () => {
      await policy({ emailVerification: 'required' });
      const account = someone();
      await create(app, users, account);
      const first = await token();
      assert.equal(sink.mails.at(-1)?.to, account.email);
      const early = await post('signin', account);
      assert.deepEqual(refusal(early), [404, 'UserInvalidLoginParams']);
      assert.match(early.body.error.error, /has not been confirmed yet/);
      const wrong = await post('signin', { ...account, password: 'wrong' });
      assert.equal(wrong.body.error.error, early.body.error.error);
      assert.equal((await post('signin/link/token', { token: first })).body.error.name, 'UserInvalidLoginParams');
      assert.equal((await post('email/verify', { token: first })).status, 200);
      assert.equal((await post('email/verify', { token: first })).body.error.name, 'UserInvalidLoginParams');
      assert.equal((await post('signin', account)).status, 200);
      await post('email/verification', { email: account.email });
      await app.app.idle();
      assert.equal(sink.mails.length, 1, 'who has confirmed is not asked again');
    });

    test('where it is required, nobody learns by signing up or by a new address that somebody has an account', async () => {
      await policy({ emailVerification: 'required' });
      const [owner, free, thief] = [someone(), someone(), someone()];
      await create(app, users, owner);
      await post('email/verify', { token: await token() });
      await create(app, users, thief);
      await post('email/verify', { token: await token() });
      const { accessToken } = (await post('signin', thief)).body;
      await app.app.idle();
      sink.mails.length = 0;
      const signUp = (email: string) =>
        app.send({ method: 'POST', url: users, body: { ...thief, email, password: 'the thief’s' } });
      const shape = ({ status, body }: Answer) => [
        status,
        JSON.stringify(body).replace(/"(objectId|requestId|createdAt)":"[^"]*"/g, '$1'),
      ];
      const taken = await signUp(` ${owner.email.toUpperCase()}`);
      assert.deepEqual(shape(taken), shape(await signUp(free.email)));
      assert.equal(taken.status, 201);
      for (const password of ['the thief’s', 'another'])
        assert.deepEqual(
          shape(await post('signin', { email: owner.email, password })),
          shape(await post('signin', { email: free.email, password })),
        );
      const headers = { authorization: `Bearer ${accessToken}` };
      const move = (email: string) =>
        app.send({ method: 'PATCH', url: `${users}/me`, headers, body: { email, currentPassword: thief.password } });
      const wanted = await move(owner.email);
      const moved = await move(someone().email);
      assert.deepEqual(
        [wanted.status, Object.keys(wanted.body.result)],
        [moved.status, Object.keys(moved.body.result)],
      );
      await app.app.idle();
      const toOwner = sink.mails.filter(({ to }) => to === owner.email).map(({ data }) => data);
      assert.equal(toOwner.length, 2);
      for (const mail of toOwner) {
        assert.match(mail, /You have an account with it already/);
        assert.ok(!mail.includes('token='), 'with no link that a stranger has asked for');
      }
      assert.equal((await post('signin', owner)).status, 200, 'and nothing has changed for the owner');
      const rows = await app.storage.db.all(raw(`select 1 from users where email_key = '${owner.email}'`));
      assert.equal(rows.length, 1);
      // A server with a secret key is told.
      const scopes = [{ resource: 'users', verbs: ['create'] }];
      const key = await app.app.secretKeys.create(app.appId, { name: 'Server', scopes }, commandLine);
      const byServer = { 'x-service-appkey': key.secretKey };
      const told = await app.send({ method: 'POST', url: users, headers: byServer, body: owner });
      assert.deepEqual(refusal(told), [400, 'UserEmailTaken']);
    });

    test('a new address is asked to be confirmed, and the link to the former one opens nothing', async () => {
      await policy({ emailVerification: 'optional' });
      const account = someone();
      await create(app, users, account);
      const former = await token();
      const { accessToken } = (await post('signin', account)).body;
      const email = `new-${account.email}`;
      const changed = await app.send({
        method: 'PUT',
        url: `${users}/me`,
        headers: { authorization: `Bearer ${accessToken}` },
        body: { email, currentPassword: account.password },
      });
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
      await app.app.idle();
      assert.equal((await post('email/verify', { token: former })).body.error.name, 'UserInvalidLoginParams');
      const mail = sink.mails.find(({ to }) => to === email);
      assert.equal((await me(accessToken)).emailVerifiedAt, null);
      const link = linkIn(mail?.data);
      assert.equal((await post('email/verify', { token: link.searchParams.get('token') ?? '' })).status, 200);
      assert.ok((await me(accessToken)).emailVerifiedAt);
    });

    test('where it is required, an account gets a new address when that is confirmed, and not before', async () => {
      await policy({ emailVerification: 'required' });
      const account = someone();
      await create(app, users, account);
      assert.equal((await post('email/verify', { token: await token() })).status, 200);
      const { accessToken } = (await post('signin', account)).body;
      const headers = { authorization: `Bearer ${accessToken}` };
      const change = (body: object) =>
        app.send({
          method: 'PATCH',
          url: `${users}/me`,
          headers,
          body: { currentPassword: account.password, ...body },
        });
      const email = `New-${account.email}`;
      const asked = async (to = email) => {
        assert.equal((await change({ email: to })).status, 200);
        await app.app.idle();
        const mail = sink.mails.findLast((one) => one.to.toLowerCase() === to.toLowerCase());
        return { token: linkIn(mail?.data).searchParams.get('token') ?? '' };
      };
      const mistyped = await asked(`n-${account.email}`);
      sink.mails.length = 0;
      const link = await asked();
      assert.equal((await post('email/verify', mistyped)).body.error.name, 'UserInvalidLoginParams');
      const told = () => sink.mails.filter(({ to }) => to === account.email).map(({ data }) => data);
      assert.equal(told().length, 1);
      assert.match(told()[0] ?? '', /asked for another e-mail address/);
      assert.deepEqual(
        [(await me(accessToken)).validemail, (await post('signin', { ...account, email })).status],
        [account.email, 404],
      );
      assert.equal((await post('email/verify', link)).status, 200);
      await app.app.idle();
      assert.match(told()[1] ?? '', /was changed/);
      const now = await me(accessToken);
      assert.deepEqual([now.validemail, typeof now.emailVerifiedAt], [email, 'string']);
      assert.equal((await post('signin', { ...account, email })).status, 200);
      assert.equal((await post('signin', account)).status, 404);
      assert.equal((await post('email/verify', link)).body.error.name, 'UserInvalidLoginParams');

      // Somebody else gets the address first.
      const taken = await asked(`taken-${account.email}`);
      const other = { ...someone(), email: `taken-${account.email}` };
      await create(app, users, other);
      assert.equal((await post('email/verify', taken)).body.error.name, 'UserEmailTaken');
      assert.equal((await change({ email: other.email })).status, 200, 'nobody learns here that it is taken');

      // Whoever takes the password back takes back what was asked with it.
      const thiefs = await asked(`thief-${account.email}`);
      await post('password/forgot', { email });
      await post('password/reset', { token: await token(), password: 'my own' });
      assert.equal((await post('email/verify', thiefs)).body.error.name, 'UserInvalidLoginParams');
      const again = (await post('signin', { email, password: 'my own' })).body;
      assert.equal((await me(again.accessToken)).validemail, email);
    });

    test('mails to new addresses are counted like other mails', async () => {
      await policy({ emailVerification: 'required' });
      const account = someone();
      await create(app, users, account);
      await post('email/verify', { token: await token() });
      const { accessToken } = (await post('signin', account)).body;
      const body = { email: `many-${account.email}`, currentPassword: account.password };
      const statuses = [];
      for (let n = 0; n < 4; n++) {
        const headers = { authorization: `Bearer ${accessToken}` };
        statuses.push((await app.send({ method: 'PATCH', url: `${users}/me`, headers, body })).status);
      }
      assert.deepEqual(statuses, [200, 200, 200, 429]);
    });

    test('the page of the service confirms when its button is pressed, and not when it is opened', async () => {
      await policy({ emailVerification: 'optional' });
      const account = someone();
      await create(app, users, account);
      await app.app.idle();
      const link = linkIn(sink.mails.at(-1)?.data);
      const open = () => app.send({ method: 'GET', url: `${link.pathname}${link.search}` });
      for (const _ of [1, 2]) assert.match(String((await open()).body), /The address is mine/);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const pressed = await app.send({ method: 'POST', url: link.pathname, headers, body: link.search.slice(1) });
      assert.equal(pressed.status, 200);
      assert.equal((await open()).status, 404);
    });
  });
}
