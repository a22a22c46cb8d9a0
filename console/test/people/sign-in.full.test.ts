import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../server/test/support/servers/identity-provider.ts';
import { openSite, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('identity providers in the console', () => {
  let provider: IdentityProvider;
  let site: Site;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    provider = await startIdentityProvider();
    site = await openSite('sqlite', { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' });
    const origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await provider?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const list = () => page.goto(`/console/apps/${site.app.appId}/sign-in`);
  const signIn = async () => {
    site.app.clock.now = Date.now();
    const idToken = await provider.idToken({ account: 'vera', nonce: String(Math.random()) });
    const nonce = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()).nonce;
    const body = { provider: 'staff', idToken, nonce };
    return site.app.send({ method: 'POST', url: '/api/v2/users/signin/token', body });
  };

  test('without one it says what one would do', async () => {
    await page.goto(`/console/apps/${site.app.appId}/users`);
    await page.getByRole('link', { name: 'How they sign in' }).click();
    await page.getByRole('heading', { name: 'No identity providers yet' }).waitFor();
    const users = page.getByRole('navigation', { name: 'Parts of the app' }).getByRole('link', { name: 'Accounts' });
    assert.equal(await users.getAttribute('aria-current'), 'page', 'it is a part of the users');
    await assertAccessible(page);
    await takePictures(page, 'sign-in-empty');
    await page.getByRole('link', { name: 'Add an identity provider' }).click();
  });

  test('Google needs no address, and what is missing is said at its field', async () => {
    await field('Client ids').waitFor();
    assert.equal(await field('Issuer').count(), 0);
    await button('Add the identity provider').click();
    await page.getByText('Must not be empty.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'sign-in-new');
  });

  test('the provider of the house is added, with a claim that makes managers', async () => {
    await page.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'Another provider (OpenID Connect)' }).click();
    await field('Name').fill('staff');
    await field('Issuer').fill(provider.issuer);
    await field('Client ids').fill(`${provider.clientId}\nmuseum-web`);
    await field('Claim').fill('groups');
    await field('Values that make a manager').fill('curators');
    await button('Add the identity provider').click();
    await page.getByText('People can now sign in through it.').waitFor();
    await page.getByText(`for ${provider.clientId}, museum-web`).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'sign-in-list');
    provider.accounts.set('vera', { groups: ['curators'] });
    assert.equal((await signIn()).status, 200);
  });

  test('it is tested, and a form that was opened before is still filled in', async () => {
    await page.getByRole('link', { name: 'staff' }).click();
    await button('Test the provider').click();
    await page.getByText('The issuer has one key.').waitFor();
    provider.condition = 'failing';
    await button('Test the provider').click();
    await page.getByText(/cannot be read: .*answered 500/).waitFor();
    provider.condition = 'up';
    assert.equal(await field('Client ids').inputValue(), `${provider.clientId}\nmuseum-web`);
    await takePictures(page, 'sign-in-provider');
  });

  test('a claim is taken back, and only that is changed', async () => {
    await field('Claim').fill('');
    await button('Save').click();
    await page.getByText('The identity provider is saved.').waitFor();
    const [stored] = await site.rows('identity_providers');
    assert.deepEqual(
      [stored?.['roles'], stored?.['audiences']],
      [null, JSON.stringify([provider.clientId, 'museum-web'])],
    );
  });

  test('a user who has come through it has a page without name and address', async () => {
    const { objectId } = (await signIn()).body;
    await page.goto(`/console/apps/${site.app.appId}/users/${objectId}`);
    await page.getByRole('heading', { name: 'No name' }).waitFor();
    await page.getByText('staff', { exact: true }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'sign-in-user');
  });

  test('it is switched off, and nobody can sign in', async () => {
    await list();
    const toggle = page.getByRole('switch', { name: 'Sign-in with staff is switched on' });
    await toggle.click({ force: true });
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Sign-in with staff is off.').waitFor();
    assert.equal((await signIn()).status, 403);
  });

  test('it is deleted after a question', async () => {
    await page.getByRole('link', { name: 'staff' }).click();
    await button('Delete').click();
    await page.getByRole('dialog').getByText('Accounts are kept').waitFor();
    await button('Delete the identity provider').click();
    await page.getByRole('heading', { name: 'No identity providers yet' }).waitFor();
    assert.deepEqual(await site.rows('identity_providers'), []);
    assert.deepEqual(visited.complaints, []);
  });
});
