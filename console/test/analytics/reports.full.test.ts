import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { type SmtpSink, startSmtpSink } from '../../../server/test/support/servers/smtp-sink.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { houseOf } from './house.ts';

/** Of a week in which there were visitors. */
describe('reports by mail in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let smtp: SmtpSink;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const { make, open, report, assertFitsPhone, makeHouse } = houseOf(() => ({ page, app, headers }));

  beforeAll(async () => {
    smtp = await startSmtpSink();
    const started = await startConsole({ PHAROS_SMTP_URL: smtp.url });
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    await makeHouse();
    const [annex] = (await app.send({ method: 'GET', url: '/api/v2/beacons?order=minor', headers })).body.results.map(
      ({ objectId }: { objectId: string }) => objectId,
    );
    const about = { beaconId: pointer('Beacon', annex), event: 'ENTER', type: 'TEXT', isEnabled: true };
    const message = { alertTitle: 'Posters', alertMessage: 'In the shop.' };
    await make('/notifications', { ...about, description: 'Posters', message });
    const now = Date.now();
    for (const installationId of ['past-0', 'past-1', 'past-2', 'past-3']) {
      const deviceToken = installationId.padEnd(140, 'y');
      await make('/installations', { installationId, deviceType: 'android', deviceToken });
      for (const [minute, event] of (['ENTER', 'EXIT'] as const).entries()) {
        app.clock.now = now - 7 * 86_400_000 + minute * 60_000;
        await report(installationId, [{ beacon: annex, event, occurredAt: app.clock.now }]);
      }
    }
    app.clock.now = now;
    await app.app.rollups.settle(app.appId);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await smtp?.close();
  });

  test('sets up a report by mail, shows it as it comes, and sends it', async () => {
    await open('/reports');
    await page.getByRole('heading', { name: 'No reports yet' }).waitFor();
    await takePictures(page, 'reports-empty');
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Set up a report' }).click();
    await page.getByRole('combobox', { name: 'About' }).selectOption({ label: 'The whole app' });
    await page.getByRole('radio', { name: 'Weekly, on Monday' }).check();
    await page.getByRole('button', { name: 'Set up the report' }).click();
    await page.getByText('Name at least one person who gets the report.').waitFor();
    await page.getByRole('checkbox').first().check();
    await takePictures(page, 'report-form');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Set up the report' }).click();
    const mail = page.getByRole('document', { name: /^The mail about/ });
    await mail.getByText(/^There were [34] visitors/).waitFor();
    // Its styles hold although the content policy ignores those in its text.
    const edge = await mail
      .getByRole('heading', { name: 'Test app' })
      .evaluate(
        (heading) =>
          (globalThis as unknown as { getComputedStyle: (of: unknown) => { fontSize: string } }).getComputedStyle(
            heading,
          ).fontSize,
      );
    assert.equal(edge, '24px');
    const [pdf] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the PDF' }).click(),
    ]);
    assert.equal(
      readFileSync(await pdf.path())
        .subarray(0, 5)
        .toString(),
      '%PDF-',
    );
    await page.getByRole('button', { name: 'Send it to me now' }).click();
    await page.getByText(/^The mail server took the mail to /).waitFor();
    assert.match(smtp.mails.at(-1)?.data ?? '', /Content-Type: application\/pdf/);
    await takePictures(page, 'report');
    await assertFitsPhone('report');
    // On a small phone the mail, which other languages make wider still, is pushed sideways by itself.
    await page.setViewportSize({ width: 320, height: 700 });
    await becomes(() => page.evaluate('document.documentElement.scrollWidth'), 320);
    await page.setViewportSize({ width: 1280, height: 860 });
    await assertAccessible(page);
    // Each plot opens where it can be looked at closer.
    const links = await Promise.all((await mail.getByRole('link').all()).map((link) => link.getAttribute('href')));
    const closer = [...new Set(links)].map((link) => new URL(link ?? '')).filter(({ search }) => search !== '');
    const seen = { '': /^Visitors in /, '/peaks': 'Most at once', messages: 'All messages' };
    const named = (url: URL) => url.pathname.replace(/^.*\/activity\/(analytics)?/, '') as keyof typeof seen;
    assert.deepEqual([...new Set(closer.map(named))].sort(), Object.keys(seen).sort());
    for (const url of closer) {
      assert.equal(url.searchParams.get('unit'), 'week');
      await goTo(page, `${url.pathname}${url.search}`);
      await page.getByRole('heading', { name: seen[named(url)] }).waitFor();
      assert.equal(await page.locator('#page').getByRole('alert').count(), 0, url.href);
    }
    await open('/reports');
    await page.getByText(/^Every Monday at 07:00/).waitFor();
    await takePictures(page, 'reports');
    await assertAccessible(page);
    assert.deepEqual(visited.complaints, []);
  });
});

describe('reports by mail of a service without a mail server, in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('no page says when the next one comes, or who gets it', async () => {
    const { page } = visited;
    const reports = `/console/apps/${app.appId}/activity/analytics/reports`;
    await page.goto(`${reports}/new`);
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Set up the report' }).click();
    await page.getByRole('document', { name: /^The mail about/ }).waitFor();
    await takePictures(page, 'report-no-mail');
    await page.getByRole('definition').filter({ hasText: 'Not sent: no mail server is set up' }).waitFor();
    await page.getByRole('list', { name: 'Who gets it' }).getByText('Would get it').waitFor();
    assert.equal(await page.getByText(/^Next on/).count(), 0);
    await goTo(page, reports);
    await page.getByRole('list', { name: 'Reports by mail' }).getByText('Not sent: no mail server is set up').waitFor();
    assert.equal(await page.getByText(/^Next on/).count(), 0);
    assert.deepEqual(visited.complaints, []);
  });
});
