import type { Recordings, Walk } from './recordings.ts';
import { distanceBetween } from './truth.ts';

/**
 * The measured power of each beacon, as an owner would have calibrated it, from walks other than the one under test:
 * the data for tuning must not be the data for measuring.
 *
 * Two parts, as in the engine. Each receiver's offset: the mean of rssi + 20·log10(d) over all its samples. And the
 * tag's own power: the mean of what remains while the tag was in the zone itself, within 3 m, over all receivers,
 * because one receiver alone has too few samples that near. The recordings have no minute at exactly one metre.
 */
export function calibrateWithout(recordings: Recordings, tested: Walk | null): ReadonlyMap<string, number> {
  const levels: { beacon: string; distance: number; level: number }[] = [];
  for (const walk of recordings.walks) {
    if (walk === tested) continue;
    for (const { beacon, rssi, position } of walk.samples) {
      const place = recordings.beacons.get(beacon);
      if (place === undefined) continue;
      const distance = distanceBetween(place, position);
      levels.push({ beacon, distance, level: rssi + 20 * Math.log10(distance) });
    }
  }
  const offsets = new Map<string, number>();
  for (const beacon of recordings.beacons.keys()) {
    offsets.set(beacon, mean(levels.filter((entry) => entry.beacon === beacon).map((entry) => entry.level)));
  }
  const near = levels.filter(({ distance }) => distance < 3);
  const common = mean(near.map(({ beacon, level }) => level - (offsets.get(beacon) ?? 0)));
  return new Map([...offsets].map(([beacon, offset]) => [beacon, offset + common]));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
