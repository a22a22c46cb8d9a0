import type { PositionShare } from '../presence/types.ts';
import type { Layout } from './layout.ts';

/**
 * Where the newest step of a position (fix.ts) believes the visitor, cell by cell, and what can be asked about it until the
 * next step is made. One set of arrays for all: a step is finished before another one begins.
 */

/** By cell of the layout; longer than it where a larger one came before. */
interface Work {
  /** Probabilities, 1 in all. */
  belief: Float64Array;
  /** The share of each cell's belief that comes from the step before, as opposed to what was spread over the whole layout. */
  carried: Float64Array;
  likelihood: Float64Array;
  weights: Float64Array;
  weighted: Float64Array;
  /** The cells that hold nearly all of the belief after a step; most hold nothing. */
  likely: Uint16Array;
  likelyCount: number;
}

/** A cell with a smaller share of the belief is left out of what is asked about the position. */
export const LEAST_SHARE = 1e-5;

let room = 0;
export const work: Work = makeWork(0);

function makeWork(cells: number): Work {
  return {
    belief: new Float64Array(cells),
    carried: new Float64Array(cells),
    likelihood: new Float64Array(cells),
    weights: new Float64Array(cells),
    weighted: new Float64Array(cells),
    likely: new Uint16Array(cells),
    likelyCount: 0,
  };
}

/** Makes ready for a step with so many cells. */
export function reserve(cells: number): void {
  if (cells > room) {
    room = cells;
    Object.assign(work, makeWork(cells));
  }
  work.likelihood.fill(0, 0, cells);
  work.weights.fill(0, 0, cells);
  work.weighted.fill(0, 0, cells);
}

/** How an anchor stands after the newest step, which was one with this layout. */
export function standingOf(layout: Layout, anchor: number): PositionShare {
  const distance = meanOf(layout.distance[anchor] as Float64Array);
  return { share: shareOf(layout.within[anchor] as Uint16Array), distance };
}

/** How likely the visitor is in the anchor's zone NEAR, after the newest step. */
export const nearShareOf = ({ near }: Layout, anchor: number): number => shareOf(near[anchor] as Uint16Array);

/** What is expected of an anchor after the newest step. */
export interface Expected {
  /** Path loss without the receiver offset, dB. */
  readonly loss: number;
  /** Its variance, because the position is uncertain, dB². */
  readonly doubt: number;
  /** 10·log10 of the distance. */
  readonly decades: number;
}

export function expectedOf(layout: Layout, anchor: number): Expected {
  const { belief, likely, likelyCount } = work;
  const losses = layout.loss[anchor] as Float64Array;
  const tens = layout.decades[anchor] as Float64Array;
  let [total, loss, square, decades] = [0, 0, 0, 0];
  for (let index = 0; index < likelyCount; index++) {
    const cell = likely[index] as number;
    const share = belief[cell] as number;
    const one = losses[cell] as number;
    total += share;
    loss += share * one;
    square += share * one * one;
    decades += share * (tens[cell] as number);
  }
  loss /= total;
  return { loss, doubt: Math.max(0, square / total - loss * loss), decades: decades / total };
}

function meanOf(values: Float64Array): number {
  const { belief, likely, likelyCount } = work;
  let [sum, total] = [0, 0];
  for (let index = 0; index < likelyCount; index++) {
    const cell = likely[index] as number;
    const share = belief[cell] as number;
    sum += share * (values[cell] as number);
    total += share;
  }
  return sum / total;
}

function shareOf(cells: Uint16Array): number {
  const { belief } = work;
  let share = 0;
  for (const cell of cells) share += belief[cell] as number;
  return share;
}
