import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../../server/src/base/sql.ts';
import { openSite, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, listenWithConsole, patienceMs } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { englishOf } from './english-of.ts';

const owner = { name: 'Ada Example', email: 'ada@museum.example', password: 'a long enough secret' };

/** The tests are one session: each continues where the previous one stopped. */
describe('the language of the console', () => {
  let site: Site;
  let origin: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** What the browser asked for, and what it complained about. */
  const asked: string[] = [];
  const complaints: string[] = [];
  /** What the service has answered. */
  const said: unknown[] = [];

  beforeAll(async () => {
    site = await openSite('sqlite');
    origin = await listenWithConsole(site.app);
    await site.app.app.admins.create({ ...owner, role: 'owner' }, { name: 'test', address: null });
    browser = await launchBrowser();
    context = await browser.newContext({ baseURL: origin, locale: 'de-AT', viewport: { width: 1280, height: 860 } });
    page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    page.on('response', async (answer) => {
      if (answer.url().includes('/console/api/')) said.push(await answer.json().catch(() => undefined));
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  /** In which mails to the owner are written. */
  const mailLanguage = async () =>
    (await site.app.storage.db.one<{ language: string | null }>(sql`select language from admin_languages`))?.language;
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const catalogues = () =>
    asked.splice(0).flatMap((path) => /^\/console\/assets\/(de|es|fr|id)-[^/]+\.js$/.exec(path)?.[1] ?? []);

  test('is that of the browser, and only its texts are loaded', async () => {
    await page.goto('/console/sign-in');
    await heading('Anmelden').waitFor();
    assert.equal(await page.getAttribute('html', 'lang'), 'de');
    assert.deepEqual(catalogues(), ['de']);
    await assertAccessible(page);
  });

  test('can be chosen before signing in, and stays', async () => {
    await page.getByLabel('Sprache der Konsole').selectOption({ label: 'Français' });
    await heading('Se connecter').waitFor();
    assert.equal(await page.getAttribute('html', 'lang'), 'fr');
    assert.deepEqual(catalogues(), ['fr']);
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Mot de passe', { exact: false }).first().fill(owner.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('link', { name: 'Administrateurs' }).click();
    await page.getByText('Les personnes qui se connectent à cette console.', { exact: false }).waitFor();
    await becomes(mailLanguage, 'fr');
  });

  test('can be changed on the page of the account, and back to that of the browser', async () => {
    await page.goto('/console/account');
    await page.getByLabel('Langue de la console').selectOption({ label: 'Bahasa Indonesia' });
    await heading('Masuk dan keamanan').waitFor();
    await becomes(mailLanguage, 'id');
    await page.getByLabel('Bahasa konsol').selectOption('');
    await heading('Anmeldung und Sicherheit').waitFor();
    asked.length = 0;
    await page.getByLabel('Sprache der Konsole').selectOption('en');
    await heading('Sign-in and security').waitFor();
    assert.deepEqual(catalogues(), []);
    assert.deepEqual(complaints, []);
  });

  /** No sentence of the service stands on the page as it came. */
  async function assertNoEnglish(): Promise<void> {
    const shown = await page.locator('main').innerText();
    const english = englishOf(said);
    assert.deepEqual(
      english.filter((sentence) => shown.toLowerCase().includes(sentence.toLowerCase())),
      [],
    );
  }
  const open = (path: string) => goTo(page, `/console/apps/${site.app.appId}${path}`);

  test('what needs attention is said in it, though the service says it in English', async () => {
    await site.beacon({ name: 'Tor' });
    await site.notification({ description: 'Aus', isEnabled: false });
    await site.notification({ description: 'Auf Wiedersehen', event: 'EXIT' });
    await site.installation({ installationId: 'phone-2', deviceType: 'ios', pushType: 'apns', deviceToken: 'aa11' });
    await site.send([site.decided('ENTER', site.now)]);
    await site.app.app.idle();
    await page.getByLabel('Language of the console').selectOption('de');
    await heading('Anmeldung und Sicherheit').waitFor();
    await open('');
    await page.getByText('1 von 2 Telefonen kann kein Push geschickt werden').waitFor();
    await page
      .getByText('Der Push-Dienst von Apple ist für diese App nicht eingerichtet (1).', { exact: false })
      .waitFor();
    await page.getByText('Alle mit der App können', { exact: false }).waitFor();
    // Constants of modules are texts, too, whatever file the build has put them into.
    await page.getByText('Kam zu Hall').waitFor();
    await page.getByText('Inhaber', { exact: true }).waitFor();
    assert.ok(englishOf(said).includes('1 of 2 phones cannot be sent a push'));
    await assertNoEnglish();
    await takePictures(page, 'german-home');
  });

  test('so is why a message was not shown', async () => {
    await open('/activity/events');
    await page.getByRole('table').locator('tbody tr').first().getByRole('link').first().click();
    await page.getByText('Sie ist ausgeschaltet.').waitFor();
    await page
      .getByText('Sie wartet auf „Besucher verlässt den Beacon“, und dieser Besucher kommt zum Beacon.')
      .waitFor();
    await assertNoEnglish();
    await takePictures(page, 'german-why');
  });

  test('so are the days of a message, also where letters are twice as large', async () => {
    await open('/messages/new');
    await page.getByTestId('sentence').getByTitle('Tage').click();
    const days = page.getByRole('group', { name: 'Tage' });
    await days.waitFor();
    assert.equal(await days.innerText().then((text) => text.replace(/\s+/g, ' ')), 'Mo Di Mi Do Fr Sa So');
    await takePictures(page, 'german-days');
    await page.setViewportSize({ width: 640, height: 860 });
    await page.evaluate('document.documentElement.style.fontSize = "200%"');
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is beyond the edge');
    await page.evaluate('document.documentElement.style.fontSize = ""');
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  test('so are long labels of buttons, which go on in a second line', async () => {
    await site.ask({ method: 'POST', url: '/api/v2/venues', body: { name: 'Museum' } });
    const [{ objectId: venueId }] = await site.list('venues');
    const [{ objectId: messageId }] = await site.list('notifications');
    const cutOff = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('.mantine-Button-root')].filter((button) => {
        const label = button.querySelector('.mantine-Button-label');
        // A phone shows the icons of a page's actions; their labels are for screen readers.
        if (getComputedStyle(label).clipPath !== 'none') return false;
        const [box, text] = [button.getBoundingClientRect(), document.createRange()];
        text.selectNodeContents(label);
        const words = text.getBoundingClientRect();
        const shown = label.getBoundingClientRect();
        return words.left < shown.left - 1 || words.right > shown.right + 1 || words.top < box.top || words.bottom > box.bottom;
      }).map((button) => button.textContent)`);
    for (const [path, label] of [
      [`/beacons/venues/${venueId}`, 'Für Kartenprogramme exportieren (GeoJSON)'],
      [`/messages/${messageId}`, 'Name, Ziel und Vergleich'],
    ] as const) {
      await open(path);
      await page.setViewportSize({ width: 640, height: 860 });
      await page.evaluate('document.documentElement.style.fontSize = "200%"');
      await page.getByText(label, { exact: true }).waitFor();
      assert.deepEqual(await cutOff(), [], path);
      await page.evaluate('document.documentElement.style.fontSize = ""');
      await page.setViewportSize({ width: 1280, height: 860 });
    }
  });

  test('so is what is wrong with a form, and what became of a push', async () => {
    await open('/push/new');
    await page.getByRole('textbox', { name: 'Titel', exact: true }).fill('Heute Abend');
    await page.getByRole('textbox', { name: 'Senden um', exact: false }).fill('2090-01-01T10:00');
    await page.getByRole('button', { name: 'Planen …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /planen/i }).click();
    await page.getByText('Darf höchstens ein Jahr voraus liegen.').waitFor();
    await assertNoEnglish();
    await takePictures(page, 'german-refused');
    const push = { data: { title: 'Heute' } };
    await site.ask({ method: 'POST', url: '/api/v2/push/notification', body: push });
    const [{ objectId }] = await site.list('push/notifications');
    await site.app.app.idle();
    await open(`/push/${objectId}`);
    await page.getByText('Das Telefon hat keine Push-Adresse.').first().waitFor();
    await assertNoEnglish();
    await takePictures(page, 'german-push');
    assert.deepEqual(complaints, []);
  });
});
