import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, patienceMs, startConsole } from '../browser.ts';

const owner = { name: 'Ada Example', email: 'ada@museum.example', password: 'a long enough secret' };

/** The tests are one session: each continues where the previous one stopped. */
describe('the language of the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** What the browser asked for, and what it complained about. */
  const asked: string[] = [];
  const complaints: string[] = [];

  before(async () => {
    ({ app, origin } = await startConsole());
    await app.app.admins.create({ ...owner, role: 'owner' }, { name: 'test', address: null });
    browser = await launchBrowser();
    context = await browser.newContext({ baseURL: origin, locale: 'de-AT', viewport: { width: 1280, height: 860 } });
    page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    page.on('pageerror', (error) => complaints.push(String(error)));
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

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
  });

  test('can be changed on the page of the account, and back to that of the browser', async () => {
    await page.goto('/console/account');
    await page.getByLabel('Langue de la console').selectOption({ label: 'Bahasa Indonesia' });
    await heading('Masuk dan keamanan').waitFor();
    await page.getByLabel('Bahasa konsol').selectOption('');
    await heading('Anmeldung und Sicherheit').waitFor();
    asked.length = 0;
    await page.getByLabel('Sprache der Konsole').selectOption('en');
    await heading('Sign-in and security').waitFor();
    assert.deepEqual(catalogues(), []);
    assert.deepEqual(complaints, []);
  });
});
