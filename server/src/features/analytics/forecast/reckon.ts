/** What a coming day may bring, from the days before: pure. Days are dates such as 2026-11-28. */

export interface PastDay {
  readonly date: string;
  readonly visitors: number;
}

export interface Reckoned {
  readonly visitors: number;
  /** By how many visitors it would have been wrong on each of the days tried, the least first. */
  readonly errors: readonly number[];
  /** What the number comes from, the last first. */
  readonly days: readonly PastDay[];
}

/** So many days of the same weekday a forecast looks back at. */
export const mostDays = 8;
/** Fewer say nothing about the next one, and fewer trials nothing about the error. */
export const fewestDays = 4;

/**
 * From ordinary open days of the weekday of the day to come, the last first: the middle of the last eight, and how far the same
 * reckoning would have been off on each of these eight, made from those before it. Undefined where that is too few.
 */
export function reckon(past: readonly PastDay[]): Reckoned | undefined {
  const days = past.slice(0, mostDays);
  if (days.length < fewestDays) return undefined;
  const errors = days.flatMap(({ visitors }, index) => {
    const before = past.slice(index + 1, index + 1 + mostDays);
    return before.length < fewestDays ? [] : [Math.abs(middleOf(before) - visitors)];
  });
  if (errors.length < fewestDays) return undefined;
  return { visitors: middleOf(days), errors: errors.sort((a, b) => a - b), days };
}

function middleOf(days: readonly PastDay[]): number {
  const sorted = days.map(({ visitors }) => visitors).sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}
