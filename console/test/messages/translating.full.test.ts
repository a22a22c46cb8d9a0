import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, reloadInTheMiddle, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** Ana and Ben translate what is shown at one beacon, each into another language. */
describe('messages that are translated', () => {
  let app: TestApp;
  let browser: Browser;
  let ana: Visit;
  let ben: Visit;
  let headers: Readonly<Record<string, string>>;
  let [notification, scenario] = [
    { api: '', page: '' },
    { api: '', page: '' },
  ];

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    const beacon = await create(app, '/api/v2/beacons', { name: 'Gate', uuid: 'AA', major: 1, minor: 1 }, headers);
    const about = { beaconId: pointer('Beacon', beacon), event: 'ENTER', type: 'TEXT', isEnabled: true };
    const message = { alertTitle: 'Good morning', alertMessage: 'Come in.' };
    const id = await create(
      app,
      '/api/v2/notifications',
      { ...about, description: 'Welcome', message, language: 'en' },
      headers,
    );
    notification = { api: `notifications/${id}`, page: `messages/${id}` };
    const showOn = [{ dayName: 'Mon', checked: true }];
    const shown = { campaign: 'TEXT', showOn };
    const storyline = await create(app, '/api/v2/storylines', { title: 'Tour', isEnabled: true }, headers);
    const detail = await create(
      app,
      `/api/v2/storylines/${storyline}/detail`,
      { ...shown, alertTitle: 'Stop one', alertMessage: 'Look up.', beacons: [beacon], event: 'ENTER', language: 'en' },
      headers,
    );
    scenario = {
      api: `storylines/${storyline}/detail/${detail}`,
      page: `messages/${detail}`,
    };
    browser = await launchBrowser();
    ana = await openAs(browser, { ...started, role: 'editor' });
    ben = await openAs(browser, { ...started, role: 'editor' });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const read = async (url: string) => (await app.send({ method: 'GET', url: `/api/v2/${url}`, headers })).body.result;
  const open = (page: Page, rest: string) => goTo(page, `/console/apps/${app.appId}/${rest}`);
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const conflict = (page: Page) => page.getByRole('dialog', { name: 'Somebody else has saved this meanwhile' });
  async function write(page: Page, language: string, title: string): Promise<void> {
    await button(page, 'Add a language').click();
    await page.getByRole('combobox', { name: 'Add a language' }).fill(language);
    await page.getByRole('option', { name: language, exact: true }).click();
    await field(page, `Title in ${language}`).fill(title);
  }
  /** The name of the list that is shown after it was saved. */
  const saved = (page: Page) => page.getByRole('alert').filter({ hasText: /is saved\./ });

  for (const [name, of] of [
    ['a notification', () => notification],
    ['a scenario', () => scenario],
  ] as const)
    test(`two who translate ${name} into different languages keep both`, async () => {
      const { page, api } = { page: of().page, api: of().api };
      for (const one of [ana.page, ben.page]) await open(one, page);
      await write(ana.page, 'German', 'Guten Morgen');
      await write(ben.page, 'French', 'Bonjour');
      await button(ben.page, 'Save').click();
      await saved(ben.page).waitFor();
      await button(ana.page, 'Save').click();
      await conflict(ana.page).waitFor();
      const groups = conflict(ana.page).getByRole('radiogroup');
      assert.equal(await groups.count(), 1);
      const theirs = conflict(ana.page).getByRole('radiogroup', { name: 'Title in French' });
      assert.match(await theirs.innerText(), /As it was\s+nothing\s+Theirs\s+Bonjour/);
      await assertAccessible(ana.page);
      await takePictures(ana.page, `translations-of-${of() === scenario ? 'scenario' : 'notification'}`);
      await button(ana.page, 'Save what is chosen').click();
      await saved(ana.page).waitFor();
      const { translations } = await read(api);
      assert.deepEqual(translations, { de: { alertTitle: 'Guten Morgen' }, fr: { alertTitle: 'Bonjour' } });
      // In one language each chooses for the text that both have written.
      for (const one of [ana.page, ben.page]) await open(one, page);
      for (const one of [ana.page, ben.page]) await one.getByRole('tab', { name: 'German' }).click();
      await field(ana.page, 'Title in German').fill('Grüß Gott');
      await field(ana.page, 'Text in German').fill('Kommen Sie herein.');
      await field(ben.page, 'Title in German').fill('Servus');
      await button(ben.page, 'Save').click();
      await saved(ben.page).waitFor();
      await button(ana.page, 'Save').click();
      await conflict(ana.page).getByRole('radiogroup', { name: 'Title in German' }).getByText('Servus').click();
      await button(ana.page, 'Save what is chosen').click();
      await saved(ana.page).waitFor();
      assert.deepEqual((await read(api)).translations.de, {
        alertTitle: 'Servus',
        alertMessage: 'Kommen Sie herein.',
      });
    });

  test('a language that was begun is there after a reload, and after signing in again', async () => {
    const { page, context } = ana;
    await open(page, scenario.page);
    await write(page, 'Italian', 'Buongiorno');
    await reloadInTheMiddle(page);
    await page.getByRole('tab', { name: 'Italian' }).click();
    await field(page, 'Title in Italian').waitFor();
    assert.equal(await field(page, 'Title in Italian').inputValue(), 'Buongiorno');
    await takePictures(page, 'translation-after-reload');
    const origin = new URL(page.url()).origin;
    assert.ok((await context.request.delete('/console/api/session', { headers: { origin } })).ok());
    await button(page, 'Save').click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill('a long enough secret');
    await takePictures(page, 'translation-signed-out');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await saved(page).waitFor();
    assert.deepEqual((await read(scenario.api)).translations.it, { alertTitle: 'Buongiorno' });
  });

  test('the back button asks first, and the draft is there when the page is opened again', async () => {
    const { page } = ana;
    await open(page, 'messages');
    await page.getByRole('link', { name: 'Welcome' }).click();
    await write(page, 'Italian', 'Benvenuti');
    await page.goBack();
    await page.getByRole('dialog').waitFor();
    await takePictures(page, 'translation-back');
    await page.getByRole('dialog').getByRole('button', { name: 'Keep a draft and leave' }).click();
    await page.getByRole('table', { name: 'messages' }).waitFor();
    await page.goForward();
    await page.getByRole('tab', { name: 'Italian' }).click();
    await field(page, 'Title in Italian').waitFor();
    assert.equal(await field(page, 'Title in Italian').inputValue(), 'Benvenuti');
    await button(page, 'Save').click();
    await saved(page).waitFor();
    assert.deepEqual((await read(notification.api)).translations.it, { alertTitle: 'Benvenuti' });
    assert.deepEqual([...ana.complaints, ...ben.complaints], []);
  });

  test('a page that the back button brings back as it was notices that its session has ended, and keeps what was typed', async () => {
    const { page, context } = ana;
    await open(page, notification.page);
    await page.getByRole('tab', { name: 'Italian' }).click();
    await field(page, 'Title in Italian').fill('Ciao');
    const origin = new URL(page.url()).origin;
    assert.ok((await context.request.delete('/console/api/session', { headers: { origin } })).ok());
    // What a browser tells a page that it has kept, which it does in tests with a switch only.
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill('a long enough secret');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await field(page, 'Title in Italian').inputValue(), 'Ciao');
  });
});
