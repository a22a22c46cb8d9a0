import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import type { SentRequest, TestApp } from '../../../../test/support/build-app.ts';
import {
  type Browser,
  browserOf,
  consoleOrigin,
  enrolPasskey,
  enrolTotp,
  openConsole,
  password,
  sendFromConsole,
  signInToConsole,
} from '../../../../test/support/console.ts';
import { halfway } from '../../../../test/support/halfway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../../test/support/servers/identity-provider.ts';
import {
  addProvider,
  goThrough,
  openSignOnSite,
  type SignOnSite,
  whoIs,
} from '../../../../test/support/servers/single-sign-on.ts';
import { SoftwarePasskey } from '../../../../test/support/servers/software-passkey.ts';
import { secretHash } from '../../../access/access.ts';
import { sql } from '../../../base/sql.ts';

const me: SentRequest = { method: 'GET', url: '/session' };

/** Two things that happen to an administrator at the same moment; on SQLite one of them is over before the other begins. */
describe('of two changes of an administrator at the same moment', () => {
  let site: SignOnSite;
  let app: TestApp;
  let another: IdentityProvider;
  beforeAll(async () => {
    site = await openSignOnSite('postgres');
    ({ app } = site);
    another = await startIdentityProvider();
  });
  afterAll(async () => {
    await site.close();
    await another.close();
  });
  beforeEach(() => site.calm());

  /** The token of a link to a new password. */
  async function linkFor({ adminId }: Browser): Promise<string> {
    const token = `${adminId}${'x'.repeat(43)}`.slice(0, 43);
    await app.storage.db.run(sql`insert into admin_links (token_hash, kind, subject, expires_at)
      values (${secretHash(token)}, 'reset', ${adminId}, ${app.clock.now + 60_000})`);
    return token;
  }

  test('a new role does not bring back the password that a link has replaced', async () => {
    const ed = await openConsole(app, 'editor');
    const body = { token: await linkFor(ed), password: 'another long enough secret' };
    const [changed, reset] = await halfway(
      app,
      /^update admins set /,
      () => site.asOwner('PUT', `/administrators/${ed.adminId}`, { role: 'manager' }),
      () => sendFromConsole(app, { method: 'POST', url: '/links/password', body }),
    );
    assert.deepEqual([changed.status, reset.status], [200, 200], JSON.stringify([changed.body, reset.body]));
    assert.equal((await signInToConsole(app, ed.email)).status, 404);
    const { role } = (await app.app.admins.findByEmail(ed.email)) ?? {};
    assert.equal(role, 'manager');
  });

  test('whoever is cast out by a new password adds no passkey, and chooses no other password', async () => {
    for (const what of ['passkey', 'password']) {
      const ed = await openConsole(app, 'editor');
      const asked = (await ed.send({ method: 'POST', url: '/session/passkeys/challenge' })).body.result;
      const answered = new SoftwarePasskey(consoleOrigin).register(asked);
      const act = () =>
        what === 'passkey'
          ? ed.send({ method: 'POST', url: '/session/passkeys', body: { name: 'Mine', passkey: answered } })
          : ed.send({
              method: 'PUT',
              url: '/session/password',
              body: { currentPassword: password, password: 'the secret of a thief' },
            });
      const body = { token: await linkFor(ed), password: 'another long enough secret' };
      const [acted, reset] = await halfway(
        app,
        /from admins (a where a.admin_id = \?|where role = 'owner' and disabled_at is null) for update/,
        act,
        () => sendFromConsole(app, { method: 'POST', url: '/links/password', body }),
      );
      assert.equal(reset.status, 200, JSON.stringify(reset.body));
      assert.ok(acted.status === 403 || acted.status === 404, JSON.stringify(acted.body));
      const { body: state } = await sendFromConsole(app, {
        method: 'POST',
        url: '/session',
        body: { email: ed.email, password: body.password },
      });
      assert.equal(state.result?.secondFactor, false, JSON.stringify(state));
    }
  });

  test('a passkey that is removed while it signs in leaves no session, also where there are other factors', async () => {
    const ed = await openConsole(app, 'editor');
    const { key, passkey } = await enrolPasskey(ed);
    await enrolTotp(app, ed);
    const asked = await sendFromConsole(app, { method: 'POST', url: '/session/passkey/challenge' });
    const [answer, gone] = await halfway(
      app,
      /from admins a where a.admin_id = \? for update/,
      () =>
        sendFromConsole(app, {
          method: 'POST',
          url: '/session/passkey',
          body: { passkey: key.sign(asked.body.result) },
        }),
      () => ed.send({ method: 'DELETE', url: `/session/passkeys/${passkey.passkeyId}` }),
    );
    assert.equal(gone.status, 200, JSON.stringify(gone.body));
    assert.equal(answer.status, 404, JSON.stringify(answer.body));
  });

  test('whoever is limited to some apps while adding or changing a webhook is not told of the service by it', async () => {
    const all = `/apps/${app.appId}/webhooks`;
    const hook = { url: 'https://93.184.215.14/hook', events: ['service.alert.ended'] };
    for (const method of ['POST', 'PUT'] as const) {
      const manager = await openConsole(app, 'manager');
      const { objectId } = (await site.owner.send({ method: 'POST', url: all, body: hook })).body.result;
      const request =
        method === 'POST'
          ? { method, url: all, body: hook }
          : { method, url: `${all}/${objectId}`, body: { description: 'ours' } };
      const [added, limited] = await halfway(
        app,
        method === 'POST' ? /^insert into webhooks/ : /^update webhooks set url/,
        () => manager.send(request),
        () => site.asOwner('PUT', `/administrators/${manager.adminId}`, { apps: [{ appId: app.appId }] }),
      );
      assert.equal(limited.status, 200, JSON.stringify(limited.body));
      const listening = await app.storage.db.all(sql`select 1 as found from webhooks
        where service_by = ${manager.email} and is_enabled = 1`);
      assert.deepEqual([added.status < 300 || added.status === 403, listening], [true, []], JSON.stringify(added.body));
    }
  });

  test('nobody gives up the last two ways to sign in', async () => {
    site.person(['it']);
    const { adminId } = (await whoIs(app, await goThrough(app, site.providerId))) ?? {};
    const cookie = (await goThrough(app, site.providerId)).cookies.get('pharos') ?? '';
    const anotherId = await addProvider(site.owner, another, { name: 'Another' });
    await app.storage.db.run(sql`insert into admin_identities (issuer, subject, admin_id, created_at, last_used_at)
      values (${another.issuer}, 'pat', ${adminId ?? ''}, 0, 0)`);
    await sendFromConsole(app, { method: 'POST', url: '/session/confirm', body: {} }, cookie);
    const giveUp = (id: string) => () =>
      sendFromConsole(app, { method: 'DELETE', url: `/session/identities/${id}` }, cookie);
    const both = await halfway(app, /^insert into audit/, giveUp(site.providerId), giveUp(anotherId));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403], JSON.stringify(both.map(({ body }) => body)));
  });

  test('nobody signs in with a password any more once only single sign-on is allowed', async () => {
    const account = site.person(['heads']);
    const head = await goThrough(app, site.providerId);
    assert.equal((await whoIs(app, head))?.email, `${account}@museum.example`);
    const ed = await openConsole(app, 'editor');
    const only = (isOnly: boolean) =>
      sendFromConsole(app, { method: 'PUT', url: '/sso', body: { only: isOnly } }, head.cookies.get('pharos') ?? '');
    const [signedIn, changed] = await halfway(
      app,
      /from admins a where a.admin_id = \? for update/,
      () => signInToConsole(app, ed.email),
      () => only(true),
    );
    try {
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
      const isIn = signedIn.status === 201 && (await browserOf(app, signedIn).send(me)).status === 200;
      assert.equal(isIn, false);
    } finally {
      await only(false);
    }
  });
});
