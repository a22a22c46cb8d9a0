import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../../server/src/base/sql.ts';
import { buildApp, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../server/test/support/servers/identity-provider.ts';
import { loopback } from '../../../server/test/support/servers/single-sign-on.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, listenWithConsole, openAs, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

describe('administrators sign in through their organisation', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let idp: IdentityProvider;
  let owner: Page;
  beforeAll(async () => {
    app = await buildApp({ settings: loopback });
    origin = await listenWithConsole(app);
    idp = await startIdentityProvider();
    idp.registerConsole(origin);
    browser = await launchBrowser();
    ({ page: owner } = await openAs(browser, { app, origin, role: 'owner' }));
  });
  afterAll(async () => {
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
  const endSessions = (email: string) =>
    app.storage.db.run(
      sql`delete from admin_sessions where admin_id in (select admin_id from admins where email = ${email})`,
    );
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
    await owner.getByText('New people see no app until an owner gives them some.').waitFor();
    await owner.getByRole('list', { name: 'Apps' }).getByRole('checkbox').first().check();
    await assertAccessible(owner);
    await takePictures(owner, 'single-sign-on-provider');
    await owner.getByRole('button', { name: 'Add the provider' }).click();
    await owner.getByText('Administrators can now sign in through it.').waitFor();
    await owner.getByRole('link', { name: 'Museum account' }).click();
    const choice = owner.getByRole('list', { name: 'Apps' }).getByRole('checkbox').first();
    await choice.waitFor();
    assert.equal(await choice.isChecked(), true, 'what was chosen for new people is shown');
    await owner.getByRole('button', { name: 'Test the provider' }).click();
    await owner.getByText('The provider answers, and has one key.').waitFor();
    await owner.goto('/console/administrators/single-sign-on');
    await owner.getByRole('link', { name: 'Museum account' }).waitFor();
    await assertAccessible(owner);
    await takePictures(owner, 'single-sign-on');
  });

  test('somebody signs in with the button, and is on the page that she wanted', async () => {
    person('grace', ['education']);
    const where = encodeURIComponent(JSON.stringify({ name: 'Gate' }));
    const linked = await newPage();
    await linked.goto(`/console/apps/${app.appId}/beacons?q=gate&where=${where}`);
    await button(linked).click();
    await linked.getByText('No beacons match.').waitFor();
    const { pathname, searchParams } = new URL(linked.url());
    assert.equal(pathname, `/console/apps/${app.appId}/beacons`);
    assert.deepEqual([searchParams.get('q'), searchParams.get('where')], ['gate', '{"name":"Gate"}']);
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

  test('an owner gives a group a role in one venue of one app, and its people see only that', async () => {
    const { headers } = await signInManager(app);
    for (const name of ['North house', 'South house']) await create(app, '/api/v2/venues', { name }, headers);
    await app.app.apps.create('Elsewhere');
    await owner.goto('/console/administrators/single-sign-on');
    await owner.getByRole('link', { name: 'Museum account' }).click();
    const save = owner.getByRole('button', { name: 'Save', exact: true });
    const groups = owner.getByRole('list', { name: 'Roles in some apps' });
    await owner.getByRole('button', { name: 'Add a group' }).click();
    await groups.getByLabel('App', { exact: true }).selectOption({ value: app.appId });
    await save.click();
    await groups.getByText('Fill this in.').waitFor();
    await groups.getByLabel('Group').fill('northern guides');
    await groups.getByLabel('Role').selectOption({ label: 'Manager' });
    await groups.getByRole('combobox', { name: 'Venues' }).click();
    await owner.getByRole('option', { name: 'North house' }).click();
    await owner.keyboard.press('Escape');
    await assertAccessible(owner);
    await takePictures(owner, 'single-sign-on-roles-in-some-apps');
    await save.click();
    await owner.getByText('The provider is saved.').waitFor();
    await owner.getByRole('link', { name: 'Museum account' }).click();
    assert.equal(await groups.getByLabel('Group').inputValue(), 'northern guides', 'and shown again');

    person('nora', ['northern guides']);
    const page = await newPage();
    await page.goto(`/console/apps/${app.appId}/home`);
    await button(page).click();
    await page.getByText('You see and change what belongs to North house.', { exact: false }).waitFor();
    await page.goto('/console/apps');
    await page.getByRole('heading', { name: 'Apps' }).waitFor();
    assert.equal(await page.getByText('Elsewhere').count(), 0);

    await owner.getByRole('button', { name: 'Remove northern guides' }).click();
    await save.click();
    // The list comes once it is saved; what was said of the first time may still be there.
    await owner.getByRole('link', { name: 'Museum account' }).waitFor();
    person('nora', ['northern guides']);
    const later = await newPage();
    await later.goto('/console/sign-in');
    await button(later).click();
    await later.getByText('Your account belongs to no group that may use this console.').waitFor();
  });

  test('the sign-in page says when somebody is in no group', async () => {
    person('mallory', ['visitors']);
    const page = await newPage();
    await page.goto('/console/sign-in');
    await button(page).click();
    await page.getByText('Your account belongs to no group that may use this console.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'sign-in-refused');
  });

  test('a session that ends while somebody types is renewed in a window, and nothing typed is lost', async () => {
    person('ida', ['heads']);
    const { page, complaints, context } = await visit(browser, origin);
    await page.goto(`/console/apps/${app.appId}/beacons/new`);
    await button(page).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('North tower');
    await page.getByRole('textbox', { name: 'UUID' }).fill('B9407F30-F5F8-466E-AFF9-25556B57FE6D');
    await page.getByLabel('Major').fill('1');
    await page.getByLabel('Minor').fill('7');
    await endSessions('ida@museum.example');
    await page.getByRole('button', { name: 'Add the beacon' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    await assertAccessible(page);
    await takePictures(page, 'sign-in-again-single-sign-on');
    const [popup] = await Promise.all([context.waitForEvent('page'), button(page).click()]);
    await popup.waitForEvent('close');
    // What waited for it goes on.
    await page.getByRole('heading', { name: 'North tower' }).waitFor();
    assert.equal(await again.count(), 0);
    const own = complaints.filter((complaint) => !complaint.startsWith(`asked for ${idp.issuer}`));
    assert.deepEqual(own, []);
    await context.close();
  });

  test("another administrator who signs in while a page waits for a confirmation does nothing there in the first one's name", async () => {
    person('ida', ['heads']);
    const { page, context } = await visit(browser, origin);
    await page.goto('/console/administrators');
    await button(page).click();
    await page.getByRole('button', { name: 'Add an administrator' }).waitFor();
    await app.storage.db.run(sql`update admin_sessions set confirmed_at = ${app.clock.now - 3_600_000}
      where admin_id in (select admin_id from admins where email = 'ida@museum.example')`);
    const before = (await app.app.admins.list()).length;
    await page.getByRole('button', { name: 'Add an administrator' }).click();
    const add = page.getByRole('dialog', { name: 'Add an administrator' });
    await add.getByLabel('Name').fill('Eve');
    await add.getByLabel('E-mail').fill('eve@museum.example');
    await add.getByLabel('First password').fill('another long secret');
    await add.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    // In another tab of the same browser somebody else signs in, in a window as of a session that has ended.
    person('olga', ['heads']);
    await context.clearCookies({ name: /^_session/ });
    const api = (path: string, data?: object) =>
      context.request.fetch(`${origin}/console/api${path}`, {
        method: data ? 'POST' : 'GET',
        headers: { origin },
        ...(data ? { data } : {}),
      });
    const { providerId } = (await (await api('/session/sso')).json()).result.providers[0];
    const began = await api('/session/sso', { providerId, next: '/signed-in-again?window=own' });
    const other = await context.newPage();
    await other.goto((await began.json()).result.address);
    await other.getByText('You are signed in').waitFor();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor({ state: 'detached' });
    // The page is still Ida's, and does nothing until one of them decides.
    const somebody = page.getByRole('dialog', { name: 'Somebody else has signed in' });
    await somebody.getByText('olga@museum.example').first().waitFor();
    await page.getByText('Account of ida').waitFor({ state: 'attached' });
    await somebody.getByRole('button', { name: 'Continue as olga' }).click();
    await page.getByText('Account of olga').waitFor({ state: 'attached' });
    assert.equal((await app.app.admins.list()).length, before + 1, 'Olga herself, and nobody by Ida’s form');
    await context.close();
  });

  test('a browser that opens no window leaves the page, and comes back to it with the draft', async () => {
    person('ida', ['heads']);
    const { page, context } = await visit(browser, origin);
    await page.addInitScript('window.open = () => null');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.goto(`/console/apps/${app.appId}/beacons/new`);
    await button(page).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('South tower');
    await page.getByRole('textbox', { name: 'UUID' }).fill('AA');
    await page.getByLabel('Major').fill('1');
    await page.getByLabel('Minor').fill('8');
    await endSessions('ida@museum.example');
    await page.getByRole('button', { name: 'Add the beacon' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await button(page).click();
    await page.getByText('This is your draft of', { exact: false }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/console/apps/${app.appId}/beacons/new`);
    assert.deepEqual([await name.inputValue(), await page.getByLabel('Minor').inputValue()], ['South tower', '8']);
    assert.deepEqual(asked, [], 'what is kept needs no warning');
    await context.close();
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
    await asked.getByText('opens in a window of its own', { exact: false }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'confirmation-single-sign-on');
    const [popup] = await Promise.all([page.context().waitForEvent('page'), button(page).click()]);
    await popup.waitForEvent('close');
    // The page has stayed, and what it was asked to do is done.
    await asked.waitFor({ state: 'detached' });
    assert.equal(page.url(), whereTo);
    await page.getByText('Everybody signs in through the organisation now.').waitFor();
    // How long such a session lasts is chosen there, too.
    const hours = () => page.getByRole('combobox', { name: 'How long a session lasts' });
    assert.equal(await hours().inputValue(), '12');
    await hours().selectOption('24 hours');
    await page.getByText('Saved.').waitFor();
    await page.reload();
    assert.equal(await hours().inputValue(), '24');
    // A session that ends is begun anew by the only way that there is.
    await page.goto(`/console/apps/${app.appId}/beacons/new`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('West tower');
    await endSessions(email);
    await page.getByRole('textbox', { name: 'UUID' }).fill('AA');
    await page.getByLabel('Major').fill('1');
    await page.getByLabel('Minor').fill('9');
    await page.getByRole('button', { name: 'Add the beacon' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByRole('button', { name: 'Sign in with Museum account' }).waitFor();
    assert.equal(await again.getByText('Your password').count(), 0);
    await assertAccessible(page);
    await takePictures(page, 'sign-in-again-only');
    const [window] = await Promise.all([page.context().waitForEvent('page'), button(page).click()]);
    await window.waitForEvent('close');
    await page.getByRole('heading', { name: 'West tower' }).waitFor();
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
