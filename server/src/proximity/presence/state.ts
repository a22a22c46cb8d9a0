import { newGate } from './gate.ts';
import type { PresenceSettings, PresenceState, TrackState } from './types.ts';

/** A beacon that the installation has not met yet. */
export function newPresence(settings: PresenceSettings): PresenceState {
  return {
    settings,
    filters: [],
    radius: newGate(),
    near: newGate(),
    immediate: newGate(),
    zone: null,
    passId: null,
    visit: null,
    left: null,
    inContact: false,
    heardAt: null,
    insideAt: null,
    silence: 0,
    leftAt: null,
  };
}

/** An installation that has met no beacon yet. */
export function newTrack(): TrackState {
  return { at: null, beacons: {}, dueAt: null, order: { at: 0, count: 0 } };
}

/** A copy that shares nothing that is changed in place. Written out, because structuredClone costs 20 times as much. */
export function copyPresence(state: PresenceState): PresenceState {
  return {
    ...state,
    filters: state.filters.map((filter) => ({ ...filter })),
    radius: { ...state.radius },
    near: { ...state.near },
    immediate: { ...state.immediate },
    visit: state.visit === null ? null : { ...state.visit },
  };
}

export function copyTrack(track: TrackState): TrackState {
  const beacons: Record<string, PresenceState> = {};
  for (const id of Object.keys(track.beacons)) beacons[id] = copyPresence(track.beacons[id] as PresenceState);
  return { ...track, beacons, order: { ...track.order } };
}
