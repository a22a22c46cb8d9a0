import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { launchBrowser, startConsole } from '../browser.ts';

/** What a slow network shows first. */

describe('while the console is loading', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  test('its name is there before any script is, and gone with the first page', async () => {
    const page = await browser.newPage();
    const gate = Promise.withResolvers<void>();
    const isStarting = Promise.withResolvers<void>();
    const waiting = new Set<string>();
    await page.route('**/*.js', async (route) => {
      const { pathname } = new URL(route.request().url());
      waiting.add(pathname);
      if (/\/start-/.test(pathname)) isStarting.resolve();
      await gate.promise;
      await route.continue();
    });
    await page.goto(`${origin}/console/`, { waitUntil: 'commit' });
    const name = page.getByText('Pharos', { exact: true });
    await name.waitFor();
    // What the first script loads is asked for together with it.
    await isStarting.promise;
    const asked = [...waiting];
    for (const script of ['index', 'start', 'first'])
      assert.ok(
        asked.some((path) => path.startsWith(`/console/assets/${script}-`)),
        `${script} is asked for: ${asked}`,
      );
    gate.resolve();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await page.locator('.loading').count(), 0);
  });
});
