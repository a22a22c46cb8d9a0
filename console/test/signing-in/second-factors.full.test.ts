import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { codeAt, password } from '../../../server/test/support/console.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, openAs, startConsole, type Visit, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one story: each continues where the previous one stopped. */
describe('a second factor in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let email: string;
  let secret: string;
  let codes: readonly string[];
  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'owner' });
    page = visited.page;
    email = (await app.app.admins.list())[0]?.email ?? '';
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string, on: Page = page) => on.getByRole('button', { name, exact: true });
  const dialog = (name: string) => page.getByRole('dialog', { name });
  const halfMinuteLater = () => {
    app.clock.now += 30_000;
    return codeAt(secret, app.clock.now);
  };
  const signInOn = async (on: Page) => {
    await on.goto('/console/sign-in');
    await on.getByLabel('E-mail').fill(email);
    await on.getByRole('textbox', { name: 'Password' }).fill(password);
    await button('Sign in', on).click();
  };

  test('the account page says that there is none, and where one is signed in', async () => {
    await page.goto('/console');
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign-in and security' }).click();
    await page.getByText('Not set up.').waitFor();
    const session = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await session.getByText('This one').waitFor();
    await session.getByText('from 127.0.0.1').waitFor();
    assert.equal(await button('Make new codes').count(), 0);
    // Passkeys are bound to names, and this page was opened at an address.
    await page.getByText('Passkeys work only under a host name').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'account-empty');
  });

  test('an agent is added with a token that is shown once, and removed', async () => {
    await button('Add an agent').click();
    const dialog = page.getByRole('dialog', { name: 'Add an agent' });
    await dialog.getByLabel('Name').fill('Assistant');
    await dialog.getByLabel('How long').selectOption('A week');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const token = (await dialog.getByText(/^pha_\w{43}$/).textContent()) ?? '';
    const beacons = () =>
      app.send({
        method: 'GET',
        url: `/console/api/apps/${app.appId}/v2/beacons`,
        headers: { authorization: `Bearer ${token}` },
      });
    assert.equal((await beacons()).status, 200);
    await dialog.getByRole('button', { name: 'I have stored the token' }).click();
    const agents = page.getByRole('list', { name: 'Agents' }).getByRole('listitem');
    await agents.getByText('Assistant').waitFor();
    await button('Remove Assistant').click();
    await page.getByText('The agent was removed.').waitFor();
    assert.equal((await beacons()).status, 403);
  });

  test('an authenticator app is set up with a QR code, and a wrong code is named at its field', async () => {
    await button('Set up').click();
    const enrolment = dialog('Set up an authenticator app');
    await enrolment.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    secret = ((await enrolment.locator('code').textContent()) ?? '').replaceAll(' ', '');
    assert.match(secret, /^[A-Z2-7]{32}$/);
    await assertAccessible(page);
    await takePictures(page, 'account-totp');
    const code = enrolment.getByLabel('2. Enter the code that it shows');
    await code.fill('12');
    await button('Turn on').click();
    await enrolment.getByText('Must be the six digits that the app shows.').waitFor();
    await code.fill(codeAt(secret, app.clock.now));
    await button('Turn on').click();
  });

  test('the recovery codes are shown once, until they are stored', async () => {
    const shown = dialog('Your recovery codes');
    await shown.waitFor();
    codes = await shown.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
    assert.equal(new Set(codes).size, 10);
    await page.keyboard.press('Escape');
    await assertAccessible(page);
    await takePictures(page, 'account-recovery-codes');
    const waiting = page.waitForEvent('download');
    await button('Download').click();
    assert.equal((await waiting).suggestedFilename(), 'pharos-recovery-codes.txt');
    await button('I have stored them').click();
    await shown.waitFor({ state: 'detached' });
    await page.getByText('10 of 10 are left.').waitFor();
    await takePictures(page, 'account');
  });

  test('signing in asks for a code, and takes a recovery code instead', async () => {
    const { page: elsewhere, context } = await visit(browser, origin);
    await signInOn(elsewhere);
    await elsewhere.getByRole('heading', { name: 'Second step' }).waitFor();
    await assertAccessible(elsewhere);
    await takePictures(elsewhere, 'second-step');
    await elsewhere.getByLabel('Code').fill('000000');
    await button('Sign in', elsewhere).click();
    await elsewhere.getByText('This code is wrong.', { exact: false }).waitFor();
    await elsewhere.getByLabel('Code').fill(halfMinuteLater());
    await button('Sign in', elsewhere).click();
    await elsewhere.getByRole('heading', { name: 'Apps' }).waitFor();
    await context.clearCookies();
    await signInOn(elsewhere);
    await button('Use a recovery code', elsewhere).click();
    await takePictures(elsewhere, 'second-step-recovery');
    await elsewhere.getByLabel('Recovery code').fill(codes[0]?.toUpperCase() ?? '');
    await button('Sign in', elsewhere).click();
    await elsewhere.getByRole('heading', { name: 'Apps' }).waitFor();
    await context.close();
  });

  test('sessions elsewhere are ended from here', async () => {
    await page.reload();
    await page.getByText('9 of 10 are left.').waitFor();
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await page.getByText('with the password and a recovery code').waitFor();
    assert.equal(await sessions.count(), 3);
    await takePictures(page, 'account-sessions');
    await page
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .click();
    await page.getByText('The session was ended.').waitFor();
    await sessions.nth(2).waitFor({ state: 'detached' });
    await button('End all others').click();
    await sessions.nth(1).waitFor({ state: 'detached' });
  });

  test('a session that has ended goes on over the page, with a code', async () => {
    app.clock.now += 13 * 3_600_000;
    await button('Make new codes').click();
    await dialog('Make new recovery codes').getByRole('button', { name: 'Make new codes' }).click();
    const again = dialog('Sign in again');
    await again.getByLabel('Your password').fill(password);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByLabel('Code').fill(halfMinuteLater());
    await takePictures(page, 'sign-in-again-code');
    await again.getByRole('button', { name: 'Sign in' }).click();
    await button('I have stored them').click();
    await page.getByText('10 of 10 are left.').waitFor();
  });

  testInFull('once every administrator needs one, others are led to setting it up, and nothing else', async () => {
    const other = await openAs(browser, { app, origin, role: 'editor' });
    await other.page.goto('/console/apps');
    await other.page.getByRole('heading', { name: 'Apps' }).waitFor();
    await page.goto('/console/administrators');
    await page.getByText('One has none yet, and would have to set one up before anything else.').waitFor();
    await page.getByRole('switch', { name: 'Every administrator needs a second factor' }).click();
    await page.getByText('Every administrator needs a second factor now.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'administrators');

    await other.page.goto(`/console/apps/${app.appId}/beacons`);
    await other.page.getByText('Set up a second factor').waitFor();
    assert.equal(await other.page.getByRole('link', { name: 'Apps' }).count(), 0);
    await assertAccessible(other.page);
    await takePictures(other.page, 'account-must-enrol');
    await button('Set up', other.page).click();
    const theirs = ((await other.page.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await other.page.getByLabel('2. Enter the code that it shows').fill(codeAt(theirs, app.clock.now));
    await button('Turn on', other.page).click();
    await button('I have stored them', other.page).click();
    await other.page.getByRole('link', { name: 'Apps' }).click();
    await other.page.getByRole('heading', { name: 'Apps' }).waitFor();
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  testInFull('an owner takes away the factors of somebody who has lost them', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'More about Some editor' }).click();
    await page.getByRole('menuitem', { name: 'Remove the second factors' }).click();
    await takePictures(page, 'administrators-reset-factors');
    await button('Remove the second factors').click();
    await page.getByText('Some editor has no second factor any more.').waitFor();
    await page.getByText('One has none yet').waitFor();
  });

  testInFull('the last one cannot be removed while it is required, and can afterwards', async () => {
    await page.goto('/console/account');
    await button('Remove').click();
    await button('Remove the app').click();
    await page.getByText('Add another one before you remove this one.', { exact: false }).waitFor();
    await button('Cancel').click();
    await page.goto('/console/administrators');
    await page.getByRole('switch', { name: 'Every administrator needs a second factor' }).click();
    await page.getByText('A second factor is optional now.').waitFor();
    await page.goto('/console/account');
    await button('Remove').click();
    await button('Remove the app').click();
    await page.getByText('Not set up.').waitFor();
    assert.deepEqual(visited.complaints, []);
  });

  testInFull('the audit tells all of it in words', async () => {
    await page.goto('/console/audit');
    for (const text of [
      'set up an authenticator app.',
      'made new recovery codes.',
      'ended all other sessions.',
      'changed what administrators need to sign in.',
      'removed the second factors of editor',
    ])
      await page.getByText(text, { exact: false }).first().waitFor();
  });
});
