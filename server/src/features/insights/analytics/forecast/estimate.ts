/** What a coming day may bring, from the days before: pure. Days are dates such as 2026-11-28. */

export interface PastDay {
  readonly date: string;
  /** Visitors (at once or in total), or seconds. */
  readonly value: number;
}

export interface Estimated {
  readonly value: number;
  /** The errors that it would have had on the days tried, the least first. */
  readonly errors: readonly number[];
  /** The days from which the number comes, the last first. */
  readonly days: readonly PastDay[];
}

/** How many days of the same weekday a forecast looks back at. */
export const maxDays = 8;
/** Fewer say nothing about the next one, and fewer trials nothing about the error. */
export const fewestDays = 4;

/**
 * From ordinary open days of the weekday of the day to come, the last first: the median of the last eight, and how far the same
 * forecast, made from the days before each of these eight, would have been off. Undefined if there are too few.
 */
export function estimate(past: readonly PastDay[]): Estimated | undefined {
  const days = past.slice(0, maxDays);
  if (days.length < fewestDays) return undefined;
  const errors = days.flatMap(({ value }, index) => {
    const before = past.slice(index + 1, index + 1 + maxDays);
    return before.length < fewestDays ? [] : [Math.abs(middleOf(before) - value)];
  });
  if (errors.length < fewestDays) return undefined;
  return { value: middleOf(days), errors: errors.sort((a, b) => a - b), days };
}

function middleOf(days: readonly PastDay[]): number {
  const sorted = days.map(({ value }) => value).sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/**
 * The error that three of four trials did not exceed, rounded up to a step so that the statement holds, and how many trials were within it.
 * `least`: the smallest error that is reported.
 */
export function errorOf(
  errors: readonly number[],
  { step, least = 0 }: { readonly step: number; readonly least?: number },
): { readonly error: number; readonly within: number; readonly tried: number } {
  const most = errors[Math.ceil(errors.length * 0.75) - 1] ?? 0;
  const error = Math.max(least, Math.ceil(most / step) * step);
  return { error, within: errors.filter((one) => one <= error).length, tried: errors.length };
}
