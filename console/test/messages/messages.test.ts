import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { pointer, uuid, week } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const script = '<img src=x onerror="document.title=1">';
/** One that is still to come. */
const year = new Date().getUTCFullYear() + 1;

/** The tests are one session: each continues where the previous one stopped. */
describe('the December campaign in two languages in one form', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const beacons: string[] = [];

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signInManager(app)).headers;
    const venueId = pointer('Venue', await make('venues', { name: 'Old mill' }));
    const floorId = pointer('Floor', await make('floors', { venueId, name: 'Ground floor', level: 0 }));
    const polygon = [0, 9, 9, 0].map((side, at) => ({ x: side, y: at < 2 ? 0 : 9 }));
    await make('zones', { floorId, name: 'Whale Hall', kind: 'room', polygon });
    for (const [minor, x] of [2, 6, 40].entries())
      beacons.push(
        await make('beacons', {
          name: `Post ${minor}`,
          uuid,
          major: 1,
          minor,
          venueId,
          location: { x, y: 3, floor: 0 },
        }),
      );
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'editor' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, headers);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const row = (name: RegExp) => page.getByRole('row', { name });
  const sentence = () => page.getByTestId('sentence');
  /** A part of the sentence by what it is about, and the editor that it opens. */
  const part = (name: string) => sentence().getByTitle(name, { exact: true });
  const editor = () => page.getByRole('dialog');
  const preview = () => page.getByRole('figure', { name: 'Preview on a phone' });
  const get = async (path: string) => (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body;
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/messages${rest}`);
  const listed = () => page.getByRole('table', { name: 'messages' }).waitFor();
  const said = () => sentence().innerText();

  /** The ids of the messages that an ENTER at the beacon shows to a visitor. */
  async function shown(installationId: string, beacon: string): Promise<string[]> {
    await app.send({ method: 'POST', url: '/api/v2/installations', body: { installationId, deviceType: 'ios' } });
    const sightings = [{ beacon, event: 'ENTER', eventId: `${installationId} ${app.clock.now}` }];
    const { body } = await app.send({ method: 'POST', url: '/api/v2/sightings', body: { installationId, sightings } });
    return body.result.messages.map(({ triggerId }: { triggerId: string }) => triggerId);
  }

  test('what is missing is said at its field, and at the part of the sentence', async () => {
    await open();
    await page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    await assertAccessible(page);
    await link('New message').click();
    await page.getByRole('heading', { name: 'New message' }).waitFor();
    await button('Save as a draft').click();
    await page.getByText('Write a title or a text.').waitFor();
    await page.getByRole('alert').getByText('Choose a place.').waitFor();
    const top = await field('Title').boundingBox();
    const end = await button('Save as a draft').boundingBox();
    assert.ok(top && end && top.y < 220 && end.y < 800, JSON.stringify({ top, end }));
  });

  test('the texts come first, in two languages, and the preview follows', async () => {
    await field('Title').fill('Songs of the whales');
    await field('Text').fill('Every Saturday in December.');
    await page.getByText('Write a title or a text.').waitFor({ state: 'detached' });
    await button('Add a language').click();
    await page.getByRole('combobox', { name: 'Add a language' }).fill('German');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'German', exact: true }).click();
    assert.equal(await page.evaluate('document.activeElement.lang'), 'de');
    await page.keyboard.type('Lieder der Wale');
    await preview().getByText('Lieder der Wale').waitFor();
    await page.getByRole('tab', { name: 'German: no text' }).waitFor();
    await field('Text in German').fill('Jeden Samstag im Dezember.');
    await page.getByRole('tab', { name: 'German', exact: true }).press('ArrowLeft');
    await preview().getByText('Songs of the whales').waitFor();
    await page.getByRole('combobox', { name: 'Language of this text' }).fill('English');
    await page.getByRole('option', { name: 'English', exact: true }).click();
    await page.getByRole('tab', { name: 'English', exact: true }).waitFor();
  });

  test('where and when is one sentence, whose parts open by the keyboard and get the focus back', async () => {
    assert.equal(await said(), 'When a visitor enters a place: once a visit, every day, at any hour, from now on.');
    await part('Place').press('Enter');
    await editor().getByRole('combobox', { name: 'Add all beacons of a place' }).fill('Whale');
    await page.getByRole('option', { name: 'Whale Hall, Old mill' }).click();
    await editor().getByText('Whale Hall, Old mill: 2 beacons.').waitFor();
    await takePictures(page, 'message-place');
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await editor().waitFor({ state: 'detached' });
    await becomes(() => page.evaluate('document.activeElement.innerText.includes("Whale Hall")'), true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Sunday'])
      await editor().getByRole('checkbox', { name: day }).press('Space');
    await editor().getByRole('button', { name: 'Done' }).press('Enter');
    await part('Hours').press('Enter');
    await editor().getByRole('radio', { name: 'Between two times of the day' }).press('Space');
    await editor().getByRole('button', { name: 'Done' }).press('Enter');
    await part('Period').press('Enter');
    await field('First day').fill(`${year}-12-01`);
    await field('Last day').fill(`${year}-12-31`);
    await editor().getByRole('button', { name: 'Done' }).press('Enter');
    assert.equal(
      await said(),
      `When a visitor enters Whale Hall: once a visit, on Saturdays, from 10:00 to 17:00, in December ${year}.`,
    );
    await takePictures(page, 'message-form');
    await assertAccessible(page);
  });

  test('it is kept as a draft, and the list has its dates and languages', async () => {
    await button('Save as a draft').press('Enter');
    await listed();
    const mine = row(/Songs of the whales/);
    await mine.getByText('enters Post 0 or Post 1').waitFor();
    await mine.getByText(`from 1 Dec on`).waitFor();
    for (const name of ['English', 'German']) await mine.getByText(name, { exact: true }).waitFor();
    await mine.getByRole('switch', { name: 'Songs of the whales is on', checked: false }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'messages');
    const [{ objectId, title, isEnabled }] = (await get('storylines')).results;
    assert.deepEqual([title, isEnabled], ['Songs of the whales', false]);
    const [{ objectId: _i, createdAt: _c, updatedAt: _u, storylineId, ...made }] = (await get('storylines/details'))
      .results;
    assert.equal(storylineId, objectId);
    assert.deepEqual(made, {
      beacons: made.beacons,
      campaign: 'TEXT',
      event: 'ENTER',
      showOn: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((dayName) => ({
        dayName,
        checked: dayName === 'Sat',
      })),
      alertTitle: 'Songs of the whales',
      alertMessage: 'Every Saturday in December.',
      delivery: {
        quietHours: { from: '17:00', until: '10:00' },
        validFrom: `${year}-12-01T00:00:00.000Z`,
        validUntil: `${year + 1}-01-01T00:00:00.000Z`,
      },
      language: 'en',
      translations: { de: { alertTitle: 'Lieder der Wale', alertMessage: 'Jeden Samstag im Dezember.' } },
    });
    assert.deepEqual(made.beacons.toSorted(), beacons.slice(0, 2).toSorted());
  });

  test('switching on shows first what would have happened, and what was taken for the coming period', async () => {
    await page.getByRole('switch', { name: 'Songs of the whales is on' }).press('Space');
    await editor().getByText('It would have sent 0 messages to 0 visitors.').waitFor();
    await editor().getByText('The period is still to come. This counts the last 30 days (on Saturdays)').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'message-trial');
    await editor().getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('Songs of the whales is on.').waitFor();
    await becomes(async () => (await get('storylines')).results[0].isEnabled, true);
  });

  test('an old notification opens in the same form, and stays one', async () => {
    const body = {
      description: 'Welcome',
      beaconId: pointer('Beacon', beacons[2] ?? ''),
      event: 'ENTER',
      type: 'TEXT',
    };
    const message = { alertTitle: 'Good morning', alertMessage: 'Come in.', sound: 'horn.wav' };
    const id = await make('notifications', { ...body, message, isEnabled: true });
    assert.deepEqual(await shown('first', beacons[2] ?? ''), [id]);
    await goTo(page, `/console/apps/${app.appId}/notifications/${id}`);
    assert.equal(await field('Title').inputValue(), 'Good morning');
    await field('Title').fill('Good day');
    await button('Picture').click();
    const file = { name: 'poster.png', mimeType: 'image/png', buffer: pixel };
    await page.locator('input[type=file]').setInputFiles(file);
    await preview().getByRole('img').waitFor();
    await becomes(() => page.evaluate('document.querySelector("figure img").naturalWidth === 1'), true);
    await button('Save').click();
    await row(/Welcome/)
      .locator('img')
      .waitFor();
    const { message: now, type, isEnabled } = (await get(`notifications/${id}`)).result;
    assert.deepEqual([now.alertTitle, now.sound, type, isEnabled], ['Good day', 'horn.wav', 'IMAGE', true]);
    assert.match(now.url, /_poster\.png$/);
    await button('Undo').click();
    await becomes(async () => (await get(`notifications/${id}`)).result.message, message);
  });

  test('with several places it becomes a storyline under its id, and nobody is shown it twice', async () => {
    const [{ objectId: id }] = (await get('notifications')).results;
    await link('Welcome').click();
    await part('Place').click();
    await editor().getByRole('combobox', { name: 'Beacons', exact: true }).fill('Post 0');
    await page.getByRole('option', { name: /Post 0/ }).click();
    await page.keyboard.press('Escape');
    await part('How often').click();
    await editor().getByRole('radio', { name: 'Every time' }).check();
    await editor().getByRole('button', { name: 'Done' }).click();
    await button('Change it for this message').click();
    await field('Pause').selectOption('own');
    await editor().getByRole('button', { name: 'Done' }).click();
    assert.match(await said(), /, with a pause of 15 minutes after the last time\.$/);
    await button('Save').click();
    await listed();
    assert.deepEqual((await get('notifications')).results, []);
    const scenario = (await get(`storylines/${id}/detail/${id}`)).result;
    assert.deepEqual(scenario.beacons.toSorted(), [beacons[0], beacons[2]].toSorted());
    assert.equal((await get(`storylines/${id}`)).result.isEnabled, true);
    app.clock.now += 60_000;
    assert.deepEqual(await shown('first', beacons[0] ?? ''), []);
    assert.deepEqual(await shown('second', beacons[0] ?? ''), [id]);
    // What is undone is written where it is stored now.
    await button('Undo').click();
    await becomes(async () => (await get(`storylines/${id}/detail/${id}`)).result.beacons, [beacons[2]]);
  });

  test('an old storyline with several scenarios opens in the same form, one after the other', async () => {
    const storyline = await make('storylines', { title: 'A morning', isEnabled: true });
    const showOn = week.map((dayName) => ({ dayName, checked: dayName !== 'Sun' }));
    const scenario = { beacons: [beacons[1]], campaign: 'TEXT', event: 'EXIT', showOn };
    await make(`storylines/${storyline}/detail`, { ...scenario, alertTitle: 'One' });
    const second = await make(`storylines/${storyline}/detail`, { ...scenario, alertTitle: script });
    await goTo(page, `/console/apps/${app.appId}/storylines/${storyline}/scenarios/${second}`);
    await preview().getByText(script).waitFor();
    await link('One').click();
    await becomes(() => field('Title').inputValue(), 'One');
    assert.match(await said(), /^When a visitor leaves Post 1: once a visit, on Mon–Sat,/);
    await link(script).click();
    await becomes(() => field('Title').inputValue(), script);
    await field('Title').fill('Two');
    await button('Save').click();
    await row(/A morning/)
      .getByText('2 messages in one series')
      .waitFor();
    const { results } = await get(`storylines/${storyline}/detail?order=createdAt`);
    assert.deepEqual(
      results.map(({ alertTitle }: { alertTitle: string }) => alertTitle),
      ['One', 'Two'],
    );
  });

  test('several are switched and moved at once, however they are stored, and that is undone', async () => {
    const beaconId = pointer('Beacon', beacons[2] ?? '');
    const message = { alertTitle: 'Bye', alertMessage: '' };
    await make('notifications', {
      description: 'Bye',
      beaconId,
      event: 'EXIT',
      type: 'TEXT',
      message,
      isEnabled: true,
    });
    const off = async () =>
      [...(await get('notifications')).results, ...(await get('storylines')).results].filter(
        ({ isEnabled }) => !isEnabled,
      ).length;
    await open();
    for (const name of ['Bye', 'A morning']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    await button('Switch off …').click();
    await editor().getByRole('button', { name: 'Switch off 2 messages' }).click();
    await becomes(off, 2);
    await button('Undo').click();
    await becomes(off, 0);
    const places = async () => [
      (await get('notifications')).results.find((one: { description: string }) => one.description === 'Bye').beaconId
        .objectId,
      (await get('storylines/details')).results.find(
        (one: { alertTitle: string }) => one.alertTitle === 'Songs of the whales',
      ).beacons,
    ];
    const former = await places();
    await page.getByRole('checkbox', { name: 'Choose A morning' }).uncheck();
    for (const name of ['Bye', 'Songs of the whales'])
      await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    await button('Move …').click();
    await editor().getByRole('combobox', { name: 'Beacons' }).fill('Post 1');
    await page.getByRole('option', { name: /Post 1/ }).click();
    await editor().getByRole('button', { name: 'Move', exact: true }).click();
    await becomes(places, [beacons[1], [beacons[1]]]);
    await button('Undo').click();
    await becomes(places, former);
    await page.getByRole('searchbox', { name: 'Search by name or text' }).fill('lieder');
    await becomes(() => page.getByRole('row').count(), 2);
    await button('Saved filters').click();
    await field('Save this filter as').fill('In German');
    await page.keyboard.press('Enter');
    await button('In German').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('');
    await row(/A morning/).waitFor();
    await button('Saved filters').click();
    await button('In German').click();
    await becomes(() => page.getByRole('row').count(), 2);
    await page.getByRole('searchbox').fill('');
    await row(/A morning/).waitFor();
  });

  test('one whose beacons are deleted says so, and is deleted', async () => {
    await app.send({ method: 'DELETE', url: `/api/v2/beacons/${beacons[2]}`, headers });
    await link('Bye').click();
    await page.getByRole('alert').getByText('Its beacons were deleted, so it is never shown.').waitFor();
    assert.match(await said(), /a beacon that is deleted/);
    await button('Delete').click();
    await editor().getByRole('button', { name: 'Delete Bye' }).click();
    await listed();
    assert.deepEqual((await get('notifications')).results, []);
  });

  testInFull('on a phone the parts open as sheets, and can be touched', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await link('Songs of the whales').click();
    for (const name of ['Event', 'Place', 'How often', 'Days', 'Hours', 'Period']) {
      const box = await part(name).boundingBox();
      assert.ok(box && box.height >= 44, `${name}: ${box?.height}`);
    }
    await part('Days').click();
    await editor().getByRole('checkbox', { name: 'Saturday' }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'message-sheet');
    const sheet = await page.locator('[role=dialog]').boundingBox();
    assert.ok(sheet && Math.abs(sheet.y + sheet.height - 844) < 2 && sheet.height < 600, JSON.stringify(sheet));
    await editor().getByRole('button', { name: 'Done' }).click();
    await editor().waitFor({ state: 'detached' });
    await becomes(() => page.evaluate('document.activeElement.innerText.includes("Saturdays")'), true);
  });

  test('an analyst reads and changes nothing', async () => {
    const analyst = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(analyst.page, `/console/apps/${app.appId}/messages`);
    await analyst.page.getByRole('link', { name: 'A morning', exact: true }).waitFor();
    assert.equal(await analyst.page.getByRole('link', { name: 'New message' }).count(), 0);
    assert.equal(await analyst.page.getByRole('switch', { name: 'A morning is on' }).isDisabled(), true);
    await analyst.page.getByRole('link', { name: 'A morning', exact: true }).click();
    await analyst.page.getByRole('button', { name: 'Back' }).waitFor();
    assert.equal(await analyst.page.getByRole('textbox', { name: 'Title', exact: true }).isDisabled(), true);
    assert.equal(await analyst.page.getByTestId('sentence').getByRole('button').count(), 0);
    assert.equal(await analyst.page.getByRole('button', { name: 'Save' }).count(), 0);
    await analyst.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
