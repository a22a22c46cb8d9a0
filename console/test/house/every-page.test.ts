import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { makeEverything } from '../../../server/test/support/interface/everything.ts';
import { openSite, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';

/** Pages on which nobody is signed in yet, and addresses that lead on to another page. */
const notVisited: ReadonlySet<string> = new Set([
  '/',
  '/setup',
  '/sign-in',
  '/forgotten',
  '/signed-in-again',
  '/link',
  '/apps/$appId',
  '/apps/$appId/',
  '/apps/$appId/activity',
]);

/** Of each kind of screen one: the tests of the screens look at them in light. */
const lookedAtInDark: ReadonlySet<string> = new Set([
  '/apps',
  '/apps/$appId/home',
  '/apps/$appId/settings',
  '/apps/$appId/rules',
  '/apps/$appId/beacons/$beaconId',
  '/apps/$appId/notifications/new',
  '/apps/$appId/push/new',
  '/apps/$appId/users',
  '/apps/$appId/activity/analytics',
  '/administrators',
  '/audit',
  '/system',
]);

describe('every page that the console has', () => {
  let site: Site;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let origin: string;
  let ids: Readonly<Record<string, string>>;
  let appName: string;
  const sections = new Set<string>();

  before(async () => {
    site = await openSite('sqlite', { PHAROS_PRIVATE_TARGETS: '127.0.0.1' });
    origin = await listenWithConsole(site.app);
    await site.app.app.apps.change(site.app.appId, { name: 'Museum guide' });
    appName = 'Museum guide';
    await site.app.app.buckets.createBucket(site.app.appId, 'birds');
    const made = await makeEverything(site, site.user);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'owner' });
    page = visited.page;
    ids = await idsOf(made);
    await page.goto(`/console/apps/${site.app.appId}/home`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  const console = `/console/api`;
  const ofApp = () => `${console}/apps/${site.app.appId}`;
  const read = async (path: string) => (await (await visited.context.request.get(path)).json()) as Answered;
  async function add(path: string, data: object): Promise<Record<string, string>> {
    const answer = await visited.context.request.post(path, { data, headers: { origin } });
    assert.ok(answer.ok(), await answer.text());
    return ((await answer.json()) as Answered).result;
  }

  interface Answered {
    readonly result: Record<string, string>;
    readonly results: readonly Record<string, string>[];
  }

  /** An id for each parameter of a route. */
  async function idsOf({ venue, beacon, storyline }: Awaited<ReturnType<typeof makeEverything>>) {
    const first = async (path: string, id = 'objectId') => (await read(`${ofApp()}/v2/${path}`)).results[0]?.[id] ?? '';
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    await add(`${ofApp()}/v2/push/notification`, { data: { title: 'Tomorrow' }, sendAt });
    const webhook = await add(`${ofApp()}/webhooks`, {
      url: 'http://127.0.0.1:9/hook',
      events: ['visit.opened'],
    });
    const google = await add(`${ofApp()}/identity-providers`, {
      name: 'google',
      kind: 'google',
      audiences: ['1.apps.example'],
    });
    const report = await add(`${ofApp()}/reports`, {
      venueId: null,
      every: 'week',
      isOn: true,
      administrators: [(await read(`${console}/session`)).result['adminId']],
      addresses: [],
    });
    const sso = await add(`${console}/sso-providers`, {
      name: 'Museum account',
      issuer: origin,
      clientId: 'console',
      clientSecret: 'a secret of the console',
      groupsClaim: 'groups',
      roles: { owner: ['heads'] },
    });
    return {
      $appId: site.app.appId,
      $beaconId: beacon,
      $venueId: venue,
      $floorId: await first('floors'),
      $storylineId: storyline,
      $detailId: await first(`storylines/${storyline}/detail`),
      $notificationId: await first('notifications'),
      $deviceId: await first('device'),
      $bucketName: 'birds',
      $recordId: await first('data/bucket/birds'),
      $eventId: await first('events'),
      $deliveryId: await first('deliveries'),
      $installationId: await first('installations'),
      $userId: site.user.userId,
      $pushId: await first('push/notifications?order=-createdAt'),
      $webhookId: webhook['webhookId'] ?? webhook['objectId'] ?? '',
      $reportId: report['reportId'] ?? '',
      'sso $providerId': sso['providerId'] ?? '',
      $providerId: google['providerId'] ?? google['objectId'] ?? '',
    };
  }

  test('puts the focus on its heading and names itself in the title, so that it is read out', async () => {
    const routes = (await page.evaluate(
      'Object.values(self.__TSR_ROUTER__.routesById).map(({ fullPath }) => fullPath)',
    )) as readonly string[];
    const paths = [...new Set(routes)].filter((route) => route && !notVisited.has(route));
    assert.ok(paths.length > 75, `${paths.length} pages`);
    const silent: string[] = [];
    const unexplained: string[] = [];
    let before = '';
    for (const route of paths) {
      const isSso = route.includes('single-sign-on');
      const path = route.replaceAll(/\$\w+/g, (name) => ids[isSso ? `sso ${name}` : name] || assert.fail(name));
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);
      // Each page has another title than the one before, in front of the name of the app.
      const end = path.startsWith('/apps/') ? ` · ${appName} · Pharos` : ' · Pharos';
      const isTold = await becomesTrue(told(before, end));
      const title = await page.title();
      if (!isTold) silent.push(`${route}: ${title}, focus on ${await page.evaluate(focused)}`);
      before = title;
      if (!(await becomesTrue(`Boolean(${help})`))) unexplained.push(route);
      else sections.add(String(await page.evaluate(help)));
      if (lookedAtInDark.has(route)) await isAccessibleInDark();
    }
    assert.deepEqual(silent, []);
    assert.deepEqual(unexplained, []);
  });

  test('says in one paragraph what it is for, and leads to a section of the handbook that there is', async () => {
    assert.ok(sections.size > 20, `${sections.size} sections`);
    const texts = new Map<string, string>();
    for (const section of sections) {
      const [path = '', anchor] = section.split('#');
      if (!texts.has(path)) {
        const answer = await fetch(origin + path);
        assert.equal(answer.status, 200, path);
        texts.set(path, await answer.text());
      }
      assert.ok(anchor === undefined || texts.get(path)?.includes(`id="${anchor}"`), section);
    }
  });

  /** The content policy forbids what `waitForFunction` does. */
  async function becomesTrue(expression: string): Promise<boolean> {
    for (const latest = Date.now() + 10_000; Date.now() < latest; await setTimeout(50))
      if (await page.evaluate(expression)) return true;
    return false;
  }

  async function isAccessibleInDark(): Promise<void> {
    const wear = (scheme: string) =>
      page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
    await wear('dark');
    await assertAccessible(page);
    await wear('light');
  }

  /** The section of the handbook that the heading leads to, once something is written there that is no link. */
  const help = `(() => {
    const link = document.querySelector('#page a[href^="/handbook/"]');
    const about = link?.parentElement.cloneNode(true);
    for (const other of about?.querySelectorAll('a, h1, h2') ?? []) other.remove();
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
