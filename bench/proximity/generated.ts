import type { Point, Recordings, Sample, Stream, Walk } from './recordings.ts';
import { distanceBetween } from './truth.ts';

/**
 * Signals to test on if the recordings are missing: log-distance path loss with n = 2, slow fading (a body turning, 1.5
 * dB with a memory of some seconds), fast fading of 4 dB, and one packet in ten lost. Always the same, by a seeded
 * generator.
 */
export function generateRecordings(): Recordings {
  const random = mulberry32(1821);
  const beacons = new Map<string, Point>();
  for (let index = 0; index < 6; index++) beacons.set(`beacon${index}`, { x: 5 + 10 * index, y: 0, z: 2.3 });
  const walks = Array.from({ length: 5 }, (_, index) => walkPast(random, beacons, `generated_${index}`));
  const stills = [1, 1.5, 2, 6, 9].map((distance) =>
    hold(random, distance, { name: `still ${distance} m`, seconds: 1800 }),
  );
  const phones = Array.from({ length: 8 }, (_, index) => hold(random, 1.83, { name: `phone ${index}`, seconds: 60 }));
  return { recorded: false, beacons, walks, stills, moreStills: [], phones };
}

const POWER = -59;
const INTERVAL_MS = 450;

/** A straight walk at half a metre a second along the beacons, 1.2 m to their side. */
function walkPast(random: () => number, beacons: ReadonlyMap<string, Point>, name: string): Walk {
  const samples: (Sample & { position: Point })[] = [];
  const fading = new Map([...beacons.keys()].map((beacon) => [beacon, slowFading(random)]));
  for (let at = 0; at < 130_000; at += INTERVAL_MS) {
    const position = { x: at / 2000, y: 1.2, z: 1.8 };
    for (const [beacon, place] of beacons) {
      if (random() < 0.1) continue;
      const level = POWER - 20 * Math.log10(distanceBetween(place, position)) + (fading.get(beacon)?.() ?? 0);
      samples.push({ at, beacon, position, rssi: Math.min(-1, Math.round(level + 4 * gaussian(random))) });
    }
  }
  return { name, samples };
}

function hold(random: () => number, distance: number, { name, seconds }: { name: string; seconds: number }): Stream {
  const samples: Sample[] = [];
  const fading = slowFading(random);
  for (let at = 0; at < seconds * 1000; at += INTERVAL_MS) {
    const level = POWER - 20 * Math.log10(distance) + fading();
    if (random() > 0.1) samples.push({ at, beacon: 'beacon0', rssi: Math.round(level + 4 * gaussian(random)) });
  }
  return { name, beacon: 'beacon0', samples };
}

/** A first-order autoregressive process of 1.5 dB, correlated over some 5 s. */
function slowFading(random: () => number): () => number {
  let level = 0;
  return () => {
    level = 0.91 * level + 1.5 * Math.sqrt(1 - 0.91 ** 2) * gaussian(random);
    return level;
  };
}

/** A standard normal value by Box and Muller. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Mulberry32 by T. Ettinger, public domain: 32 bits of state are plenty here. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
