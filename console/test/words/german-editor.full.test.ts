import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';

/** An editor whose browser is in German, in an app in which there is little yet. */
describe('the pages of an editor in German', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    const { headers } = await signInManager(app);
    await create(app, '/api/v2/data/schema/birds', { column: { sings: { type: 'Boolean' } } }, headers);
    await create(app, '/api/v2/data/bucket/birds', { metadata: { sings: true } }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'editor' });
    await visited.page.addInitScript("Object.defineProperty(navigator, 'languages', { get: () => ['de-AT'] })");
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('say yes and no in German, show the notice in German, and offer nothing that is not theirs', async () => {
    const { page, complaints } = visited;
    const of = `/console/apps/${app.appId}`;
    await goTo(page, `${of}/buckets/birds`);
    await page.getByRole('table').getByText('ja', { exact: true }).waitFor();
    await goTo(page, `${of}/privacy`);
    await page.getByRole('article', { name: /über Besucher/ }).waitFor();
    await goTo(page, `${of}/activity/what-if`);
    await page.getByRole('heading', { name: 'Noch keine Beacons' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Beacon hinzufügen' }).count(), 0);
    await page.getByText('Inhaber, Manager und Techniker fügen Beacons hinzu.').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('lead to the handbook in German', async () => {
    const { page } = visited;
    for (const [path, section] of [
      ['messages', 'Nachrichten an Orten'],
      ['activity/walk', 'Probe'],
      ['buckets', 'Daten'],
    ] as const) {
      await goTo(page, `/console/apps/${app.appId}/${path}`);
      const [handbook] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: 'Handbuch', exact: true }).click(),
      ]);
      const heading = handbook.getByRole('heading', { name: section, exact: true });
      await heading.waitFor();
      const { y = -9 } = (await heading.boundingBox()) ?? {};
      assert.ok(y > -1 && y < (handbook.viewportSize()?.height ?? 0), `${section} is at ${y}`);
      await handbook.close();
    }
  });
});
