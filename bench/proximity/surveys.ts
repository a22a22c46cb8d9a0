import { mapSignals, type SignalMap, type Survey } from '@pharos/engine';
import type { Recordings, Walk } from './recordings.ts';

/** Recorded walks as surveys of the floor: their true path is what a surveyor taps. */

export const surveyOf = ({ name, samples }: Walk): Survey => ({
  id: name,
  way: samples.map(({ at, position: { x, y } }) => ({ at, x, y })),
  samples: samples.map(({ at, beacon, rssi }) => ({ occurredAt: at, beaconId: beacon, rssi })),
});

/** A map from all walks but the one under test. */
export function surveyWithout(
  { walks, beacons }: Recordings,
  tested: Walk,
  powers: ReadonlyMap<string, number>,
): SignalMap {
  const surveys = walks.filter((walk) => walk !== tested).map(surveyOf);
  return mapSignals(surveys, (id) => {
    const [location, measuredPower] = [beacons.get(id), powers.get(id)];
    return {
      ...(location === undefined ? {} : { location }),
      ...(measuredPower === undefined ? {} : { measuredPower }),
    };
  });
}
