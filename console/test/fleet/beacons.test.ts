import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { teachSignal } from '../../../server/test/support/sites/teach-signal.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, readAgain, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';

/** The tests are one session: each continues where the previous one stopped. */
describe('beacons in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signIn(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'installer' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const lines = () => page.getByRole('table', { name: 'beacons' }).locator('tbody tr');
  const names = () => page.getByRole('table', { name: 'beacons' }).locator('tbody a').allInnerTexts();
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const stored = async (query = '') =>
    (await app.send({ method: 'GET', url: `/api/v2/beacons?order=name${query}`, headers })).body.results;
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/beacons${rest}`);

  test('an app without beacons says what to do next', async () => {
    await open();
    await heading('No beacons yet').waitFor();
    assert.equal(await link('Health').count(), 0);
    await link('Add a beacon').first().click();
    await heading('Add a beacon').waitFor();
  });

  test('a refused beacon says at each field what is wrong, and keeps what was typed', async () => {
    await field('Name').fill('Main hall');
    await field('UUID').fill(uuid);
    await field('Major').fill('70000');
    await field('Minor').fill('1');
    await field('Metres from the left').fill('4.2');
    await button('Add the beacon').click();
    await page.getByText('Is needed too, or leave the whole place empty.').waitFor();
    await field('Metres from the top').fill('7.5');
    await button('Add the beacon').click();
    await page.getByText('Must be at most 65535.').waitFor();
    assert.equal(await field('Name').inputValue(), 'Main hall');
    assert.deepEqual(await stored(), []);
  });

  test('metadata that is no JSON object is refused in words', async () => {
    await page.getByLabel('Metadata').fill('{"greeting": ');
    await button('Add the beacon').click();
    await page.getByText('Must be a JSON object, such as {"hall": 2}').waitFor();
    assert.deepEqual(await stored(), []);
  });

  test('a beacon is added, and its page shows it', async () => {
    await field('Major').fill('1');
    await field('Floor').fill('2');
    await field('Radius').fill('5');
    await page.getByLabel('Metadata').fill('{"greeting": "Welcome"}');
    await button('Add the beacon').click();
    await heading('Main hall').waitFor();
    await page.getByText('No visitor has come near yet.', { exact: false }).waitFor();
    const [{ objectId, createdAt, updatedAt, ...made }] = await stored();
    assert.ok(page.url().endsWith(objectId) && createdAt && updatedAt);
    assert.deepEqual(made, {
      name: 'Main hall',
      uuid,
      major: 1,
      minor: 1,
      location: { x: 4.2, y: 7.5, floor: 2 },
      metadata: { greeting: 'Welcome' },
      radius: 5,
    });
  });

  test('a changed beacon keeps what was not changed', async () => {
    await link('Edit').click();
    await field('Radius').fill('');
    await field('Name').fill('Great hall');
    await button('Save').click();
    await heading('Great hall').waitFor();
    const [beacon] = await stored();
    assert.deepEqual(
      [beacon.radius, beacon.location, beacon.metadata],
      [undefined, { x: 4.2, y: 7.5, floor: 2 }, { greeting: 'Welcome' }],
    );
  });

  test('a change is taken back with one click', async () => {
    const [{ updatedAt: _, ...before }] = await stored();
    await link('Edit').click();
    await field('Name').fill('Small hall');
    await field('Metres from the left').fill('9');
    await button('Save').click();
    await heading('Small hall').waitFor();
    await button('Undo').click();
    await page.getByText('The change was undone.').waitFor();
    await heading('Great hall').waitFor();
    const [{ updatedAt: _later, ...after }] = await stored();
    assert.deepEqual(after, before);
  });

  test('the same UUID, major and minor once more: one is asked, and the beacon can move', async () => {
    await open('/new');
    await field('Name').fill('North tower');
    await field('UUID').fill(uuid.toLowerCase().replaceAll('-', ''));
    await field('Major').fill('1');
    await field('Minor').fill('1');
    await field('Metres from the left').fill('20');
    await field('Metres from the top').fill('30');
    await button('Add the beacon').click();
    await dialog().getByText('Great hall').first().waitFor();
    await dialog().getByRole('button', { name: 'Move Great hall' }).click();
    await heading('North tower').waitFor();
    const beacons = await stored();
    assert.deepEqual(
      beacons.map(({ name, location }: { name: string; location: object }) => [name, location]),
      [['North tower', { x: 20, y: 30 }]],
    );
  });

  test('what happened at a beacon stands on its page', async () => {
    const [{ objectId }] = await stored();
    await app.send({ method: 'POST', url: '/api/v2/installations', body: { installationId: 'p', deviceType: 'ios' } });
    const sightings = [{ beacon: objectId, event: 'ENTER', eventId: 'e1' }];
    await app.send({ method: 'POST', url: '/api/v2/sightings', body: { installationId: 'p', sightings } });
    await readAgain(page);
    const state = page.getByRole('region', { name: 'Where it is, and whether it works' });
    await state.getByText('It works: visitors are here now.').waitFor();
    await state.getByText('20, 30').waitFor();
    await page.getByRole('region', { name: 'Events' }).getByText('Entered').waitFor();
    await page.getByText('still here').waitFor();
    await page.getByRole('region', { name: 'Events' }).getByRole('link', { name: 'Entered' }).click();
    await heading('Entered North tower').waitFor();
    await page.goBack();
  });

  testInFull('what visitors have shown about a signal is on the page, and deleted on request', async () => {
    const [{ objectId }] = await stored();
    await teachSignal(app, objectId, 6);
    await goTo(page, `/console/apps/${app.appId}/home`);
    await open(`/${objectId}`);
    assert.equal(await page.getByText(/^B9407F30-?F5F8/i).isVisible(), false);
    await page.getByText('Technical details').click();
    await page.getByText(/^B9407F30-?F5F8/i).waitFor();
    await page
      .getByText(/^\d(\.\d)? dB weaker at one metre than expected, .*, learned from 8 min of visitors/)
      .waitFor();
    await assertAccessible(page);
    await takePictures(page, 'beacon-signal');
    await button('Forget').click();
    await dialog().getByText('Do this after the beacon was moved').waitFor();
    await dialog().getByRole('button', { name: 'Forget' }).click();
    await page.getByText('It is learned again from the next visitors on.').waitFor();
    await page.getByText('Signal, as visitors show it').waitFor({ state: 'detached' });
  });

  test('a beacon is replaced: the new one takes over everything, and a record that had its identifiers goes', async () => {
    const [{ objectId }] = await stored();
    const ids = { uuid: '0B9407F3-F5F8-466E-AFF9-25556B57FE6D', major: 9, minor: 7 };
    const spare = await create(app, '/api/v2/beacons', { name: 'Spare', ...ids }, headers);
    await button('Replace').click();
    await dialog().getByLabel('Minor').fill('70000');
    await dialog().getByRole('button', { name: 'Replace', exact: true }).click();
    await dialog().getByText('Must be at most 65535.').waitFor();
    await dialog().getByLabel('UUID').fill(`ibeacon ${ids.uuid.toLowerCase()}, 9/7`);
    assert.equal(await dialog().getByLabel('Minor').inputValue(), '7');
    await dialog().getByRole('button', { name: 'Replace', exact: true }).click();
    await dialog().getByText('Spare has these identifiers. It goes into the trash', { exact: false }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'beacon-replace');
    await dialog().getByRole('button', { name: 'Replace and delete Spare' }).click();
    await page.getByText('North tower is replaced. From now on the new beacon counts.').waitFor();
    const plain = (text: string) => text.replaceAll('-', '').toUpperCase();
    const told = async () =>
      (await stored()).map((one: typeof ids & { objectId: string }) => [one.objectId, plain(one.uuid), one.minor]);
    assert.deepEqual(await told(), [[objectId, plain(ids.uuid), 7]]);
    await page.getByText('still here').waitFor();
    await button('Undo').click();
    await page.getByText('The change was undone.').waitFor();
    assert.deepEqual(
      (await told()).toSorted(),
      [
        [objectId, plain(uuid), 1],
        [spare, plain(ids.uuid), 7],
      ].toSorted(),
    );
    await app.send({ method: 'DELETE', url: `/api/v2/beacons/${spare}`, headers });
  });

  test('the list is searched, filtered, sorted and paged, and the address says so', async () => {
    for (let n = 0; n < 60; n++) {
      const body = {
        name: `Room ${String(n).padStart(2, '0')}`,
        uuid,
        major: 2,
        minor: n,
        metadata: { wing: n % 2 ? 'east' : 'west' },
      };
      await create(app, '/api/v2/beacons', body, headers);
    }
    await open();
    await page.getByText('1–25 of 61').waitFor();
    assert.deepEqual((await names()).slice(0, 2), ['North tower', 'Room 00']);
    await button('Next page').click();
    await page.getByText('26–50 of 61').waitFor();
    assert.match(page.url(), /page=2/);
    await button('Columns').click();
    await page.getByRole('checkbox', { name: 'Minor' }).check();
    await page.keyboard.press('Escape');
    await button('Minor').click();
    await page.getByText('1–25 of 61').waitFor();
    await button('Minor').click();
    await lines().first().filter({ hasText: 'Room 59' }).waitFor();
    assert.match(page.url(), /order=-minor/);
    await page.getByRole('searchbox').fill('room 1');
    await page.getByText('1–10 of 10').waitFor();
    await page.reload();
    await page.getByText('1–10 of 10').waitFor();
    assert.equal((await names())[0], 'Room 19');
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No beacons match.').waitFor();
    await button('Show all beacons').click();
    await page.getByText('1–25 of 61').waitFor();
  });

  testInFull('a filter is put together in rows, shows its JSON, and is taken away again', async () => {
    await open();
    await button('Filter').click();
    await page.getByLabel('Field').selectOption('metadata');
    await page.getByLabel('Member').fill('wing');
    await page.getByLabel('Value').fill('east');
    await button('Add a condition').click();
    await page.getByLabel('Field').nth(1).selectOption('minor');
    await page.getByLabel('Operator').nth(1).selectOption('atLeast');
    await page.getByLabel('Value').nth(1).fill('50');
    assert.deepEqual(JSON.parse(await page.getByTestId('where').innerText()), {
      'metadata.wing': 'east',
      minor: { $gte: 50 },
    });
    await button('Apply').click();
    await page.getByText('1–5 of 5').waitFor();
    await page.reload();
    await page.getByText('1–5 of 5').waitFor();
    await button('Show the request').click();
    const curl = await dialog().locator('code').innerText();
    const url = /curl '([^']+)'/.exec(curl)?.[1] ?? '';
    const answer = await app.send({ method: 'GET', url: url.slice(origin.length), headers });
    assert.equal(answer.body.count, 5);
    await page.keyboard.press('Escape');
    await button('Filter').click();
    await button('Edit as JSON').click();
    await page.getByLabel('Filter as JSON').fill('{"nonsense": 1}');
    await button('Apply').click();
    await page.getByRole('alert').filter({ hasText: 'nonsense' }).waitFor();
    await button('Close').click();
    await button(/^Remove the filter/).click();
    await page.getByText('1–25 of 61').waitFor();
  });

  test('a row is opened by a click anywhere in it, and by the keyboard', async () => {
    await open('?q=Room%2007');
    await page.getByText('1–1 of 1').waitFor();
    await lines().first().locator('td').nth(2).click();
    await heading('Room 07').waitFor();
    await page.goBack();
    await link('Room 07').focus();
    await page.keyboard.press('Enter');
    await heading('Room 07').waitFor();
  });

  test('the map shows what has a place, and leads to it', async () => {
    await open('?view=map');
    await page.getByRole('link', { name: 'North tower at 20, 30' }).click();
    await heading('North tower').waitFor();
  });

  test('a delete names what goes with it', async () => {
    const objectId = await create(
      app,
      '/api/v2/beacons',
      { name: 'Library', uuid: 'AAAA', major: 1, minor: 1 },
      headers,
    );
    const beaconId = { __type: 'Pointer', className: 'Beacon', objectId };
    const message = { alertTitle: 'a', alertMessage: 'b' };
    const notification = { description: 'Hush', beaconId, event: 'ENTER', type: 'TEXT', message, isEnabled: true };
    await create(app, '/api/v2/notifications', notification, headers);
    await open(`/${objectId}`);
    await button('Delete').click();
    await dialog().getByText('Used by 1 message (Hush); they will no longer be shown.').waitFor();
    await dialog().getByRole('button', { name: 'Delete Library' }).click();
    await page.getByText('Library was deleted.').waitFor();
    assert.deepEqual(await stored('&where={"name":"Library"}'), []);
  });

  testInFull('an analyst looks and changes nothing', async () => {
    const other = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(other.page, `/console/apps/${app.appId}/beacons?q=tower`);
    await other.page.getByRole('link', { name: 'North tower' }).waitFor();
    assert.equal(await other.page.getByRole('link', { name: 'Add a beacon' }).count(), 0);
    await other.page.getByRole('link', { name: 'North tower' }).click();
    await other.page.getByText('still here').waitFor();
    assert.equal(await other.page.getByRole('button', { name: 'Delete' }).count(), 0);
    await goTo(other.page, `/console/apps/${app.appId}/beacons/import`);
    await other.page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  test('the audit tells who has changed what', async () => {
    const owner = await openAs(browser, { app, origin, role: 'owner' });
    await goTo(owner.page, '/console/audit');
    await owner.page.getByText('deleted the beacon Library in Test app.').waitFor();
    await owner.page.getByText('changed the beacon North tower in Test app.').first().waitFor();
    await owner.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(
      visited.complaints.filter((complaint) => !complaint.includes('ERR_FAILED')),
      [],
    );
  });
});
