import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../../server/src/base/sql.ts';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, launchBrowser, openAs, startConsole, type Visit, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const password = 'a long enough secret';

/** The tests are one session: each goes on where the one before has stopped. */
describe('what is typed is not lost', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signIn(app)).headers;
    await create(app, '/api/v2/beacons', { name: 'Gate', uuid: 'AA', major: 1, minor: 1 }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const leaving = () => page.getByRole('dialog', { name: 'Leave without saving?' });
  const signingIn = () => page.getByRole('dialog', { name: 'Sign in again' });
  const open = (rest: string) => page.goto(`/console/apps/${app.appId}/${rest}`);
  const drafts = () =>
    page.evaluate('Object.entries(localStorage).filter(([key]) => key.startsWith("pharos draft"))') as Promise<
      [string, string][]
    >;
  const notifications = async () =>
    (await app.send({ method: 'GET', url: '/api/v2/notifications', headers })).body.results;

  test('a link and Cancel ask before they leave, and staying keeps everything', async () => {
    await open('messages/new');
    await field('Title').fill('Welcome');
    await page.getByRole('link', { name: 'Places', exact: true }).click();
    await leaving().waitFor();
    await assertAccessible(page);
    await takePictures(page, 'leaving');
    await button('Stay').click();
    await leaving().waitFor({ state: 'hidden' });
    assert.equal(await field('Title').inputValue(), 'Welcome');
    await button('Cancel').click();
    await leaving().waitFor();
  });

  test('a draft is kept when it is left, and is there again when the form is opened', async () => {
    await button('Keep a draft and leave').click();
    await page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    await open('messages/new');
    await page.getByText(/^This is your draft of/).waitFor();
    assert.equal(await field('Title').inputValue(), 'Welcome');
    await assertAccessible(page);
    await takePictures(page, 'draft');
  });

  test('a reload asks, and loses nothing', async () => {
    await field('Text').fill('Good morning');
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    assert.deepEqual(asked, ['beforeunload']);
    await page.getByText(/^This is your draft of/).waitFor();
    assert.deepEqual(
      [await field('Title').inputValue(), await field('Text').inputValue()],
      ['Welcome', 'Good morning'],
    );
  });

  test("another person's drafts are not shown on the same device", async () => {
    const other = await openAs(browser, { app, origin, role: 'manager' });
    const kept = await drafts();
    await other.page.goto('/console/');
    for (const [key, value] of kept)
      await other.page.evaluate(`localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(value)})`);
    await other.page.goto(`/console/apps/${app.appId}/messages/new`);
    await other.page.getByRole('button', { name: 'Save as a draft' }).waitFor();
    assert.equal(await other.page.getByRole('textbox', { name: 'Title', exact: true }).inputValue(), '');
    await other.context.close();
  });

  test('a session that ends in the middle is renewed in a dialog, and the action continues', async () => {
    await page.getByTestId('sentence').getByTitle('Place').click();
    await page.getByRole('combobox', { name: 'Beacons', exact: true }).fill('gate');
    await page.getByRole('option', { name: /Gate/ }).click();
    await button('Done').click();
    await app.storage.db.run(sql`delete from admin_sessions`);
    // Whatever is read in the background may have asked already, and then stands before the button.
    await button('Save as a draft').dispatchEvent('click');
    await signingIn().waitFor();
    await assertAccessible(page);
    await takePictures(page, 'sign-in-again');
    assert.deepEqual(await notifications(), []);
    await signingIn().getByLabel('Your password').fill('wrong password');
    await signingIn().getByRole('button', { name: 'Sign in' }).click();
    await signingIn().getByRole('alert').waitFor();
    assert.equal(await field('Text').inputValue(), 'Good morning');
    await signingIn().getByLabel('Your password').fill(password);
    await signingIn().getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('table', { name: 'messages' }).waitFor();
    const [{ description, message }] = await notifications();
    assert.deepEqual([description, message.alertMessage], ['Welcome', 'Good morning']);
  });

  test('a draft goes when it is saved or thrown away, and no password is ever kept', async () => {
    assert.deepEqual(await drafts(), []);
    await open('beacons/new');
    await field('Name').fill('Shop');
    await becomes(async () => (await drafts()).length, 1);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await button('Throw it away').click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    assert.deepEqual(await drafts(), []);
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Change password' }).click();
    await page.getByLabel('New password').fill('another long secret');
    assert.doesNotMatch(JSON.stringify(await page.evaluate('Object.entries(localStorage)')), /another long secret/);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  test('where the device has no room for a draft none is promised, and everything else works', async () => {
    const { context, page, complaints } = await openAs(browser, { app, origin, role: 'manager' });
    await page.addInitScript(`Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    }`);
    await page.goto(`/console/apps/${app.appId}/messages/new`);
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('No room');
    await page.getByRole('link', { name: 'Places', exact: true }).click();
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leaving.getByText('What you have typed is not saved and would be lost.').waitFor();
    assert.equal(await leaving.getByRole('button', { name: 'Keep a draft and leave' }).count(), 0);
    await takePictures(page, 'leaving-no-room');
    await leaving.getByRole('button', { name: 'Throw it away' }).click();
    await page.getByRole('link', { name: 'Beacons', exact: true }).click();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Minor' }).or(page.getByLabel('Minor')).first().click();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Gate', exact: true }).waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('a link with filters survives signing in', async () => {
    const where = encodeURIComponent(JSON.stringify({ name: 'Gate' }));
    const other = await visit(browser, origin);
    await app.app.admins.create(
      { email: 'linked@museum.example', name: 'Lin', role: 'editor', password },
      { name: 'test', address: null },
    );
    await other.page.goto(`/console/apps/${app.appId}/beacons?q=gate&where=${where}`);
    await other.page.getByLabel('E-mail').fill('linked@museum.example');
    await other.page.getByRole('textbox', { name: 'Password' }).fill(password);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('table', { name: 'beacons' }).waitFor();
    const { pathname, searchParams } = new URL(other.page.url());
    assert.equal(pathname, `/console/apps/${app.appId}/beacons`);
    assert.equal(searchParams.get('q'), 'gate');
    assert.deepEqual(JSON.parse(searchParams.get('where') ?? ''), { name: 'Gate' });
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  test('after an update, an open tab says so in place of a page that it cannot load', async () => {
    await open('beacons');
    await page.getByRole('table', { name: 'beacons' }).waitFor();
    await page.route('**/console/assets/*.js', (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await page.getByRole('heading', { name: 'A new version is here' }).waitFor();
    await takePictures(page, 'new-version');
    await page.unroute('**/console/assets/*.js');
    await button('Reload').click();
    await page.getByRole('heading', { name: 'Data', exact: true }).waitFor();
  });

  test('a stopped service is called so, and the form goes on when it is back', async () => {
    await open('beacons/new');
    await field('Name').fill('Tower');
    await field('UUID').fill('AB');
    await field('Major').fill('1');
    await field('Minor').fill('9');
    await page.route('**/console/api/**', (route) => route.abort());
    await button('Add the beacon').click();
    await page.getByText('The service does not answer.').first().waitFor();
    assert.equal(await field('Name').inputValue(), 'Tower');
    await page.unroute('**/console/api/**');
    await button('Add the beacon').click();
    await page.getByRole('heading', { name: 'Tower', exact: true }).waitFor();
  });
});
