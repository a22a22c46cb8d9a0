import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { type SmtpSink, startSmtpSink } from '../../../server/test/support/servers/smtp-sink.ts';
import { uuid } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
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
  const { make, open, report, assertFitsPhone } = houseOf(() => ({ page, app, headers }));

  before(async () => {
    smtp = await startSmtpSink();
    const started = await startConsole({ PHAROS_SMTP_URL: smtp.url });
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    const annex = await make('/beacons', { uuid, major: 1, minor: 4, name: 'Annex' });
    const now = Date.now();
    for (const installationId of ['past-0', 'past-1', 'past-2', 'past-3']) {
      await make('/installations', { installationId, deviceType: 'ios' });
      for (const [minute, event] of (['ENTER', 'EXIT'] as const).entries()) {
        app.clock.now = now - 7 * 86_400_000 + minute * 60_000;
        await report(installationId, [{ beacon: annex, event, occurredAt: app.clock.now }]);
      }
    }
    app.clock.now = now;
    await app.app.rollups.settle(app.appId);
  });
  after(async () => {
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
    await assertAccessible(page);
    // Each plot opens where it can be looked at closer.
    const closer = new URL((await mail.getByRole('link').first().getAttribute('href')) ?? '');
    assert.equal(closer.searchParams.get('unit'), 'week');
    await goTo(page, `${closer.pathname}${closer.search}`);
    await page.getByRole('heading', { name: /^Visitors in / }).waitFor();
    await open('/reports');
    await page.getByText(/^Every Monday at 07:00/).waitFor();
    await takePictures(page, 'reports');
    await assertAccessible(page);
    assert.deepEqual(visited.complaints, []);
  });
});
