import { distanceFromLoss, PATH_LOSS_EXPONENT, pathLoss } from './distance.ts';
import { type FilterPace, newFilter, updateFilter } from './filter.ts';
import { GATE_TUNING, newGate, SPARSE_TUNING, updateGate } from './gate.ts';
import { isSparse, silenceMs } from './silence.ts';
import type { PresenceSettings, PresenceState, Sample, Zone } from './types.ts';
import { type Calculation, type EventFacts, enter, leave, report, type TrackedBeacon } from './visits.ts';

/**
 * Presence of one installation at one beacon, as a state machine over time.
 *
 * ENTER and EXIT are about the beacon's radius (default 3 m, per beacon); they open and close a visit. IMMEDIATE, NEAR and
 * FAR are about the fixed zones of the interface (1 m, 3 m), whatever the radius is, and are reported at each confirmed
 * change of zone. Three gates of the same kind stand at radius, 3 m and 1 m. What follows from that:
 * - With the default radius a visitor who comes near makes ENTER and NEAR at the same moment, in this order; one who
 *   walks away makes FAR and EXIT, in this order. A radius of 10 m makes ENTER long before NEAR.
 * - FAR is reported when somebody is first confirmed beyond 3 m (out gate: ≥ 4.5 m for 5 s) and when they leave NEAR.
 * - Stepping from IMMEDIATE back to NEAR is a NEAR event. Rushing to the beacon skips NEAR.
 * - Zone events outside a visit carry the id of the visit that will follow, so that a trigger on FAR fires once a pass.
 *
 * Phones that decide themselves are trusted: their ENTER opens a visit that only their EXIT, or twelve hours, end;
 * samples in the meantime move the zones only.
 */

export const NEAR_RADIUS = 3;
const IMMEDIATE_RADIUS = 1;
export const DEFAULT_RADIUS = 3;
/** Several receivers may hear for one beacon; the nearest that spoke lately counts. */
export const RECEIVER_FRESH_MS = 8_000;
const MAX_RECEIVERS = 8;

/**
 * Takes what one receiver of the beacon measured at one instant into its filter. Several values of one instant (clocks that
 * tell whole seconds) count as one sample with their mean path loss, so that it makes no difference how they were batched.
 * Answers that loss in dB; null where nothing was measured.
 */
export function hear(run: Calculation, { beaconId, state }: TrackedBeacon, samples: readonly Sample[]): number | null {
  const sample = samples[samples.length - 1] as Sample;
  if (!state.inContact && state.visit === null) state.settings = sample.settings ?? run.settingsOf(beaconId);
  state.inContact = true;
  state.heardAt = sample.occurredAt;
  state.silence = silenceMs(sample);
  const loss = meanLoss(samples, state);
  if (loss === null) return null;
  const { filters } = state;
  const receiver = sample.receiver ?? '';
  const at = sample.occurredAt;
  const own = filters.find((filter) => filter.receiver === receiver);
  if (own === undefined) {
    if (filters.length >= MAX_RECEIVERS) filters.sort((a, b) => b.at - a.at).pop();
    filters.push(newFilter(receiver, loss, at));
  } else if (sample.smoothed === true) {
    own.mean = loss;
    own.at = at;
  } else {
    updateFilter(own, loss, at, paceOf(state.settings));
  }
  return loss;
}

const paceOf = ({ sensitivity = 'stable', oneZone }: PresenceSettings): FilterPace =>
  sensitivity === 'stable' && oneZone === true ? 'together' : sensitivity;

/** Mean path loss in dB of the distinct values, or null where none holds a measurement. */
function meanLoss(samples: readonly Sample[], { settings }: PresenceState): number | null {
  if (samples.length === 1) return pathLoss(samples[0] as Sample, settings);
  const losses = new Set(samples.flatMap((sample) => pathLoss(sample, settings) ?? []));
  if (losses.size === 0) return null;
  let sum = 0;
  for (const loss of losses) sum += loss;
  return sum / losses.size;
}

/**
 * The distance in metres of the nearest receiver that was heard lately; null where none has measured. `receiverOffset`: by how much the
 * installation hears too little, dB.
 */
