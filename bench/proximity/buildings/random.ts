import { mulberry32 } from '../generated.ts';

/** Draws for a building: always the same for the same seed. */
export interface Random {
  /** 0 to 1. */
  unit(): number;
  /** Evenly between two numbers. */
  between(low: number, high: number): number;
  /** Evenly in the logarithm between two positive numbers. */
  scaled(low: number, high: number): number;
  /** Standard normal. */
  normal(): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function randomOf(seed: number): Random {
  const unit = mulberry32(seed);
  // The first values of neighbouring seeds resemble each other.
  for (let skipped = 0; skipped < 8; skipped++) unit();
  const between = (low: number, high: number) => low + (high - low) * unit();
  return {
    unit,
    between,
    scaled: (low, high) => Math.exp(between(Math.log(low), Math.log(high))),
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
    chance: (share) => unit() < share,
    pick: (items) => items[Math.floor(unit() * items.length)] as (typeof items)[number],
  };
}
