import assert from 'node:assert/strict';
import { clocksAt, type HandVisit } from './ways-by-hand.ts';

/** The numbers of visits, counted in another way than the service's. */

export interface Visit extends HandVisit {
  readonly object_id: string;
}

/** The clocks of a zone, by another way than the service's. */
export function shown(at: number, timeZone: string) {
  const text = clocksAt(at, timeZone);
  return { date: text.slice(0, 10), hour: `${text.slice(0, 10)}T${text.slice(11, 13)}:00` };
}

/** The numbers as somebody counts them who looks at every visit. */
export function byHand(visits: readonly Visit[], all: readonly Visit[]) {
  const first = new Map<string, Visit>();
  for (const visit of all) {
    const other = first.get(visit.installation_id);
    const isEarlier =
      !other ||
      visit.entered_at < other.entered_at ||
      (visit.entered_at === other.entered_at && visit.object_id < other.object_id);
    if (isEarlier) first.set(visit.installation_id, visit);
  }
  const visitors = new Set(visits.map(({ installation_id }) => installation_id)).size;
  const newVisitors = visits.filter((visit) => first.get(visit.installation_id) === visit).length;
  const dwells = visits.flatMap(({ dwell }) => dwell ?? []).sort((a, b) => a - b);
  const quantile = (share: number) => dwells[Math.max(1, Math.ceil(share * dwells.length)) - 1] ?? null;
  const mean = dwells.length === 0 ? null : dwells.reduce((sum, one) => sum + one, 0) / dwells.length;
  return { visitors, newVisitors, visits: visits.length, median: quantile(0.5), upper: quantile(0.75), mean };
}

export type Told = Readonly<Record<string, unknown>>;

/** @param isRoom of which it is not told who is new */
export function assertSame(
  told: Told | undefined,
  hand: ReturnType<typeof byHand>,
  what: string,
  isRoom = false,
): void {
  assert.ok(told, `${what} has no row`);
  const counts = [told['visitors'], told['newVisitors'], told['returningVisitors'], told['visits']];
  const news = isRoom ? [null, null] : [hand.newVisitors, hand.visitors - hand.newVisitors];
  assert.deepEqual(counts, [hand.visitors, ...news, hand.visits], what);
  for (const [name, exact] of [
    ['dwellMedian', hand.median],
    ['dwellUpperQuartile', hand.upper],
  ] as const) {
    if (exact === null) assert.equal(told[name], null, what);
    else
      assert.ok(
        Math.abs(Number(told[name]) - exact) <= Math.max(1, exact * 0.045),
        `${what}: ${told[name]} for ${exact}`,
      );
  }
  if (hand.mean === null) assert.equal(told['dwellMean'], null);
  else assert.ok(Math.abs(Number(told['dwellMean']) - hand.mean) < 0.11, what);
}
