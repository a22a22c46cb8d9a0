import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { type Service, startService } from '../../../server/test/e2e/service.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, buildConsole, launchBrowser, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const owner = { email: 'ada@museum.example', password: 'a long secret', name: 'Ada' };

let folder: string;
let service: Service;
let browser: Browser;

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

beforeAll(async () => {
  buildConsole();
  folder = mkdtempSync(join(tmpdir(), 'pharos-restore-'));
  // The address stays the same when the service starts again.
  service = await startService({ PHAROS_DATA: folder }, await freePort());
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** Signs in on the page of its own. */
async function signIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('an owner goes back to a backup in the console: the service starts again by itself and says what it restored', async () => {
  const { page, context } = await visit(browser, service.baseUrl);
  const api = async (method: string, path: string, data?: object) => {
    const answer = await context.request.fetch(`/console/api${path}`, {
      method,
      headers: { origin: service.baseUrl },
      ...(data ? { data } : {}),
    });
    assert.ok(answer.ok(), `${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as { result: Record<string, string>; results: Record<string, unknown>[] };
  };
  const token = /console\/setup#(\w+)/.exec(service.output())?.[1];
  await api('POST', '/setup', { token, ...owner });
  const [first] = (await api('GET', '/apps')).results;
  const at = `/apps/${first?.['appId']}/v2/beacons`;
  const beacon = { uuid: 'AA', major: 1 };
  await api('POST', at, { ...beacon, name: 'Before', minor: 1 });
  await page.goto('/console/system');
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  await button('Create a backup').click();
  await button(/^Restore the backup of/).waitFor();
  await becomes(async () => (await api('GET', '/system/backups')).results.length, 1);
  await api('POST', at, { ...beacon, name: 'After', minor: 2 });
  await api('DELETE', '/session');
  await page.goto('/console/system');
  // Of a session that began after the backup nothing is left.
  await signIn(page);
  await button(/^Restore the backup of/).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^The backup has \d+ rows and 0 files/).waitFor();
  await dialog.getByText('To be sure that it is whole, try it first.', { exact: false }).waitFor();
  await assertAccessible(page);
  await takePictures(page, 'restore-dialog');
  await dialog.getByRole('textbox').fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Prepare the restore' }).click();
  await page.getByText('A restore is prepared.').waitFor();
  await takePictures(page, 'restore-prepared');
  await button('Restart and restore now …').click();
  await page.getByRole('dialog').getByText('Until that is done it answers nobody', { exact: false }).waitFor();
  await assertAccessible(page);
  await takePictures(page, 'restore-restart');
  await page.getByRole('dialog').getByRole('button', { name: 'Restart and restore' }).click();
  // Its session is gone with everything else of after the backup.
  await page.getByLabel('E-mail').waitFor();
  await signIn(page);
  await page
    .getByText(/^On .* the backup of .* was restored: \d+ rows and 0 files\. ada@museum\.example asked for it\.$/)
    .waitFor();
  await page.getByText('What was there before is in the folder', { exact: false }).waitFor();
  assert.equal(await page.getByText('A restore is prepared.').count(), 0);
  await assertAccessible(page);
  await takePictures(page, 'restore-done');
  const names = (await api('GET', at)).results.map(({ name }) => name);
  assert.deepEqual(names, ['Before']);
  assert.ok(readdirSync(folder).some((name) => name.startsWith('before-')));
  assert.match(service.output(), /The backup \S+ was restored\./);
  const { results } = await api('GET', '/audit?kind=backup');
  assert.deepEqual([results[0]?.['action'], results[0]?.['actor']], ['backup.restored', owner.email]);
  assert.equal(service.process.exitCode, null, 'the same process goes on');
});

test('a signal stops the second start as it would have the first', async () => {
  assert.equal(await service.stop('SIGTERM'), 0);
});
