import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../../../../test/support/build-app.ts';
import { type Browser, openConsole, password, sendFromConsole } from '../../../../../test/support/console.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../../../test/support/servers/identity-provider.ts';
import {
  type Arrived,
  addProvider,
  goThrough,
  loopback,
  whoIs,
} from '../../../../../test/support/servers/single-sign-on.ts';

for (const database of databases) {
  describe(`groups that have a role in some apps and venues on ${database}`, () => {
    let app: TestApp;
    let idp: IdentityProvider;
    let owner: Browser;
    let providerId: string;
    let other: string;
    let [north, south] = ['', ''];
    beforeAll(async () => {
      app = await buildApp({ database, settings: loopback });
      idp = await startIdentityProvider();
      owner = await openConsole(app, 'owner');
      other = (await app.app.apps.create('Other')).appId;
      const venue = (name: string) =>
        owner.send({ method: 'POST', url: `/apps/${app.appId}/v2/venues`, body: { name } });
      [north, south] = [(await venue('North')).body.result.objectId, (await venue('South')).body.result.objectId];
      assert.ok(north && south);
      providerId = await addProvider(owner, idp, {
        joinApps: [{ appId: other }],
        appRoles: [
          { group: 'north', role: 'editor', appId: app.appId, venues: [north] },
          { group: 'south', role: 'editor', appId: app.appId, venues: [south] },
          { group: 'house', role: 'analyst', appId: app.appId },
          { group: 'agency', role: 'manager', appId: other },
        ],
      });
    });
    afterAll(async () => {
      await idp?.close();
      await app?.close();
    });
    beforeEach(() => {
      // The limit of attempts of one address.
      app.clock.now += 60_000;
    });

    let people = 0;
    const person = (groups: readonly string[]) => join(`person${++people}`, groups);
    /** Signs in somebody who is in these groups now. */
    async function join(account: string, groups: readonly string[]) {
      app.clock.now += 10_000;
      idp.accounts.set(account, { email: `${account}@museum.example`, email_verified: true, groups });
      idp.visitor = account;
      const arrived = await goThrough(app, providerId);
      const { role, apps, adminId } = (await whoIs(app, arrived)) ?? {};
      return { account, arrived, role, apps, adminId };
    }
    const look = async ({ arrived }: { readonly arrived: Arrived }, url: string, method: 'GET' | 'POST' = 'GET') =>
      sendFromConsole(
        app,
        { method, url, ...(method === 'POST' ? { body: { name: 'New' } } : {}) },
        arrived.cookies.get('pharos') ?? '',
      );
    const change = async (url: string, body: object) => {
      await owner.send({ method: 'POST', url: '/session/confirm', body: { password } });
      const answer = await owner.send({ method: 'PUT', url, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const here = () => `/apps/${app.appId}`;
    const there = () => `/apps/${other}`;

    test('give it there, and nothing anywhere else', async () => {
      const guide = await person(['north']);
      assert.deepEqual([guide.role, guide.apps], ['editor', [{ appId: app.appId, role: 'editor', venues: [north] }]]);
      const venues = (await look(guide, `${here()}/v2/venues`)).body.results;
      assert.deepEqual(
        venues.map(({ name }: { name: string }) => name),
        ['North'],
      );
      assert.equal((await look(guide, `${here()}/v2/venues/${south}`)).status, 404);
      assert.equal((await look(guide, there())).status, 404);
      assert.equal((await look(guide, '/administrators')).status, 403);
    });

    test('give different roles in different apps', async () => {
      const both = await person(['house', 'agency']);
      assert.equal(both.role, 'manager');
      assert.equal((await look(both, `${here()}/v2/venues`)).status, 200);
      assert.equal((await look(both, `${here()}/v2/venues`, 'POST')).status, 403, 'an analyst here');
      assert.equal((await look(both, `${there()}/v2/venues`, 'POST')).status, 201, 'a manager there');
    });

    test('several of one app add up their places; of several roles there the first counts', async () => {
      const two = await person(['south', 'north', 'house']);
      const [grant] = two.apps ?? [];
      assert.deepEqual([grant?.role, [...(grant?.venues ?? [])].sort()], ['editor', [north, south].sort()]);
    });

    test('are followed at each sign-in, at once in all sessions', async () => {
      const first = await person(['north', 'agency']);
      assert.equal((await look(first, there())).status, 200);
      await join(first.account, ['south']);
      assert.equal((await look(first, there())).status, 404, 'the session from before');
      assert.equal((await look(first, `${here()}/v2/venues/${north}`)).status, 404);
      assert.equal((await look(first, `${here()}/v2/venues/${south}`)).status, 200);
      assert.match((await join(first.account, ['visitors'])).arrived.page, /problem=role/);
      assert.equal((await look(first, here())).status, 403, 'every session through the provider ends');
      const { results } = (await owner.send({ method: 'GET', url: '/audit?limit=100' })).body;
      const [entry] = results.filter(({ action }: { action: string }) => action === 'administrator.change');
      assert.deepEqual(entry.after.apps, [{ appId: app.appId, role: 'editor', venues: [south] }]);
    });

    test('apply to people without a role in all apps; such a role applies where it does for people who join', async () => {
      const chief = await person(['it', 'north']);
      assert.deepEqual([chief.role, chief.apps], ['manager', [{ appId: other }]]);
      assert.deepEqual(
        (await join(chief.account, ['north'])).apps?.map(({ venues }) => venues),
        [[north]],
      );
      const again = await join(chief.account, ['it']);
      assert.deepEqual([again.role, again.apps], ['manager', [{ appId: other }]]);
      const head = await join(chief.account, ['heads']);
      assert.deepEqual([head.role, head.apps], ['owner', null]);
      const back = await join(chief.account, ['north']);
      assert.deepEqual([back.role, back.apps?.length], ['editor', 1], 'nobody stays an owner');
    });

    test('somebody who joined by one and later has a role in all apps gets the apps of people who join', async () => {
      const guide = await person(['north']);
      const next = await join(guide.account, ['it']);
      assert.deepEqual([next.role, next.apps], ['manager', [{ appId: other }]]);
    });

    test('do not change what an owner has given to people with a role in all apps', async () => {
      const editor = await person(['curators']);
      const apps = [{ appId: app.appId, venues: [south] }];
      await change(`/administrators/${editor.adminId}`, { apps });
      assert.deepEqual((await join(editor.account, ['curators', 'agency'])).apps, apps);
    });

    test('say where, also if an invitation says something else', async () => {
      const email = `person${people + 1}@museum.example`;
      await owner.send({ method: 'POST', url: '/session/confirm', body: { password } });
      const invitation = { email, role: 'manager', apps: [{ appId: other }] };
      assert.equal((await owner.send({ method: 'POST', url: '/invitations', body: invitation })).status, 201);
      const guide = await person(['north']);
      assert.deepEqual([guide.role, guide.apps?.[0]?.appId], ['editor', app.appId]);
    });

    test('cannot make owners, and need a claim that names the groups', async () => {
      await owner.send({ method: 'POST', url: '/session/confirm', body: { password } });
      const put = async (body: object) => owner.send({ method: 'PUT', url: `/sso-providers/${providerId}`, body });
      const entry = { group: 'x', role: 'editor', appId: other };
      assert.equal((await put({ appRoles: [{ ...entry, role: 'owner' }] })).status, 400);
      assert.equal((await put({ appRoles: [{ ...entry, venues: [] }] })).status, 400, 'no venue is not all of them');
      const { body } = await put({ groupsClaim: null, roles: {} });
      assert.deepEqual(body.error.details, [{ field: 'groupsClaim', problem: 'is needed, because roles name groups' }]);
      assert.equal((await put({ appRoles: null })).body.result.appRoles.length, 0);
      assert.match((await person(['north'])).arrived.page, /problem=role/);
    });
  });
}
