import { mulberry32 } from './generated.ts';

/** Intervals that hold 95 of 100 repetitions. */

export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const REPETITIONS = 1_000;

/**
 * By a bootstrap over blocks (Künsch, 1989): what lies together in time is drawn together, since neighbouring seconds say
 * nearly the same. `blocks` are drawn with replacement; always the same, by a seeded generator.
 */
export function bootstrap<T>(blocks: readonly (readonly T[])[], statistic: (items: readonly T[]) => number): Interval {
  const random = mulberry32(17);
  const values: number[] = [];
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const drawn = blocks.map(() => blocks[Math.floor(random() * blocks.length)] ?? []);
    const value = statistic(drawn.flat());
    if (Number.isFinite(value)) values.push(value);
  }
  return { value: statistic(blocks.flat()), low: quantile(values, 0.025), high: quantile(values, 0.975) };
}

/** Events in a number of hours: the Poisson interval by the Wilson–Hilferty approximation. */
export function rate(count: number, hours: number): Interval {
  const bound = (shape: number, z: number) =>
    shape === 0 ? 0 : shape * (1 - 1 / (9 * shape) + z / (3 * Math.sqrt(shape))) ** 3;
  return { value: count / hours, low: bound(count, -1.96) / hours, high: bound(count + 1, 1.96) / hours };
}

/** Consecutive items in blocks of this length. */
export function inBlocks<T>(items: readonly T[], size: number): T[][] {
  const blocks: T[][] = [];
  for (let start = 0; start < items.length; start += size) blocks.push(items.slice(start, start + size));
  return blocks;
}

/** NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

export const shareOf = (flags: readonly boolean[]): number => flags.filter(Boolean).length / flags.length;
