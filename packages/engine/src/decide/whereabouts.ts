import { errorRadius, floorOf } from '../position/fix.ts';
import { nearestOf } from '../position/nearest.ts';
import type { ReportedWhereabouts, TrackRecord } from './record.ts';

/** Where an installation is: the beacon that it is nearest to, and its position where the site's beacons have locations. */

export interface Whereabouts {
  readonly beaconId: string;
  /** Metres. */
  readonly distance: number;
  /** How likely the beacon's radius holds the visitor, 0–1; only with a position. */
  readonly confidence?: number;
  readonly position?: Position;
  /** ms, sensing time. */
  readonly sensedAt: number;
  /** Whether they are to be written: they are kept sparsely. */
  readonly isDue: boolean;
}

interface Position {
  /** Metres, in the coordinates of the beacons' locations. */
  readonly x: number;
  readonly y: number;
  readonly floor: number;
  /** In 68 of 100 cases the truth is no farther away, m. */
  readonly accuracy: number;
}

/** How often they are written; at once when another beacon becomes the nearest. */
const SPARSE_MS = 15_000;

const centimetres = (metres: number) => Math.round(metres * 100) / 100;

/** The whereabouts after the newest sample, and what is known to be written then. */
export function whereaboutsOf({ track, reported }: TrackRecord): {
  readonly whereabouts: Whereabouts | undefined;
  readonly reported: ReportedWhereabouts | null;
} {
  const nearest = track.at === null ? null : nearestOf(track, track.at);
  if (nearest === null || track.at === null) return { whereabouts: undefined, reported };
  const { beaconId, distance, share } = nearest;
  const { at: sensedAt, fix } = track;
  const isDue = reported === null || reported.beaconId !== beaconId || Math.abs(sensedAt - reported.at) >= SPARSE_MS;
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
  return { whereabouts, reported: isDue ? { at: sensedAt, beaconId } : reported };
}
