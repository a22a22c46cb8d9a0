import { newGate } from './gate.ts';
import type { PresenceState, TrackState } from './types.ts';
import { type Calculation, FLAP_MS, leave, ownState, type TrackedBeacon } from './visits.ts';

/** What happens merely because time passes. Nothing polls: each state knows when it must be checked next. */

/** A visit that a phone has decided closes by itself this long after its last sign of life: its EXIT was lost. */
export const MAX_VISIT_MS = 12 * 3_600_000;

/** After this long without a sample a beacon's filters say nothing any more and are dropped with it. */
const FORGET_MS = 15 * 60_000;

const NEVER = Number.POSITIVE_INFINITY;

/** When silence ends the contact. */
function quietAt({ inContact, heardAt, silence }: PresenceState): number {
  return inContact && heardAt !== null ? heardAt + silence : NEVER;
}

/** When a visit that nobody ends is closed. Samples from within the radius keep one open for as long as they come. */
function timeoutAt({ visit, insideAt }: PresenceState): number {
  return visit?.source === 'device' ? Math.max(visit.enteredAt, insideAt ?? 0) + MAX_VISIT_MS : NEVER;
}

/** When nothing is left to remember of a beacon. */
function forgottenAt(state: PresenceState): number {
  if (state.visit !== null || state.inContact) return NEVER;
  const heard = Math.max(0, ...state.filters.map(({ at }) => at + FORGET_MS));
  return Math.max(heard, state.left === null ? 0 : state.left.at + FLAP_MS + 1, state.leftAt ?? 0);
}

/** Does everything at all beacons that was due at or before `at` (sensing time), in order of time and then of the id. */
export function expire(run: Calculation, at: number): void {
  const { track } = run;
  if (track.dueAt === null || track.dueAt > at) return;
  for (;;) {
    let first = NEVER;
    let firstId = '';
    for (const beaconId of Object.keys(track.beacons)) {
      const due = dueOf(track.beacons[beaconId] as PresenceState);
      if (due < first || (due === first && due < NEVER && beaconId < firstId)) {
        first = due;
        firstId = beaconId;
      }
    }
    track.dueAt = first === NEVER ? null : first;
    if (first > at) return;
    expireOne(run, { beaconId: firstId, state: ownState(run, firstId) as PresenceState }, first);
  }
}

function dueOf(state: PresenceState): number {
  return Math.min(quietAt(state), timeoutAt(state), forgottenAt(state));
}

function expireOne(run: Calculation, place: TrackedBeacon, at: number): void {
  const { state } = place;
  if (quietAt(state) === at) fallSilent(run, place, at);
  else if (timeoutAt(state) === at) timeOut(run, place, at);
  else delete run.track.beacons[place.beaconId];
}

/** Contact is lost: the zones are unknown again, and a visit that samples opened is over. */
function fallSilent(run: Calculation, place: TrackedBeacon, at: number): void {
  const { state } = place;
  if (state.visit?.source === 'samples') leave(run, place, { at, leftAt: state.heardAt ?? at, cause: 'silence' });
  if (state.visit === null) state.passId = null;
  state.radius = newGate();
  state.near = newGate();
  state.immediate = newGate();
  state.zone = null;
  state.standing = null;
  state.inContact = false;
}

function timeOut(run: Calculation, place: TrackedBeacon, at: number): void {
  const { state } = place;
  const visit = state.visit;
  if (visit === null) return;
  leave(run, place, { at, leftAt: Math.max(visit.enteredAt, state.heardAt ?? 0), cause: 'timeout' });
}

/** Notes that the beacon must be checked again. */
export function noteDue(track: TrackState, state: PresenceState): void {
  const due = dueOf(state);
  if (due < (track.dueAt ?? NEVER)) track.dueAt = due;
}

/**
 * Until when (ms, sensing time) the visits of the beacon stay open if nothing more is heard, or null: nothing is open.
 * `patience` (ms): no silence shorter than this is reported, since the sender sends that rarely.
 */
export function openUntil(state: PresenceState, patience: number): number | null {
  if (state.visit === null) return null;
  if (state.visit.source === 'device') return timeoutAt(state);
  return (state.heardAt ?? state.visit.confirmedAt) + Math.max(state.silence, patience);
}
