import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../../server/src/access/audit.ts';
import type { AdminRole } from '../../../server/src/access/roles.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { houseOf } from '../analytics/house.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole } from '../browser.ts';

const day = 86_400_000;

/** What people of a museum come for, each with the role that they have and with the keyboard alone. */
describe('journeys with the keyboard', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const { makeHouse, make, report } = houseOf(() => ({ page, app, headers }));
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const list = async (path: string) => (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body;

  async function begin(role: AdminRole, path: string): Promise<readonly string[]> {
    const visited = await openAs(browser, { app, origin, role });
    page = visited.page;
    await goTo(page, `/console/apps/${app.appId}${path}`);
    return visited.complaints;
  }

  /** Goes on with the Tab key until something has the focus. */
  async function reach(wanted: Locator): Promise<void> {
    await wanted.waitFor();
    const focused = wanted.and(page.locator(':focus'));
    for (let step = 0; (await focused.count()) === 0; step++) {
      assert.ok(step < 80, `${wanted} is not reached`);
      await page.keyboard.press('Tab');
    }
  }
  async function press(wanted: Locator): Promise<void> {
    await reach(wanted);
    await page.keyboard.press('Enter');
  }
  async function type(label: string, text: string): Promise<void> {
    await reach(page.getByRole('textbox', { name: label, exact: true }));
    await page.keyboard.type(text);
  }
  /** What the keyboard goes on from: a page begins at its heading, and a dialog that closes goes back to what has opened it. */
  const focusIs = (wanted: Locator) => wanted.and(page.locator(':focus')).waitFor();
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });

  test('a colleague who may only edit messages sees nothing else, and writes one', async () => {
    await makeHouse();
    const complaints = await begin('author', '');
    await page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    const entries = page
      .getByRole('navigation')
      .locator('a, button')
      .filter({ hasText: /Messages|Push|Home|Places|Log/ });
    assert.deepEqual(
      (await entries.allInnerTexts()).filter((text) => /^(Home|Places|Log)$/.test(text.trim())),
      [],
    );
    await press(page.getByRole('link', { name: 'New message' }));
    await reach(page.getByLabel('Title', { exact: true }));
    await page.keyboard.type('Good morning');
    await reach(page.getByLabel('Text', { exact: true }));
    await page.keyboard.type('The tour begins here.');
    await press(page.getByTestId('sentence').getByTitle('Place', { exact: true }));
    await reach(page.getByRole('dialog').getByRole('combobox', { name: 'Beacons', exact: true }));
    await page.keyboard.type('Hall');
    await page.getByRole('option', { name: /^Hall beacon/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await press(button('Done'));
    await becomes(() => page.evaluate('document.activeElement.title'), 'Place');
    await press(button('Save as a draft'));
    await page.getByRole('link', { name: 'Good morning', exact: true }).waitFor();
    const [stored] = (await list('notifications')).results;
    assert.deepEqual([stored.message.alertMessage, stored.isEnabled], ['The tour begins here.', false]);
    assert.deepEqual(complaints, []);
  });

  test('the first ten minutes: a beacon, a message, and a phone that gets it', async () => {
    const { appId } = await app.app.apps.create('For visitors', commandLine, 'visitors');
    const complaints = await begin('owner', '');
    // The clock of the service stands still, and each report is a second later.
    await page.route('**/api/v2/sightings', (route) => {
      app.clock.now += 1_000;
      return route.continue();
    });
    await goTo(page, `/console/apps/${appId}/home`);
    await press(page.getByRole('main').getByRole('link', { name: 'Add a beacon' }));
    await focusIs(heading('Add a beacon'));
    await type('Name', 'Hall');
    await press(button('Make a UUID'));
    await type('Major', '1');
    await type('Minor', '1');
    await page.keyboard.press('Enter');
    await focusIs(heading('Home'));
    await press(page.getByRole('link', { name: 'Write a message' }));
    await focusIs(heading('New message'));
    await type('Text', 'The tour starts on your left.');
    await press(button('Switch on …'));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Switch on' }));
    await page.getByRole('switch', { checked: true }).waitFor();
    await focusIs(heading('Messages'));
    await press(page.getByRole('navigation').getByRole('link', { name: 'Home' }));
    await focusIs(heading('Home'));
    await press(page.getByRole('link', { name: 'Try it with a pretend phone' }));
    await focusIs(heading('Pretend phone'));
    await page.getByText('The message has arrived.').waitFor();
    await press(button('Walk away'));
    await page.getByText('The phone is gone.').waitFor();
    assert.deepEqual(complaints, []);
    await app.app.apps.remove(appId);
  });

  test('a beacon is replaced', async () => {
    const [hall] = (await list('beacons?where={"name":"Hall beacon"}')).results;
    const complaints = await begin('installer', '/beacons');
    await press(page.getByRole('link', { name: 'Hall beacon' }));
    await focusIs(heading('Hall beacon'));
    await press(button('Replace'));
    await focusIs(page.getByRole('dialog').getByLabel('UUID'));
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('B9407F30-F5F8-466E-AFF9-25556B57FE6D, 9, 7');
    await page.keyboard.press('Enter');
    await page.getByText('Hall beacon is replaced. From now on the new beacon counts.').waitFor();
    await focusIs(button('Replace'));
    const [{ objectId, major, minor }] = (await list('beacons?where={"name":"Hall beacon"}')).results;
    assert.deepEqual([objectId, major, minor], [hall.objectId, 9, 7]);
    await press(button('Undo'));
    await page.getByText('The change was undone.').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a person is found by name and erased, with a receipt', async () => {
    await make('/users', {
      firstname: 'Vera',
      lastname: 'Wave',
      email: 'vera@museum.example',
      password: 'a long enough secret',
    });
    const complaints = await begin('owner', '/users');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('wave');
    await page.getByText('1–1 of 1').waitFor();
    await press(page.getByRole('link', { name: 'Vera Wave' }));
    await focusIs(heading('Vera Wave'));
    await press(button('Erase'));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Erase Vera Wave' }));
    await focusIs(heading('Accounts'));
    await press(button('Show the receipt'));
    await page.getByRole('list', { name: 'Erasures' }).getByText('A user with everything that was known').waitFor();
    await focusIs(heading('Privacy'));
    assert.deepEqual(complaints, []);
  });

  test('last week beside the week before, for one hall, goes into a file', async () => {
    const [hall] = (await list('beacons?where={"name":"Hall beacon"}')).results;
    const now = Date.now();
    const noon = now - (now % day) + day / 2;
    for (const [ago, phones] of [
      [14, 20],
      [7, 30],
    ] as const)
      for (let phone = 0; phone < phones; phone++) {
        const installationId = `phone ${phone}`;
        if (ago === 14 || phone >= 20) await make('/installations', { installationId, deviceType: 'ios' });
        for (const [event, minutes] of [
          ['ENTER', 0],
          ['EXIT', 5],
        ] as const) {
          app.clock.now = noon - ago * day + (minutes + 6 * phone) * 60_000;
          await report(installationId, [{ beacon: hall.objectId, event, occurredAt: app.clock.now }]);
        }
      }
    app.clock.now = now;
    await app.app.rollups.settle(app.appId);
    const complaints = await begin('reader', '/activity/analytics?unit=week');
    await press(button('The one before'));
    const place = page.getByRole('combobox', { name: 'Place' });
    await reach(place);
    const chosen = async () => (await place.locator('option:checked').textContent())?.trim();
    for (let step = 0; (await chosen()) !== 'Hall'; step++) {
      assert.ok(step < 10, String(await chosen()));
      const before = page.url();
      await page.keyboard.press('ArrowDown');
      await becomes(async () => page.url() !== before, true);
    }
    const figures = page.getByRole('list', { name: 'Figures of the period' });
    await figures.getByText('50 % more than the week before (20)').first().waitFor();
    const save = button('Visitors by day: save as CSV');
    const [saved] = await Promise.all([page.waitForEvent('download'), press(save)]);
    const rows = readFileSync(await saved.path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.equal(rows.length, 15, 'two weeks, and what the columns are');
    assert.ok(rows.slice(1).every((row) => row.includes('Hall')));
    assert.deepEqual(complaints, []);
  });

  test('of 200 beacons three are wrong: they are named, and the others come in', async () => {
    const complaints = await begin('installer', '/beacons/import');
    const wrong: Readonly<Record<number, string>> = { 40: '70000', 120: 'two', 199: '-1' };
    const lines = Array.from({ length: 200 }, (_, n) => `Case ${n},BB,7,${wrong[n] ?? n}`);
    const buffer = Buffer.from(['name,uuid,major,minor', ...lines].join('\n'));
    await page.locator('input[type=file]').setInputFiles({ name: 'beacons.csv', mimeType: 'text/csv', buffer });
    for (const count of ['197 new', '3 refused']) await page.getByText(count, { exact: true }).waitFor();
    const refused = page.getByRole('list', { name: 'Rows of the file' }).getByRole('listitem');
    for (const n of Object.keys(wrong))
      await refused
        .filter({ hasText: `Case ${n}` })
        .getByText('minor must be a whole number')
        .waitFor();
    await press(button('Import 197'));
    await page.getByText('197 of 197 rows are in.').waitFor();
    assert.equal((await list('beacons?where={"major":7}&count=1&limit=0')).count, 197);
    assert.deepEqual(complaints, []);
  });
});
