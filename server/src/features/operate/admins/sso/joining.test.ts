import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { buildApp, databases, type SentRequest } from '../../../../../test/support/build-app.ts';
import { openConsole, sendFromConsole } from '../../../../../test/support/console.ts';
import {
  addProvider,
  goThrough,
  loopback,
  openSignOnSite,
  type SignOnSite,
  whoIs,
} from '../../../../../test/support/servers/single-sign-on.ts';
import { sql } from '../../../../base/sql.ts';

/** Who is let in, with which role, in which apps. */

for (const database of databases) {
  describe(`single sign-on of administrators on ${database}`, () => {
    let site: SignOnSite;
    beforeAll(async () => {
      site = await openSignOnSite(database);
    });
    afterAll(() => site?.close());
    beforeEach(() => site.calm());

    const list = async () => (await site.app.app.admins.list()).map(({ email }) => email);

    test('makes an administrator with the role of the group, who goes on where she wanted to', async () => {
      const account = site.person(['visitors', 'curators']);
      const arrived = await goThrough(site.app, site.providerId, { next: '/apps?x=1' });
      assert.equal(arrived.page, '/console/apps?x=1');
      const { email, name, role } = (await whoIs(site.app, arrived)) ?? {};
      assert.deepEqual(
        { email, name, role },
        { email: `${account}@museum.example`, name: 'Pat Example', role: 'editor' },
      );
      const sessions: SentRequest = { method: 'GET', url: '/sessions' };
      const [session] = (await sendFromConsole(site.app, sessions, arrived.cookies.get('pharos'))).body.results;
      assert.equal(session.method, 'single sign-on');
      assert.match(arrived.cookies.get('pharos-sso') ?? '', /^pharos-\w{8}-sso=$/);
    });

    test('knows somebody again by issuer and subject, whatever the address is now', async () => {
      const account = site.person(['curators']);
      const first = await whoIs(site.app, await goThrough(site.app, site.providerId));
      site.idp.accounts.set(account, { email: 'other@museum.example', email_verified: true, groups: ['it'] });
      const again = await whoIs(site.app, await goThrough(site.app, site.providerId));
      assert.equal(again?.adminId, first?.adminId);
      assert.deepEqual([first?.role, again?.role], ['editor', 'manager']);
    });

    test('gives the role of the groups at each sign-in, and refuses people who have left all of them', async () => {
      const account = site.person(['it']);
      const before = await goThrough(site.app, site.providerId);
      assert.equal((await whoIs(site.app, before))?.role, 'manager');
      site.idp.accounts.set(account, { ...site.idp.accounts.get(account), groups: ['curators'] });
      await goThrough(site.app, site.providerId);
      assert.equal((await whoIs(site.app, before))?.role, 'editor');
      site.idp.accounts.set(account, { ...site.idp.accounts.get(account), groups: [] });
      const refused = await goThrough(site.app, site.providerId);
      assert.equal(refused.page, '/console/sign-in?problem=role');
      assert.equal(refused.cookies.has('pharos'), false);
      assert.equal(await whoIs(site.app, before), undefined);
    });

    test('refuses strangers without a group, and those whose address nobody has verified', async () => {
      const known = await list();
      site.person([]);
      assert.equal((await goThrough(site.app, site.providerId)).page, '/console/sign-in?problem=role');
      site.person(['it'], { email_verified: false });
      assert.equal((await goThrough(site.app, site.providerId)).page, '/console/sign-in?problem=address');
      site.person(['it'], { email_verified: undefined });
      assert.equal((await goThrough(site.app, site.providerId)).page, '/console/sign-in?problem=address');
      assert.deepEqual(await list(), known);
    });

    test('takes over no account that is there already; its owner connects the two', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const id = await addProvider(await openConsole(fresh, 'owner'), site.idp);
        const editor = await openConsole(fresh, 'editor');
        site.person(['it'], { email: editor.email.toUpperCase() });
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
      const account = site.person(['curators']);
      const email = `${account}@museum.example`;
      await site.asOwner('POST', '/invitations', { email, role: 'analyst' });
      assert.equal((await whoIs(site.app, await goThrough(site.app, site.providerId)))?.role, 'editor');
      const { body } = await site.owner.send({ method: 'GET', url: '/invitations' });
      assert.deepEqual(body.results, []);
    });

    test('people who join uninvited get the apps and venues that the provider names, and none if it names none', async () => {
      const fresh = await buildApp({ database, settings: loopback });
      try {
        const boss = await openConsole(fresh, 'owner');
        const id = await addProvider(boss, site.idp, { joinApps: undefined });
        const confirm = () =>
          boss.send({ method: 'POST', url: '/session/confirm', body: { password: 'a long enough secret' } });
        const change = async (joinApps: unknown) => {
          await confirm();
          return boss.send({ method: 'PUT', url: `/sso-providers/${id}`, body: { joinApps } });
        };
        const join = async (groups: readonly string[]) => {
          // The limit of attempts of one address.
          fresh.clock.now += 60_000;
          site.person(groups);
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

        const account = site.person(['it']);
        await confirm();
        const email = `${account}@museum.example`;
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
        const id = await addProvider(boss, site.idp, { joinApps: [] });
        // As the migration leaves it.
        await fresh.storage.db.run(sql`update sso_providers set join_apps = null`);
        site.person(['it']);
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
        const id = await addProvider(first, site.idp);
        const account = site.person(['heads'], { email: first.email });
        await goThrough(alone, id, { path: '/session/identities', cookie: first.cookie });
        for (const groups of [['curators'], []]) {
          site.idp.accounts.set(account, { ...site.idp.accounts.get(account), groups });
          assert.equal((await whoIs(alone, await goThrough(alone, id)))?.role, 'owner');
        }
      } finally {
        await alone.close();
      }
    });

    test('refuses an administrator who is switched off', async () => {
      site.person(['curators']);
      const arrived = await goThrough(site.app, site.providerId);
      const { adminId } = (await whoIs(site.app, arrived)) ?? {};
      await site.asOwner('PUT', `/administrators/${adminId}`, { disabled: true });
      assert.equal(await whoIs(site.app, arrived), undefined);
      assert.equal((await goThrough(site.app, site.providerId)).page, '/console/sign-in?problem=off');
    });
  });
}
