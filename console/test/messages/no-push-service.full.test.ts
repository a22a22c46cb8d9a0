import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { AdminRole } from '../../../server/src/access/roles.ts';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole } from '../browser.ts';
import { takePictures } from '../pictures.ts';

describe('while no push service is set up', () => {
  let started: Awaited<ReturnType<typeof startConsole>>;
  let app: TestApp;
  let browser: Browser;

  beforeAll(async () => {
    started = await startConsole();
    app = started.app;
    const phone = { installationId: 'phone-1', deviceType: 'android', deviceToken: 'x'.repeat(140) };
    await create(app, '/api/v2/installations', phone);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  for (const [role, next] of [
    ['manager', 'Set one up under Push services'],
    ['editor', 'Ask an owner or manager to set one up.'],
  ] as const satisfies readonly (readonly [AdminRole, string])[])
    test(`the ${role} reads before writing that a push reaches nobody, and what to do`, async () => {
      const { page, context } = await openAs(browser, { ...started, role });
      for (const path of ['push', 'push/new']) {
        await goTo(page, `/console/apps/${app.appId}/${path}`);
        const note = page.getByRole('note').filter({ hasText: 'No push service is set up' });
        await note.getByText(next).waitFor();
        for (const scheme of ['dark', 'light']) {
          await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
          await assertAccessible(page);
        }
        await takePictures(page, `no-push-service-${role}-${path.replace('/', '-')}`);
      }
      if (role === 'manager') {
        await page.getByRole('link', { name: next }).click();
        await page.getByRole('heading', { name: 'Push services' }).waitFor();
      }
      assert.equal(await page.getByRole('link', { name: next }).count(), 0);
      await context.close();
    });
});
