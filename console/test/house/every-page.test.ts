import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { consoleFolder } from '../../../server/src/http/console/console-files.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, openAs, patienceMs, type Visit } from '../browser.ts';
import { everyPage, type Filled, firstContent, idsOfRoutes, isSettled, openFilledSite } from './routes.ts';

/** Of each kind of screen one: the tests of the screens look at them in light. */
const lookedAtInDark: ReadonlySet<string> = new Set([
  '/apps',
  '/apps/$appId/home',
  '/apps/$appId/settings',
  '/apps/$appId/rules',
  '/apps/$appId/beacons/$beaconId',
  '/apps/$appId/messages/new',
  '/apps/$appId/push/new',
  '/apps/$appId/users',
  '/apps/$appId/activity/analytics',
  '/administrators',
  '/audit',
  '/system',
]);

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
/** Where the first figure, row or field of a page begins at the latest, px. */
const beginsBy = 220;

describe('every page that the console has', () => {
  let filled: Filled;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let ids: Readonly<Record<string, string>>;
  const sections = new Set<string>();

  beforeAll(async () => {
    filled = await openFilledSite();
    const { site, origin } = filled;
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'owner' });
    page = visited.page;
    await page.setViewportSize(desk);
    ids = await idsOfRoutes(filled, visited);
    await page.goto(`/console/apps/${site.app.appId}/home`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await filled?.site.close();
  });

  test('has the styles of all components of Mantine that it uses', () => {
    const built = (ending: string) => globSync(join(consoleFolder, 'assets', `*.${ending}`));
    const classes = (files: readonly string[]) =>
      new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(/\bm_[0-9a-f]{6,8}\b/g) ?? []));
    const all = classes([createRequire(import.meta.url).resolve('@mantine/core/styles.css')]);
    const used = [...classes(built('js'))].filter((name) => all.has(name));
    const there = classes(built('css'));
    assert.ok(used.length > 100, `${used.length} classes`);
    const missing = used.filter((name) => !there.has(name));
    assert.deepEqual(missing, [], 'console/src/app/mantine.css lacks them');
  });

  test('puts the focus on its heading, names itself in the title, so that it is read out, and begins high', async () => {
    const silent: string[] = [];
    const low: string[] = [];
    const unexplained: string[] = [];
    let before = '';
    for (const [route, address] of await everyPage(page, ids)) {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
      // Each page has another title than the one before, in front of the name of the app.
      const end = address.startsWith('/console/apps/') ? ' · Museum guide · Pharos' : ' · Pharos';
      const isTold = await becomesTrue(told(before, end));
      const title = await page.title();
      if (!isTold) silent.push(`${route}: ${title}, focus on ${await page.evaluate(focused)}`);
      before = title;
      if (!(await becomesTrue(`Boolean(${help})`))) unexplained.push(route);
      else sections.add(String(await page.evaluate(help)));
      if (lookedAtInDark.has(route)) await isAccessibleInDark();
      low.push(...(await beginsLow()).map((where) => `${route}: ${where}`));
    }
    assert.deepEqual(silent, []);
    assert.deepEqual(low, []);
    assert.deepEqual(unexplained, []);
  });

  test('says in one paragraph what it is for, and leads to a section of the handbook that there is', async () => {
    assert.ok(sections.size > 20, `${sections.size} sections`);
    const texts = new Map<string, string>();
    for (const section of sections) {
      const [path = '', anchor] = section.split('#');
      if (!texts.has(path)) {
        const answer = await fetch(filled.origin + path);
        assert.equal(answer.status, 200, path);
        texts.set(path, await answer.text());
      }
      assert.ok(anchor === undefined || texts.get(path)?.includes(`id="${anchor}"`), section);
    }
  });

  test('an address without a page leaves the menu where it is', async () => {
    await page.goto(`/console/apps/${filled.site.app.appId}/no/such/page`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('navigation', { name: 'Parts of the app' }).getByRole('link', { name: 'Log' }).click();
    await page.getByRole('heading', { name: 'Log' }).waitFor();
  });

  /** The content policy forbids what `waitForFunction` does. */
  async function becomesTrue(expression: string): Promise<boolean> {
    for (const latest = Date.now() + patienceMs; Date.now() < latest; await setTimeout(50))
      if (await page.evaluate(expression)) return true;
    return false;
  }

  /** The sizes at which the page begins too low, with where. */
  async function beginsLow(): Promise<readonly string[]> {
    await becomesTrue(isSettled);
    const low: string[] = [];
    for (const size of [phone, desk]) {
      await page.setViewportSize(size);
      // What is on its way makes room for itself.
      if (await becomesTrue(`Number(${firstContent}) <= ${beginsBy}`)) continue;
      low.push(`${await page.evaluate(firstContent)} at ${size.width}`);
    }
    return low;
  }

  async function isAccessibleInDark(): Promise<void> {
    const wear = (scheme: string) =>
      page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
    await wear('dark');
    await assertAccessible(page, true);
    await wear('light');
  }

  /** The section of the handbook that the heading leads to, once something is written there that is no link. */
  const help = `(() => {
    const link = document.querySelector('#page a[href^="/handbook/"]');
    const about = link?.closest('header').cloneNode(true);
    for (const other of about?.querySelectorAll('a, h1, h2, button') ?? []) other.remove();
    return about?.textContent.trim() ? link.getAttribute('href') : undefined;
  })()`;

  const focused = '(document.activeElement?.outerHTML ?? "").slice(0, 120)';
  /** Another title than before, and in the page the focus: on its heading, or on the field that somebody is to fill in. */
  const told = (before: string, end: string) => `(() => {
    const { activeElement, title } = document;
    const isInPage = document.getElementById('page')?.contains(activeElement);
    const isNamed = title !== ${JSON.stringify(before)} && title.endsWith(${JSON.stringify(end)});
    return isNamed && isInPage && /^(H1|H2|INPUT|TEXTAREA|SELECT)$/.test(activeElement.tagName);
  })()`;

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
