/** From a sighting to its dot on the screen, while 500 visitors walk: sent by a phone, until the dot of that visitor moves in a browser. */
import { setTimeout as delay } from 'node:timers/promises';
import { buildConsole, launchBrowser } from '../../console/test/browser.ts';
import { median, quantile } from './median.ts';
import type { Opened, Service } from './service.ts';
import type { Site } from './site.ts';

const visitors = 500;
/** Each phone sends what it has heard in so many seconds. */
const everySeconds = 2;
const seconds = 60;
const aimMs = 1_000;
const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
const beaconsOnFloor = 18;
/** Of the floor, in metres. */
const [width, depth] = [48, 20];

interface Live {
  readonly service: Service;
  readonly site: Site;
  readonly opened: Opened;
}

async function post({ service, opened }: Live, path: string, body: object): Promise<void> {
  const answer = await fetch(`${service.url}/api/v2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-appid': opened.appId, 'x-service-appkey': opened.appKey },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok && answer.status !== 409) throw new Error(`${path}: ${answer.status} ${text}`);
}

/** Where the beacons of the first floor are; see `site.ts`. */
const beacons = Array.from({ length: beaconsOnFloor }, (_, minor) => {
  const zone = minor % 8;
  return { minor, x: (zone % 4) * 12 + 2 + Math.floor(minor / 8) * 3, y: Math.floor(zone / 4) * 10 + 4 };
});

/** What a phone hears of the six nearest beacons in two seconds, to one of which it walks. */
function heard(x: number, y: number, now: number): object[] {
  const near = beacons
    .map((beacon) => ({ ...beacon, metres: Math.max(0.5, Math.hypot(beacon.x - x, beacon.y - y)) }))
    .sort((a, b) => a.metres - b.metres)
    .slice(0, 6);
  return Array.from({ length: everySeconds }, (_, second) =>
    near.map(({ minor, metres }) => ({
      uuid,
      major: 0,
      minor,
      rssi: Math.round(-59 - 20 * Math.log10(metres)),
      occurredAt: now - (everySeconds - 1 - second) * 1_000 - minor,
    })),
  ).flat();
}

/** To and fro along the floor, a metre a second. */
function whereIs(visitor: number, now: number): [x: number, y: number] {
  const way = (now / 1000 + visitor * 7) % (2 * (width - 4));
  return [2 + (way < width - 4 ? way : 2 * (width - 4) - way), 3 + ((visitor * 13) % (depth - 6))];
}

/** Notes when each dot moves, on the clock of this machine. */
const watch = `(() => {
  globalThis.moved = {};
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const id = target.getAttribute?.('data-visitor');
      if (id) (globalThis.moved[id] ??= []).push(Date.now());
    }
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['cx'] });
})()`;

export async function measureLive(live: Live): Promise<void> {
  buildConsole();
  const { service, site, opened } = live;
  const browser = await launchBrowser();
  try {
    for (let n = 0; n < visitors; n++)
      await post(live, 'installations', { installationId: `live${n}`, deviceType: 'ios' });
    const floorId = site.venues[0]?.[0]?.floorId ?? '';
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const cookies = service.cookie.split('; ').map((cookie) => cookie.split('='));
    await context.addCookies(
      cookies.map(([name = '', ...value]) => ({ name, value: value.join('='), url: service.url })),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${service.url}/console/apps/${opened.appId}/activity/analytics/plan?show=now&floor=${floorId}`);
    const sent = new Map<number, number[]>();
    const until = Date.now() + seconds * 1_000;
    const phone = async (n: number) => {
      await delay((n / visitors) * everySeconds * 1_000);
      while (Date.now() < until) {
        const now = Date.now();
        sent.set(n, [...(sent.get(n) ?? []), now]);
        await post(live, 'sightings', { installationId: `live${n}`, sightings: heard(...whereIs(n, now), now) });
        await delay(Math.max(0, everySeconds * 1_000 - (Date.now() - now)));
      }
    };
    const phones = Promise.all(Array.from({ length: visitors }, (_, n) => phone(n)));
    await page.locator('[data-visitor]').first().waitFor();
    await page.evaluate(watch);
    await phones;
    await delay(2_000);
    await tell(live, sent, await page.evaluate<Readonly<Record<string, readonly number[]>>>('globalThis.moved'));
  } finally {
    await browser.close();
  }
}

async function tell(
  { service }: Live,
  sent: ReadonlyMap<number, readonly number[]>,
  moved: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  const where = encodeURIComponent(JSON.stringify({ installationId: { $regex: '^live' } }));
  const found = await service.ask<{ results: { objectId: string; installationId: string }[] }>(
    'GET',
    `/installations?limit=1000&where=${where}`,
  );
  const times: number[] = [];
  for (const { objectId, installationId } of found.results) {
    const dots = moved[objectId] ?? [];
    // A dot that has not moved before the next sighting counts as having taken as long.
    for (const [index, at] of (sent.get(Number(installationId.slice(4))) ?? []).entries()) {
      if (at < (dots[0] ?? Number.POSITIVE_INFINITY) - 4_000 || index === 0) continue;
      const shown = dots.find((one) => one >= at);
      if (shown !== undefined) times.push(shown - at);
    }
  }
  const p95 = quantile(times, 0.95);
  console.log(
    `\nsighting to dot with ${visitors} visitors: ${times.length} dots, p50 ${median(times)} ms, p95 ${p95} ms, most ${Math.max(...times)} ms; aim ${aimMs}${p95 > aimMs ? ' MISSED' : ''}`,
  );
}
