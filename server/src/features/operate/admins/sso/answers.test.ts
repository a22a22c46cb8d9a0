import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import {
  arrive,
  depart,
  goThrough,
  openSignOnSite,
  type SignOnSite,
  visitProvider,
} from '../../../../../test/support/servers/single-sign-on.ts';
import { sql } from '../../../../base/sql.ts';

/** What is asked of a provider, and which of its answers count. */

for (const database of databases) {
  describe(`single sign-on of administrators on ${database}`, () => {
    let site: SignOnSite;
    beforeAll(async () => {
      site = await openSignOnSite(database);
    });
    afterAll(() => site?.close());
    beforeEach(() => site.calm());

    test('accepts an answer only from the browser that asked, once and for ten minutes', async () => {
      site.person(['curators']);
      const mine = await depart(site.app, site.providerId);
      const url = await visitProvider(mine.address);
      const again = '/console/sign-in?problem=again';
      assert.equal((await arrive(site.app, url, undefined)).page, again);
      const other = await depart(site.app, site.providerId);
      assert.equal((await arrive(site.app, url, other.cookie)).page, again);
      assert.equal((await arrive(site.app, url, mine.cookie)).page, '/console/apps');
      assert.equal((await arrive(site.app, url, mine.cookie)).page, again);
      const late = await depart(site.app, site.providerId);
      const lateUrl = await visitProvider(late.address);
      site.app.clock.now += 601_000;
      assert.equal((await arrive(site.app, lateUrl, late.cookie)).page, again);
    });

    test('refuses a code that was meant for another attempt, and a stolen or invented one', async () => {
      const victim = site.person(['it']);
      const stolen =
        new URL(await visitProvider((await depart(site.app, site.providerId)).address)).searchParams.get('code') ?? '';
      assert.ok(stolen && victim);
      for (const code of [stolen, 'invented']) {
        const mine = await depart(site.app, site.providerId);
        const url = new URL(await visitProvider(mine.address));
        url.searchParams.set('code', code);
        // PKCE: the verifier of this attempt does not belong to the code of the other one.
        assert.equal((await arrive(site.app, url.href, mine.cookie)).page, '/console/sign-in?problem=provider');
      }
    });

    test('refuses an ID token that was made for another attempt (nonce)', async () => {
      site.person(['it']);
      const mine = await depart(site.app, site.providerId);
      const url = await visitProvider(mine.address);
      await site.app.storage.db.run(sql`update sso_attempts set nonce = 'of another attempt'`);
      assert.equal((await arrive(site.app, url, mine.cookie)).page, '/console/sign-in?problem=provider');
    });

    test('refuses an answer that names another issuer, or none (RFC 9207)', async () => {
      site.person(['it']);
      for (const issuer of ['https://other.example', undefined]) {
        const mine = await depart(site.app, site.providerId);
        const url = new URL(await visitProvider(mine.address));
        assert.equal(url.searchParams.get('iss'), site.idp.issuer);
        if (issuer === undefined) url.searchParams.delete('iss');
        else url.searchParams.set('iss', issuer);
        assert.equal((await arrive(site.app, url.href, mine.cookie)).page, '/console/sign-in?problem=provider');
      }
    });

    test('asks with PKCE, state, nonce and the exact redirect URI', async () => {
      const { address } = await depart(site.app, site.providerId);
      const asked = new URL(address).searchParams;
      assert.equal(asked.get('code_challenge_method'), 'S256');
      assert.equal(asked.get('response_type'), 'code');
      assert.equal(asked.get('redirect_uri'), 'http://pharos.test/console/sso/callback');
      for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name) ?? '').length >= 43, name);
    });

    test('leads to no other site', async () => {
      site.person(['curators']);
      for (const next of [
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        '/x\r\nLocation:y',
        '@evil.example',
      ])
        assert.equal((await goThrough(site.app, site.providerId, { next })).page, '/console/apps');
    });

    test('says that the person refused, that the provider is down, and that a clock is wrong', async () => {
      const down = await depart(site.app, site.providerId);
      assert.equal(
        (await arrive(site.app, await visitProvider(down.address), down.cookie)).page,
        '/console/sign-in?problem=denied',
      );
      site.person(['curators']);
      const mine = await depart(site.app, site.providerId);
      const url = await visitProvider(mine.address);
      site.idp.condition = 'failing';
      assert.match((await arrive(site.app, url, mine.cookie)).page, /problem=(down|provider)$/);
      site.idp.condition = 'up';
      const [now, late] = [site.app.clock.now, await depart(site.app, site.providerId)];
      const lateUrl = await visitProvider(late.address);
      await site.app.storage.db.run(sql`update sso_attempts set expires_at = ${now + 9e9}`);
      site.app.clock.now += 7_200_000;
      assert.equal((await arrive(site.app, lateUrl, late.cookie)).page, '/console/sign-in?problem=clock');
      site.app.clock.now = now;
    });
  });
}
