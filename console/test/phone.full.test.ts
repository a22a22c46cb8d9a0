import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { assertAccessible } from './axe.ts';
import { becomes, launchBrowser, openAs, type Visit } from './browser.ts';
import { everyPage, type Filled, idsOfRoutes, isSettled, openFilledSite } from './house/routes.ts';

/**
 * What is pressed and is smaller than 44 px, WCAG 2.2 (2.5.5): a point 20 px beside its middle belongs to something else. Links in
 * a sentence are exempt there; a link in a row is as large as the row, which follows it.
 */
const small = `(() => {
  const found = [];
  const isIn = (one, hit) => hit !== null && (one.contains(hit) || hit.closest('label')?.control === one || [...(one.labels ?? []), one.closest('.mantine-InputWrapper-root')].some((around) => around?.contains(hit)));
  for (const one of document.querySelectorAll('#page :is(a[href], button, input, select, textarea, summary, [role="tab"])')) {
    if (!one.checkVisibility({ checkOpacity: false, visibilityProperty: true }) || one.disabled || one.type === 'hidden' || one.closest('[aria-hidden="true"]')) continue;
    const row = one.closest('tr');
    if (row && one.matches('a')) continue;
    const isInText = one.matches('a, button') && (getComputedStyle(one).display === 'inline' || one.closest('p')) && one.parentElement.textContent.trim() !== one.textContent.trim();
    if (isInText) continue;
    one.scrollIntoView({ block: 'center', inline: 'nearest' });
    const { left, top, width, height } = one.getBoundingClientRect();
    if (width < 2 || height < 2) continue;
    const [x, y] = [left + width / 2, top + height / 2];
    const misses = [[0, -20], [0, 20], [-20, 0], [20, 0]].filter(([dx, dy]) => {
      const [px, py] = [x + dx, y + dy];
      return px >= 0 && px < innerWidth && py >= 0 && py < innerHeight && !isIn(one, document.elementFromPoint(px, py));
    });
    if (misses.length > 0) found.push((one.getAttribute('aria-label') || one.textContent.trim().slice(0, 30) || one.labels?.[0]?.textContent || one.name || one.className).slice(0, 40) + ' ' + one.tagName.toLowerCase() + ' ' + Math.round(width) + 'x' + Math.round(height));
  }
  scrollTo(0, 0);
  return found;
})()`;

/** Nothing covers the first line of the field that is typed into, and it is in the window. */
const isOnTop = `(() => {
  const field = document.activeElement;
  const { left, top, width, height } = field.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + Math.min(height, 40) / 2) === field;
})()`;

describe('the console on a phone', () => {
  let filled: Filled;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    filled = await openFilledSite();
    const { site, origin } = filled;
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'owner' });
    page = visited.page;
    ids = await idsOfRoutes(filled, visited);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/console/apps/${site.app.appId}/home`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await filled?.site.close();
  });

  const open = async (address: string) => {
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
    await becomes(
      () =>
        page.evaluate(
          `location.pathname.endsWith(self.__TSR_ROUTER__.state.resolvedLocation?.pathname) && document.querySelector('#page h1') !== null && ${isSettled}`,
        ),
      true,
    );
  };

  test('each page has room for a finger wherever it is pressed, and is as wide as the screen', async () => {
    const tooSmall: string[] = [];
    const wide: string[] = [];
    for (const [route, address] of await everyPage(page, ids)) {
      await open(address);
      tooSmall.push(...((await page.evaluate(small)) as string[]).map((what) => `${route}: ${what}`));
      for (const width of [430, 768, 720, 390]) {
        await page.setViewportSize({ width, height: 844 });
        const real = Number(await page.evaluate('document.documentElement.scrollWidth'));
        if (real > width) wide.push(`${route}: ${real} in ${width}`);
      }
    }
    assert.deepEqual({ tooSmall, wide }, { tooSmall: [], wide: [] });
    assert.deepEqual(visited.complaints, []);
  });

  test('the menu of the account can be used by everybody', async () => {
    await open(`/console/apps/${filled.site.app.appId}/home`);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  });

  test('the field that is typed into stays in sight while the keyboard takes half of the screen', async () => {
    const hidden: string[] = [];
    for (const part of ['messages/new', 'beacons/new', 'push/new', 'policy']) {
      await open(`/console/apps/${filled.site.app.appId}/${part}`);
      const fields = page.locator('#page :is(input[type="text"], input[type="number"], input:not([type]), textarea)');
      const count = await fields.count();
      assert.ok(count > 0, part);
      for (let n = 0; n < count; n++) {
        const field = fields.nth(n);
        if (!(await field.isVisible()) || !(await field.isEditable())) continue;
        await field.focus();
        await page.keyboard.type('1');
        // The page says how the keyboard narrows it: interactive-widget in its viewport.
        await page.setViewportSize({ width: 390, height: 420 });
        await page.evaluate('new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))');
        if (!(await page.evaluate(isOnTop))) hidden.push(`${part}: ${n}`);
        await page.setViewportSize({ width: 390, height: 844 });
      }
    }
    assert.deepEqual(hidden, []);
  });

  test('each choice of a list that opens in a sheet can be pressed', async () => {
    for (const n of [1, 2, 3, 4, 5]) await filled.site.beacon({ name: `Case ${n}`, minor: 100 + n });
    await open(`/console/apps/${filled.site.app.appId}/messages/new`);
    await page.getByTitle('Place', { exact: true }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Beacons', exact: true }).click();
    const choices = page.getByRole('option');
    await choices.filter({ hasText: 'Case 5' }).waitFor();
    for (const choice of await choices.all()) await choice.click({ trial: true });
  });
});
