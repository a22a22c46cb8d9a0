import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { sql } from '../../../server/src/base/sql.ts';
import { buildApp, type TestApp } from '../../../server/test/support/build-app.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../server/test/support/identity-provider.ts';
import { loopback } from '../../../server/test/support/single-sign-on.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, listenWithConsole, openAs, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

describe('administrators sign in through their organisation', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let idp: IdentityProvider;
  let owner: Page;
  before(async () => {
    app = await buildApp({ settings: loopback });
    origin = await listenWithConsole(app);
    idp = await startIdentityProvider();
    idp.registerConsole(origin);
    browser = await launchBrowser();
    ({ page: owner } = await openAs(browser, { app, origin, role: 'owner' }));
  });
  after(async () => {
    await browser?.close();
    await idp?.close();
    await app?.close();
  });

  const button = (page: Page) => page.getByRole('button', { name: 'Sign in with Museum account' });
  /** Somebody at the provider, who is about to sign in; the two clocks agree. */
  function person(name: string, groups: readonly string[], email = `${name}@museum.example`) {
    app.clock.now = Date.now();
    idp.accounts.set(name, { email, email_verified: true, given_name: name, groups });
    idp.visitor = name;
  }
  async function newPage(): Promise<Page> {
    return (await visit(browser, origin)).page;
  }

  test('an owner adds the provider, and tests it', async () => {
    await owner.goto('/console/administrators');
    await owner.getByRole('link', { name: 'Single sign-on' }).click();
    await owner.getByText('No provider yet').waitFor();
    await owner.getByRole('link', { name: 'Add a provider' }).click();
    await owner.getByText(`${origin}/console/sso/callback`).waitFor();
    await owner.getByLabel('Name').fill('Museum account');
    await owner.getByLabel('Issuer').fill(idp.issuer);
    await owner.getByLabel('Client id').fill(idp.consoleClient.clientId);
    await owner.getByLabel('Client secret').fill(idp.consoleClient.clientSecret);
    await owner.getByRole('textbox', { name: 'Claim' }).fill('groups');
    await owner.getByLabel('Groups: owner').fill('heads');
    await owner.getByLabel('Groups: editor').fill('curators\neducation');
    await assertAccessible(owner);
    await takePictures(owner, 'single-sign-on-provider');
    await owner.getByRole('button', { name: 'Add the provider' }).click();
    await owner.getByText('Administrators can now sign in through it.').waitFor();
    await owner.getByRole('link', { name: 'Museum account' }).click();
    await owner.getByRole('button', { name: 'Test the provider' }).click();
    await owner.getByText('The provider answers, and has one key.').waitFor();
    await owner.goto('/console/administrators/single-sign-on');
    await owner.getByRole('link', { name: 'Museum account' }).waitFor();
    await assertAccessible(owner);
    await takePictures(owner, 'single-sign-on');
  });

  test('somebody signs in with the button, and is on the page that she wanted', async () => {
    person('grace', ['education']);
    const page = await newPage();
    await page.goto('/console/account');
    await button(page).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'sign-in-single-sign-on');
    await button(page).click();
    await page.getByText('How you sign in as grace@museum.example').waitFor();
    assert.equal(new URL(page.url()).pathname, '/console/account');
    await page.getByText('through your organisation', { exact: false }).first().waitFor();
    await page.getByText('Museum account: connected').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'account-single-sign-on');
  });

  test('whoever is in no group is told so on the sign-in page', async () => {
    person('mallory', ['visitors']);
    const page = await newPage();
    await page.goto('/console/sign-in');
    await button(page).click();
    await page.getByText('Your account belongs to no group that may use this console.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'sign-in-refused');
  });

  test('an owner connects her account, confirms by signing in again, and makes it the only way', async () => {
    const { email } = (await app.app.admins.list()).find(({ role }) => role === 'owner') ?? { email: '' };
    person('head', ['heads'], email);
    await owner.goto('/console/account');
    await owner.getByRole('button', { name: 'Connect with Museum account' }).click();
    await owner.getByText('Museum account: connected').waitFor();
    const page = await newPage();
    await page.goto('/console/administrators/single-sign-on');
    await button(page).click();
    await page.getByText('The only way to sign in').waitFor();
    const whereTo = page.url();
    await app.storage.db.run(sql`update admin_sessions set confirmed_at = ${app.clock.now - 3_600_000}`);
    const only = () => page.getByLabel('Accept no passwords and passkeys');
    await only().click();
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await asked.getByText('brings you back to this page').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'confirmation-single-sign-on');
    await button(page).click();
    await asked.waitFor({ state: 'detached' });
    await page.waitForURL(whereTo);
    await only().click();
    await page.getByText('Everybody signs in through the organisation now.').waitFor();
    const fresh = await newPage();
    await fresh.goto('/console/sign-in');
    await button(fresh).waitFor();
    assert.equal(await fresh.getByLabel('E-mail').count(), 0);
    await assertAccessible(fresh);
    await takePictures(fresh, 'sign-in-only-single-sign-on');
    await fresh.getByRole('button', { name: 'Sign in as an owner without your organisation' }).click();
    await fresh.getByLabel('E-mail').fill(email);
    await fresh.getByRole('textbox', { name: 'Password' }).fill('a long enough secret');
    await fresh.getByRole('button', { name: 'Sign in', exact: true }).click();
    await fresh.getByText('Sign in through your organisation.').waitFor();
  });
});
