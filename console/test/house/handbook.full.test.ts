import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, launchBrowser, listenWithConsole } from '../browser.ts';
import { takePictures } from '../pictures.ts';

describe('the handbook in a browser', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let folder: string;
  const asked: string[] = [];
  beforeAll(async () => {
    app = await buildApp();
    origin = await listenWithConsole(app);
    folder = await mkdtemp(join(tmpdir(), 'pharos-handbook-'));
    browser = await launchBrowser();
    context = await browser.newContext({ acceptDownloads: true });
    page = await context.newPage();
    page.on('request', (request) => asked.push(request.url()));
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('is read and searched without signing in, and asks nobody else for anything', async () => {
    await page.goto(`${origin}/handbook`);
    await page.getByRole('heading', { name: 'The handbook', level: 1 }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'handbook');
    await page.getByRole('searchbox').fill('calibration');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText(/places have it/).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Beacons: Calibration' }).click();
    await page.waitForURL(/handbook\/beacons#calibration$/);
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: 'Kalibrierung' }).waitFor();
    await assertAccessible(page);
    const others = asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'));
    assert.deepEqual(others, []);
  });

  test('has an icon that there is, and so has the page about the interface', async () => {
    for (const path of ['/handbook', '/handbook/beacons', '/docs']) {
      const answer = await fetch(origin + path);
      const [, icon = ''] = /<link rel="icon" href="([^"]+)"/.exec(await answer.text()) ?? [];
      const found = await fetch(new URL(icon, origin + path));
      assert.deepEqual([found.status, found.headers.get('content-type')], [200, 'image/svg+xml'], path);
      assert.match(answer.headers.get('content-security-policy') ?? '', /img-src 'self'/);
    }
  });

  test('is saved as one file that is read without network and service', async () => {
    await page.goto(`${origin}/handbook`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save to read offline' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'pharos-handbook.html');
    const file = join(folder, 'handbook.html');
    await download.saveAs(file);
    await app.close();
    await context.setOffline(true);
    asked.length = 0;
    await page.goto(pathToFileURL(file).href);
    const nav = page.getByRole('navigation', { name: 'Pages' });
    await nav.getByRole('link', { name: 'Beacons', exact: true }).click();
    const heading = page.getByRole('heading', { name: 'Beacons', exact: true, level: 1 });
    await heading.waitFor();
    const { y = -9 } = (await heading.boundingBox()) ?? {};
    assert.ok(y > -1 && y < (page.viewportSize()?.height ?? 0), `the link leads to the page, which is at ${y}`);
    await assertAccessible(page);
    // Its own policy lets its style through.
    assert.equal(await page.evaluate('getComputedStyle(document.querySelector("header")).display'), 'flex');
    // Its pictures are in it.
    await page.evaluate("for (const image of document.images) image.loading = 'eager'");
    const drawn = 'Array.from(document.images).filter((image) => image.naturalWidth > 300).length';
    await becomes(async () => Number(await page.evaluate(drawn)) > 10, true);
    assert.equal(await page.evaluate(drawn), await page.evaluate('document.images.length'));
    assert.deepEqual(
      asked.filter((url) => !/^(file|data):/.test(url)),
      [],
    );
  });
});
