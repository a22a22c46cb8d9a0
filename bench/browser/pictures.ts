/**
 * `npm run bench -- browser/pictures [--only home,map]`: takes the pictures of `docs/images/` from a demo of its own, when its year is written. Look at
 * each before it is committed. A picture is as large as the window, so that it stays small as a file.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { buildConsole, launchBrowser, visit } from '../../console/test/browser.ts';
import { startService } from '../../server/test/e2e/service.ts';
import { demoAccount, signIn } from './walk/accounts.ts';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const wanted = (name: string) => values.only === '' || values.only.split(',').includes(name);
const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const maxMs = 15 * 60_000;

interface Picture {
  readonly name: string;
  readonly height?: number;
  readonly scheme?: 'dark';
  /** For the handbook, which has the colours of its reader. */
  readonly isInBoth?: true;
  /** Opens what it shows. */
  readonly open: (page: Page) => Promise<void>;
}

const data = mkdtempSync(join(tmpdir(), 'pharos-pictures-'));
buildConsole();
const browser = await launchBrowser();
const service = await startService({ PHAROS_DATA: join(data, 'demo') }, '0', '--demo');
try {
  const { page } = await visit(browser, service.baseUrl);
  const { appId } = await signIn(page, service, demoAccount(join(data, 'demo')));
  const app = `/console/apps/${appId}`;
  const ask = async (path: string) => {
    const answer = await page.context().request.get(`/console/api/apps/${appId}/v2${path}`);
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
    return answer.json();
  };
  const idOf = async (path: string, where: object, order = '-createdAt') => {
    const query = new URLSearchParams({ where: JSON.stringify(where), order, limit: '1' });
    const [found] = (await ask(`${path}?${query}`)).results as { readonly objectId: string }[];
    if (!found) throw new Error(`${path} has nothing with ${JSON.stringify(where)}.`);
    return found.objectId;
  };
  const go = (path: string) => async (page: Page) => {
    await page.goto(app + path);
  };
  await isWritten(ask);

  const pictures: readonly Picture[] = [
    { name: 'home', height: 1_100, open: go('/home') },
    { name: 'why', open: async (page) => go(`/activity/events/${await eventWithReasons(ask)}`)(page) },
    { name: 'map', open: go('/beacons?view=map') },
    {
      name: 'floor',
      isInBoth: true,
      open: async (page) => {
        const [venue, floor] = [await idOf('/venues', {}), await idOf('/floors', { level: 0 })];
        await go(`/beacons/venues/${venue}/floors/${floor}`)(page);
        await page
          .getByRole('button', { name: /^Whale Hall/ })
          .first()
          .click();
      },
    },
    { name: 'messages', open: go('/messages') },
    { name: 'push', open: async (page) => go(`/push/${await idOf('/push/notifications', {}, 'createdAt')}`)(page) },
    {
      name: 'dark',
      scheme: 'dark',
      open: async (page) =>
        go(`/messages/${await idOf('/notifications', { description: 'The whale in pictures' })}`)(page),
    },
    { name: 'numbers', height: 1_300, isInBoth: true, open: go('/activity/analytics?unit=month') },
    { name: 'heat', height: 900, isInBoth: true, open: go('/activity/analytics/plan?unit=year') },
    { name: 'now', isInBoth: true, open: go('/activity/analytics/plan?show=now') },
    { name: 'ways', height: 1_000, isInBoth: true, open: go('/activity/analytics/ways?unit=month') },
    { name: 'peaks', height: 1_000, isInBoth: true, open: go('/activity/analytics/peaks?unit=month') },
    { name: 'effects', height: 1_000, isInBoth: true, open: go('/activity/messages?unit=year') },
    { name: 'rehearsal', height: 1_000, isInBoth: true, open: async (page) => rehearse(page, go('/activity/walk')) },
  ];
  for (const { name, height = 860, scheme, isInBoth, open } of pictures.filter((one) => wanted(one.name))) {
    await page.setViewportSize({ width: 1_280, height });
    await open(page);
    await settled(page, scheme ?? 'light');
    await page.screenshot({ path: join(folder, `console-${name}.png`) });
    if (!isInBoth) continue;
    await settled(page, 'dark');
    await page.screenshot({ path: join(folder, `console-${name}-dark.png`) });
  }
  if (wanted('phone')) {
    const shots: string[] = [];
    await page.setViewportSize({ width: 390, height: 860 });
    for (const path of ['/home', '/activity/analytics?unit=month', '/activity/analytics/plan?unit=year']) {
      await page.goto(app + path);
      await settled(page, 'light');
      shots.push((await page.screenshot()).toString('base64'));
    }
    writeFileSync(join(folder, 'console-phone.png'), await beside(shots));
  }
} finally {
  await browser.close();
  await service.stop('SIGTERM');
  rmSync(data, { recursive: true, force: true });
}

/** A few visitors roam, and one looks at them after a while. */
async function rehearse(page: Page, open: (page: Page) => Promise<void>): Promise<void> {
  await open(page);
  await page.getByText('Let visitors roam', { exact: true }).click();
  await page.getByRole('button', { name: 'Start the walk', exact: true }).click();
  await page.getByRole('heading', { name: 'What would happen', exact: true }).waitFor();
  await delay(8_000);
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  if (await stop.isVisible()) await stop.click();
}

/** The year is written in the background, and counted after that. */
async function isWritten(ask: (path: string) => Promise<{ count?: number; result?: { isComplete: boolean } }>) {
  const until = Date.now() + maxMs;
  for (let before = -1; Date.now() < until; await delay(10_000)) {
    const { count = 0 } = await ask('/visits?limit=0&count=1');
    const { result } = await ask('/analytics/visits');
    // Walkers add a few all the time.
    if (result?.isComplete && before > 10_000 && count - before < 40) return;
    before = count;
    process.stderr.write(`${count} visits\n`);
  }
  throw new Error('The year of the demo was not written in time.');
}

/** An event of which one message was shown and others were not. */
async function eventWithReasons(ask: (path: string) => Promise<{ results: readonly Verdict[] }>): Promise<string> {
  const { results } = await ask(`/verdicts?${new URLSearchParams({ order: '-createdAt', limit: '1000' })}`);
  const byEvent = Map.groupBy(results, ({ eventId }) => eventId ?? '');
  const rank = (verdicts: readonly Verdict[]) =>
    verdicts.some(({ outcome }) => outcome === 'fired') ? verdicts.length : 0;
  const [best = ''] = [...byEvent].sort(([, a], [, b]) => rank(b) - rank(a))[0] ?? [];
  return best;
}

interface Verdict {
  readonly eventId?: string;
  readonly outcome?: string;
}

async function settled(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
  // A live page has a stream that never ends.
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
  // Plots grow for a moment.
  await delay(1_500);
}

/** Pictures of a phone in one. */
async function beside(shots: readonly string[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 1_250, height: 880 } });
  const pictures = shots
    .map((shot) => `<img src="data:image/png;base64,${shot}" style="border:1px solid #ccd">`)
    .join('');
  await page.setContent(`<body style="margin:10px;display:flex;gap:20px;background:#fff">${pictures}</body>`);
  return page.screenshot();
}
