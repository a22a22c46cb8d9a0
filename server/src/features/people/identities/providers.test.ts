import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../../test/support/servers/identity-provider.ts';
import { sql } from '../../../base/sql.ts';

for (const database of databases) {
  describe(`identity providers on ${database}`, () => {
    let app: TestApp;
    let owner: Browser;
    let provider: IdentityProvider;
    beforeAll(async () => {
      provider = await startIdentityProvider();
      app = await buildApp({ database, settings: { PHAROS_PRIVATE_TARGETS: '127.0.0.1' } });
      owner = await openConsole(app, 'owner');
    });
    afterAll(async () => {
      await app?.close();
      await provider?.close();
    });

    const url = (rest = '') => `/apps/${app.appId}/identity-providers${rest}`;
    const staff = (change: object = {}) => ({
      name: 'staff',
      kind: 'oidc',
      issuer: provider.issuer,
      audiences: [provider.clientId],
      ...change,
    });
    const create = (body: object) => owner.send({ method: 'POST', url: url(), body });
    const put = (id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
      owner.send({ method: 'PUT', url: url(`/${id}`), body, headers });
    const remove = (id: string) => owner.send({ method: 'DELETE', url: url(`/${id}`) });

    test('are added, changed, tested and deleted, and the audit knows of it', async () => {
      const made = await create(staff());
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { objectId, enabled, acceptsTokens, roles } = made.body.result;
      assert.deepEqual([enabled, acceptsTokens, roles], [true, false, null]);
      const tested = await owner.send({ method: 'POST', url: url(`/${objectId}/test`) });
      assert.deepEqual(tested.body.result, { ok: true, text: 'The issuer has one key.' });
      provider.condition = 'failing';
      const failed = await owner.send({ method: 'POST', url: url(`/${objectId}/test`) });
      assert.equal(failed.body.result.ok, false);
      assert.match(failed.body.result.text, /answered 500/);
      provider.condition = 'up';
      const change = { roles: { claim: 'groups', manager: ['curators'] }, enabled: false };
      const changed = await put(objectId, change);
      assert.deepEqual([changed.body.result.roles, changed.body.result.enabled], [change.roles, false]);
      assert.equal((await put(objectId, { roles: null })).body.result.roles, null);
      const listed = await owner.send({ method: 'GET', url: url() });
      assert.deepEqual(
        listed.body.results.map(({ name }: { name: string }) => name),
        ['staff'],
      );
      app.clock.now += 1000;
      assert.equal((await remove(objectId)).status, 200);
      assert.equal((await remove(objectId)).status, 404);
      const { body } = await owner.send({ method: 'GET', url: '/audit?limit=1' });
      assert.deepEqual([body.results[0].action, body.results[0].subject], ['identity-provider.delete', objectId]);
    });

    test('of Google and Apple need no address', async () => {
      for (const kind of ['google', 'apple']) {
        const made = await create({ name: kind, kind, audiences: ['guide'] });
        assert.match(made.body.result.issuer, kind === 'google' ? /accounts\.google\.com$/ : /appleid\.apple\.com$/);
        assert.equal((await create({ name: `${kind}2`, kind, audiences: ['guide'] })).status, 409, 'one of each');
        await remove(made.body.result.objectId);
      }
    });

    test('of Google take both names of the issuer, and of Apple a verification that is a text', async () => {
      const cases = [
        ['google', { iss: 'accounts.google.com', email_verified: true }],
        ['apple', { iss: 'https://appleid.apple.com', email_verified: 'true', is_private_email: 'true' }],
      ] as const;
      for (const [kind, claims] of cases) {
        app.clock.now = Date.now();
        const { objectId } = (await create({ name: kind, kind, audiences: ['guide'] })).body.result;
        // Their keys are known to them alone; these are the test's.
        await app.storage.db.run(sql`update identity_providers set jwks_uri = ${`${provider.issuer}/jwks`}
          where object_id = ${objectId}`);
        const email = `${kind}@privaterelay.example.org`;
        const idToken = await provider.forge({ claims: { ...claims, email, sub: kind, aud: 'guide' } });
        const body = { provider: kind, idToken };
        const entered = await app.send({ method: 'POST', url: '/api/v2/users/signin/token', body });
        assert.equal(entered.status, 200, JSON.stringify(entered.body));
        const headers = { authorization: `Bearer ${entered.body.accessToken}` };
        const me = await app.send({ method: 'GET', url: '/api/v2/users/me', headers });
        assert.equal(me.body.result.validemail, email);
        const identities = await app.send({ method: 'GET', url: '/api/v2/users/me/identities', headers });
        assert.match(identities.body.results[0].issuer, /^https:/);
        await remove(objectId);
      }
    });

    test('are refused with what would be unsafe or useless, by field', async () => {
      const refusals: readonly (readonly [object, string])[] = [
        [{ name: 'No Spaces' }, 'name'],
        [{ kind: 'facebook' }, 'kind'],
        [{ audiences: [] }, 'audiences'],
        [{ issuer: undefined }, 'issuer'],
        [{ issuer: 'login.museum.example' }, 'issuer'],
        [{ issuer: 'http://10.0.0.1' }, 'issuer'],
        [{ issuer: 'https://169.254.169.254' }, 'issuer'],
        [{ issuer: `${provider.issuer}?tenant=1` }, 'issuer'],
        [{ issuer: 'https://user:secret@127.0.0.1' }, 'issuer'],
        [{ jwksUri: 'http://192.168.0.1/keys' }, 'jwksUri'],
        [{ kind: 'google' }, 'issuer'],
        [{ roles: { claim: '', manager: ['x'] } }, 'roles.claim'],
      ];
      for (const [change, field] of refusals) {
        const answer = await create(staff(change));
        assert.equal(answer.status, 400, `${JSON.stringify(change)}: ${JSON.stringify(answer.body)}`);
        const named = answer.body.error.details.map((one: { field: string }) => one.field);
        assert.ok(named.includes(field), `${field} in ${named.join()}`);
      }
    });

    test('keep their name, kind and issuer, and refuse a change of what somebody else has changed', async () => {
      const { objectId } = (await create(staff())).body.result;
      for (const change of [{ name: 'other' }, { issuer: 'https://other.example' }, { kind: 'google' }])
        assert.equal((await put(objectId, change)).status, 400, JSON.stringify(change));
      const read = await owner.send({ method: 'GET', url: url(`/${objectId}`) });
      const tag = String(read.headers['etag']);
      assert.equal((await put(objectId, { enabled: false }, { 'if-match': tag })).status, 200);
      assert.equal((await put(objectId, { enabled: true }, { 'if-match': tag })).status, 412);
      await remove(objectId);
    });

    test('whose configuration is that of another issuer give no keys', async () => {
      const { objectId } = (await create(staff({ issuer: `${provider.issuer}/` }))).body.result;
      const tested = await owner.send({ method: 'POST', url: url(`/${objectId}/test`) });
      assert.match(tested.body.result.text, /configuration of another issuer/);
      await remove(objectId);
    });
  });
}
