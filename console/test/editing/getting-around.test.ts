import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { isFull, testInFull } from '../../../server/test/support/depth.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

describe('getting around in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let gateId: string;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signIn(app)).headers;
    const beacon = (name: string, minor: number, metadata: object = {}) =>
      create(app, '/api/v2/beacons', { name, uuid: 'AA', major: 1, minor, metadata }, headers);
    gateId = await beacon('Gate', 1, { long: 'x'.repeat(2_000) });
    const shopId = await beacon('Shop', 2);
    const notification = (description: string, objectId: string) => ({
      description,
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId },
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Hello', alertMessage: '' },
      isEnabled: true,
    });
    await create(app, '/api/v2/notifications', notification('Welcome', gateId), headers);
    await create(app, '/api/v2/notifications', notification('Sale', shopId), headers);
    const storylineId = await create(app, '/api/v2/storylines', { title: 'A day', isEnabled: true }, headers);
    const showOn = [{ dayName: 'Mon', checked: true }];
    const scenario = { beacons: [gateId], event: 'EXIT', campaign: 'TEXT', showOn, alertTitle: 'Goodbye' };
    await create(app, `/api/v2/storylines/${storylineId}/detail`, scenario, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const open = (rest: string) => goTo(page, `/console/apps/${app.appId}/${rest}`);
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const appName = async () => (await app.app.apps.get(app.appId)).name;
  /** Waits for an expression in the page; the debugger evaluates it, since the page's policy allows no strings as code. */
  async function until(expression: string): Promise<void> {
    await becomes(() => page.evaluate(`Boolean(${expression})`), true);
  }
  const titled = (title: string) => until(`document.title === ${JSON.stringify(title)}`);

  test('the title names the page, the record and the app', async () => {
    await open('beacons');
    await titled(`Beacons · ${await appName()} · Pharos`);
    await link('Gate').click();
    await titled(`Gate · ${await appName()} · Pharos`);
  });

  test('the focus follows navigation to the heading of the page', async () => {
    // The link that was clicked has the same text, and the focus until the page is shown.
    const heading = (text: string) =>
      until(`document.activeElement?.tagName === 'H1' && document.activeElement.textContent === "${text}"`);
    await link('Messages').click();
    await heading('Messages');
    await link('Welcome').click();
    await heading('Welcome');
  });

  test('venues have a place of their own in the navigation, also on a phone, and the search finds them', async () => {
    const venue = await create(app, '/api/v2/venues', { name: 'Old mill' }, (await signInManager(app)).headers);
    const part = (name: string) =>
      page.getByRole('navigation', { name: 'Parts of the app' }).getByRole('link', { name, exact: true });
    const isCurrent = async (name: string) => (await part(name).getAttribute('aria-current')) === 'page';
    await open('home');
    await part('Places').click();
    await link('Old mill').click();
    await heading('Old mill').waitFor();
    assert.deepEqual([await isCurrent('Venues'), await isCurrent('Beacons')], [true, false]);
    await takePictures(page, 'venue-in-navigation');
    await open(`beacons/${gateId}`);
    await heading('Gate').waitFor();
    assert.deepEqual([await isCurrent('Venues'), await isCurrent('Beacons')], [false, true]);
    const known = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await button('Menu').click();
    await part('Venues').click();
    await heading('Venues').waitFor();
    if (known) await page.setViewportSize(known);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages, actions and records' }).fill('old mi');
    await page.getByRole('option', { name: 'Old mill' }).click();
    await becomes(async () => new URL(page.url()).pathname.endsWith(`/beacons/venues/${venue}`), true);
  });

  testInFull('a tab of the page is read out, too: the heading that gets the focus says which it is', async () => {
    await open('activity/analytics');
    const tab = page.getByRole('main').getByRole('link', { name: 'Ways', exact: true });
    await tab.focus();
    await page.keyboard.press('Enter');
    await titled(`Ways · Visitors · ${await appName()} · Pharos`);
    await until(`document.activeElement?.tagName === 'H1'`);
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Visitors · Ways');
  });

  test('the choice of a beacon lists them all, or says that there are more than it lists', async () => {
    const add = (from: number, until: number) =>
      Promise.all(
        Array.from({ length: until - from }, (_, n) => ({
          name: `Lamp ${from + n}`,
          uuid: 'AB',
          major: 2,
          minor: from + n,
        })).map((lamp) => create(app, '/api/v2/beacons', lamp, headers)),
      );
    const offered = page.getByRole('listbox').getByRole('option');
    const opened = async () => {
      await open('activity/analytics');
      await page.getByRole('combobox', { name: 'Beacon' }).click();
      await offered.first().waitFor();
    };
    await add(0, 24);
    await opened();
    assert.equal(await offered.count(), 26, 'with the two that there were');
    await add(24, 50);
    await goTo(page, '/console/apps');
    await opened();
    const last = offered.last();
    assert.deepEqual([await offered.count(), await last.textContent()], [51, 'There are more. Type to find them.']);
    assert.equal(await last.getAttribute('data-combobox-disabled'), 'true');
    await page.getByRole('combobox', { name: 'Beacon' }).fill('shop');
    await page.getByRole('option', { name: 'Shop', exact: true }).click();
    await becomes(async () => new URL(page.url()).searchParams.has('beacon'), true);
  });

  test("a beacon's page lists its messages, and its long texts can be scrolled with the keyboard", async () => {
    await open(`beacons/${gateId}`);
    const messages = page.getByRole('list', { name: 'Messages here' });
    await messages.getByRole('link', { name: 'Welcome' }).waitFor();
    await messages.getByRole('link', { name: 'Goodbye' }).waitFor();
    assert.equal(await messages.getByRole('listitem').count(), 2);
    await page.getByText('Technical details').click();
    await page.locator('pre').first().focus();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'PRE');
    await assertAccessible(page);
    await takePictures(page, 'beacon-messages');
    await messages.getByRole('link', { name: 'Goodbye' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
  });

  test('an invalid UUID is reported, and one can be generated', async () => {
    await open('beacons/new');
    const uuid = page.getByRole('textbox', { name: 'UUID' });
    await uuid.fill('my beacon');
    await page.getByText('This is no UUID', { exact: false }).waitFor();
    await takePictures(page, 'uuid');
    await button('Make a UUID').click();
    assert.match(await uuid.inputValue(), /^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
    assert.equal(await button('Make a UUID').count(), 0);
  });

  test('a button that waits for an answer keeps the focus, and is not pressed again', async () => {
    await open(`beacons/${gateId}/edit`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('North gate');
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let changes = 0;
    await page.route('**/v2/beacons/*', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      changes += 1;
      await answered;
      await route.fulfill({ status: 400, json: { error: { error: 'No.', code: 142, name: 'ValidationError' } } });
    });
    const save = button('Save');
    await save.press('Enter');
    await page.locator('[data-loading][aria-disabled="true"]').waitFor();
    await page.keyboard.press('Enter');
    await until("document.activeElement?.textContent === 'Save'");
    answer();
    await page.getByRole('alert').first().waitFor();
    await until("document.activeElement?.textContent === 'Save'");
    assert.equal(changes, 1);
    await page.unroute('**/v2/beacons/*');
    await page.keyboard.press('Enter');
    await heading('North gate').waitFor();
    await app.send({ method: 'PUT', url: `/api/v2/beacons/${gateId}`, headers, body: { name: 'Gate' } });
  });

  test('an error goes when it is mended', async () => {
    await open('beacons/new');
    await button('Add the beacon').click();
    await page.getByText('Fill this in.').first().waitFor();
    const before = await page.getByText('Fill this in.').count();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Hall');
    await until(`document.body.innerText.split('Fill this in.').length - 1 === ${before - 1}`);
  });

  test('on a phone, a sheet leads to every section', async () => {
    await open('beacons');
    await page.setViewportSize({ width: 390, height: 800 });
    await link('Settings').waitFor({ state: 'hidden' });
    await button('Menu').click();
    await link('Settings').waitFor();
    assert.equal(
      await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'),
      true,
      'nothing sticks out',
    );
    await assertAccessible(page);
    await takePictures(page, 'phone-menu');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.keyboard.press('Escape');
    await link('Settings').waitFor({ state: 'hidden' });
    await button('Menu').click();
    await link('Settings').click();
    await heading('Settings').waitFor();
    await link('Places').waitFor({ state: 'hidden' });
    // So does a link to the page that is shown.
    await button('Menu').click();
    await link('General').click();
    await link('Places').waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1280, height: 860 });
    await link('Places').waitFor();
  });

  /** The entries of an open menu that a press at their middle, once they are scrolled to, would miss. */
  const missed = `[...document.querySelectorAll('header nav a, header button[aria-haspopup=menu]')].filter((entry) => {
    entry.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = entry.getBoundingClientRect();
    return !entry.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  }).map((entry) => entry.textContent)`;

  for (const role of isFull ? (['owner', 'editor'] as const) : (['owner'] as const))
    test(`on every small or low screen each entry of the open menu can be pressed, as ${role}`, async () => {
      const { page: own, context } = await openAs(browser, { app, origin, role });
      // With the longest list of parts open that the role has.
      await own.goto(`/console/apps/${app.appId}/${role === 'owner' ? 'settings' : 'messages'}`);
      const opened = own.locator('header nav').getByRole('link', { name: 'Home', exact: true });
      const names = () => own.locator('header nav a').allTextContents();
      await opened.waitFor();
      const known = await names();
      assert.ok(known.length > (role === 'owner' ? 14 : 8), known.join());
      // The last one but two is a window of 1440 × 900 at 200 %.
      for (const [width, height] of [
        [390, 844],
        [390, 667],
        [430, 932],
        [768, 1024],
        [720, 450],
        [844, 390],
        [195, 420],
      ] as const) {
        await own.setViewportSize({ width, height });
        const isNarrow = width <= 768;
        if (isNarrow) await own.getByRole('button', { name: 'Menu', exact: true }).click();
        await opened.waitFor();
        assert.deepEqual([await names(), await own.evaluate(missed)], [known, []], `${width} × ${height}`);
        await own.locator('header button[aria-haspopup=menu]').first().click();
        await own.getByRole('menuitem', { name: 'All apps' }).click({ trial: true });
        await own.keyboard.press('Escape');
        if (isNarrow) await own.keyboard.press('Escape');
      }
      await context.close();
    });

  testInFull('on a phone another app is chosen above the menu, which then closes', async () => {
    const { appId } = await app.app.apps.create('Harbour tour');
    const { page: own, context } = await openAs(browser, { app, origin, role: 'owner' });
    await own.setViewportSize({ width: 390, height: 844 });
    await own.goto(`/console/apps/${app.appId}/beacons`);
    await own.getByRole('button', { name: 'Menu', exact: true }).click();
    await own.getByRole('button', { name: /^Test app/ }).click();
    await own.getByRole('menuitem', { name: 'Harbour tour' }).click();
    await becomes(async () => new URL(own.url()).pathname.startsWith(`/console/apps/${appId}/`), true);
    await own.getByRole('button', { name: /^Harbour tour/ }).waitFor({ state: 'hidden' });
    await own.getByRole('heading', { level: 1 }).waitFor();
    await context.close();
    await app.app.apps.remove(appId);
  });

  test('on a phone whose letters are twice as large nothing overlaps or sticks out', async () => {
    // As many letters as there is room for then.
    await page.setViewportSize({ width: 195, height: 420 });
    await open('push/new');
    await heading('When').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true, 'a push');
    await open('messages/new');
    await button('Menu').waitFor();
    const [name, menu] = await Promise.all([link('Pharos').boundingBox(), button('Menu').boundingBox()]);
    assert.ok(name && menu && (menu.y >= name.y + name.height || menu.x >= name.x + name.width));
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  test('a double click adds one record, and its long name stays within a phone', async () => {
    const name = 'Donaudampfschifffahrtsgesellschaftskapitaenskajuet';
    await page.setViewportSize({ width: 390, height: 800 });
    await open('beacons/new');
    await page.getByLabel('Name').fill(name);
    await page.getByRole('textbox', { name: 'UUID' }).fill('F7826DA6-4FA2-4E98-8024-BC5B71E0893E');
    await page.getByLabel('Major').fill('7');
    await page.getByLabel('Minor').fill('7');
    await button('Add the beacon').dblclick();
    await heading(name).waitFor();
    const where = encodeURIComponent(JSON.stringify({ name }));
    const found = await app.send({ method: 'GET', url: `/api/v2/beacons?where=${where}`, headers });
    assert.equal(found.body.results.length, 1);
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');
    assert.equal(await fits(), true);
    await takePictures(page, 'long-name');
    await page.setViewportSize({ width: 390, height: 800 });
    await button('Delete').click();
    await page.getByRole('dialog').getByText(name).first().waitFor();
    assert.equal(await fits(), true);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
