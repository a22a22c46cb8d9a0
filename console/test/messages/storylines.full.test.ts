import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';

const script = '<img src=x onerror="document.title=1">';
const allDays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The tests are one session: each continues where the previous one stopped. */
describe('storylines in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let hallId: string;
  let roomId: string;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signIn(app)).headers;
    const beacon = (name: string, minor: number) =>
      create(app, '/api/v2/beacons', { name, uuid: 'AA', major: 1, minor }, headers);
    hallId = await beacon('Main hall', 1);
    roomId = await beacon('Egyptian room', 2);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'editor' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const preview = () => page.getByRole('figure', { name: 'Preview on a phone' });
  const get = async (path: string) => (await app.send({ method: 'GET', url: `/api/v2${path}`, headers })).body.results;
  const details = () => get('/storylines/details');
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/storylines${rest}`);

  /** The titles of what an ENTER at the beacon shows. */
  async function fired(installationId: string, beacon: string): Promise<string[]> {
    await app.send({ method: 'POST', url: '/api/v2/installations', body: { installationId, deviceType: 'ios' } });
    const sightings = [{ beacon, event: 'ENTER', eventId: `e-${installationId}` }];
    const { body } = await app.send({ method: 'POST', url: '/api/v2/sightings', body: { installationId, sightings } });
    const titles = new Map(
      (await details()).map((one: { objectId: string; alertTitle: string }) => [one.objectId, one.alertTitle]),
    );
    return body.result.messages.map(({ triggerId }: { triggerId: string }) => titles.get(triggerId));
  }

  test('a storyline is added by its title, and says that scenarios come next', async () => {
    await open();
    await heading('No storylines yet').waitFor();
    await button('Add a storyline').click();
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await dialog().getByText('Fill this in.').waitFor();
    await dialog().getByText('Visitors read it where a scenario has no title of its own.', { exact: false }).waitFor();
    await field('Title').fill('A morning');
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await heading('No scenarios yet').waitFor();
    assert.deepEqual(
      (await get('/storylines')).map(({ title, isEnabled }: { title: string; isEnabled: boolean }) => [
        title,
        isEnabled,
      ]),
      [['A morning', true]],
    );
  });

  test('a scenario is refused at its fields', async () => {
    await link('Add a scenario').click();
    await button('Add the scenario').click();
    await page.getByText('Choose at least one beacon.').waitFor();
    for (const name of ['Main hall', 'Egyptian room']) {
      await page.getByRole('combobox', { name: 'Beacons' }).fill(name.slice(0, 4));
      await page.getByRole('option', { name }).click();
    }
    await page.keyboard.press('Escape');
    await button('Add the scenario').click();
    await page.getByText('Write a title or a text.').waitFor();
    await field('Text').fill('Hello');
    await page.getByText('Write a title or a text.').waitFor({ state: 'detached' });
    await field('Page').fill('museum');
    await button('Add the scenario').click();
    await page.getByText('Must be an http or https address.').waitFor();
    await field('Text').fill('');
    assert.deepEqual(await details(), []);
  });

  test('preview, sentence and coming days follow, and the scenario fires at each of its beacons', async () => {
    await field('Title').fill('Good morning');
    await field('Page').fill('https://museum.example.org/tour');
    await preview().getByText('Good morning').waitFor();
    await preview().getByText('A tap opens https://museum.example.org/tour').waitFor();
    await button('Weekend').click();
    await page.getByText('Runs on 4 of the next 14 days, by the calendar in UTC.').waitFor();
    assert.equal(
      await page.getByTestId('sentence').innerText(),
      'When a visitor enters Main hall or Egyptian room, show Good morning on Sat, Sun.',
    );
    await button('Every day').click();
    await page.getByText('Runs on 14 of the next 14 days').waitFor();
    await assertAccessible(page);
    await button('Add the scenario').click();
    await page.getByRole('list', { name: 'Scenarios' }).getByText('Good morning').first().waitFor();
    const [{ objectId: _i, createdAt: _c, updatedAt: _u, ...made }] = await details();
    const [storyline] = await get('/storylines');
    assert.deepEqual(made, {
      storylineId: storyline.objectId,
      beacons: [hallId, roomId],
      campaign: 'TEXT',
      event: 'ENTER',
      showOn: allDays.map((dayName) => ({ dayName, checked: true })),
      urlPage: 'https://museum.example.org/tour',
      alertTitle: 'Good morning',
    });
    assert.deepEqual(await fired('a', hallId), ['Good morning']);
    assert.deepEqual(await fired('b', roomId), ['Good morning']);
  });

  test('a change is taken back with one click', async () => {
    const [{ updatedAt: _, ...before }] = await details();
    await link('Edit Good morning').click();
    await field('Page').fill('');
    await button('Weekend').click();
    await button('Save').click();
    await page.getByRole('list', { name: 'Scenarios' }).waitFor();
    await button('Undo').click();
    await page.getByText('The change was undone.').waitFor();
    const [{ updatedAt: _later, ...after }] = await details();
    assert.deepEqual(after, before);
  });

  test('a changed scenario: days are switched by the keyboard, and a cleared address goes', async () => {
    await link('Edit Good morning').click();
    await field('Page').fill('');
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'])
      await page.getByRole('checkbox', { name: day }).press('Space');
    await page.getByText('Runs on 0 of the next 14 days').waitFor();
    assert.match(await page.getByTestId('sentence').innerText(), /on no day\.$/);
    await button('Save').click();
    await button('Save and stop showing it').click();
    await page.getByRole('list', { name: 'Scenarios' }).waitFor();
    const [detail] = await details();
    assert.equal(detail.urlPage, undefined);
    assert.deepEqual(
      detail.showOn,
      allDays.map((dayName) => ({ dayName, checked: false })),
    );
    assert.deepEqual(await fired('c', hallId), []);
  });

  test('a copy begins as the scenario was, with a rule of its own', async () => {
    await link('Duplicate Good morning').click();
    await page.getByText('Main hall', { exact: true }).first().waitFor();
    assert.equal(await field('Title').inputValue(), 'Good morning');
    await field('Title').fill('Second');
    await button('Every day').click();
    await page.getByLabel('Only on certain visits', { exact: true }).selectOption('own');
    await page.getByLabel('Number', { exact: true }).fill('1');
    await button('Add the scenario').click();
    await page.getByRole('listitem').filter({ hasText: 'Second' }).first().waitFor();
    assert.deepEqual(await fired('d', hallId), ['Second']);
  });

  test('the switch stops all of them, and the list shows it', async () => {
    await page.getByRole('switch').press('Space');
    await dialog().getByText('The scenarios of A morning are shown to nobody').waitFor();
    await dialog().getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Off: its scenarios are not shown').waitFor();
    await page.getByText('Runs on 0 of the next 14 days').nth(1).waitFor();
    assert.deepEqual(await fired('e', hallId), []);
    await link('All storylines').click();
    await page.getByRole('switch', { name: 'A morning is on', checked: false }).waitFor();
    await assertAccessible(page);
  });

  test('stored script stays text, and a deleted beacon is told', async () => {
    const storyline = await create(app, '/api/v2/storylines', { title: script, isEnabled: true }, headers);
    const body = { campaign: 'VIDEO', event: 'EXIT', showOn: [], alertTitle: script, alertMessage: script };
    await create(app, `/api/v2/storylines/${storyline}/detail`, { ...body, beacons: [roomId] }, headers);
    await app.send({ method: 'DELETE', url: `/api/v2/beacons/${roomId}`, headers });
    await open();
    await link(script).click();
    await page.getByText('Its beacons were deleted, so it is never shown.').waitFor();
    await assertAccessible(page);
    await link(`Edit ${script}`).click();
    await preview().getByText(script).first().waitFor();
    assert.match(await page.title(), /Pharos/);
  });

  test('a text without words, as apps may make one, says what visitors read', async () => {
    const [storyline] = await get('/storylines');
    const wordless = { campaign: 'TEXT', event: 'EXIT', showOn: [], beacons: [hallId] };
    const detail = `/api/v2/storylines/${storyline.objectId}/detail`;
    const made = await create(app, detail, wordless, headers);
    await open(`/${storyline.objectId}`);
    const card = page
      .getByRole('listitem')
      .filter({ hasText: 'It has no words of its own: visitors read the title of the storyline.' });
    await card.waitFor();
    await assertAccessible(page);
    await card.getByRole('link', { name: /^Edit/ }).click();
    await page.getByLabel('A visitor').selectOption('ENTER');
    await button('Save').click();
    await page.getByText('Write a title or a text.').waitFor();
    await field('Title').fill('Goodbye');
    await button('Save').click();
    await page.getByRole('listitem').filter({ hasText: 'Goodbye' }).first().waitFor();
    await app.send({ method: 'DELETE', url: `${detail}/${made}`, headers });
    await open(`/${storyline.objectId}`);
    await link('All storylines').click();
  });

  test('a storyline goes with its scenarios', async () => {
    await link(script).click();
    await button('Delete').click();
    await dialog().getByText('with its scenario', { exact: false }).waitFor();
    await dialog()
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.getByText('1–1 of 1').waitFor();
    assert.deepEqual((await details()).map(({ alertTitle }: { alertTitle: string }) => alertTitle).sort(), [
      'Good morning',
      'Second',
    ]);
  });

  test('an analyst reads and changes nothing', async () => {
    const analyst = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(analyst.page, `/console/apps/${app.appId}/storylines`);
    await analyst.page.getByRole('link', { name: 'A morning' }).click();
    await analyst.page.getByText('Runs on').first().waitFor();
    assert.equal(await analyst.page.getByRole('link', { name: /Add|Edit|Duplicate/ }).count(), 0);
    assert.equal(await analyst.page.getByRole('switch').isDisabled(), true);
    await analyst.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
