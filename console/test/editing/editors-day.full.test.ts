import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PharosClient } from '@pharos/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { type PushProvider, startPushProvider } from '../../../server/test/fakes/push-provider.ts';
import { buildApp, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** Of the editor's phone. */
const secret = 'e'.repeat(43);

/** A whole day of an editor: each test goes on where the one before has stopped. The phone is a client of the real service. */
describe('the day of an editor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-day-'));
  let provider: PushProvider;
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let hall: string;

  beforeAll(async () => {
    provider = await startPushProvider({ now: () => app.clock.now });
    writeFileSync(join(folder, 'ca.pem'), provider.ca);
    app = await buildApp({
      settings: { PHAROS_PUSH_URL: provider.origin, PHAROS_PUSH_CA: join(folder, 'ca.pem') },
    });
    const origin = await listenWithConsole(app);
    headers = (await signInManager(app)).headers;
    await app.app.senders.save(
      { appId: app.appId, kind: 'fcm' },
      { serviceAccount: provider.fcm.serviceAccount },
      service,
    );
    hall = await create(app, '/api/v2/beacons', { name: 'Whale hall', uuid: 'AA', major: 1, minor: 1 }, headers);
    for (const [installationId, localeIdentifier] of [
      ['guest', 'fr_FR'],
      ['another guest', 'fr-BE'],
      ['editors phone', 'de_AT'],
    ] as const) {
      app.clock.now += 1_000;
      const deviceToken = provider.fcm.tokenFor(installationId);
      const body = { installationId, deviceType: 'android', deviceToken, localeIdentifier };
      await app.send({ method: 'POST', url: '/api/v2/installations', body });
    }
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'editor' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await provider?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const told = (text: string) => page.getByRole('alert').filter({ hasText: text });
  const stored = async (description: string) => {
    const where = encodeURIComponent(JSON.stringify({ description }));
    return (await app.send({ method: 'GET', url: `/api/v2/notifications?where=${where}`, headers })).body.results[0];
  };
  const choose = async (select: string, option: string) => {
    await page.getByRole('combobox', { name: select }).fill(option);
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  /** The titles that arrived at a phone. */
  const arrived = (installationId: string) =>
    provider.received
      .filter(({ recipient }) => recipient === installationId)
      .map(({ content }) => JSON.stringify(content).match(/"title":"([^"]*)"/)?.[1]);

  test('opens the console, sees what there is, and writes a message', async () => {
    await goTo(page, `/console/apps/${app.appId}`);
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await heading('No messages yet').waitFor();
    await link('New message').click();
    await button('Name, goal and comparison').click();
    await field('Name').fill('Welcome to the whale');
    await page.getByTestId('sentence').getByTitle('Place').click();
    await page.getByRole('combobox', { name: 'Beacons', exact: true }).fill('whale');
    await page.getByRole('option', { name: /Whale hall/ }).click();
    await button('Done').click();
    await field('Title').fill('Good morning');
    await field('Text').fill('The whale is above you.');
  });

  test('translates it, seeing which languages the visitors have', async () => {
    await choose('Language of this text', 'English');
    const focused = () =>
      page.evaluate('document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent');
    await button('French (2 phones)').click();
    await becomes(focused, 'Title in French');
    await button('Remove French').click();
    await becomes(focused, 'Add a language');
    await button('German (1 phone)').click();
    await becomes(focused, 'Title in German');
    await button('Save as a draft').click();
    await page.getByText('Write something in German, or remove the language.').waitFor();
    await field('Title in German').fill('Guten Morgen');
    await page.getByRole('tab', { name: 'German: no text' }).waitFor();
    await field('Text in German').fill('Der Wal hängt über Ihnen.');
    await page.getByRole('tab', { name: 'German', exact: true }).waitFor();
    const preview = page.getByRole('figure', { name: 'Preview on a phone' });
    await preview.getByText('Der Wal hängt über Ihnen.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'languages');
  });

  test('pairs their own phone once, by the code that the console shows', async () => {
    await button('Test on my own phone').click();
    await button('Pair a phone').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Waiting for your phone.').waitFor();
    await dialog.getByRole('img', { name: 'QR code that pairs your phone' }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'pairing');
    const phone = new PharosClient({
      baseUrl: new URL(page.url()).origin,
      appId: app.appId,
      appKey: app.appKey,
      secretStorage: { load: async () => secret, save: async () => undefined },
    });
    const { objectId } = await phone.installations.register({
      installationId: 'editors phone',
      deviceType: 'android',
      deviceModel: 'Pixel 8',
    });
    await phone.installations.pair(objectId, await dialog.getByText(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/).innerText());
    await dialog.getByText('Paired with Pixel 8.', { exact: true }).waitFor();
    await takePictures(page, 'paired');
    await button('Use this phone').click();
    await page.getByText('It goes to Pixel 8 alone.').waitFor();
  });

  test('tries it on their own phone, in German, and saves it; a visitor gets it in the language of the phone', async () => {
    await button('Send to my phone').click();
    await page.getByText('Firebase accepted it. Look at your phone.').waitFor();
    assert.deepEqual(arrived('editors phone'), ['Guten Morgen']);
    await button('Switch on …').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click();
    await told('Welcome to the whale is on.').waitFor();
    const { language, translations } = await stored('Welcome to the whale');
    const german = { alertTitle: 'Guten Morgen', alertMessage: 'Der Wal hängt über Ihnen.' };
    assert.deepEqual([language, translations], ['en', { de: german }]);
    for (const installationId of ['editors phone', 'guest']) {
      const body = { installationId, sightings: [{ beacon: hall, event: 'ENTER' }] };
      const headers = { 'installation-secret': secret };
      await app.send({ method: 'POST', url: '/api/v2/sightings', body, headers });
    }
    await app.app.idle();
    assert.deepEqual([arrived('editors phone').at(-1), arrived('guest')], ['Guten Morgen', ['Good morning']]);
  });

  test('changes it and takes the change back', async () => {
    await link('Welcome to the whale').click();
    await page.getByRole('tab', { name: 'German' }).click();
    await field('Title in German').fill('Servus');
    await button('Save').click();
    // The message that says so may still be there of the time before.
    await becomes(async () => (await stored('Welcome to the whale')).translations.de.alertTitle, 'Servus');
    await button('Undo').click();
    await told('The change was undone.').waitFor();
    assert.equal((await stored('Welcome to the whale')).translations.de.alertTitle, 'Guten Morgen');
  });

  test('copies it, with its languages and switched off', async () => {
    await link('Welcome to the whale').click();
    await link('Duplicate').click();
    await page.getByRole('heading', { name: 'New message' }).waitFor();
    await page.getByRole('tab', { name: 'German' }).waitFor();
    await button('Save as a draft').click();
    await told('Welcome to the whale (copy) is saved as a draft').waitFor();
    const copy = await stored('Welcome to the whale (copy)');
    assert.deepEqual([copy.isEnabled, copy.translations.de.alertTitle], [false, 'Guten Morgen']);
  });

  test('schedules a push for tomorrow', async () => {
    app.clock.now = Date.now();
    await goTo(page, `/console/apps/${app.appId}/push/new`);
    await field('Title').fill('Tonight');
    await field('Text').fill('Open until 22:00');
    await button(/^French \(\d phones?\)$/).click();
    await field('Title in French').fill('Ce soir');
    const at = new Date(app.clock.now + 86_400_000).toISOString().slice(0, 16);
    await page.getByLabel('Send at').fill(at);
    await button('Schedule …').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Schedule to/ })
      .click();
    await told('The message is scheduled.').waitFor();
    await link('Tonight').click();
    await page.getByText('In French').waitFor();
    await takePictures(page, 'push-languages');
  });

  test('deletes the message and brings it back from the trash as it was', async () => {
    const before = await stored('Welcome to the whale');
    await goTo(page, `/console/apps/${app.appId}/notifications/${before.objectId}`);
    await button('Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete Welcome to the whale' }).click();
    await told('Welcome to the whale was deleted.').waitFor();
    await link('Trash').click();
    await button('Restore Welcome to the whale').click();
    await told('Welcome to the whale is back.').waitFor();
    const { updatedAt: _then, ...was } = before;
    const { updatedAt: _now, ...is } = await stored('Welcome to the whale');
    assert.deepEqual(is, was);
  });

  test('the next day the push goes out, to each in their language', async () => {
    app.clock.now += 86_500_000;
    await app.app.idle();
    assert.deepEqual(
      ['guest', 'another guest', 'editors phone'].map((phone) => arrived(phone).at(-1)),
      ['Ce soir', 'Ce soir', 'Tonight'],
    );
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
