import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { buildApp, databases, type SentRequest } from '../../../../../test/support/build-app.ts';
import { assertRefusals } from '../../../../../test/support/cases.ts';
import {
  consoleOrigin,
  enrolTotp,
  openConsole,
  password,
  sendFromConsole,
  signInToConsole,
} from '../../../../../test/support/console.ts';
import { startIdentityProvider } from '../../../../../test/support/servers/identity-provider.ts';
import {
  addProvider,
  arrive,
  depart,
  goThrough,
  loopback,
  openSignOnSite,
  type SignOnSite,
  visitProvider,
  whoIs,
} from '../../../../../test/support/servers/single-sign-on.ts';
import { commandLine } from '../../../../access/audit.ts';
import { sql } from '../../../../base/sql.ts';
import { openLocalSignIn } from './local-sign-in.ts';

/** What a sign-in at a provider is good for, how long, and at which. */

for (const database of databases) {
  describe(`single sign-on of administrators on ${database}`, () => {
    let site: SignOnSite;
    beforeAll(async () => {
      site = await openSignOnSite(database);
    });
    afterAll(() => site?.close());
    beforeEach(() => site.calm());

    test('is confirmed by signing in again at the provider, and only by the same person', async () => {
      // Of this service the clock is the provider's: it says when somebody has signed in.
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const first = await openConsole(fresh, 'owner');
        const id = await addProvider(first, site.idp);
        const account = site.person(['heads']);
        const arrived = await goThrough(fresh, id);
        const cookie = arrived.cookies.get('pharos') ?? '';
        const dangerous = async () => {
          const request = { method: 'PUT', url: `/sso-providers/${id}`, body: { trustsEmail: false } } as const;
          return (await sendFromConsole(fresh, request, cookie)).body.error?.name;
        };
        await fresh.storage.db.run(sql`update admin_sessions set confirmed_at = ${fresh.clock.now - 3_600_000}`);
        assert.equal(await dangerous(), 'ConfirmationNeeded');
        const how = { path: '/session/confirm/sso', cookie, next: '/administrators' };
        const { address } = await depart(fresh, id, how);
        assert.equal(new URL(address).searchParams.get('prompt'), 'login');
        site.person(['heads']);
        assert.equal((await goThrough(fresh, id, how)).page, '/console/account?problem=other');
        assert.equal(await dangerous(), 'ConfirmationNeeded');
        site.idp.visitor = account;
        assert.equal((await goThrough(fresh, id, how)).page, '/console/administrators');
        assert.equal(await dangerous(), undefined);
        // What the provider remembers from earlier is not enough, even if it ignores what it was asked.
        const jar = new Map<string, string>();
        const early = await depart(fresh, id);
        await visitProvider(early.address, jar);
        await fresh.storage.db.run(sql`update admin_sessions set confirmed_at = ${fresh.clock.now - 3_600_000}`);
        fresh.clock.now += 60_000;
        const lazy = await depart(fresh, id, how);
        const silent = new URL(lazy.address);
        for (const name of ['prompt', 'max_age']) silent.searchParams.delete(name);
        const url = await visitProvider(silent.href, jar);
        assert.match((await arrive(fresh, url, lazy.cookie)).page, /^\/console\/account\?problem=provider$/);
        assert.equal(await dangerous(), 'ConfirmationNeeded');
      } finally {
        await fresh.close();
      }
    });

    test('counts as a second factor if the provider says so in a way that the owner trusts', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const first = await openConsole(fresh, 'owner');
        const id = await addProvider(first, site.idp, { factorValues: ['mfa'] });
        await enrolTotp(fresh, first);
        const required = { method: 'PUT', url: '/security', body: { secondFactorRequired: true } } as const;
        assert.equal((await first.send(required)).status, 200);
        site.person(['it']);
        assert.equal((await goThrough(fresh, id)).page, '/console/sign-in?problem=factor');
        site.idp.amr = ['pwd', 'mfa'];
        assert.equal((await whoIs(fresh, await goThrough(fresh, id)))?.mustEnrol, false);
      } finally {
        await fresh.close();
      }
    });

    test('lasts as long as an owner says, so that nobody keeps access for longer after leaving a group', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const first = await openConsole(fresh, 'owner');
        const id = await addProvider(first, site.idp);
        const signedInAt = fresh.clock.now;
        const arrive = async () => {
          // The provider's clock stands.
          fresh.clock.now = signedInAt;
          const { page, cookies } = await goThrough(fresh, id);
          assert.equal(page, '/console/apps');
          return cookies.get('pharos') ?? '';
        };
        const status = async (cookie: string) =>
          (await sendFromConsole(fresh, { method: 'GET', url: '/session' }, cookie)).status;
        const keepInUse = async (cookie: string, hours: number) => {
          for (let n = 0; n < hours; n++) {
            assert.equal(await status(cookie), 200, `after ${n} h`);
            assert.equal((await first.send({ method: 'GET', url: '/session' })).status, 200);
            fresh.clock.now += 3_600_000;
            await fresh.app.idle();
          }
        };
        const account = site.person(['curators']);
        const day = await arrive();
        await keepInUse(day, 12);
        assert.equal(await status(day), 403, 'half a day, also if it is used');
        const put = (sessionHours: unknown) => first.send({ method: 'PUT', url: '/sso', body: { sessionHours } });
        await first.send({ method: 'POST', url: '/session/confirm', body: { password } });
        for (const wrong of [0, 169, 1.5, '8']) assert.equal((await put(wrong)).status, 400, String(wrong));
        assert.deepEqual((await put(48)).body.result, { only: false, sessionHours: 48 });
        site.idp.visitor = account;
        const long = await arrive();
        await keepInUse(long, 13);
        await first.send({ method: 'POST', url: '/session/confirm', body: { password } });
        assert.equal((await put(14)).status, 200);
        assert.equal(await status(long), 200);
        assert.equal((await put(13)).status, 200);
        assert.equal(await status(long), 403, 'also of sessions that began before');
        assert.equal(
          (await first.send({ method: 'GET', url: '/session' })).status,
          200,
          'not of those with a password',
        );
        assert.equal((await put(2)).status, 200);
        // Whoever sets a password goes on in a new session, which ends with the first.
        const editor = await arrive();
        await keepInUse(editor, 1);
        await fresh.storage.db.run(sql`update admin_sessions set confirmed_at = ${fresh.clock.now}`);
        const changed = await sendFromConsole(
          fresh,
          { method: 'PUT', url: '/session/password', body: { password: 'another long password' } },
          editor,
        );
        assert.equal(changed.status, 200, JSON.stringify(changed.body));
        const [line = ''] = [changed.headers['set-cookie']].flat().map(String);
        const next = line.split(';')[0] ?? '';
        await keepInUse(next, 1);
        assert.equal(await status(next), 403);
      } finally {
        await fresh.close();
      }
    });

    test('reads the groups again when somebody confirms it, and ends without one', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const first = await openConsole(fresh, 'owner');
        const id = await addProvider(first, site.idp);
        const account = site.person(['it']);
        const cookie = (await goThrough(fresh, id)).cookies.get('pharos') ?? '';
        const role = async () =>
          (await sendFromConsole(fresh, { method: 'GET', url: '/session' }, cookie)).body.result?.role;
        assert.equal(await role(), 'manager');
        const how = { path: '/session/confirm/sso', cookie, next: '/apps' };
        const now = { email: `${account}@museum.example`, email_verified: true };
        site.idp.accounts.set(account, { ...now, groups: ['curators'] });
        assert.equal((await goThrough(fresh, id, how)).page, '/console/apps');
        assert.equal(await role(), 'editor');
        site.idp.accounts.set(account, { ...now, groups: [] });
        assert.match((await goThrough(fresh, id, how)).page, /problem=role/);
        assert.equal(await role(), undefined);
      } finally {
        await fresh.close();
      }
    });

    test('can be the only way; the command line opens another one for an owner', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const first = await openConsole(fresh, 'owner');
        const editor = await openConsole(fresh, 'editor');
        const id = await addProvider(first, site.idp);
        const only = { method: 'PUT', url: '/sso', body: { only: true } } as const;
        assert.equal((await first.send(only)).body.error.name, 'OperationForbidden');
        site.person(['heads'], { email: first.email });
        await goThrough(fresh, id, { path: '/session/identities', cookie: first.cookie });
        const arrived = await goThrough(fresh, id);
        const send = (request: SentRequest) => sendFromConsole(fresh, request, arrived.cookies.get('pharos'));
        assert.equal((await send(only)).status, 200);
        for (const { send } of [first, editor])
          assert.equal((await send({ method: 'GET', url: '/session' })).status, 403);
        for (const { email } of [first, editor])
          assert.equal((await signInToConsole(fresh, email)).body.error.name, 'OperationForbidden');
        for (const request of [
          { method: 'PUT', url: `/sso-providers/${id}`, body: { enabled: false } },
          { method: 'DELETE', url: `/sso-providers/${id}` },
        ] as const)
          assert.equal((await send(request)).body.error.name, 'OperationForbidden');
        const until = fresh.clock.now + 3_600_000;
        for (const { adminId } of [first, editor])
          await openLocalSignIn(
            { db: fresh.storage.db, now: () => fresh.clock.now },
            { adminId, until, by: commandLine },
          );
        assert.equal((await signInToConsole(fresh, first.email)).status, 201);
        assert.equal((await signInToConsole(fresh, editor.email)).status, 403);
        fresh.clock.now = until;
        assert.equal((await signInToConsole(fresh, first.email)).status, 403);
      } finally {
        await fresh.close();
      }
    });

    test('ends with the provider: its sessions, and their agents, stop when it is switched off or deleted', async () => {
      const other = await startIdentityProvider();
      try {
        await site.asOwner('PUT', `/sso-providers/${site.providerId}`, {});
        const id = await addProvider(site.owner, other, { name: 'Branch' });
        for (const end of [
          () => site.asOwner('PUT', `/sso-providers/${id}`, { enabled: false }),
          () => site.asOwner('DELETE', `/sso-providers/${id}`),
        ]) {
          await site.asOwner('PUT', `/sso-providers/${id}`, { enabled: true });
          const account = site.person(['curators']);
          other.visitor = account;
          other.accounts.set(account, site.idp.accounts.get(account) ?? {});
          const arrived = await goThrough(site.app, id);
          assert.equal((await whoIs(site.app, arrived))?.role, 'editor');
          const { appId, clock } = site.app;
          const body = { appId, name: 'Assistant', mayWrite: false, days: 30 };
          const request = { method: 'POST', url: '/session/agents', body } as const;
          const made = (await sendFromConsole(site.app, request, arrived.cookies.get('pharos'))).body.result;
          assert.ok(Date.parse(made.agent.expiresAt) <= clock.now + 12 * 3_600_000, 'no longer than the session');
          const url = `/console/api/apps/${appId}/v2/beacons`;
          const headers = { authorization: `Bearer ${made.token}` };
          assert.equal((await site.app.send({ method: 'GET', url, headers })).status, 200);
          assert.equal((await end()).status, 200);
          assert.equal(await whoIs(site.app, arrived), undefined);
          assert.equal((await site.app.send({ method: 'GET', url, headers })).status, 403);
        }
      } finally {
        await other.close();
      }
    });

    test('keeps the secret of the client encrypted, and never shows it', async () => {
      const { raw } = await site.owner.send({ method: 'GET', url: '/sso-providers' });
      const audit = await site.owner.send({ method: 'GET', url: '/audit?limit=1000' });
      const stored = await site.app.storage.db.all(sql`select * from sso_providers`);
      for (const text of [raw.toString(), audit.raw.toString(), JSON.stringify(stored)])
        assert.ok(!text.includes(site.idp.consoleClient.clientSecret));
    });

    test('refuses providers at which nobody could sign in safely', async () => {
      await site.owner.send({ method: 'POST', url: '/session/confirm', body: { password } });
      const post = (change: object) => ({
        method: 'POST' as const,
        url: '/console/api/sso-providers',
        body: { name: 'Another', issuer: 'https://login.museum.example', clientId: 'x', ...change },
      });
      const refused = { status: 400, code: 142 };
      await assertRefusals(site.app, { cookie: site.owner.cookie, origin: consoleOrigin }, [
        { rule: 'an address', request: post({ issuer: 'login' }), ...refused, fields: ['issuer'] },
        { rule: 'no private address', request: post({ issuer: 'https://10.0.0.1' }), ...refused, fields: ['issuer'] },
        { rule: 'openid', request: post({ issuer: site.idp.issuer, scopes: 'email' }), ...refused, fields: ['scopes'] },
        { rule: 'no owners by default', request: post({ defaultRole: 'owner' }), ...refused, fields: ['defaultRole'] },
        {
          rule: 'groups need a claim',
          request: post({ issuer: 'http://127.0.0.1:9', roles: { editor: ['a'] } }),
          ...refused,
          fields: ['groupsClaim'],
        },
        { rule: 'once', request: post({ issuer: site.idp.issuer }), status: 409, code: 137 },
      ]);
    });
  });
}
