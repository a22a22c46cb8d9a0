import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { plugIn } from './virtual-key.ts';

/** The tests are one story: each continues where the previous one stopped. */
describe('passkeys in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let key: Awaited<ReturnType<typeof plugIn>>;
  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    browser = await launchBrowser();
    // Passkeys are bound to a name; an address has none.
    const origin = started.origin.replace('127.0.0.1', 'localhost');
    visited = await openAs(browser, { app, origin, role: 'owner' });
    page = visited.page;
    key = await plugIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const passkeys = () => page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');
  const signOut = async () => {
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };

  test('one is added under a name, with recovery codes, and renamed', async () => {
    await page.goto('/console/account');
    await button('Add a passkey').click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await takePictures(page, 'passkey-add');
    await dialog.getByLabel('Name').fill('');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Fill this in.').waitFor();
    await dialog.getByLabel('Name').fill('Blue key');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await button('I have stored them').click();
    await passkeys().getByText('Blue key').waitFor();
    await passkeys().getByText('not used yet').waitFor();
    await button('Rename Blue key').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Green key');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await passkeys().getByText('Green key').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'account-passkeys');
  });

  test('the same device is not added twice', async () => {
    await button('Add a passkey').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('This device has a passkey of yours already.').waitFor();
    await button('Cancel').click();
  });

  test('it signs in alone', async () => {
    await signOut();
    await takePictures(page, 'sign-in');
    await assertAccessible(page);
    await button('Use a passkey').click();
    // Where one was before.
    await page.getByRole('heading', { name: 'Sign-in and security' }).waitFor();
    await page.getByText('with a passkey', { exact: false }).first().waitFor();
    await passkeys().getByText('used', { exact: false }).waitFor();
  });

  test('it is the second step after the password', async () => {
    const [{ email } = { email: '' }] = await app.app.admins.list();
    await signOut();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough secret');
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Second step' }).waitFor();
    await takePictures(page, 'second-step-passkey');
    await button('Use a recovery code').click();
    await page.getByLabel('Recovery code').waitFor();
    await button('Use a passkey').click();
    // Where one was before.
    await page.getByRole('heading', { name: 'Sign-in and security' }).waitFor();
  });

  test('it confirms before something grave, and signs in again over the page', async () => {
    app.clock.now += 3_600_000;
    await page.goto('/console/administrators');
    await page.getByRole('switch').click();
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await asked.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await takePictures(page, 'confirmation-passkey');
    await asked.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('Every administrator needs a second factor now.').waitFor();
    app.clock.now += 13 * 3_600_000;
    await page.getByRole('switch').click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('A second factor is optional now.').waitFor();
  });

  test('a dialog of the browser that was cancelled is told, and so is a removed passkey', async () => {
    await page.goto('/console/account');
    await button('Remove Green key').click();
    await button('Remove the passkey').click();
    await page.getByText('The passkey was removed.').waitFor();
    await signOut();
    await button('Use a passkey').click();
    await page.getByText('This passkey is not registered here, or was removed.', { exact: false }).waitFor();
    await key.cdp.send('WebAuthn.clearCredentials', { authenticatorId: key.authenticatorId });
    await button('Use a passkey').click();
    await page.getByText('No passkey was used.', { exact: false }).waitFor();
    assert.deepEqual(visited.complaints, []);
  });
});
