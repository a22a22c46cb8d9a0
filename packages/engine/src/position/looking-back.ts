import type { PositionStep, PresenceSettings } from '../presence/types.ts';
import type { BeaconMap } from '../survey/signal-map.ts';
import { FAST_VARIANCE, FREEDOM } from './fix.ts';
import { type Anchor, anchorOf, type Layout, makeLayout } from './layout.ts';
import { FORGET_MS } from './stepping.ts';

/**
 * Positions that look back: where somebody was, by all that was heard before and after. The forward–backward algorithm (Rabiner, A
 * tutorial on hidden Markov models, 1989) over the cells of one layout: a random walk from step to step, and at each step what was
 * heard, as in fix.ts, with what the steps have learned of the phone and of each beacon by then.
 */

export interface LookingBack {
  /** Of one installation in order of time, as `follow` hands them out. */
  readonly steps: readonly PositionStep[];
  /** As for `follow`. */
  readonly settingsOf: (beaconId: string) => PresenceSettings;
  readonly mapOf?: ((beaconId: string) => BeaconMap | undefined) | undefined;
}

/** Where somebody was at a step. */
export interface PastPosition {
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly floor: number;
  /** Variances and covariance of the place, m². */
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

/** How far somebody gets in a second, m; the standard deviation in each direction. */
const PACE = 0.8;
/** A share of the belief that may be anywhere at the next step: stairs, a lift. */
const ANYWHERE = 1e-3;
/** What a residual may be beyond the noise of the samples: bodies, shelves, what the map does not know. dB². */
const UNKNOWN_VARIANCE = 26;
/** Consecutive seconds say much the same: so much of each counts. */
const FRESH = 0.7;
/** Steps are looked at in pieces of so many, with so many before and after them: memory stays the same however long a visit is. */
const PIECE = 300;
const LAP = 60;

export const lookBack = (input: LookingBack): PastPosition[] => [...lookBackSteps(input)].flat();

/** `lookBack` in steps of at most a millisecond; most yield nothing. */
export function* lookBackSteps({ steps, settingsOf, mapOf }: LookingBack): Generator<PastPosition[]> {
  const anchor = (beaconId: string): Anchor[] => {
    const settings = settingsOf(beaconId);
    const { location } = settings;
    return location === undefined ? [] : [anchorOf(beaconId, location, settings, mapOf?.(beaconId))];
  };
  for (const [start, end] of withoutPauses(steps)) {
    for (let from = start; from < end; from += PIECE) {
      const until = Math.min(end, from + PIECE);
      const first = Math.max(start, from - LAP);
      const piece = steps.slice(first, Math.min(end, until + LAP));
      const beacons = new Set(piece.flatMap(({ heard }) => heard.map(({ beaconId }) => beaconId)));
      const anchors = [...beacons].flatMap(anchor);
      if (anchors.length > 0) yield (yield* placesOf(piece, anchors)).slice(from - first, until - first);
    }
  }
}

/** Beginning and end of what belongs together. */
function withoutPauses(steps: readonly PositionStep[]): [number, number][] {
  const parts: [number, number][] = [];
  steps.forEach(({ at }, index) => {
    const part = parts.at(-1);
    if (part === undefined || at - (steps[index - 1] as PositionStep).at >= FORGET_MS) parts.push([index, index + 1]);
    else part[1] = index + 1;
  });
  return parts;
}

function* placesOf(
  steps: readonly PositionStep[],
  anchors: readonly Anchor[],
): Generator<PastPosition[], PastPosition[]> {
  const layout = makeLayout(anchors);
  const { receiverOffset } = steps.at(-1) as PositionStep;
  const likelihoods: Float64Array[] = [];
  for (const { heard } of steps) {
    likelihoods.push(likelihoodOf(layout, anchors, { heard, receiverOffset }));
    yield [];
  }
  const seconds = steps.map(({ at }, index) => (at - (steps[index - 1]?.at ?? at)) / 1000);
  const beliefs: Float64Array[] = [];
  let earlier = new Float64Array(layout.cells).fill(1);
  for (const [index, likelihood] of likelihoods.entries()) {
    const belief = product(walk(layout, earlier, seconds[index] as number), likelihood);
    beliefs.push(belief);
    earlier = belief;
    yield [];
  }
  const places: PastPosition[] = [];
  let later = new Float64Array(layout.cells).fill(1);
  for (let index = steps.length - 1; index >= 0; index--) {
    const { at } = steps[index] as PositionStep;
    places.unshift({ at, ...placeIn(layout, product(beliefs[index] as Float64Array, later)) });
    later = walk(layout, product(later, likelihoods[index] as Float64Array), seconds[index] as number);
    yield [];
  }
  return places;
}

/** How well each cell explains what a step has heard: a product of Student's t distributions. */
function likelihoodOf(layout: Layout, anchors: readonly Anchor[], { heard, receiverOffset }: Omit<PositionStep, 'at'>) {
  const excess = new Float64Array(layout.cells).fill(1);
  for (const { beaconId, loss, count } of heard) {
    const expected = layout.loss[anchors.findIndex((anchor) => anchor.beaconId === beaconId)];
    if (expected === undefined) continue;
    const scale = 1 / (FREEDOM * (FAST_VARIANCE / count + UNKNOWN_VARIANCE));
    for (let cell = 0; cell < layout.cells; cell++) {
      const residual = loss - receiverOffset - (expected[cell] as number);
      excess[cell] = (excess[cell] as number) * (1 + residual * residual * scale);
    }
  }
  return excess.map((value) => value ** ((-FRESH * (FREEDOM + 1)) / 2));
}

/** 1 in all. */
function product(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const values = a.map((value, cell) => value * (b[cell] as number));
  const total = sumOf(values);
  return values.map((value) => value / total);
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** What is believed some seconds later or earlier: a walk is as likely one way as the other. */
function walk(layout: Layout, belief: Float64Array, seconds: number): Float64Array<ArrayBuffer> {
  const { cells, columns, rows, size } = layout;
  const deviation = (PACE * Math.sqrt(seconds)) / size;
  const across = blur(belief, { deviation, length: columns, stride: 1 });
  const both = blur(across, { deviation, length: rows, stride: columns });
  const anywhere = (ANYWHERE * sumOf(belief)) / cells;
  return both.map((value) => (1 - ANYWHERE) * value + anywhere);
}

interface Line {
  /** In cells. */
  readonly deviation: number;
  /** Cells in a line, and from one to the next. */
  readonly length: number;
  readonly stride: number;
}

/** A normal blur along lines of cells; whoever would leave the line turns back. */
function blur(values: Float64Array, { deviation, length, stride }: Line): Float64Array<ArrayBuffer> {
  if (deviation === 0) return values.slice();
  const reach = Math.min(length - 1, Math.ceil(3 * deviation));
  const weights = Array.from({ length: 2 * reach + 1 }, (_, k) => Math.exp(-0.5 * ((k - reach) / deviation) ** 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const blurred = new Float64Array(values.length);
  for (let cell = 0; cell < values.length; cell++) {
    const place = Math.floor(cell / stride) % length;
    const first = cell - place * stride;
    const share = (values[cell] as number) / total;
    for (let k = -reach; k <= reach; k++) {
      const beside = place + k;
      const to = beside < 0 ? -1 - beside : beside >= length ? 2 * length - 1 - beside : beside;
      blurred[first + to * stride] = (blurred[first + to * stride] as number) + share * (weights[k + reach] as number);
    }
  }
  return blurred;
}

function placeIn(layout: Layout, belief: Float64Array): Omit<PastPosition, 'at'> {
  const { x: xs, y: ys, floor: floorOf, floors, size } = layout;
  const byFloor = new Array<number>(floors.length).fill(0);
  let [x, y] = [0, 0];
  for (const [cell, share] of belief.entries()) {
    x += share * (xs[cell] as number);
    y += share * (ys[cell] as number);
    byFloor[floorOf[cell] as number] = (byFloor[floorOf[cell] as number] as number) + share;
  }
  // A cell is a square and no point.
  let [xx, xy, yy] = [(size * size) / 12, 0, (size * size) / 12];
  for (const [cell, share] of belief.entries()) {
    const [dx, dy] = [(xs[cell] as number) - x, (ys[cell] as number) - y];
    xx += share * dx * dx;
    xy += share * dx * dy;
    yy += share * dy * dy;
  }
  return { x, y, floor: floors[byFloor.indexOf(Math.max(...byFloor))] as number, xx, xy, yy };
}
