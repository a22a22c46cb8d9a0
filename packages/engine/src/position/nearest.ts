import type { PresenceState, Rival, TrackState } from '../presence/types.ts';
import { levelDistance, receptionOf } from './levels.ts';

/**
 * The beacon that an installation is nearest to, of those that it heard lately: by the position where one is known, else, or
 * within a metre, by its smoothed signal. Null where nothing has been measured for some seconds. `at`: sensing time, ms.
 */
export function nearestOf(track: TrackState, at: number): Rival | null {
  const { beacons } = track;
  const reception = receptionOf(track);
  let nearest: Rival | null = null;
  for (const beaconId of Object.keys(beacons)) {
    const state = beacons[beaconId] as PresenceState;
    if (!state.inContact) continue;
    const { standing, zone } = state;
    const measured = standing === null || zone === 'IMMEDIATE' ? levelDistance(state, at, reception) : null;
    const distance = measured ?? standing?.distance ?? null;
    if (distance === null || (nearest !== null && distance >= nearest.distance)) continue;
    nearest = standing === null ? { beaconId, distance } : { beaconId, distance, share: standing.share };
  }
  return nearest;
}
