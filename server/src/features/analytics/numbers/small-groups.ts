import type { Dwells } from './dwells.ts';
import type { Tally } from './tally.ts';

/**
 * Numbers as they are shown. Where small groups are protected, 1 to 4 visitors are `1-4` and nothing more is said about them, and
 * everything else is rounded to fives, so that the difference of two numbers names nobody either; see ADR 33.
 */

export const smallGroup = '1-4';
export type Count = number | typeof smallGroup | null;

export interface Metrics {
  readonly visitors: Count;
  readonly newVisitors: Count;
  readonly returningVisitors: Count;
  readonly visits: Count;
  /** Seconds. */
  readonly dwellMedian: number | null;
  readonly dwellLowerQuartile: number | null;
  readonly dwellUpperQuartile: number | null;
  readonly dwellMean: number | null;
  /** Seconds that all visits took together. */
  readonly dwellTotal: number | null;
}

/** How many visits took from `from` to `until` seconds; null: no matter how long. */
export interface DwellBand {
  readonly from: number;
  readonly until: number | null;
  readonly visits: Count;
}

/** Fewer visitors are a small group. */
export const fewest = 5;

const untold: Omit<Metrics, 'visitors'> = {
  newVisitors: null,
  returningVisitors: null,
  visits: null,
  dwellMedian: null,
  dwellLowerQuartile: null,
  dwellUpperQuartile: null,
  dwellMean: null,
  dwellTotal: null,
};

export function metricsOf(tally: Tally, isProtected: boolean): Metrics {
  const visitors = tally.visitors.size();
  if (isProtected && visitors > 0 && visitors < fewest) return { ...untold, visitors: smallGroup };
  // Of a large set the size is an estimate, and whoever is new has been counted.
  const newcomers = Math.min(tally.newcomers, visitors);
  const told = isProtected ? rounded : (count: number) => count;
  return {
    visitors: told(visitors),
    newVisitors: told(newcomers),
    returningVisitors: told(visitors - newcomers),
    visits: told(tally.visits),
    ...dwellOf(tally, isProtected),
  };
}

/** A sum would give away what the last visit added to it: a protected answer has no mean. */
function dwellOf({ ended, dwells, dwellMs }: Tally, isProtected: boolean) {
  const isTold = ended > 0 && (!isProtected || ended >= fewest);
  return {
    dwellMedian: isTold ? dwells.quantile(0.5) : null,
    dwellLowerQuartile: isTold ? dwells.quantile(0.25) : null,
    dwellUpperQuartile: isTold ? dwells.quantile(0.75) : null,
    dwellMean: isTold && !isProtected ? Math.round(dwellMs / ended / 100) / 10 : null,
    dwellTotal: isTold ? totalOf({ dwells, dwellMs }, isProtected) : ended === 0 ? 0 : null,
  };
}

/** Protected, a sum goes in steps of what five visits take, so that none of them can be told from it. */
function totalOf({ dwells, dwellMs }: Pick<Tally, 'dwells' | 'dwellMs'>, isProtected: boolean): number {
  const seconds = Math.round(dwellMs / 100) / 10;
  if (!isProtected) return seconds;
  const step = fewest * Math.max(1, Math.round(dwells.quantile(0.75) ?? 1));
  return Math.round(seconds / step) * step;
}

const bandEdges = [0, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400] as const;

/** A visit near the edge of a band may be in the next one: the histogram is within 4.5 %. */
export function distributionOf(dwells: Dwells, isProtected: boolean): DwellBand[] {
  const counts = bandEdges.map(() => 0);
  for (const [seconds, count] of dwells.middles()) {
    const band = bandEdges.findLastIndex((edge) => edge <= seconds);
    counts[band] = (counts[band] ?? 0) + count;
  }
  return bandEdges.map((from, index) => ({
    from,
    until: bandEdges[index + 1] ?? null,
    visits: isProtected ? rounded(counts[index] ?? 0) : (counts[index] ?? 0),
  }));
}

export function rounded(count: number): Count {
  if (count > 0 && count < fewest) return smallGroup;
  return Math.round(count / fewest) * fewest;
}

const mostOf = (count: Count) =>
  count === smallGroup ? fewest - 1 : count === null ? Number.POSITIVE_INFINITY : count + 2;

/** A total that fits only if each small group beside it has its maximum size would reveal them: it is withheld. */
export function withoutGivingAway(total: Metrics, rows: readonly Metrics[]): Metrics {
  const small = rows.filter(({ visitors }) => visitors === smallGroup).length;
  if (small === 0 || typeof total.visitors !== 'number') return total;
  const most = rows.reduce((sum, { visitors }) => sum + mostOf(visitors), 0);
  return most - (total.visitors - 2) <= small ? { ...untold, visitors: null } : total;
}
