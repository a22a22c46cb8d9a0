import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { AdminRole } from '../../../server/src/access/roles.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, launchBrowser, openAs, type Visit, watchRequests } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { everyPage, type Filled, idsOfRoutes, openFilledSite } from './routes.ts';

const notForRole = 'Your role does not include this page';
const notForVenues = 'This page is about the app as a whole';

describe('pages that somebody may not see, and opens by their address', () => {
  let filled: Filled;
  let browser: Browser;
  let owner: Visit;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    filled = await openFilledSite();
    browser = await launchBrowser();
    owner = await openAs(browser, { app: filled.site.app, origin: filled.origin, role: 'owner' });
    ids = await idsOfRoutes(filled, owner);
  });
  afterAll(async () => {
    await browser?.close();
    await filled?.site.close();
  });

  /** Somebody new on the app's first page. */
  async function openApp(role: AdminRole, isLimited: boolean): Promise<Visit> {
    const { site, origin, made } = filled;
    const visited = await openAs(browser, { app: site.app, origin, role });
    if (isLimited) {
      const { adminId } = (await (await visited.context.request.get('/console/api/session')).json()).result;
      const limit = await owner.context.request.put(`/console/api/administrators/${adminId}`, {
        data: { apps: [{ appId: site.app.appId, venues: [made.venue] }] },
        headers: { origin },
      });
      assert.ok(limit.ok(), await limit.text());
    }
    await visited.page.goto(`/console/apps/${site.app.appId}`);
    await menuOf(visited).locator('[aria-current=page]').first().waitFor();
    return visited;
  }

  const menuOf = ({ page }: Visit) => page.getByRole('navigation', { name: 'Parts of the app' });

  /** Opens every page. @returns those that are refused, with how, and what the service has refused */
  async function walk({ page }: Visit) {
    const isQuiet = watchRequests(page);
    const refused = new Map<string, string>();
    const asked: string[] = [];
    page.on('response', (answer) => {
      // The names of the messages of an event are asked for together, and those of scenarios stay hidden.
      if (answer.status() === 403 && !answer.url().includes('/storylines/details?'))
        asked.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`);
    });
    for (const [route, address] of await everyPage(page, ids)) {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
      await becomes(() => page.evaluate(isShown(address)), true);
      const title = await page.evaluate(refusal);
      if (title) refused.set(route, String(title));
    }
    await isQuiet();
    return { refused, asked };
  }

  const isShown = (address: string) => `(() => {
    const { resolvedLocation, status } = self.__TSR_ROUTER__.state;
    const isThere = location.pathname === ${JSON.stringify(address)} && status === 'idle';
    return isThere && location.pathname.endsWith(resolvedLocation?.pathname) && Boolean(document.querySelector('#page :is(h1, h2)'));
  })()`;

  /** What is said in the place of the page, if nothing else of it is there. */
  const refusal = `(() => {
    const isOne = (heading) => ${JSON.stringify([notForRole, notForVenues])}.includes(heading.textContent);
    const headings = [...document.querySelectorAll('#page :is(h1, h2, h3)')].filter((one) => !one.closest('header'));
    const found = headings.find(isOne);
    if (!found) return undefined;
    const more = document.querySelectorAll('#page :is(table, ul, form, [role="alert"])').length + headings.length - 1;
    return more === 0 ? found.textContent : found.textContent + ', and more';
  })()`;

  const ofWholeApp = (route: string) =>
    /^\/apps\/\$appId\/(activity\/(deliveries|logs|messages|what-if)|api|devices|files|installations|keys|policy|privacy|push|rules|senders|settings|sign-in|trash|users|webhooks|buckets)(\/|$)/.test(
      route,
    );

  test('whoever is limited to a venue reads why in the place of each page about the whole app', async () => {
    const visited = await openApp('manager', true);
    const { refused, asked } = await walk(visited);
    assert.deepEqual(asked, [], 'nothing is asked for that is refused');
    const pages = [...(await everyPage(visited.page, ids)).keys()];
    assert.deepEqual(
      pages.filter((route) => refused.get(route) === notForVenues),
      pages.filter((route) => ofWholeApp(route) || route === '/apps/$appId/beacons/venues/new'),
    );
    assert.deepEqual(
      [...refused.values()].filter((said) => said !== notForVenues && said !== notForRole),
      [],
    );
    await visited.page.goto(`/console/apps/${filled.site.app.appId}/push`);
    await visited.page.getByRole('heading', { name: notForVenues }).waitFor();
    await takePictures(visited.page, 'refused-for-venues');
    await assertAccessible(visited.page);
    assert.deepEqual(visited.complaints, []);
  });

  /** Where somebody works, not where they only look things up; the app opens with the first of them. */
  const menus = {
    editor: ['Home', 'Messages', 'Visitors', 'Log', 'Places', 'Content'],
    author: ['Messages'],
    installer: ['Home', 'Messages', 'Visitors', 'Log', 'Places'],
    analyst: ['Home', 'Visitors', 'Log'],
    reader: ['Visitors'],
  } as const satisfies Partial<Record<AdminRole, readonly string[]>>;

  for (const role of Object.keys(menus) as (keyof typeof menus)[])
    test(`${role}s are asked for nothing that they may not read, and a page that is not theirs says only that`, async () => {
      const visited = await openApp(role, false);
      assert.deepEqual(await menuOf(visited).locator(':scope > a, :scope > div > span').allInnerTexts(), menus[role]);
      const { refused, asked } = await walk(visited);
      assert.deepEqual(asked, []);
      assert.deepEqual(
        [...refused.values()].filter((said) => said !== notForRole),
        [],
      );
      assert.deepEqual(visited.complaints, []);
    });
});
