import type { Recordings } from './recordings.ts';
import { distanceBetween } from './truth.ts';

const POWER = -59;

/**
 * The same walks with every sample's RSSI replaced by what its true distance gives in the engine's own model: no noise,
 * no body, no wall. The hits of an engine here are what its gates can hit by design.
 */
export function withExactSignals(recordings: Recordings): Recordings {
  const walks = recordings.walks.map((walk) => ({
    ...walk,
    samples: walk.samples.map((sample) => {
      const place = recordings.beacons.get(sample.beacon);
      if (place === undefined) return sample;
      return { ...sample, rssi: POWER - 20 * Math.log10(distanceBetween(place, sample.position)) };
    }),
  }));
  return { ...recordings, walks };
}
