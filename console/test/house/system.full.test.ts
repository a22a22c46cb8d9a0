import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { verifyBackup } from '../../../server/src/backup/restore.ts';
import { version } from '../../../server/src/config/version.ts';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('administration in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'owner' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const backups = () => page.getByRole('list', { name: 'Backups' }).getByRole('listitem');
  const onDisk = () => readdirSync(join(app.config.dataFolder, 'backups'));

  test('the system page shows the state of the service', async () => {
    await goTo(page, '/console');
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByText('No backups yet.', { exact: false }).waitFor();
    const health = page.getByRole('region', { name: 'Health' });
    for (const text of [version, 'Jobs failed permanently', 'Free disk space']) await health.getByText(text).waitFor();
    await health.getByText('Technical details').click();
    await health.getByText('SQLite').waitFor();
    await takePictures(page, 'system');
    await assertAccessible(page);
  });

  test('an administrator chooses her alerts, and sees that no mail server is set up', async () => {
    await page.getByText('No mail server is set up, so nobody is told by mail.', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Choose what you are told' }).click();
    await page.getByText('No mail server is set up, so no mail is sent.', { exact: false }).waitFor();
    const silent = page.getByRole('switch', { name: 'A beacon falls silent' });
    await takePictures(page, 'told');
    // Each change is a request of its own, and a reload would cut it off.
    const save = async (change: () => Promise<unknown>) => {
      const answered = page.waitForResponse(
        (answer) => answer.url().endsWith('/session/alerts') && answer.request().method() !== 'GET',
      );
      await change();
      const answer = await answered;
      assert.equal(answer.status(), 200, await answer.text());
    };
    await save(() => silent.click());
    await save(() => page.getByLabel('Summary').selectOption('weekly'));
    await page.getByText('Saved.').first().waitFor();
    const phones = page.getByRole('region', { name: 'What your phones tell you' });
    await phones.getByText('You have paired no phone yet.', { exact: false }).waitFor();
    const crowded = phones.getByRole('switch', { name: 'More visitors in a place than may be' });
    assert.equal(await crowded.isChecked(), false);
    await save(() => crowded.click());
    await page.reload();
    await page.getByLabel('Summary').waitFor();
    assert.deepEqual([await silent.isChecked(), await page.getByLabel('Summary').inputValue()], [false, 'weekly']);
    assert.equal(await crowded.isChecked(), true);
    await assertAccessible(page);
    await goTo(page, '/console/system');
  });

  test('a backup is made while the service runs, whatever becomes of the page', async () => {
    // It is under way once the service has answered; a reload before that would take the request back.
    const begun = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await button('Create a backup').click();
    assert.equal((await begun).status(), 201);
    await page.reload();
    await backups().first().waitFor();
    assert.equal(onDisk().length, 1);
    await verifyBackup(join(app.config.dataFolder, 'backups', onDisk()[0] ?? ''));
    await takePictures(page, 'system-backups');
  });

  test('it is downloaded as an archive that can be unpacked and restored', async () => {
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download the backup of/ }).click();
    const saved = await waiting;
    const folder = mkdtempSync(join(tmpdir(), 'pharos-archive-'));
    try {
      execFileSync('tar', ['-xf', await saved.path(), '-C', folder]);
      const name = saved.suggestedFilename().replace(/\.tar$/, '');
      const manifest = await verifyBackup(join(folder, name));
      assert.equal(manifest.tables['apps']?.rows, 1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('no more than five are kept, and one goes when it is confirmed', async () => {
    for (let n = 2; n <= 5; n++) {
      app.clock.now += 60_000;
      await button('Create a backup').click();
      await backups()
        .nth(n - 1)
        .waitFor();
    }
    await page.getByText('Delete one first.').waitFor();
    assert.ok(await button('Create a backup').isDisabled());
    await button(/^Delete the backup of/)
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('The backup was deleted.').waitFor();
    assert.equal(onDisk().length, 4);
  });

  test('backups are scheduled, one is tried, and going back to one is prepared with the name of the service', async () => {
    await button('Schedule backups').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How many to keep').fill('');
    await dialog.getByLabel('Time zone').fill('Mars/Olympus');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Must be an IANA time zone', { exact: false }).waitFor();
    await dialog.getByLabel('How many to keep').fill('7');
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    await dialog.getByLabel('At', { exact: true }).fill('02:30');
    await takePictures(page, 'system-schedule');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Every day at 02:30 (Europe/Berlin)', { exact: false }).waitFor();
    await button(/^Try the backup of/)
      .first()
      .click();
    await page.getByText('everything was there', { exact: false }).waitFor();
    await button(/^Restore the backup of/)
      .first()
      .click();
    await page.getByRole('dialog').getByRole('textbox').fill('127.0.0.1');
    await page.getByRole('dialog').getByRole('button', { name: 'Prepare the restore' }).click();
    await page.getByText('A restore is prepared').waitFor();
    // This one is started by a test.
    await page.getByText('This service cannot start itself again.', { exact: false }).waitFor();
    await takePictures(page, 'system-restore');
    await assertAccessible(page);
    await button('Do not restore').click();
    await page.getByText('A restore is prepared').waitFor({ state: 'detached' });
  });

  test('a manager sees how the service does, and neither sees nor reaches backups', async () => {
    const [backupId] = onDisk();
    const other = await openAs(browser, { app, origin, role: 'manager' });
    await goTo(other.page, '/console/system');
    await other.page.getByRole('region', { name: 'Health' }).waitFor();
    assert.equal(await other.page.getByRole('region', { name: 'Backups' }).count(), 0);
    const answer = await other.context.request.get(`/console/api/system/backups/${backupId}/archive`);
    assert.equal(answer.status(), 403);
    const outside = await visited.context.request.get('/console/api/system/backups/..%2f..%2fpharos.db/archive');
    assert.equal(outside.status(), 404);
    assert.ok(existsSync(join(app.config.dataFolder, 'pharos.db')));
    await other.context.close();
    const analyst = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(analyst.page, '/console/system');
    await analyst.page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
    await analyst.context.close();
  });

  test('the audit tells it, shows only what differs inside, and is narrowed down in the address', async () => {
    await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: true, perSecond: 7, burst: 1_000 } } });
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByText(/downloaded the backup/).waitFor();
    const change = page.getByRole('listitem').filter({ hasText: 'changed the app Test app.' });
    await change.getByText('What changed').click();
    await change.getByText('rateLimit.perSecond').waitFor();
    assert.equal(await change.getByText('rateLimit.burst').count(), 0);
    await takePictures(page, 'audit');
    await assertAccessible(page);
    await page.getByLabel('Kind').selectOption('backup');
    await change.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText(/deleted the backup/).waitFor();
    assert.match(page.url(), /kind=backup/);
    await page.getByLabel('Who').selectOption('The command line');
    await page.getByText('No changes match.').waitFor();
    await page.getByLabel('Who').selectOption('Everyone');
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByText(/deleted the backup/).waitFor();
    await page.getByLabel('Until').fill('2020-01-02');
    await page.getByText('No changes match.').waitFor();
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