export function nearestDistance({ filters, settings }: PresenceState, at: number, receiverOffset = 0): number | null {
  let least: number | null = null;
  for (const { mean, at: heard } of filters) {
    if (at - heard <= RECEIVER_FRESH_MS && (least === null || mean < least)) least = mean;
  }
  if (least === null) return null;
  const { learned } = settings;
  if (learned === undefined) return distanceFromLoss(least - receiverOffset);
  return distanceFromLoss(least - receiverOffset - learned.loss, PATH_LOSS_EXPONENT + learned.exponent);
}

export interface Measured {
  readonly distance: number;
  readonly sample: Sample;
}

/**
 * Passes a distance to the beacon's three gates; the gate of the zone IMMEDIATE gets its own distance if one is given. True if the visitor
 * has just crossed the radius, in either direction.
 */
export function showGates(state: PresenceState, { distance, sample }: Measured, beside = distance): boolean {
  const at = sample.occurredAt;
  const { sensitivity = 'stable', radius = DEFAULT_RADIUS } = state.settings;
  const tuning = isSparse(sample) ? SPARSE_TUNING : GATE_TUNING[sensitivity];
  const crossed = updateGate(state.radius, distance, at, radius, tuning);
  updateGate(state.near, distance, at, NEAR_RADIUS, tuning);
  updateGate(state.immediate, beside, at, IMMEDIATE_RADIUS, tuning);
  if (state.radius.inside === true) state.insideAt = at;
  return crossed;
}

/** For where a position decides the rest: within a metre only the beacon's own signal says something. */
export function showImmediate(state: PresenceState, { distance, sample }: Measured): void {
  updateGate(state.immediate, distance, sample.occurredAt, IMMEDIATE_RADIUS, GATE_TUNING.stable);
}

/** Reports what the beacon's gates confirm, the beacon by itself. Inward: ENTER, then the zone; outward the reverse. */
export function weigh(run: Calculation, place: TrackedBeacon, measured: Measured): void {
  const { state } = place;
  const { distance } = measured;
  const at = measured.sample.occurredAt;
  const crossed = showGates(state, measured);
  if (crossed && state.radius.inside === true)
    enter(run, place, { at, since: state.radius.since, source: 'samples', distance });
  moveZone(run, place, { at, distance });
  if (crossed && state.radius.inside === false && state.visit?.source === 'samples') {
    leave(run, place, { at, leftAt: state.radius.since, cause: 'samples', distance });
  }
}

/** A loud signal alone puts nobody within a metre whom all that is heard has beyond three. */
export function currentZone({ immediate, near }: PresenceState): Zone | null {
  if (near.inside === true) return immediate.inside === true ? 'IMMEDIATE' : 'NEAR';
  return near.inside === false ? 'FAR' : null;
}

function moveZone(
  run: Calculation,
  place: TrackedBeacon,
  { at, distance }: { readonly at: number; readonly distance: number },
): void {
  changeZone(run, place, currentZone(place.state), { at, distance, cause: 'samples' });
}

/**
 * Reports a zone that differs from the one before; null: not known. A distance that lies in another zone is not told: what holds a
 * visitor in a zone, or gives them to another beacon, is more than this number.
 */
export function changeZone(run: Calculation, place: TrackedBeacon, zone: Zone | null, facts: EventFacts): void {
  if (zone === place.state.zone || zone === null) return;
  place.state.zone = zone;
  const { distance, ...rest } = facts;
  report(run, place, zone, distance !== undefined && zoneAt(distance) === zone ? facts : rest);
}

const zoneAt = (distance: number): Zone =>
  distance <= IMMEDIATE_RADIUS ? 'IMMEDIATE' : distance <= NEAR_RADIUS ? 'NEAR' : 'FAR';

/** A phone's own ENTER or EXIT: never weighed again. An ENTER inside and an EXIT outside change nothing. */
export function applyDecision(run: Calculation, place: TrackedBeacon, sample: Sample): void {
  const { state } = place;
  const { occurredAt: at, logged } = sample;
  const facts = logged === undefined ? {} : { logged };
  if (sample.event === 'ENTER') enter(run, place, { at, since: at, source: 'device', ...facts });
  else {
    leave(run, place, { at, leftAt: at, cause: 'device', ...facts });
    // The samples start over: what they showed is older than the phone's decision.
    state.radius = newGate();
  }
}
