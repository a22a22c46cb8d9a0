import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildApp, databases, type SentRequest, type TestApp } from '../../../../test/support/build-app.ts';
import { assertRefusals } from '../../../../test/support/cases.ts';
import {
  type Browser,
  consoleOrigin,
  enrolTotp,
  openConsole,
  password,
  sendFromConsole,
  signInToConsole,
} from '../../../../test/support/console.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../../test/support/identity-provider.ts';
import {
  type Arrived,
  addProvider,
  arrive,
  depart,
  goThrough,
  loopback,
  visitProvider,
  whoIs,
} from '../../../../test/support/single-sign-on.ts';
import { commandLine } from '../../../access/audit.ts';
import { sql } from '../../../base/sql.ts';
import { openLocalSignIn } from './local-sign-in.ts';

for (const database of databases) {
  describe(`single sign-on of administrators on ${database}`, () => {
    let app: TestApp;
    let idp: IdentityProvider;
    let owner: Browser;
    let providerId: string;
    before(async () => {
      app = await buildApp({ database, settings: loopback });
      idp = await startIdentityProvider();
      owner = await openConsole(app, 'owner');
      providerId = await addProvider(owner, idp);
    });
    after(async () => {
      await idp?.close();
      await app?.close();
    });
    beforeEach(() => {
      idp.condition = 'up';
      idp.visitor = undefined;
      idp.amr = [];
      // The limit of attempts of one address.
      app.clock.now += 60_000;
    });

    let people = 0;
    /** Somebody at the provider, who is about to sign in. */
    function person(groups: readonly string[], more: object = {}): string {
      const account = `person${++people}`;
      const email = `${account}@museum.example`;
      idp.accounts.set(account, {
        email,
        email_verified: true,
        given_name: 'Pat',
        family_name: 'Example',
        groups,
        ...more,
      });
      idp.visitor = account;
      return account;
    }
    const list = async () => (await app.app.admins.list()).map(({ email }) => email);
    const as = (arrived: Arrived, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object) =>
      sendFromConsole(app, { method, url, ...(body ? { body } : {}) }, arrived.cookies.get('pharos') ?? '');
    /** Owners confirm what they change. */
    const asOwner = async (method: 'PUT' | 'DELETE' | 'POST', url: string, body?: object) => {
      await owner.send({ method: 'POST', url: '/session/confirm', body: { password: 'a long enough secret' } });
      return owner.send({ method, url, ...(body ? { body } : {}) });
    };

    test('makes an administrator with the role of the group, who goes on where she wanted to', async () => {
      const account = person(['visitors', 'curators']);
      const arrived = await goThrough(app, providerId, { next: '/apps?x=1' });
      assert.equal(arrived.page, '/console/apps?x=1');
      const { email, name, role } = (await whoIs(app, arrived)) ?? {};
      assert.deepEqual(
        { email, name, role },
        { email: `${account}@museum.example`, name: 'Pat Example', role: 'editor' },
      );
      const [session] = (await as(arrived, 'GET', '/sessions')).body.results;
      assert.equal(session.method, 'single sign-on');
      assert.equal(arrived.cookies.get('pharos-sso'), 'pharos-sso=');
    });

    test('knows somebody again by issuer and subject, whatever the address is now', async () => {
      const account = person(['curators']);
      const first = await whoIs(app, await goThrough(app, providerId));
      idp.accounts.set(account, { email: 'other@museum.example', email_verified: true, groups: ['it'] });
      const again = await whoIs(app, await goThrough(app, providerId));
      assert.equal(again?.adminId, first?.adminId);
      assert.deepEqual([first?.role, again?.role], ['editor', 'manager']);
    });

    test('gives the role of the groups at each sign-in, and refuses who has left them all', async () => {
      const account = person(['it']);
      const before = await goThrough(app, providerId);
      assert.equal((await whoIs(app, before))?.role, 'manager');
      idp.accounts.set(account, { ...idp.accounts.get(account), groups: ['curators'] });
      await goThrough(app, providerId);
      assert.equal((await whoIs(app, before))?.role, 'editor');
      idp.accounts.set(account, { ...idp.accounts.get(account), groups: [] });
      const refused = await goThrough(app, providerId);
      assert.equal(refused.page, '/console/sign-in?problem=role');
      assert.equal(refused.cookies.has('pharos'), false);
      assert.equal(await whoIs(app, before), undefined);
    });

    test('refuses strangers without a group, and those whose address nobody has verified', async () => {
      const known = await list();
      person([]);
      assert.equal((await goThrough(app, providerId)).page, '/console/sign-in?problem=role');
      person(['it'], { email_verified: false });
      assert.equal((await goThrough(app, providerId)).page, '/console/sign-in?problem=address');
      person(['it'], { email_verified: undefined });
      assert.equal((await goThrough(app, providerId)).page, '/console/sign-in?problem=address');
      assert.deepEqual(await list(), known);
    });

    test('takes over no account that is there already; its owner connects the two', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const id = await addProvider(await openConsole(fresh, 'owner'), idp);
        const editor = await openConsole(fresh, 'editor');
        person(['it'], { email: editor.email.toUpperCase() });
        assert.equal((await goThrough(fresh, id)).page, '/console/sign-in?problem=taken');
        const connected = await goThrough(fresh, id, {
          path: '/session/identities',
          cookie: editor.cookie,
          next: '/account',
        });
        assert.equal(connected.page, '/console/account');
        const { adminId, role } = (await whoIs(fresh, await goThrough(fresh, id))) ?? {};
        assert.deepEqual({ adminId, role }, { adminId: editor.adminId, role: 'manager' });
        const other = await openConsole(fresh, 'editor');
        const how = { path: '/session/identities', cookie: other.cookie };
        assert.equal((await goThrough(fresh, id, how)).page, '/console/account?problem=connected');
      } finally {
        await fresh.close();
      }
    });

    test('lets an invited person in, and uses up the invitation', async () => {
      const account = person(['curators']);
      const email = `${account}@museum.example`;
      await asOwner('POST', '/invitations', { email, role: 'analyst' });
      assert.equal((await whoIs(app, await goThrough(app, providerId)))?.role, 'editor');
      const { body } = await owner.send({ method: 'GET', url: '/invitations' });
      assert.deepEqual(body.results, []);
    });

    test('whoever joins uninvited has the apps and venues that the provider names, and none unless it names any', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const boss = await openConsole(fresh, 'owner');
        const id = await addProvider(boss, idp, { joinApps: undefined });
        const confirm = () =>
          boss.send({ method: 'POST', url: '/session/confirm', body: { password: 'a long enough secret' } });
        const change = async (joinApps: unknown) => {
          await confirm();
          return boss.send({ method: 'PUT', url: `/sso-providers/${id}`, body: { joinApps } });
        };
        const join = async (groups: readonly string[]) => {
          // The limit of attempts of one address.
          fresh.clock.now += 60_000;
          person(groups);
          const arrived = await goThrough(fresh, id);
          const look = (url: string) => sendFromConsole(fresh, { method: 'GET', url }, arrived.cookies.get('pharos'));
          return { apps: (await whoIs(fresh, arrived))?.apps, look };
        };
        const appUrl = `/apps/${fresh.appId}`;

        const first = await join(['it']);
        assert.deepEqual(first.apps, [], 'no app until somebody gives one');
        assert.deepEqual((await first.look('/apps')).body.results, []);
        assert.equal((await first.look(appUrl)).status, 404);
        assert.equal((await first.look('/administrators')).status, 403);
        assert.equal((await join(['heads'])).apps, null, 'an owner is limited to nothing');

        const limit = [{ appId: fresh.appId, role: 'analyst', venues: ['somewhere'] }];
        assert.deepEqual((await change(limit)).body.result.joinApps, limit);
        assert.deepEqual((await join(['it'])).apps, limit);
        assert.deepEqual(
          await first.look('/apps').then(({ body }) => body.results),
          [],
          'who was there keeps what was given',
        );
        assert.equal((await change('all')).body.result.joinApps, 'all');
        const last = await join(['curators']);
        assert.equal(last.apps, null);
        assert.equal((await last.look(appUrl)).status, 200);
        assert.deepEqual((await change(null)).body.result.joinApps, []);

        const twice = await change([{ appId: fresh.appId }, { appId: fresh.appId }]);
        assert.deepEqual(twice.body.error.details, [{ field: 'joinApps.1.appId', problem: 'is there twice' }]);
        assert.equal((await change([{ appId: fresh.appId, role: 'owner' }])).status, 400);
        const { results } = (await boss.send({ method: 'GET', url: '/audit?limit=100' })).body;
        type Entry = { action: string; after: { apps: unknown } };
        const joined = results.filter(({ action }: Entry) => action === 'single-sign-on.join');
        assert.deepEqual(
          joined.map(({ after }: Entry) => after.apps),
          [null, limit, null, []],
        );

        person(['it']);
        await confirm();
        const email = `person${people}@museum.example`;
        const apps = [{ appId: fresh.appId }];
        await boss.send({ method: 'POST', url: '/invitations', body: { email, role: 'editor', apps } });
        fresh.clock.now += 60_000;
        assert.deepEqual((await whoIs(fresh, await goThrough(fresh, id)))?.apps, apps, 'the invitation has its own');
      } finally {
        await fresh.close();
      }
    });

    test('a provider from before keeps giving the role everywhere', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const boss = await openConsole(fresh, 'owner');
        const id = await addProvider(boss, idp, { joinApps: [] });
        // As the migration leaves it.
        await fresh.storage.db.run(sql`update sso_providers set join_apps = null`);
        person(['it']);
        assert.equal((await whoIs(fresh, await goThrough(fresh, id)))?.apps, null);
        const { body } = await boss.send({ method: 'GET', url: `/sso-providers/${id}` });
        assert.equal(body.result.joinApps, 'all');
      } finally {
        await fresh.close();
      }
    });

    test('never demotes or refuses the last owner', async () => {
      const alone = await buildApp({ database, settings: loopback });
      try {
        const first = await openConsole(alone, 'owner');
        const id = await addProvider(first, idp);
        const account = person(['heads'], { email: first.email });
        await goThrough(alone, id, { path: '/session/identities', cookie: first.cookie });
        for (const groups of [['curators'], []]) {
          idp.accounts.set(account, { ...idp.accounts.get(account), groups });
          assert.equal((await whoIs(alone, await goThrough(alone, id)))?.role, 'owner');
        }
      } finally {
        await alone.close();
      }
    });

    test('refuses an administrator who is switched off', async () => {
      person(['curators']);
      const arrived = await goThrough(app, providerId);
      const { adminId } = (await whoIs(app, arrived)) ?? {};
      await asOwner('PUT', `/administrators/${adminId}`, { disabled: true });
      assert.equal(await whoIs(app, arrived), undefined);
      assert.equal((await goThrough(app, providerId)).page, '/console/sign-in?problem=off');
    });

    test('accepts an answer only from the browser that asked, once and for ten minutes', async () => {
      person(['curators']);
      const mine = await depart(app, providerId);
      const url = await visitProvider(mine.address);
      const again = '/console/sign-in?problem=again';
      assert.equal((await arrive(app, url, undefined)).page, again);
      const other = await depart(app, providerId);
      assert.equal((await arrive(app, url, other.cookie)).page, again);
      assert.equal((await arrive(app, url, mine.cookie)).page, '/console/apps');
      assert.equal((await arrive(app, url, mine.cookie)).page, again);
      const late = await depart(app, providerId);
      const lateUrl = await visitProvider(late.address);
      app.clock.now += 601_000;
      assert.equal((await arrive(app, lateUrl, late.cookie)).page, again);
    });

    test('refuses a code that was meant for another attempt, and a stolen or invented one', async () => {
      const victim = person(['it']);
      const stolen =
        new URL(await visitProvider((await depart(app, providerId)).address)).searchParams.get('code') ?? '';
      assert.ok(stolen && victim);
      for (const code of [stolen, 'invented']) {
        const mine = await depart(app, providerId);
        const url = new URL(await visitProvider(mine.address));
        url.searchParams.set('code', code);
        // PKCE: the verifier of this attempt does not belong to the code of the other one.
        assert.equal((await arrive(app, url.href, mine.cookie)).page, '/console/sign-in?problem=provider');
      }
    });

    test('refuses an ID token that was made for another attempt (nonce)', async () => {
      person(['it']);
      const mine = await depart(app, providerId);
      const url = await visitProvider(mine.address);
      await app.storage.db.run(sql`update sso_attempts set nonce = 'of another attempt'`);
      assert.equal((await arrive(app, url, mine.cookie)).page, '/console/sign-in?problem=provider');
    });

    test('refuses an answer that names another issuer, or none (RFC 9207)', async () => {
      person(['it']);
      for (const issuer of ['https://other.example', undefined]) {
        const mine = await depart(app, providerId);
        const url = new URL(await visitProvider(mine.address));
        assert.equal(url.searchParams.get('iss'), idp.issuer);
        if (issuer === undefined) url.searchParams.delete('iss');
        else url.searchParams.set('iss', issuer);
        assert.equal((await arrive(app, url.href, mine.cookie)).page, '/console/sign-in?problem=provider');
      }
    });

    test('asks with PKCE, state, nonce and the exact redirect URI', async () => {
      const { address } = await depart(app, providerId);
      const asked = new URL(address).searchParams;
      assert.equal(asked.get('code_challenge_method'), 'S256');
      assert.equal(asked.get('response_type'), 'code');
      assert.equal(asked.get('redirect_uri'), 'http://pharos.test/console/sso/callback');
      for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name) ?? '').length >= 43, name);
    });

    test('leads to no other site', async () => {
      person(['curators']);
      for (const next of [
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        '/x\r\nLocation:y',
        '@evil.example',
      ])
        assert.equal((await goThrough(app, providerId, { next })).page, '/console/apps');
    });

    test('says that the person refused, that the provider is down, and that a clock is wrong', async () => {
      const down = await depart(app, providerId);
      assert.equal(
        (await arrive(app, await visitProvider(down.address), down.cookie)).page,
        '/console/sign-in?problem=denied',
      );
      person(['curators']);
      const mine = await depart(app, providerId);
      const url = await visitProvider(mine.address);
      idp.condition = 'failing';
      assert.match((await arrive(app, url, mine.cookie)).page, /problem=(down|provider)$/);
      idp.condition = 'up';
      const [now, late] = [app.clock.now, await depart(app, providerId)];
      const lateUrl = await visitProvider(late.address);
      await app.storage.db.run(sql`update sso_attempts set expires_at = ${now + 9e9}`);
      app.clock.now += 7_200_000;
      assert.equal((await arrive(app, lateUrl, late.cookie)).page, '/console/sign-in?problem=clock');
      app.clock.now = now;
    });

    test('is confirmed by signing in again at the provider, and only by the same person', async () => {
      // Of this service the clock is the provider's: it says when somebody has signed in.
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const first = await openConsole(fresh, 'owner');
        const id = await addProvider(first, idp);
        const account = person(['heads']);
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
        person(['heads']);
        assert.equal((await goThrough(fresh, id, how)).page, '/console/account?problem=other');
        assert.equal(await dangerous(), 'ConfirmationNeeded');
        idp.visitor = account;
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
        const id = await addProvider(first, idp, { factorValues: ['mfa'] });
        await enrolTotp(fresh, first);
        const required = { method: 'PUT', url: '/security', body: { secondFactorRequired: true } } as const;
        assert.equal((await first.send(required)).status, 200);
        person(['it']);
        assert.equal((await goThrough(fresh, id)).page, '/console/sign-in?problem=factor');
        idp.amr = ['pwd', 'mfa'];
        assert.equal((await whoIs(fresh, await goThrough(fresh, id)))?.mustEnrol, false);
      } finally {
        await fresh.close();
      }
    });

    test('can be the only way; the command line opens another one for an owner', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const first = await openConsole(fresh, 'owner');
        const editor = await openConsole(fresh, 'editor');
        const id = await addProvider(first, idp);
        const only = { method: 'PUT', url: '/sso', body: { only: true } } as const;
        assert.equal((await first.send(only)).body.error.name, 'OperationForbidden');
        person(['heads'], { email: first.email });
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

    test('ends with the provider: its sessions stop when it is switched off or deleted', async () => {
      const other = await startIdentityProvider();
      try {
        await asOwner('PUT', `/sso-providers/${providerId}`, {});
        const id = await addProvider(owner, other, { name: 'Branch' });
        for (const end of [
          () => asOwner('PUT', `/sso-providers/${id}`, { enabled: false }),
          () => asOwner('DELETE', `/sso-providers/${id}`),
        ]) {
          await asOwner('PUT', `/sso-providers/${id}`, { enabled: true });
          const account = person(['curators']);
          other.visitor = account;
          other.accounts.set(account, idp.accounts.get(account) ?? {});
          const arrived = await goThrough(app, id);
          assert.equal((await whoIs(app, arrived))?.role, 'editor');
          assert.equal((await end()).status, 200);
          assert.equal(await whoIs(app, arrived), undefined);
        }
      } finally {
        await other.close();
      }
    });

    test('keeps the secret of the client encrypted, and never shows it', async () => {
      const { raw } = await owner.send({ method: 'GET', url: '/sso-providers' });
      const audit = await owner.send({ method: 'GET', url: '/audit?limit=1000' });
      const stored = await app.storage.db.all(sql`select * from sso_providers`);
      for (const text of [raw.toString(), audit.raw.toString(), JSON.stringify(stored)])
        assert.ok(!text.includes(idp.consoleClient.clientSecret));
    });

    test('refuses providers at which nobody could sign in safely', async () => {
      await owner.send({ method: 'POST', url: '/session/confirm', body: { password } });
      const post = (change: object) => ({
        method: 'POST' as const,
        url: '/console/api/sso-providers',
        body: { name: 'Another', issuer: 'https://login.museum.example', clientId: 'x', ...change },
      });
      const refused = { status: 400, code: 142 };
      await assertRefusals(app, { cookie: owner.cookie, origin: consoleOrigin }, [
        { rule: 'an address', request: post({ issuer: 'login' }), ...refused, fields: ['issuer'] },
        { rule: 'no private address', request: post({ issuer: 'https://10.0.0.1' }), ...refused, fields: ['issuer'] },
        { rule: 'openid', request: post({ issuer: idp.issuer, scopes: 'email' }), ...refused, fields: ['scopes'] },
        { rule: 'no owners by default', request: post({ defaultRole: 'owner' }), ...refused, fields: ['defaultRole'] },
        {
          rule: 'groups need a claim',
          request: post({ issuer: 'http://127.0.0.1:9', roles: { editor: ['a'] } }),
          ...refused,
          fields: ['groupsClaim'],
        },
        { rule: 'once', request: post({ issuer: idp.issuer }), status: 409, code: 137 },
      ]);
    });
  });
}
