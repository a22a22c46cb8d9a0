import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { saveDemoMark } from '../../../server/src/features/operate/apps/demo-mark.ts';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { becomes, launchBrowser, openAs, startConsole } from '../browser.ts';

describe('the banner of a demo', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('stands on no page of a real service', async () => {
    const { page, context } = await openAs(browser, { app, origin, role: 'owner' });
    await page.goto('/console/apps');
    await page.getByRole('heading', { name: 'Apps', exact: true }).waitFor();
    assert.equal(await page.getByRole('note').count(), 0);
    await context.close();
  });

  test('stands on every page of a demo, on a desk and a phone, light and dark', async () => {
    const mark = { seed: 'a', madeAt: 0, appId: '', userId: '', adminId: '', passwordHash: '', step: 0, rows: 0 };
    await saveDemoMark(app.storage.db, { state: 'ready', ...mark });
    const { page, context, complaints } = await openAs(browser, { app, origin, role: 'owner' });
    for (const path of ['/console/apps', `/console/apps/${app.appId}`, '/console/audit']) {
      await page.goto(path);
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 740 });
          await page.emulateMedia({ colorScheme });
          const note = page.getByRole('note');
          await note.waitFor();
          assert.match(await note.innerText(), /^Demo\. This museum and its visitors do not exist\./);
          await becomes(() => page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), false);
        }
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
