import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../../server/src/base/sql.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { png } from '../../../server/test/support/png.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';

/** Work of several steps, in the middle of which the session ends. The functions it uses are in `ended-sessions`. */
describe('work that is under way when the session ends', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let venueId: string;

  beforeAll(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    headers = (await signInManager(app)).headers;
    venueId = await create(app, '/api/v2/venues', { name: 'Town hall' }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const open = (path: string) => goTo(page, `/console/apps/${app.appId}/${path}`);
  const signingIn = () => page.getByRole('dialog', { name: 'Sign in again' });
  const names = async (path: string) =>
    ((await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body.results as { name: string }[])
      .map(({ name }) => name.replace(/^\w+_/, ''))
      .toSorted();
  /** Before the given request of a kind the session ends. Answers what was sent. */
  async function endBefore(count: number, pattern: string): Promise<readonly string[]> {
    const sent: string[] = [];
    await page.route(pattern, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent.push(route.request().url());
      if (sent.length === count) await app.storage.db.run(sql`delete from admin_sessions`);
      return route.continue();
    });
    return sent;
  }
  async function signInAgain(): Promise<void> {
    await signingIn().getByLabel('Your password').fill('a long enough secret');
    await signingIn().getByRole('button', { name: 'Sign in' }).click();
    await signingIn().waitFor({ state: 'hidden' });
  }
  const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: png(40, 20, () => [200, 200, 200]) });

  test('uploads wait for signing in again, and each file is there once', async () => {
    await open('files');
    const wanted = ['a.png', 'b.png', 'c.png', 'd.png', 'e.png'];
    const sent = await endBefore(2, '**/v2/files/*');
    await page.locator('input[type=file]').setInputFiles(wanted.map(picture));
    await signingIn().waitFor();
    assert.ok((await names('files')).length < wanted.length);
    await signInAgain();
    await becomes(() => names('files'), wanted);
    await page.unroute('**/v2/files/*');
    assert.ok(sent.length > wanted.length, 'what was refused was sent again');
    // Nobody is asked a second time for the others.
    assert.equal(await signingIn().count(), 0);
    assert.equal(await page.getByRole('list', { name: 'Uploads' }).getByRole('alert').count(), 0);
  });

  test('whoever does not sign in again is asked once, and what waits is not sent in vain', async () => {
    await open('files');
    const before = await names('files');
    const sent = await endBefore(1, '**/v2/files/*');
    await page.locator('input[type=file]').setInputFiles(['f.png', 'g.png', 'h.png', 'i.png'].map(picture));
    await signingIn().waitFor();
    await signingIn().getByRole('button', { name: 'Cancel' }).click();
    // The page is left to whoever signs in next.
    await page.getByLabel('E-mail').waitFor();
    assert.equal(await signingIn().count(), 0);
    await page.unroute('**/v2/files/*');
    assert.deepEqual(
      sent.filter((url) => url.endsWith('/i.png')),
      [],
      'three go at once, and the fourth waits',
    );
    assert.deepEqual(await names('files'), before);
    const email = String(
      (
        await app.storage.db.one<{ email: string }>(sql`select email from admins
      where role = 'manager'`)
      )?.email,
    );
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough secret');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('list', { name: 'files', exact: true }).waitFor();
  });

  test('floors from pictures go on with the floor at which the session ended, and none is added twice', async () => {
    await open(`beacons/venues/${venueId}`);
    await endBefore(2, '**/v2/floors');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Add floors from pictures' }).click(),
    ]);
    await chooser.setFiles(['1 Ground.png', '2 First.png', '3 Attic.png'].map(picture));
    await page.getByRole('button', { name: 'Add 3 floors' }).click();
    await signingIn().waitFor();
    assert.deepEqual(await names('floors'), ['1 Ground']);
    await signInAgain();
    await page.getByText('The floors are added.').waitFor();
    await page.unroute('**/v2/floors');
    assert.deepEqual(await names('floors'), ['1 Ground', '2 First', '3 Attic']);
  });

  test('a floor that the service refuses leaves the others as they are, and only the rest is added later', async () => {
    await open(`beacons/venues/${venueId}`);
    let count = 0;
    await page.route('**/v2/floors', (route) =>
      route.request().method() === 'POST' && ++count === 2 ? route.abort() : route.continue(),
    );
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Add floors from pictures' }).click(),
    ]);
    await chooser.setFiles(['4 Tower.png', '5 Roof.png'].map(picture));
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add 2 floors' }).click();
    await dialog.getByText('The service does not answer.', { exact: false }).waitFor();
    assert.deepEqual((await names('floors')).slice(3), ['4 Tower']);
    assert.equal(await dialog.getByRole('textbox', { name: 'Name of floor 1' }).inputValue(), '5 Roof');
    await dialog.getByRole('button', { name: 'Add 1 floor' }).click();
    await page.getByText('The floors are added.').waitFor();
    await page.unroute('**/v2/floors');
    assert.deepEqual((await names('floors')).slice(3), ['4 Tower', '5 Roof']);
  });

  test('the browser had nothing to complain about', () =>
    assert.deepEqual(
      visited.complaints.filter((complaint) => !complaint.includes('ERR_FAILED')),
      [],
    ));
});
