import { digestOf } from '../digest.ts';

/** A source of random numbers that are the same for the same seed, on every machine. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  between(least: number, most: number): number;
  /** Standard normal: mean 0, deviation 1. */
  normal(): number;
  /** @throws RangeError for an empty list */
  pick<T>(items: readonly T[]): T;
}

const littleEndian = (word: number) =>
  ((word >>> 24) | ((word >>> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24)) >>> 0;

/**
 * xoshiro128**, seeded with a digest of any text, so that "7/visitor-1" and "7/visitor-2" have nothing in common.
 * Source: D. Blackman and S. Vigna, "Scrambled Linear Pseudorandom Number Generators", 2018. Not for secrets.
 */
export function createRandom(seed: string): Random {
  let [a, b, c, d] = [...digestOf(seed).subarray(0, 4)].map(littleEndian) as [number, number, number, number];
  const turn = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits));
  const next = () => {
    const result = Math.imul(turn(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = turn(d, 11);
    return result / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + (most - least) * next(),
    // Box and Muller, 1958; 1 − u keeps the logarithm finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('There is nothing to choose from.');
      return item;
    },
  };
}
