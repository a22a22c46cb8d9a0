import { newGate } from './gate.ts';
import type { Passes, PresenceSettings, PresenceState, ReceiverOffset, TrackState } from './types.ts';

/** A beacon that the installation has not met yet. */
export function newPresence(settings: PresenceSettings): PresenceState {
  return {
    settings,
    filters: [],
    radius: newGate(),
    near: newGate(),
    immediate: newGate(),
    zone: null,
    standing: null,
    bias: null,
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

const newPasses = (): Passes => ({ nearest: null, before: null, least: 0, quiet: 0, count: 0 });

/** An installation that has met no beacon yet. `receiverOffset`: how it is known to hear. */
export function newTrack(receiverOffset: ReceiverOffset | null = null): TrackState {
  return {
    at: null,
    beacons: {},
    dueAt: null,
    fix: null,
    receiverOffset,
    passes: newPasses(),
    powers: {},
    pendingSince: null,
    order: { at: 0, count: 0 },
  };
}

/** A copy that shares nothing that is changed in place. Written out, because structuredClone costs 20 times as much. */
export function copyPresence(state: PresenceState): PresenceState {
  return {
    ...state,
    filters: state.filters.map((filter) => ({ ...filter })),
    radius: { ...state.radius },
    near: { ...state.near },
    immediate: { ...state.immediate },
    // What an older version did not write has its beginning's value.
    standing: state.standing ? { ...state.standing } : null,
    bias: state.bias ?? null,
    visit: state.visit === null ? null : { ...state.visit },
  };
}

export function copyTrack(track: TrackState): TrackState {
  const copy = borrowTrack(track);
  for (const id of Object.keys(copy.beacons)) copy.beacons[id] = copyPresence(copy.beacons[id] as PresenceState);
  return copy;
}

/** A copy that still shares the states of the beacons. What an older version did not write has its beginning's value. */
export function borrowTrack(track: TrackState): TrackState {
  const { fix = null, receiverOffset = null, passes = newPasses(), powers = {}, pendingSince = null } = track;
  return {
    ...track,
    beacons: { ...track.beacons },
    fix,
    receiverOffset,
    passes,
    powers: { ...powers },
    pendingSince,
    order: { ...track.order },
  };
}
