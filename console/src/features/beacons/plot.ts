import type { Beacon } from '@pharos/sdk';

export interface Spot {
  readonly beacon: Beacon;
  readonly x: number;
  readonly y: number;
  readonly floor: string;
}

/** The beacons that have a place. */
export function spotsOf(beacons: readonly Beacon[]): Spot[] {
  return beacons.flatMap((beacon) => {
    const { x, y, floor } = (beacon.location ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof x !== 'number' || typeof y !== 'number') return [];
    return [{ beacon, x, y, floor: floor === undefined || floor === null ? '' : String(floor) }];
  });
}

export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Metres between two lines of the grid: 1, 2 or 5 times a power of ten. */
  readonly step: number;
}

/** A frame around all spots with some room for their names; never without an area, however few there are. */
export function frameOf(spots: readonly Pick<Spot, 'x' | 'y'>[], ratio: number): Frame {
  const [xs, ys] = [spots.map(({ x }) => x), spots.map(({ y }) => y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const room = 1.3 * Math.max(right - left, (bottom - top) * ratio, 4);
  const [width, height] = [room, room / ratio];
  return {
    x: (left + right - width) / 2,
    y: (top + bottom - height) / 2,
    width,
    height,
    step: roundStep(width / 8),
  };
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}

/** Multiples of `step` in the range, ends included. */
export function ticks(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step);
}
