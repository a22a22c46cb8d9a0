import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const script = '<img src=x onerror="document.title=1">';

/** The tests are one session: each continues where the previous one stopped. */
describe('notifications in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let hallId: string;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signIn(app)).headers;
    const beacon = (name: string, minor: number) =>
      create(app, '/api/v2/beacons', { name, uuid: 'AA', major: 1, minor }, headers);
    hallId = await beacon('Main hall', 1);
    for (let n = 0; n < 40; n++) await beacon(`Room ${n}`, 100 + n);
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
  const sentence = () => page.getByTestId('sentence').innerText();
  const preview = () => page.getByRole('figure', { name: 'Preview on a phone' });
  const stored = async () =>
    (await app.send({ method: 'GET', url: '/api/v2/notifications?order=description', headers })).body.results;
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/notifications${rest}`);

  /** The messages that an ENTER at the hall shows, by name. */
  async function fired(installationId: string): Promise<string[]> {
    await app.send({ method: 'POST', url: '/api/v2/installations', body: { installationId, deviceType: 'ios' } });
    const sightings = [{ beacon: hallId, event: 'ENTER', eventId: `e-${installationId}` }];
    const { body } = await app.send({ method: 'POST', url: '/api/v2/sightings', body: { installationId, sightings } });
    const ids = new Map(
      (await stored()).map((one: { objectId: string; description: string }) => [one.objectId, one.description]),
    );
    return body.result.messages.map(({ triggerId }: { triggerId: string }) => ids.get(triggerId));
  }

  test('an app without notifications says what to do next', async () => {
    await open();
    await heading('No notifications yet').waitFor();
    await assertAccessible(page);
    await link('Add a notification').click();
    await heading('Add a notification').waitFor();
  });

  test('the internal name stays inside, and a message without words is a draft that cannot be on', async () => {
    await field('Name').fill('Internal: for Ana');
    await preview().getByText('No words yet: a draft').waitFor();
    assert.doesNotMatch(await preview().innerText(), /Internal/);
    assert.doesNotMatch(await sentence(), /Internal/);
    await page.getByRole('combobox', { name: 'Beacon' }).fill('main');
    await page.getByRole('option', { name: /Main hall/ }).click();
    await button('Add the notification').click();
    await page.getByText('Write a title or a text; to keep a draft, switch it off.').waitFor();
    assert.deepEqual(await stored(), []);
    await takePictures(page, 'notification-draft');
    await page.getByRole('switch').first().press('Space');
    await button('Add the notification').click();
    await link('Internal: for Ana').waitFor();
    const [{ objectId, isEnabled }] = await stored();
    assert.equal(isEnabled, false);
    assert.deepEqual(await fired('nobody'), []);
    await page.getByRole('switch', { name: 'Internal: for Ana is on' }).press('Space');
    await page.getByText('needs a title or a text', { exact: false }).waitFor();
    assert.equal((await stored())[0].isEnabled, false);
    await app.send({ method: 'DELETE', url: `/api/v2/notifications/${objectId}`, headers });
    await open('/new');
  });

  test('what is missing is said at its field', async () => {
    await button('Add the notification').click();
    await page.getByText('Choose a beacon.').waitFor();
    await page.getByRole('combobox', { name: 'Beacon' }).fill('main');
    await page.getByRole('option', { name: /Main hall/ }).click();
    await button('Add the notification').click();
    await page.getByText('Fill this in.').waitFor();
    assert.deepEqual(await stored(), []);
  });

  test('the preview and the sentence follow the typing, and the notification fires', async () => {
    await field('Name').fill('Welcome');
    await field('Title').fill('Good morning');
    await field('Text').fill('The tour starts on your left.');
    await preview().getByText('Good morning').waitFor();
    await preview().getByText('The tour starts on your left.').waitFor();
    // As on a phone, Arabic begins at the right.
    const arabic = 'مرحبا بكم';
    await field('Title').fill(arabic);
    const title = preview().getByText(arabic);
    await title.waitFor();
    await takePictures(page, 'notification-arabic');
    interface Boxed {
      readonly getBoundingClientRect: () => { readonly right: number };
    }
    const rest = await title.evaluate((element) => {
      const block = element as unknown as Boxed & {
        readonly ownerDocument: { createRange(): Boxed & { selectNodeContents(node: object): void } };
      };
      const text = block.ownerDocument.createRange();
      text.selectNodeContents(block);
      return block.getBoundingClientRect().right - text.getBoundingClientRect().right;
    });
    assert.ok(Math.abs(rest) < 2, `${rest} px to the right of it`);
    await field('Title').fill('Good morning');
    await preview().getByText('The tour starts on your left.').waitFor();
    assert.equal(await sentence(), 'When a visitor enters Main hall, show Good morning.');
    await button('Add the notification').click();
    await link('Welcome').waitFor();
    const [{ objectId: _id, createdAt: _c, updatedAt: _u, ...made }] = await stored();
    assert.deepEqual(made, {
      description: 'Welcome',
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId: hallId },
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Good morning', alertMessage: 'The tour starts on your left.' },
      isEnabled: true,
    });
    assert.deepEqual(await fired('first'), ['Welcome']);
  });

  test('the switch in the list stops it', async () => {
    // It moves at once; what follows here needs the service's answer.
    const press = async (isOff = false) => {
      const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
      await page.getByRole('switch', { name: 'Welcome is on' }).press('Space');
      if (isOff) await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
      await saved;
    };
    await press(true);
    await page.getByRole('switch', { name: 'Welcome is on', checked: false }).waitFor();
    await page.reload();
    await page.getByRole('switch', { name: 'Welcome is on', checked: false }).waitFor();
    assert.deepEqual(await fired('second'), []);
    await press();
    await page.getByRole('switch', { name: 'Welcome is on', checked: true }).waitFor();
  });

  test('rules are chosen in words, stored, and taken back', async () => {
    await link('Welcome').click();
    await page.getByLabel('Pause', { exact: true }).selectOption('own');
    await field('At least').fill('2');
    await page.getByLabel('At least: unit').selectOption('hours');
    await page.getByLabel('Upper limit', { exact: true }).selectOption('own');
    await page.getByLabel('Quiet hours', { exact: true }).selectOption('own');
    await page.getByLabel('Minimum stay', { exact: true }).selectOption('own');
    await field('Stay of').fill('2');
    await page.getByLabel('Only on certain visits', { exact: true }).selectOption('own');
    assert.equal(
      await sentence(),
      'When a visitor enters Main hall and stays 2 minutes, show Good morning, only at the 2nd visit, with a pause of ' +
        '2 hours after the last time, at most 3 messages of the app a day, never from 22:00 to 08:00.',
    );
    await assertAccessible(page);
    await button('Save').click();
    await page.getByRole('table', { name: 'notifications' }).waitFor();
    assert.deepEqual((await stored())[0].delivery, {
      coolDown: { seconds: 7200, per: 'trigger' },
      caps: [{ count: 3, per: 'app', window: 'day' }],
      quietHours: { from: '22:00', until: '08:00' },
      dwellSeconds: 120,
      nthVisit: { n: 2, mode: 'only' },
    });
    await link('Welcome').click();
    for (const rule of ['Pause', 'Upper limit', 'Quiet hours', 'Minimum stay', 'Only on certain visits'])
      await page.getByLabel(rule, { exact: true }).selectOption('app');
    await button('Save').click();
    await page.getByRole('table', { name: 'notifications' }).waitFor();
    assert.equal((await stored())[0].delivery, undefined);
  });

  test('a change is taken back with one click', async () => {
    const [{ updatedAt: _, ...before }] = await stored();
    await link('Welcome').click();
    await field('Title').fill('Another morning');
    await page.getByLabel('Pause', { exact: true }).selectOption('own');
    await button('Save').click();
    await page.getByRole('table', { name: 'notifications' }).waitFor();
    assert.equal((await stored())[0].message.alertTitle, 'Another morning');
    await button('Undo').click();
    await page.getByText('The change was undone.').waitFor();
    const [{ updatedAt: _later, ...after }] = await stored();
    assert.deepEqual(after, before);
  });

  test('a rule that the service refuses says so below it', async () => {
    await link('Welcome').click();
    await page.getByLabel('Only in a period', { exact: true }).selectOption('own');
    await page.getByLabel('From', { exact: true }).fill('2027-05-04T10:00');
    await page.getByLabel('Until', { exact: true }).fill('2027-05-03T10:00');
    await button('Save').click();
    await page.getByText('Must be after validFrom.').waitFor();
    await page.getByLabel('Until', { exact: true }).fill('2027-05-05T10:00');
    await button('Save').click();
    await button('Save and stop showing it').click();
    await page.getByRole('table', { name: 'notifications' }).waitFor();
    assert.deepEqual((await stored())[0].delivery, {
      validFrom: '2027-05-04T10:00:00.000Z',
      validUntil: '2027-05-05T10:00:00.000Z',
    });
    await app.send({
      method: 'PUT',
      url: `/api/v2/notifications/${(await stored())[0].objectId}`,
      body: { delivery: null },
      headers,
    });
  });

  test('a picture is uploaded, drawn in the preview, and can be chosen again', async () => {
    await open('/new');
    await field('Name').fill('Poster');
    await page.locator('label', { hasText: 'Picture' }).click();
    await page.getByRole('combobox', { name: 'Beacon' }).fill('main');
    await page.getByRole('option', { name: /Main hall/ }).click();
    await field('Picture').fill('poster.png');
    await button('Add the notification').click();
    await page.getByText('Must be an http or https address for type IMAGE.').waitFor();
    const file = { name: 'poster.png', mimeType: 'image/png', buffer: pixel };
    await page.locator('input[type=file]').setInputFiles(file);
    const picture = preview().getByRole('img');
    await picture.waitFor();
    await becomes(() => page.evaluate('document.querySelector("figure img").naturalWidth === 1'), true);
    await button('Add the notification').click();
    await link('Poster').waitFor();
    await page
      .getByRole('row', { name: /Poster/ })
      .getByText('Picture: without words')
      .waitFor();
    const { type, message } = (await stored())[0];
    assert.equal(type, 'IMAGE');
    assert.match(message.url, /_poster\.png$/);
    await open('/new');
    await page.locator('label', { hasText: 'Picture' }).click();
    await button('Choose a file').click();
    await page.getByRole('dialog').getByRole('button', { name: 'poster.png' }).click();
    await preview().getByRole('img').waitFor();
    assert.equal(await field('Picture').inputValue(), message.url);
  });

  test('one whose beacon is deleted says so in the list and on its page', async () => {
    const gone = await create(app, '/api/v2/beacons', { name: 'Gone', uuid: 'BB', major: 1, minor: 1 }, headers);
    const body = {
      description: 'Orphan',
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId: gone },
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'a', alertMessage: 'b' },
      isEnabled: true,
    };
    await create(app, '/api/v2/notifications', body, headers);
    await app.send({ method: 'DELETE', url: `/api/v2/beacons/${gone}`, headers });
    await open();
    await page
      .getByRole('row', { name: /Orphan/ })
      .getByText('Beacon deleted')
      .waitFor();
    await assertAccessible(page);
    await link('Orphan').click();
    await page.getByRole('alert').filter({ hasText: 'Its beacon was deleted' }).waitFor();
    assert.match(await sentence(), /a beacon that is deleted/);
    await button('Delete').click();
    await page.getByRole('button', { name: 'Delete Orphan' }).click();
    await link('Welcome').waitFor();
    assert.deepEqual(
      (await stored()).map(({ description }: { description: string }) => description),
      ['Poster', 'Welcome'],
    );
  });

  test('stored script stays text', async () => {
    const body = {
      description: script,
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId: hallId },
      event: 'EXIT',
      type: 'TEXT',
      message: { alertTitle: script, alertMessage: script },
      isEnabled: false,
    };
    await create(app, '/api/v2/notifications', body, headers);
    await open();
    await link(script).click();
    await preview().getByText(script).first().waitFor();
    assert.match(await page.title(), /Pharos/);
    assert.match(await sentence(), /It is switched off\.$/);
  });

  test('an analyst reads and changes nothing', async () => {
    const analyst = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(analyst.page, `/console/apps/${app.appId}/notifications`);
    await analyst.page.getByRole('link', { name: 'Welcome', exact: true }).waitFor();
    assert.equal(await analyst.page.getByRole('link', { name: 'Add a notification' }).count(), 0);
    assert.equal(await analyst.page.getByRole('switch', { name: 'Welcome is on' }).isDisabled(), true);
    await analyst.page.getByRole('link', { name: 'Welcome', exact: true }).click();
    await analyst.page.getByRole('button', { name: 'Back' }).waitFor();
    assert.equal(await analyst.page.getByRole('textbox', { name: 'Name', exact: true }).isDisabled(), true);
    assert.equal(await analyst.page.getByRole('button', { name: 'Save' }).count(), 0);
    await analyst.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
