import { presenceEventId, visitId } from './ids.ts';
import type { EventKind, PresenceEvent, PresenceSettings, PresenceState, Wait } from './types.ts';

/** Opening and closing visits, and saying so: everything that makes an event goes through here. */

/** One calculation under way. `state` is its own copy and is changed in place. */
export interface Run {
  readonly installationId: string;
  readonly beaconId: string;
  readonly state: PresenceState;
  readonly settings: PresenceSettings;
  /** Called for each confirmed event, in order of time. */
  readonly emit: (event: PresenceEvent) => void;
  /** Called when a trigger's wait is over: `stayed` false when the visitor left first. */
  readonly settle: (wait: Wait, at: number, stayed: boolean) => void;
}

export interface Entrance {
  readonly at: number;
  readonly since: number;
  readonly source: 'samples' | 'device';
  readonly distance?: number;
}

export function enter(run: Run, entrance: Entrance): void {
  const { state } = run;
  if (state.visit !== null) return;
  const { at, source, distance } = entrance;
  const enteredAt = Math.max(entrance.since, state.leftAt);
  state.visit = { id: passId(run, at), enteredAt, confirmedAt: at, source };
  report(run, 'ENTER', { at, distance, enteredAt, cause: source });
}

export interface Departure {
  readonly at: number;
  readonly leftAt: number;
  readonly cause: PresenceEvent['cause'];
  readonly distance?: number;
}

export function leave(run: Run, departure: Departure): void {
  const { state } = run;
  const visit = state.visit;
  if (visit === null) return;
  endWaits(run, departure.at);
  const leftAt = Math.max(departure.leftAt, visit.enteredAt);
  const inferred = departure.cause === 'timeout' ? { inferred: true as const } : {};
  report(run, 'EXIT', { ...departure, leftAt, enteredAt: visit.enteredAt, ...inferred });
  state.visit = null;
  state.passId = null;
  state.leftAt = departure.at;
}

/** The id of the pass under way; the first confirmed event of a pass gives it its id. */
function passId(run: Run, at: number): string {
  run.state.passId ??= visitId(run.installationId, run.beaconId, at);
  return run.state.passId;
}

type Facts = Omit<PresenceEvent, 'id' | 'event' | 'installationId' | 'beaconId' | 'visitId'>;

export function report(run: Run, event: EventKind, facts: Facts): void {
  const visit = passId(run, facts.at);
  const { installationId, beaconId } = run;
  const distance = facts.distance === undefined ? {} : { distance: Math.round(facts.distance * 100) / 100 };
  const id = presenceEventId(visit, event, facts.at);
  run.emit({ id, event, installationId, beaconId, visitId: visit, ...facts, ...distance });
}

export function endWaits(run: Run, at: number): void {
  for (const wait of [...run.state.waits]) endWait(run, wait, at);
}

export function endWait(run: Run, wait: Wait, at: number): void {
  const { state } = run;
  state.waits = state.waits.filter((other) => other !== wait);
  run.settle(wait, at, at >= wait.dueAt && isStillThere(state, wait.event));
}

/** For ENTER the visit is open, for a zone the visitor is in it or nearer; FAR asks only not to have come near. */
function isStillThere(state: PresenceState, event: PresenceEvent): boolean {
  if (event.event === 'ENTER') return state.visit?.id === event.visitId;
  if (event.event === 'NEAR') return state.zone === 'NEAR' || state.zone === 'IMMEDIATE';
  return state.zone === event.event;
}
