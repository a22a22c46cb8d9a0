import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { openSite, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('privacy in the console', () => {
  let site: Site;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    site = await openSite('sqlite');
    origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const notice = () => page.getByRole('article');
  const open = async () => {
    await goTo(page, `/console/apps/${site.app.appId}/privacy`);
    await notice().waitFor();
  };

  test('the notice says in sentences what the settings mean', async () => {
    await open();
    const said = await notice().innerText();
    assert.match(said, /The following is done for everybody who has not refused it\./);
    assert.match(said, /when it left is kept for 365 days/);
    assert.match(said, /Google \(Firebase Cloud Messaging\)/);
    await page.getByText('Nobody has been erased yet.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'privacy-empty');
  });

  test('it follows a change of the settings, and is there in German', async () => {
    const { appId } = site.app;
    const policy = { consent: 'required', retentionDays: { visits: 1, events: 7, logs: 30 } };
    await site.app.app.apps.change(appId, { policy }, service);
    await open();
    assert.match(await notice().innerText(), /asks before anything is recorded.*when it left is kept for one day/s);
    await page.getByText('Deutsch').click();
    await page.getByText('Die App fragt, bevor etwas gespeichert wird').waitFor();
    assert.equal(await notice().getAttribute('lang'), 'de');
    await assertAccessible(page);
  });

  test('it is copied as HTML, and the record of processing is a document', async () => {
    await visited.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    // It says so for two and a half seconds only.
    const said = page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByRole('button', { name: 'Copy as HTML' }).click();
    await said;
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.match(String(copied), /^<h2>Was .* speichert<\/h2>\n<h3>Einwilligung<\/h3>/);
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as Markdown' }).click();
    const record = readFileSync(await (await waiting).path(), 'utf8');
    assert.match(record, /^# Record of processing activities: /);
    assert.match(record, /\| Analytics \| visits \| consent \(Article 6\(1\)\(a\)\); the app asks first \| 1 day \|/);
  });

  test('an erasure leaves a receipt', async () => {
    const url = `/api/v2/installations/${site.phone}`;
    assert.equal((await site.ask({ method: 'DELETE', url })).status, 200);
    await site.app.app.idle();
    await open();
    await page.getByText('A phone', { exact: true }).waitFor();
    await page.getByText('in the app or in this console').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'privacy-receipt');
    assert.deepEqual(visited.complaints, []);
  });

  test('an editor reads the notice and sees no receipts', async () => {
    const editor = await openAs(browser, { app: site.app, origin, role: 'editor' });
    await goTo(editor.page, `/console/apps/${site.app.appId}/privacy`);
    await editor.page.getByRole('article').waitFor();
    assert.equal(await editor.page.getByText('Receipts, which name nobody').count(), 0);
    assert.deepEqual(editor.complaints, []);
    await editor.context.close();
  });
});
