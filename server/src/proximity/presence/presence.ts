import { distanceFromLoss, pathLoss } from './distance.ts';
import { expire } from './expiry.ts';
import { newFilter, updateFilter } from './filter.ts';
import { GATE_TUNING, newGate, updateGate } from './gate.ts';
import { silenceMs } from './silence.ts';
import type { Observation, PresenceState, Zone } from './types.ts';
import { enter, leave, type Run, report } from './visits.ts';

/**
 * Presence of one installation at one beacon, as a state machine over time.
 *
 * ENTER and EXIT are about the beacon's radius (default 3 m, per beacon); they open and close a visit. IMMEDIATE, NEAR and
 * FAR are about the fixed zones of the interface (1 m, 3 m), whatever the radius is, and are reported at each confirmed
 * change of zone. Three gates of the same kind stand at radius, 3 m and 1 m. What follows from that:
 * - With the default radius a visitor who comes near makes ENTER and NEAR at the same moment, in this order; one who
 *   walks away makes FAR and EXIT, in this order. A radius of 10 m makes ENTER long before NEAR.
 * - FAR is reported when somebody is first confirmed beyond 3 m (out gate: ≥ 4.5 m for 8 s) and when they leave NEAR.
 * - Stepping from IMMEDIATE back to NEAR is a NEAR event. Rushing to the beacon skips NEAR.
 * - Zone events outside a visit carry the id of the visit that will follow, so that a trigger on FAR fires once a pass.
 *
 * Phones that decide by themselves are trusted: their ENTER opens a visit that only their EXIT, or twelve hours, end;
 * samples meanwhile move the zones only.
 */

const NEAR_RADIUS = 3;
const IMMEDIATE_RADIUS = 1;
export const DEFAULT_RADIUS = 3;
/** Several receivers may hear for one beacon; the nearest that spoke lately counts. */
const RECEIVER_FRESH_MS = 8_000;
const MOST_RECEIVERS = 8;

export type Skip = 'late' | 'duplicate' | 'no_measurement';

/** Takes one observation whose time is already corrected. Null when it counted, else why it did not. */
export function applyObservation(run: Run, observation: Observation, receivedAt: number): Skip | null {
  if (observation.event !== undefined) return applyDecision(run, observation, observation.event, receivedAt);
  const { state } = run;
  const loss = pathLoss(observation, run.settings);
  if (loss === null) return 'no_measurement';
  const receiver = observation.receiver ?? '';
  const at = observation.occurredAt;
  if (at < state.lastAt) return 'late';
  if (at === state.lastAt && state.filters.some((filter) => filter.receiver === receiver && filter.at === at)) {
    return 'duplicate';
  }
  expire(run, at);
  hear(state, observation, receivedAt);
  weigh(run, takeIn(run, { receiver, loss, at, smoothed: observation.smoothed === true }), at);
  return null;
}

/** Notes the sign of life and moves the moment at which silence means EXIT. A shorter interval never shortens it. */
function hear(state: PresenceState, observation: Observation, receivedAt: number): void {
  const at = observation.occurredAt;
  const silence = silenceMs(observation);
  state.lastAt = at;
  state.heardAt = at;
  state.lag = Math.max(0, receivedAt - at);
  state.quietAt = Math.max(state.quietAt, at + silence);
}

interface Sample {
  readonly receiver: string;
  readonly loss: number;
  readonly at: number;
  readonly smoothed: boolean;
}

/** Filters the sample; the distance in metres of the nearest receiver that was heard lately. */
function takeIn(run: Run, sample: Sample): number {
  const { filters } = run.state;
  const { receiver, loss, at } = sample;
  let own = filters.find((filter) => filter.receiver === receiver);
  if (own === undefined) {
    own = newFilter(receiver, loss, at);
    if (filters.length >= MOST_RECEIVERS) filters.sort((a, b) => b.at - a.at).pop();
    filters.push(own);
  } else if (sample.smoothed) {
    own.mean = loss;
    own.at = at;
  } else {
    updateFilter(own, loss, at, run.settings.sensitivity ?? 'stable');
  }
  let least = own.mean;
  for (const filter of filters) {
    if (filter.mean < least && at - filter.at <= RECEIVER_FRESH_MS) least = filter.mean;
  }
  return distanceFromLoss(least);
}

/** Shows a distance to the three gates and reports what they confirm. Inward: ENTER, then the zone; outward the reverse. */
function weigh(run: Run, distance: number, at: number): void {
  const { state, settings } = run;
  const tuning = GATE_TUNING[settings.sensitivity ?? 'stable'];
  const crossed = updateGate(state.radius, distance, at, settings.radius ?? DEFAULT_RADIUS, tuning);
  updateGate(state.near, distance, at, NEAR_RADIUS, tuning);
  updateGate(state.immediate, distance, at, IMMEDIATE_RADIUS, tuning);
  if (crossed && state.radius.inside === true)
    enter(run, { at, since: state.radius.since, source: 'samples', distance });
  moveZone(run, distance, at);
  if (crossed && state.radius.inside === false && state.visit?.source === 'samples') {
    leave(run, { at, leftAt: state.radius.since, cause: 'samples', distance });
  }
}

function currentZone(state: PresenceState): Zone | null {
  if (state.immediate.inside === true) return 'IMMEDIATE';
  if (state.near.inside === true) return 'NEAR';
  return state.near.inside === false ? 'FAR' : null;
}

function moveZone(run: Run, distance: number, at: number): void {
  const zone = currentZone(run.state);
  if (zone === run.state.zone || zone === null) return;
  run.state.zone = zone;
  report(run, zone, { at, distance, cause: 'samples' });
}

/** A phone's own ENTER or EXIT: never weighed again. An ENTER inside and an EXIT outside change nothing. */
function applyDecision(run: Run, observation: Observation, event: 'ENTER' | 'EXIT', receivedAt: number): Skip | null {
  const { state } = run;
  const at = observation.occurredAt;
  const key = 2 * at + (event === 'EXIT' ? 1 : 0);
  if (key === state.decidedKey) return 'duplicate';
  if (key < state.decidedKey) return applyOvertaken(run, event, at);
  // Samples may have run ahead of the phone's decision; it still counts unless it would reach into the visit before.
  if (at < (state.visit?.enteredAt ?? state.leftAt)) return 'late';
  expire(run, at);
  state.decidedKey = key;
  if (at >= state.lastAt) state.lag = Math.max(0, receivedAt - at);
  state.lastAt = Math.max(state.lastAt, at);
  state.exitAhead = event === 'EXIT' && state.visit === null ? at : null;
  if (event === 'ENTER') enter(run, { at, since: at, source: 'device' });
  else leave(run, { at, leftAt: at, cause: 'device' });
  // The samples start over: what they knew is older than what the phone decided.
  state.radius = event === 'EXIT' ? newGate() : state.radius;
  return null;
}

/** An ENTER that its own EXIT has overtaken makes the visit after all; any other old decision is only late. */
function applyOvertaken(run: Run, event: 'ENTER' | 'EXIT', at: number): Skip | null {
  const { state } = run;
  const exitAt = state.exitAhead;
  if (event === 'EXIT' || exitAt === null || state.visit !== null || at < state.leftAt || at > exitAt) return 'late';
  state.exitAhead = null;
  enter(run, { at, since: at, source: 'device' });
  leave(run, { at: exitAt, leftAt: exitAt, cause: 'device' });
  return null;
}
