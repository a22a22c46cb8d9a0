import type { BeaconMap } from '../survey/signal-map.ts';
import { presenceEventId, visitIdOf } from './ids.ts';
import { copyPresence } from './state.ts';
import type { Thresholds } from './thresholds.ts';
import type {
  EventKind,
  Evidence,
  LeftVisit,
  OpenVisit,
  Pass,
  PositionStep,
  PresenceEvent,
  PresenceSettings,
  PresenceState,
  Rival,
  TrackState,
} from './types.ts';

/** Opening and closing visits, and reporting them: all events are made here. */

/** Ids of visits are derived from the installation's; from this instead if that one must not be found by trying known ids. */
export interface Seeding {
  /** For a visit whose first event is at a time (ms); always the same for the same time. */
  readonly seedOf?: ((at: number) => string) | undefined;
}

/** One calculation in progress. `track` is its own copy and is changed in place. */
export interface Calculation extends Seeding {
  readonly installationId: string;
  readonly track: TrackState;
  /** What is configured now for a beacon; asked when a contact begins. */
  readonly settingsOf: (beaconId: string) => PresenceSettings;
  /** What surveys say about a beacon's signal. */
  readonly mapOf?: ((beaconId: string) => BeaconMap | undefined) | undefined;
  /** Confirmed events in order of time. */
  readonly events: PresenceEvent[];
  /** Ids of revoked EXIT events, because the phone that decided them entered again at once. */
  readonly retracted: string[];
  /** Since when (ms, sensing time) the same person carries it: nobody continues another person's visit. */
  readonly heldSince: number;
  /** What the steps of the position say about each beacon's radio. */
  readonly evidence: Record<string, Evidence>;
  /** The beacons that were passed. */
  readonly passes: Pass[];
  /** Beacons whose state is this run's own copy already. */
  readonly owned: Set<string>;
  readonly thresholds: Thresholds;
  readonly noteStep?: ((step: PositionStep) => void) | undefined;
}

/** The state of a beacon to be changed in place; undefined where the beacon is not known. A run copies what it touches. */
export function ownState({ track, owned }: Calculation, beaconId: string): PresenceState | undefined {
  const state = track.beacons[beaconId];
  if (state === undefined || owned.has(beaconId)) return state;
  owned.add(beaconId);
  const copy = copyPresence(state);
  track.beacons[beaconId] = copy;
  return copy;
}

/** One beacon within a run. */
export interface TrackedBeacon {
  readonly beaconId: string;
  readonly state: PresenceState;
}

/** A phone whose operating system decides may leave and enter again within this time without having left. */
export const FLAP_MS = 30_000;

export interface Entrance {
  readonly at: number;
  readonly since: number;
  readonly source: 'samples' | 'device';
  readonly distance?: number;
  readonly rivals?: readonly Rival[];
  readonly logged?: true;
}

export function enter(run: Calculation, place: TrackedBeacon, entrance: Entrance): void {
  const { state } = place;
  if (state.visit !== null) return;
  const { at, since, source, ...facts } = entrance;
  if (source === 'device' && takeUpAgain(run, state, at)) return;
  const enteredAt = Math.max(since, state.leftAt ?? since);
  state.left = null;
  state.visit = { id: passId(run, place, at), enteredAt, confirmedAt: at, source };
  report(run, place, 'ENTER', { at, ...facts, enteredAt, cause: source });
}

/** The visit that goes on if the phone says ENTER now. */
function resumable({ heldSince }: Calculation, { left }: PresenceState, at: number): LeftVisit | null {
  if (left === null || at - left.at > FLAP_MS) return null;
  const isOfAnother = left.visit.enteredAt < heldSince && at >= heldSince;
  return isOfAnother ? null : left;
}

/** The phone's EXIT was a flap: the visit continues as if it had not been reported. */
function takeUpAgain(run: Calculation, state: PresenceState, at: number): boolean {
  const left = resumable(run, state, at);
  if (left === null) return false;
  state.visit = { ...left.visit };
  state.passId = left.visit.id;
  state.left = null;
  const index = run.events.findIndex(({ id }) => id === left.exitId);
  if (index >= 0) run.events.splice(index, 1);
  else run.retracted.push(left.exitId);
  return true;
}

export interface Departure {
  readonly at: number;
  readonly leftAt: number;
  readonly cause: PresenceEvent['cause'];
  readonly distance?: number;
  readonly rivals?: readonly Rival[];
  readonly logged?: true;
}

export function leave(run: Calculation, place: TrackedBeacon, departure: Departure): void {
  const { state } = place;
  const visit = state.visit;
  if (visit === null) return;
  const leftAt = Math.max(departure.leftAt, visit.enteredAt);
  const inferred = departure.cause === 'timeout' ? { inferred: true as const } : {};
  const exitId = report(run, place, 'EXIT', { ...departure, leftAt, enteredAt: visit.enteredAt, ...inferred });
  state.left = departure.cause === 'device' ? { visit: visit satisfies OpenVisit, exitId, at: departure.at } : null;
  state.visit = null;
  state.passId = null;
  state.leftAt = departure.at;
}

/** The id of the current pass; the first confirmed event of a pass gives it its id. */
function passId(run: Calculation, { beaconId, state }: TrackedBeacon, at: number): string {
  // The phone may be about to revoke its EXIT.
  const left = resumable(run, state, at);
  if (left !== null) return left.visit.id;
  state.passId ??= visitIdOf(run.seedOf?.(at) ?? run.installationId, beaconId, at);
  return state.passId;
}

export type EventFacts = Omit<PresenceEvent, 'id' | 'event' | 'installationId' | 'beaconId' | 'visitId'>;

/** Adds the event and answers its id. */
export function report(run: Calculation, place: TrackedBeacon, event: EventKind, facts: EventFacts): string {
  const { installationId, track } = run;
  const visit = passId(run, place, facts.at);
  if (track.order.at === facts.at) track.order.count++;
  else track.order = { at: facts.at, count: 0 };
  const id = presenceEventId({ visit, event, at: facts.at, order: track.order.count });
  const distance = facts.distance === undefined ? {} : { distance: Math.round(facts.distance * 100) / 100 };
  run.events.push({ id, event, installationId, beaconId: place.beaconId, visitId: visit, ...facts, ...distance });
  return id;
}
