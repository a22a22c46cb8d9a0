/**
 * `npm run bench:plan [-- 2000]`: what a frame of the plan's editor costs while somebody pans and zooms it, with that many beacons
 * and 40 zones on the floor: milliseconds of script in a frame of the main thread, of styles, layout and painting, and between two pictures that
 * are shown. A browser without a graphics card draws slowly whatever the page does; what the page itself takes is the script.
 */
import type { CDPSession, Page } from 'playwright-core';
import { launchBrowser, listenWithConsole, openAs } from '../../console/test/browser.ts';
import { buildApp, signInManager, type TestApp } from '../../server/test/support/build-app.ts';
import { create } from '../../server/test/support/cases.ts';

const total = Number(process.argv[2] ?? 2_000);
const zones = 40;
const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

/** A floor of 100 m by 50 m. Returns the path of its page. */
async function fill(app: TestApp): Promise<string> {
  const { headers } = await signInManager(app);
  const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, headers);
  const venueId = await make('venues', { name: 'Fair' });
  const venue = pointer('Venue', venueId);
  const floorId = await make('floors', { venueId: venue, name: 'Hall', level: 0 });
  for (let index = 0; index < zones; index++) {
    const [x, y] = [(index % 8) * 12.5, Math.floor(index / 8) * 10];
    const polygon = [
      { x, y },
      { x: x + 12, y },
      { x: x + 12, y: y + 9.5 },
      { x, y: y + 9.5 },
    ];
    await make('zones', { floorId: pointer('Floor', floorId), name: `Zone ${index}`, kind: 'room', polygon });
  }
  for (let minor = 0; minor < total; minor++) {
    const location = { x: ((minor * 37) % 1000) / 10, y: ((minor * 91) % 500) / 10, floor: 0 };
    await make('beacons', { uuid: 'A', major: 1, minor, name: `Beacon ${minor}`, venueId: venue, location });
  }
  return `/console/apps/${app.appId}/beacons/venues/${venueId}/floors/${floorId}`;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
}

const categories = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-devtools.timeline.frame',
  'devtools.timeline.frame',
];

const kinds = {
  script: ['FunctionCall', 'EventDispatch', 'FireAnimationFrame', 'TimerFire', 'EvaluateScript', 'RunMicrotasks'],
  drawing: ['UpdateLayoutTree', 'Layout', 'PrePaint', 'Paint', 'Layerize', 'Commit'],
} as const;

async function traced(cdp: CDPSession, work: () => Promise<void>): Promise<readonly TraceEvent[]> {
  const events: TraceEvent[] = [];
  const note = ({ value }: { readonly value: readonly object[] }) => events.push(...(value as unknown as TraceEvent[]));
  cdp.on('Tracing.dataCollected', note);
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: categories } });
  await work();
  const complete = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await complete;
  cdp.off('Tracing.dataCollected', note);
  return events;
}

/** Milliseconds of each frame: those of events that no other event of the kind contains, between the beginnings of two frames. */
function perFrame(events: readonly TraceEvent[], names: readonly string[]): number[] {
  const begins = events.filter(({ name }) => name === 'BeginMainThreadFrame').sort((a, b) => a.ts - b.ts);
  const thread = begins[0];
  const starts = begins.map(({ ts }) => ts);
  const costs = new Array<number>(Math.max(0, starts.length - 1)).fill(0);
  let until = 0;
  const ours = events
    .filter(
      ({ name, ph, pid, tid }) => ph === 'X' && pid === thread?.pid && tid === thread?.tid && names.includes(name),
    )
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  for (const { ts, dur = 0 } of ours) {
    if (ts < until) continue;
    until = ts + dur;
    const frame = starts.findLastIndex((start) => start <= ts);
    if (frame >= 0 && frame < costs.length) costs[frame] = (costs[frame] ?? 0) + dur / 1_000;
  }
  return costs;
}

/**
 * How long each picture stayed until the next, ms, and how many the display waited for in vain. Only while something moves: in between the
 * browser asks for no frames. What the page only moves or scales is drawn without the main thread, so its frames say little about
 * what is seen.
 */
function pictures(events: readonly TraceEvent[]): { readonly intervals: number[]; readonly share: string } {
  const renderer = events.find(({ name }) => name === 'BeginMainThreadFrame')?.pid;
  const ours = events.filter(({ pid }) => pid === renderer).sort((a, b) => a.ts - b.ts);
  const count = (asked: string) => ours.filter(({ name }) => name === asked).length;
  const found: number[] = [];
  let last: number | undefined;
  for (const { name, ts } of ours) {
    // It begins or stops asking for frames.
    if (name === 'NeedsBeginFrameChanged') last = undefined;
    if (name !== 'DrawFrame') continue;
    if (last !== undefined) found.push((ts - last) / 1_000);
    last = ts;
  }
  return { intervals: found, share: `${count('DroppedFrame')} of ${count('BeginFrame')}` };
}

function at(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(1);
}

async function pan(page: Page, middle: { readonly x: number; readonly y: number }): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    const way = round % 2 === 0 ? 1 : -1;
    for (let step = 1; step <= 30; step++) await page.mouse.move(middle.x + way * step * 5, middle.y + way * step * 3);
    await page.mouse.up();
  }
}

async function zoom(page: Page, middle: { readonly x: number; readonly y: number }): Promise<void> {
  await page.mouse.move(middle.x, middle.y);
  for (const way of [-1, 1]) {
    for (let step = 0; step < 8; step++) {
      await page.mouse.wheel(0, way * 80);
      await page.waitForTimeout(60);
    }
  }
}

const app = await buildApp({ database: 'sqlite' });
const browser = await launchBrowser();
try {
  Object.defineProperty(app.clock, 'now', { get: Date.now });
  await app.app.apps.change(
    app.appId,
    { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } },
    { name: 'bench', address: null },
  );
  const path = await fill(app);
  const origin = await listenWithConsole(app);
  const { page } = await openAs(browser, { app, origin, role: 'owner' });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto(path);
  const plan = page.getByRole('region', { name: 'Plan of Hall' });
  await page.getByRole('heading', { name: `Beacons · ${total}` }).waitFor();
  const box = await plan.boundingBox();
  if (!box) throw new Error('The plan is not shown.');
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const cdp = await browser.newBrowserCDPSession();
  process.stdout.write(`${total} beacons, ${zones} zones; ms a frame, median / p95 / most\n\n`);
  process.stdout.write(
    '| | main frames | script | styles, layout, painting | between pictures | dropped |\n|---|---|---|---|---|---|\n',
  );
  for (const [name, work] of Object.entries({ pan, zoom })) {
    await work(page, middle);
    const events = await traced(cdp, () => work(page, middle));
    const three = (values: readonly number[]) => [0.5, 0.95, 1].map((part) => at(values, part)).join(' / ');
    const script = perFrame(events, kinds.script);
    const drawing = perFrame(events, kinds.drawing);
    const { intervals, share } = pictures(events);
    const cells = [name, script.length, three(script), three(drawing), three(intervals), share];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
} finally {
  await browser.close();
  await app.close();
}
