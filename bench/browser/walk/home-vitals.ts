import type { Page } from 'playwright-core';

/** How long home is watched, while the demo's visitors walk: longer than any of its refreshes takes to come again. */
const watchedMs = 60_000;

/** Notes shifts of the layout and interactions from the first paint on. */
const watching = `
  window.vitals = { shifts: [], events: [], paints: [] };
  const see = (type, note, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...more });
  see('layout-shift', (one) => one.hadRecentInput || vitals.shifts.push({ at: one.startTime, value: one.value }));
  see('event', (one) => one.interactionId && vitals.events.push({ id: one.interactionId, ms: one.duration }), { durationThreshold: 16 });
  see('largest-contentful-paint', (one) => vitals.paints.push(one.startTime));
`;

interface Vitals {
  readonly shifts: readonly { readonly at: number; readonly value: number }[];
  readonly events: readonly { readonly id: number; readonly ms: number }[];
  readonly paints: readonly number[];
}

/** Cumulative layout shift as browsers report it: the largest sum of shifts at most 1 s apart and 5 s in all. */
function cumulativeShift(shifts: Vitals['shifts']): number {
  let most = 0;
  let [first, last, sum] = [0, Number.NEGATIVE_INFINITY, 0];
  for (const { at, value } of shifts) {
    if (at - last > 1_000 || at - first > 5_000) [first, sum] = [at, 0];
    sum += value;
    last = at;
    most = Math.max(most, sum);
  }
  return most;
}

/** Moves home around as a person would: the keyboard, the search, the pause, menus and links. */
async function interact(page: Page): Promise<void> {
  for (let round = 0; round < 10; round++) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('bea', { delay: 30 });
    await page.keyboard.press('Escape');
    for (let n = 0; n < 6; n++) await page.keyboard.press('Tab');
    const pause = page.getByRole('button', { name: /^(Pause|Go on|Resume)/ }).first();
    if (await pause.isVisible()) await pause.click();
    await page.getByRole('link', { name: 'Beacons', exact: true }).first().click();
    await page.getByRole('link', { name: 'Home', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Live now' }).waitFor();
  }
}

/** The figures of home, as one line. */
export async function vitalsOfHome(page: Page, path: string): Promise<string> {
  await page.addInitScript(watching);
  const read = async () => (await page.evaluate('window.vitals')) as Vitals;
  const figures: string[] = [];
  for (const [name, viewport] of [
    ['desk', { width: 1440, height: 900 }],
    ['phone', { width: 390, height: 844 }],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.goto(path);
    await page.getByRole('heading', { name: 'Live now' }).waitFor();
    await page.waitForTimeout(watchedMs);
    const { shifts, paints } = await read();
    const moved = cumulativeShift(shifts).toFixed(4);
    figures.push(
      `${name}: CLS ${moved} (${shifts.length} shifts in ${watchedMs / 1000} s), LCP ${Math.round(paints.at(-1) ?? 0)} ms`,
    );
    if (name !== 'desk') continue;
    await interact(page);
    const slowest = new Map<number, number>();
    for (const { id, ms } of (await read()).events) slowest.set(id, Math.max(ms, slowest.get(id) ?? 0));
    const all = [...slowest.values()].sort((a, b) => a - b);
    const p98 = all[Math.min(all.length - 1, Math.floor(all.length * 0.98))] ?? 0;
    figures.push(
      `interactions of 16 ms and more: ${all.length}, median ${all[all.length >> 1] ?? 0} ms, p98 ${p98} ms`,
    );
  }
  return `home with visitors walking: ${figures.join('; ')}`;
}
