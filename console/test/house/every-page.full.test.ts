import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, watchRequests } from '../browser.ts';
import { everyPage, type Filled, idsOfRoutes, isSettled, openFilledSite } from './routes.ts';

/** How far a page may move while it loads, as browsers count it. */
const maxShift = 0.02;
const patience = { timeout: 1_800_000 };

describe('every page', () => {
  let filled: Filled;
  let browser: Browser;
  let page: Page;
  let addresses: ReadonlyMap<string, string>;

  beforeAll(async () => {
    filled = await openFilledSite();
    const { site, origin } = filled;
    browser = await launchBrowser();
    const visited = await openAs(browser, { app: site.app, origin, role: 'owner' });
    page = visited.page;
    const ids = await idsOfRoutes(filled, visited);
    await page.goto(`/console/apps/${site.app.appId}/home`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    addresses = await everyPage(page, ids);
  });
  afterAll(async () => {
    await browser?.close();
    await filled?.site.close();
  });

  const settled = () =>
    becomes(() => page.evaluate(`document.querySelector('#page h1') !== null && ${isSettled}`), true);

  test('is accessible in both themes, with each of its menus open', patience, async () => {
    const found: string[] = [];
    const look = (where: string) =>
      assertAccessible(page, true).catch((error: Error) => void found.push(`${where}: ${error.message}`));
    let menus = 0;
    for (const [route, address] of addresses) {
      await goTo(page, address);
      await settled();
      for (const scheme of ['dark', 'light']) {
        await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
        await look(`${route}, ${scheme}`);
        const openers = page.locator('#page [aria-haspopup="menu"]:visible');
        for (let n = 0; n < (await openers.count()); n++) {
          await openers.nth(n).click();
          await page.getByRole('menu').first().waitFor();
          await look(`${route}, ${scheme}, menu ${n}`);
          await page.keyboard.press('Escape');
          await page.getByRole('menu').first().waitFor({ state: 'detached' });
          menus += 1;
        }
      }
    }
    assert.deepEqual(found, []);
    assert.ok(menus > 0, 'some page has a menu');
  });

  test('moves by 0.02 at most while it loads', patience, async () => {
    await page.addInitScript(`window.moved = 0; new PerformanceObserver((list) => {
      for (const one of list.getEntries()) if (!one.hadRecentInput) window.moved += one.value;
    }).observe({ type: 'layout-shift', buffered: true });`);
    const still = watchRequests(page);
    const moved: Record<string, number> = {};
    for (const [route, address] of addresses) {
      await page.goto(address);
      await settled();
      await still();
      const shift = Number(await page.evaluate('window.moved'));
      if (shift > maxShift) moved[route] = Math.round(shift * 1000) / 1000;
    }
    assert.deepEqual(moved, {});
  });

  test('Home takes 22 requests and 300 kB at most on the first visit', async () => {
    const cold = await openAs(browser, { app: filled.site.app, origin: filled.origin, role: 'owner' });
    const { page: fresh, context } = cold;
    const network = await context.newCDPSession(fresh);
    await network.send('Network.enable');
    let [requests, bytes] = [0, 0];
    network.on('Network.requestWillBeSent', () => {
      requests += 1;
    });
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const still = watchRequests(fresh);
    await fresh.goto(`/console/apps/${filled.site.app.appId}/home`);
    await fresh.getByRole('heading', { name: 'Live now' }).waitFor();
    await still();
    assert.ok(requests <= 22 && bytes <= 300_000, `${requests} requests, ${bytes} bytes`);
  });
});
