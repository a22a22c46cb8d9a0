import { errorRadius, floorOf, nearestOf } from '@pharos/engine';
import type { Whereabouts } from '../traces/positions.ts';
import type { ToldWhereabouts, TrackRecord } from './track-record.ts';

/** Where an installation is: the beacon that it is nearest to, and its position where the site's beacons have locations. */

/** How often they are written; at once when another beacon becomes the nearest. */
const SPARSE_MS = 15_000;

const centimetres = (metres: number) => Math.round(metres * 100) / 100;

/** The whereabouts after the newest sample, and what is known to be written then. */
export function whereaboutsOf({ track, told }: TrackRecord): {
  readonly whereabouts: Whereabouts | undefined;
  readonly told: ToldWhereabouts | null;
} {
  const nearest = track.at === null ? null : nearestOf(track, track.at);
  if (nearest === null || track.at === null) return { whereabouts: undefined, told };
  const { beaconId, distance, share } = nearest;
  const { at: sensedAt, fix } = track;
  const isDue = told === null || told.beaconId !== beaconId || Math.abs(sensedAt - told.at) >= SPARSE_MS;
  const position =
    fix === null || sensedAt - fix.at > SPARSE_MS
      ? {}
      : {
          position: {
            x: centimetres(fix.x),
            y: centimetres(fix.y),
            floor: floorOf(fix),
            accuracy: centimetres(errorRadius(fix)),
          },
        };
  const whereabouts: Whereabouts = {
    beaconId,
    distance: centimetres(distance),
    ...(share === undefined ? {} : { confidence: centimetres(share) }),
    ...position,
    sensedAt,
    isDue,
  };
  return { whereabouts, told: isDue ? { at: sensedAt, beaconId } : told };
}
