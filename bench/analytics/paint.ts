/** First paint of each page with plots on a mid-range phone: a processor four times as slow, Fast 4G, 390 pixels. */
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../console/test/browser.ts';
import { median } from './median.ts';
import type { Service } from './service.ts';
import type { Site } from './site.ts';

/** As in Chromium's own tools. */
const fast4g = {
  offline: false,
  latency: 165,
  downloadThroughput: (9e6 * 0.9) / 8,
  uploadThroughput: (1.5e6 * 0.9) / 8,
};
const slowness = 4;
const aimMs = 1_500;

interface Painted {
  /** Milliseconds from the beginning of the navigation. */
  readonly first: number;
  readonly plot: number;
  /** Until the plot: bytes that came over the network, and milliseconds of processor time of the page's main thread. */
  readonly bytes: number;
  readonly busy: number;
}

const pages = (floorId: string) =>
  ({
    Numbers: 'analytics?unit=year',
    'Heat map': `analytics/plan?show=time&unit=year&floor=${floorId}`,
    Ways: 'analytics/ways?unit=year',
    Peaks: 'analytics/peaks?unit=year',
    Messages: 'messages?unit=year',
    'What would happen if': 'walk',
  }) as const;

/** A plot or a plan has been drawn. The page's content policy lets no expression be waited for. */
const isDrawn = (page: Page) =>
  page.locator('[data-drawn="true"], svg[role="img"], .leaflet-container').first().waitFor({ state: 'attached' });

async function paint(browser: Browser, service: Service, path: string, isWarm: boolean): Promise<Painted> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  try {
    await context.addCookies(
      service.cookie.split('; ').map((cookie) => {
        const [name = '', ...value] = cookie.split('=');
        return { name, value: value.join('='), url: service.url };
      }),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const address = `${service.url}/console/apps/${path}`;
    if (isWarm) {
      await page.goto(address);
      await isDrawn(page);
    }
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', fast4g);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowness });
    // Time of the thread, which does not run while others have the processor.
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    let bytes = 0;
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(address, { waitUntil: 'commit' });
    await isDrawn(page);
    const times = await page.evaluate<Pick<Painted, 'first' | 'plot'>>(`({
      first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now(),
      plot: performance.now(),
    })`);
    const { metrics } = await cdp.send('Performance.getMetrics');
    const busy = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
    return { ...times, bytes, busy };
  } finally {
    await context.close();
  }
}

/** A version of the console, and who serves it. */
export interface Shown {
  readonly name: string;
  readonly service: Service;
}

/** Several versions take turns, so that each has the machine as the others have it. */
export async function measurePaint(
  shown: readonly Shown[],
  {
    site,
    appId,
    rounds,
    like,
  }: { readonly site: Site; readonly appId: string; readonly rounds: number; readonly like: RegExp },
): Promise<void> {
  const browser = await launchBrowser();
  const floorId = site.venues[0]?.[0]?.floorId ?? '';
  try {
    const columns = ['first paint ms', 'plot drawn', 'the soonest', 'kB', 'ms of the main thread'];
    const head = [
      'page',
      'version',
      ...columns.map((one) => `${one}, empty cache`),
      ...columns.map((one) => `${one}, known files`),
    ];
    console.log(`\n| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}`);
    for (const [page, path] of Object.entries(pages(floorId))) {
      if (!like.test(page)) continue;
      const painted = new Map(shown.map(({ name }) => [name, { cold: [] as Painted[], warm: [] as Painted[] }]));
      for (let n = 0; n < rounds; n++)
        for (const { name, service } of shown)
          for (const state of ['cold', 'warm'] as const) {
            const one = await paint(browser, service, `${appId}/activity/${path}`, state === 'warm');
            painted.get(name)?.[state].push(one);
          }
      for (const [name, { cold, warm }] of painted)
        console.log(`| ${[page, name, ...cellsOf(cold), ...cellsOf(warm)].join(' | ')} |`);
    }
  } finally {
    await browser.close();
  }
}

function cellsOf(painted: readonly Painted[]): readonly string[] {
  const first = median(painted.map((one) => one.first));
  const of = (member: 'plot' | 'bytes' | 'busy') => painted.map((one) => one[member]);
  return [
    `${first.toFixed(0)}${first > aimMs ? ' MISSED' : ''}`,
    median(of('plot')).toFixed(0),
    Math.min(...of('plot')).toFixed(0),
    (median(of('bytes')) / 1_000).toFixed(0),
    median(of('busy')).toFixed(0),
  ];
}
