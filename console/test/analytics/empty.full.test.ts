import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { houseOf } from './house.ts';

describe('analytics of an app in which nobody was', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const { make, assertFitsPhone, makeHouse } = houseOf(() => ({ page, app, headers }));

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'editor' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const open = (path: string) => goTo(page, `/console/apps/${app.appId}/activity/${path}`);

  for (const [name, path, said] of [
    ['numbers', 'analytics', 'No visits yet'],
    ['plan', 'analytics/plan', 'No floor plan yet'],
    ['ways', 'analytics/ways', 'No ways to show'],
    ['peaks', 'analytics/peaks', 'Nobody was there'],
    ['messages', 'messages', /^No message reached anybody for the first time in /],
    ['reports', 'analytics/reports', 'No reports yet'],
    ['rehearsal', 'walk', 'No floor to walk over yet'],
  ] as const)
    test(`${name}: it is said what is missing, and what to do`, async () => {
      await open(path);
      await page.getByRole('heading', { name: said }).waitFor();
      await assertFitsPhone(name);
      await takePictures(page, `empty-${name}`);
      await assertAccessible(page);
    });

  test('numbers: a pretend phone is one click away', async () => {
    await open('analytics');
    await page.getByRole('main').getByRole('link', { name: 'Pretend phone' }).click();
    await page.getByRole('heading', { name: 'Pretend phone' }).waitFor();
  });

  test('on a phone the tab of the page is in sight, also when the row was narrower before', async () => {
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    await page.setViewportSize({ ...known, width: 390 });
    await open('analytics/plan');
    const row = page.getByRole('navigation', { name: 'Ways to look at visits' });
    const beyond = async () => {
      const [around, tab] = [await row.boundingBox(), await row.locator('[aria-current=page]').boundingBox()];
      return around && tab ? Math.max(around.x - tab.x, tab.x + tab.width - around.x - around.width, 0) : -1;
    };
    await becomes(beyond, 0);
    await page.evaluate(`document.querySelector('nav[aria-label="Ways to look at visits"]').scrollLeft = 300`);
    await page.setViewportSize({ ...known, width: 400 });
    await becomes(beyond, 0);
    await page.setViewportSize(known);
  });

  test('on a phone the place and the comparison are folded until one is chosen', async () => {
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    await page.setViewportSize({ ...known, width: 390 });
    await open('analytics/peaks');
    const filter = page.getByRole('button', { name: 'Filter', exact: true });
    const comparison = page.getByRole('combobox', { name: 'Comparison' });
    await filter.waitFor();
    assert.equal(await comparison.count(), 0);
    await filter.click();
    await assertAccessible(page);
    await comparison.selectOption('Compared with a year before');
    await filter.waitFor({ state: 'detached' });
    await page.reload();
    await comparison.waitFor();
    assert.equal(await filter.count(), 0);
    await page.setViewportSize(known);
  });

  test('the live plan and its past show the rooms, and nobody in them', async () => {
    await makeHouse();
    await make('/venues', { name: 'Annex' });
    await open('analytics/plan?show=now');
    await page.getByText('0 visitors in the zones of this floor now').waitFor();
    await assertFitsPhone('plan now');
    await takePictures(page, 'empty-plan-now');
    await assertAccessible(page);
    // On a phone names are drawn so that they can be read; the whole floor is a step away.
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    await page.setViewportSize({ ...known, width: 390 });
    const beyond = () =>
      page.evaluate<number>(`(({ parentElement: box }) => box.scrollWidth - box.clientWidth)(
        document.querySelector('svg[role="img"]'),
      )`);
    await becomes(async () => (await beyond()) > 100, true);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await becomes(beyond, 0);
    await takePictures(page, 'empty-plan-whole');
    await page.setViewportSize(known);
    await page.getByRole('slider', { name: 'Minutes before now' }).focus();
    await page.keyboard.press('Home');
    await page.getByText('0 visitors in the zones of this floor at').waitFor();
    for (const show of ['time', 'visits', 'ways']) {
      await open(`analytics/plan?show=${show}`);
      await page.getByRole('heading', { name: 'Visitors' }).waitFor();
      await takePictures(page, `empty-plan-${show}`);
      await assertAccessible(page);
    }
    assert.deepEqual(visited.complaints, []);
  });

  test('where nobody was, the year and then all places are one click away', async () => {
    const venue = await make('/venues', { name: 'Tower' });
    await open(`analytics/peaks?venue=${venue}`);
    const asked = async () => {
      const { searchParams } = new URL(page.url());
      return [searchParams.get('unit'), searchParams.get('venue')];
    };
    await page.getByRole('button', { name: 'Look at the whole year' }).click();
    await becomes(asked, ['year', venue]);
    await page.getByRole('button', { name: 'Look everywhere' }).click();
    await becomes(asked, ['year', null]);
    await page.getByRole('heading', { name: 'Nobody was there' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Look / }).count(), 0, 'there is no wider question');
    assert.deepEqual(visited.complaints, []);
  });
});
