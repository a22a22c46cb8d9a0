import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { saveDemoMark } from '../../../server/src/features/operate/apps/demo-mark.ts';
import { makeEverything } from '../../../server/test/support/interface/everything.ts';
import { openSite, type Site } from '../../../server/test/support/site.ts';
import { listenWithConsole, type Visit } from '../browser.ts';

/** Pages on which nobody is signed in yet, and addresses that lead on to another page. */
const notVisited: ReadonlySet<string> = new Set([
  '/',
  '/setup',
  '/sign-in',
  '/forgotten',
  '/signed-in-again',
  '/link',
  '/phone',
  '/apps/$appId',
  '/apps/$appId/',
  '/apps/$appId/activity/events',
  '/apps/$appId/activity/visits',
  '/apps/$appId/activity/deliveries',
  '/apps/$appId/activity/logs',
  '/apps/$appId/notifications',
  '/apps/$appId/notifications/new',
  '/apps/$appId/notifications/$notificationId',
  '/apps/$appId/storylines',
  '/apps/$appId/storylines/$storylineId',
  '/apps/$appId/storylines/$storylineId/scenarios/$detailId',
]);

interface Answered {
  readonly result: Record<string, string>;
  readonly results: readonly Record<string, string>[];
}

type Made = Awaited<ReturnType<typeof makeEverything>>;

export interface Filled {
  readonly site: Site;
  readonly origin: string;
  readonly made: Made;
}

/** A service with one record of each kind that apps make, under the banner of a demo, which takes room on every page. */
export async function openFilledSite(): Promise<Filled> {
  const site = await openSite('sqlite', { PHAROS_PRIVATE_TARGETS: '127.0.0.1' });
  const mark = { seed: 'a', madeAt: 0, appId: '', userId: '', adminId: '', passwordHash: '', step: 0, rows: 0 };
  await saveDemoMark(site.app.storage.db, { state: 'ready', ...mark });
  const origin = await listenWithConsole(site.app);
  await site.app.app.apps.change(site.app.appId, { name: 'Museum guide' });
  await site.app.app.buckets.createBucket(site.app.appId, 'birds');
  return { site, origin, made: await makeEverything(site, site.user) };
}

/** Makes what only the console makes, too, as an owner. @returns an id for each parameter of a route */
export async function idsOfRoutes({ site, origin, made }: Filled, { context }: Visit) {
  const { venue, beacon } = made;
  const console = `/console/api`;
  const ofApp = `${console}/apps/${site.app.appId}`;
  const read = async (path: string) => (await (await context.request.get(path)).json()) as Answered;
  const first = async (path: string, id = 'objectId') => (await read(`${ofApp}/v2/${path}`)).results[0]?.[id] ?? '';
  async function add(path: string, data: object): Promise<Record<string, string>> {
    const answer = await context.request.post(path, { data, headers: { origin } });
    assert.ok(answer.ok(), await answer.text());
    return ((await answer.json()) as Answered).result;
  }
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  await add(`${ofApp}/v2/push/notification`, { data: { title: 'Tomorrow' }, sendAt });
  const webhook = await add(`${ofApp}/webhooks`, {
    url: 'http://127.0.0.1:9/hook',
    events: ['visit.opened'],
  });
  const google = await add(`${ofApp}/identity-providers`, {
    name: 'google',
    kind: 'google',
    audiences: ['1.apps.example'],
  });
  const report = await add(`${ofApp}/reports`, {
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
    $messageId: await first('notifications'),
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

/** In a page: nothing is on its way any more. */
export const isSettled = `document.querySelector('#page :is(.mantine-Skeleton-root, [aria-busy="true"])') === null`;

/** In a page: where its first figure, row or field begins, px. */
export const firstContent = `(() => {
  const kinds = 'input, select, textarea, td, li, dd, dt, canvas, img, svg[role="img"], form, section, button, [role="radiogroup"], .mantine-Progress-root, .mantine-Alert-root, [class*="empty"]';
  const boxes = [...document.querySelectorAll('#page :is(' + kinds + ')')]
    .filter((one) => one.checkVisibility() && !one.closest('header, nav:not(:has(input))'))
    .map((one) => one.getBoundingClientRect());
  return Math.round(Math.min(...boxes.filter(({ width, height }) => width > 8 && height > 4).map(({ top }) => top + scrollY)));
})()`;

/** Every page behind the sign-in, with an address of each, from a page of the console. */
export async function everyPage(
  page: Page,
  ids: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const routes = (await page.evaluate(
    'Object.values(self.__TSR_ROUTER__.routesById).map(({ fullPath }) => fullPath)',
  )) as readonly string[];
  const visited = [...new Set(routes)].filter((route) => route && !notVisited.has(route));
  assert.ok(visited.length > 70, `${visited.length} pages`);
  const addressOf = (route: string) => {
    const isSso = route.includes('single-sign-on');
    return route.replaceAll(/\$\w+/g, (name) => ids[isSso ? `sso ${name}` : name] || assert.fail(name));
  };
  return new Map(visited.map((route) => [route, `/console${addressOf(route)}`]));
}
