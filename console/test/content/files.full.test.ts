import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** One red point. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const script = '<img src=x onerror="window.hacked=1">.png';
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked=1</script></svg>';

/** The tests are one session: each continues where the previous one stopped. */
describe('files in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'editor' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const dialog = (name: string) => page.getByRole('dialog', { name });
  const cards = () => page.getByRole('list', { name: 'files', exact: true }).getByRole('listitem');
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/files${rest}`);
  const stored = async () => (await app.send({ method: 'GET', url: '/api/v2/files', headers })).body.results;
  const choose = (files: readonly { name: string; mimeType: string; buffer: Buffer }[]) =>
    page.locator('input[type=file]').setInputFiles([...files]);

  test('an app without files says what they are for', async () => {
    await open();
    await page.getByRole('heading', { name: 'No files yet' }).waitFor();
    await takePictures(page, 'files-empty');
  });

  test('files are uploaded; only inert pictures are drawn, and a script in a name stays text', async () => {
    await choose([
      { name: 'hall.png', mimeType: 'image/png', buffer: png },
      { name: script, mimeType: 'image/png', buffer: png },
      { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>window.hacked=1</script>') },
    ]);
    await page.getByText('4 files take', { exact: false }).waitFor();
    await cards().nth(3).waitFor();
    assert.equal(await cards().locator('img').count(), 2);
    for (const image of await cards().locator('img').all())
      assert.match((await image.getAttribute('src')) ?? '', /^\/files\//);
    await cards().filter({ hasText: script }).waitFor();
    assert.equal(await page.evaluate("'hacked' in window"), false);
    assert.equal((await stored()).length, 4);
    await takePictures(page, 'files');
    await assertAccessible(page);
  });

  test('files are dropped', async () => {
    const data = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['hello'], 'dropped.txt', { type: 'text/plain' }));
      return data;
    })()`);
    await page.getByTestId('drop').dispatchEvent('drop', { dataTransfer: data });
    await cards().filter({ hasText: 'dropped.txt' }).waitFor();
  });

  test('a refused file says why, and an upload can be cancelled', async () => {
    const long = `${'long'.repeat(40)}.txt`;
    await choose([
      { name: long, mimeType: 'text/plain', buffer: Buffer.from('x') },
      { name: 'fine.txt', mimeType: 'text/plain', buffer: Buffer.from('x') },
    ]);
    await page.getByRole('alert').filter({ hasText: 'The file name ' }).waitFor();
    await button(`Hide ${long}`).click();
    await cards().filter({ hasText: 'fine.txt' }).waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v2/files/slow.bin', async (route) => {
      await held;
      await route.abort();
    });
    await choose([{ name: 'slow.bin', mimeType: 'application/x-slow', buffer: Buffer.alloc(1_000) }]);
    await button('Cancel slow.bin').click();
    await page.getByRole('alert').filter({ hasText: 'Cancelled.' }).waitFor();
    release();
    await button('Hide slow.bin').click();
    assert.equal((await stored()).length, 6);
  });

  test('a file tells its address, and who shows it', async () => {
    const [hall] = (await stored()).filter(({ name }: { name: string }) => name.endsWith('_hall.png'));
    const beacon = await create(app, '/api/v2/beacons', { name: 'Hall', uuid: 'u', major: 1, minor: 1 }, headers);
    await create(
      app,
      '/api/v2/notifications',
      {
        description: 'Welcome picture',
        beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beacon },
        event: 'ENTER',
        type: 'IMAGE',
        message: { url: hall.url },
        isEnabled: true,
      },
      headers,
    );
    await open();
    await cards().filter({ hasText: 'hall.png' }).getByRole('button').click();
    await dialog('hall.png').getByText('1 message (Welcome picture)').waitFor();
    assert.equal(await dialog('hall.png').locator('code').innerText(), hall.url);
    assert.match(page.url(), new RegExp(`file=${hall.objectId}`));
    await page.reload();
    await dialog('hall.png').getByText('1 message (Welcome picture)').waitFor();
    await takePictures(page, 'files-detail');
    await assertAccessible(page);
  });

  test('deleting says what loses it, and its address stops working', async () => {
    const [hall] = (await stored()).filter(({ name }: { name: string }) => name.endsWith('_hall.png'));
    await button('Delete').click();
    await dialog('Delete the file').getByText('It is used in 1 message', { exact: false }).waitFor();
    await button('Delete hall.png').click();
    await page.getByText('hall.png was deleted.').waitFor();
    await page.getByText('1–5 of 5').waitFor();
    assert.equal((await stored()).length, 5);
    assert.equal((await fetch(origin + new URL(hall.url).pathname)).status, 404);
  });

  test('files are searched, sorted and filtered by the service', async () => {
    await page.getByRole('searchbox').fill('svg');
    await page.getByText('1–1 of 1').waitFor();
    assert.match(page.url(), /q=svg/);
    await page.getByRole('searchbox').fill('');
    await page.getByText('1–5 of 5').waitFor();
    await page.getByLabel('Sort by').selectOption('-size');
    await cards().first().filter({ hasText: 'drawing.svg' }).waitFor();
  });

  test('an analyst sees the files and can neither upload nor delete', async () => {
    const other = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(other.page, `/console/apps/${app.appId}/files`);
    await other.page.getByRole('button', { name: /dropped\.txt/ }).click();
    await other.page.getByText('Used in').waitFor();
    assert.equal(await other.page.getByRole('button', { name: 'Delete' }).count(), 0);
    assert.equal(await other.page.getByTestId('drop').count(), 0);
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
