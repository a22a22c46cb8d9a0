import { noteLoss } from './position/stepping.ts';
import { decideTogether, type HeardAt } from './position/zones.ts';
import { expire, noteDue, openUntil } from './presence/expiry.ts';
import { applyDecision, hear, nearestDistance, weigh } from './presence/presence.ts';
import { borrowTrack, newPresence, newTrack } from './presence/state.ts';
import { THRESHOLDS, type Thresholds } from './presence/thresholds.ts';
import type {
  Evidence,
  Pass,
  PositionStep,
  PresenceEvent,
  PresenceSettings,
  PresenceState,
  Sample,
  TrackState,
} from './presence/types.ts';
import { type Calculation, ownState, type Seeding, type TrackedBeacon } from './presence/visits.ts';
import type { BeaconMap } from './survey/signal-map.ts';

/** One installation over all beacons of a site: (state, ordered samples) → (state, events). Pure; the one code path. */

export interface Following extends Seeding {
  readonly installationId: string;
  /** As the last call returned it; null for an installation that has met no beacon yet. */
  readonly state: TrackState | null;
  /** In the order of `compareSamples`, all later than `state.at`. */
  readonly samples: readonly Sample[];
  /** What is configured for a beacon now. */
  readonly settingsOf: (beaconId: string) => PresenceSettings;
  /** What surveys say about a beacon's signal now; see `mapSignals`. */
  readonly mapOf?: ((beaconId: string) => BeaconMap | undefined) | undefined;
  /** Since when (ms, sensing time) the same person carries the installation; without it, always. */
  readonly heldSince?: number | undefined;
  /** Others than the product's; for the bench. */
  readonly thresholds?: Thresholds;
  /** Hands out the steps of positions, for `lookBack`. */
  readonly noteStep?: ((step: PositionStep) => void) | undefined;
}

export interface Followed {
  /** To be kept in place of the state passed in, which is left untouched. */
  readonly state: TrackState;
  /** Confirmed events in order of time; ids of one instant ascend in this order. */
  readonly events: readonly PresenceEvent[];
  /** Ids of revoked EXIT events of earlier calls: the visit continues. */
  readonly retracted: readonly string[];
  /** What these samples say about the radio of beacons, for `learnedFrom`; empty if no position was computed. */
  readonly evidence: Readonly<Record<string, Evidence>>;
  /** The beacons that were passed, for how loudly the installation hears; see hearing.ts. */
  readonly passes: readonly Pass[];
}

/** Applies samples. How they are cut into calls makes no difference to the events, as long as no instant is cut in two. */
export function follow(input: Following): Followed {
  const run = begin(input);
  const { samples } = input;
  let end = 0;
  for (let start = 0; start < samples.length; start = end) {
    const at = (samples[start] as Sample).occurredAt;
    end = start + 1;
    while (end < samples.length && (samples[end] as Sample).occurredAt === at) end++;
    expire(run, at);
    run.track.at = at;
    applyInstant(run, samples, start, end);
  }
  const { track, events, retracted, evidence, passes } = run;
  return { state: track, events, retracted, evidence, passes };
}

/** Everything that was sensed at one instant, at all beacons: samples first, then the phone's own decisions. */
function applyInstant(run: Calculation, samples: readonly Sample[], start: number, end: number): void {
  let next = start;
  const heard: HeardAt[] = [];
  for (let first = start; first < end; first = next) {
    const sample = samples[first] as Sample;
    next = first + 1;
    if (sample.event !== undefined) continue;
    while (next < end && isOfOneReceiver(sample, samples[next] as Sample)) next++;
    const place = placeOf(run, sample.beaconId);
    const loss = hear(run, place, next === first + 1 ? [sample] : samples.slice(first, next));
    if (loss !== null && place.state.settings.oneZone === true) noteLoss(run, place, sample, loss);
    const last = heard[heard.length - 1];
    if (last?.place.beaconId === sample.beaconId) last.sample = sample;
    else heard.push({ place, sample });
  }
  decide(run, heard);
  for (let index = start; index < end; index++) {
    const sample = samples[index] as Sample;
    if (sample.event !== undefined) applyDecision(run, placeOf(run, sample.beaconId), sample);
  }
  for (let index = start; index < end; index++) {
    const state = run.track.beacons[(samples[index] as Sample).beaconId];
    if (state !== undefined) noteDue(run.track, state);
  }
}

/** What the samples of one instant mean: each beacon by itself, or all together where the site says so. */
function decide(run: Calculation, heard: readonly HeardAt[]): void {
  const together: HeardAt[] = [];
  for (const one of heard) {
    const { place, sample } = one;
    if (place.state.settings.oneZone === true) {
      together.push(one);
      continue;
    }
    const distance = nearestDistance(place.state, sample.occurredAt);
    if (distance !== null) weigh(run, place, { distance, sample });
  }
  if (together.length > 0) decideTogether(run, together);
}

const isOfOneReceiver = (a: Sample, b: Sample) =>
  a.beaconId === b.beaconId && b.event === undefined && (a.receiver ?? '') === (b.receiver ?? '');

function begin(following: Following): Calculation {
  const { installationId, state, settingsOf, mapOf, heldSince = 0, thresholds = THRESHOLDS } = following;
  const track = state === null ? newTrack() : borrowTrack(state);
  const none = { events: [], retracted: [], evidence: {}, passes: [], owned: new Set<string>() };
  const { seedOf, noteStep } = following;
  return { installationId, seedOf, track, settingsOf, mapOf, heldSince, thresholds, noteStep, ...none };
}

function placeOf(run: Calculation, beaconId: string): TrackedBeacon {
  const known = ownState(run, beaconId);
  if (known !== undefined) return { beaconId, state: known };
  const state = newPresence(run.settingsOf(beaconId));
  run.owned.add(beaconId);
  run.track.beacons[beaconId] = state;
  return { beaconId, state };
}

export interface Ending extends Seeding {
  readonly installationId: string;
  readonly state: TrackState;
  /** The sensing time until which everything that was sensed is supposed to have arrived, ms. */
  readonly until: number;
  /** A silence shorter than this (ms) is not reported yet: the sender sends that rarely. */
  readonly patience: number;
}

/**
 * The EXIT events that follow if nothing more was sensed until `until`. They are provisional: `state` does not change, and a
 * later sample may show that the visit continued.
 */
export function endings({ installationId, seedOf, state, until, patience }: Ending): PresenceEvent[] {
  const due = Object.keys(state.beacons).flatMap((beaconId) => {
    const end = openUntil(state.beacons[beaconId] as PresenceState, patience);
    return end === null || end > until ? [] : [beaconId];
  });
  if (due.length === 0) return [];
  const beacons: Record<string, PresenceState> = {};
  for (const beaconId of due) beacons[beaconId] = state.beacons[beaconId] as PresenceState;
  const track: TrackState = { ...state, beacons, order: { ...state.order }, dueAt: Number.MIN_SAFE_INTEGER };
  const none = {
    events: [],
    retracted: [],
    evidence: {},
    passes: [],
    owned: new Set<string>(),
    heldSince: 0,
    thresholds: THRESHOLDS,
  };
  const run: Calculation = { installationId, seedOf, track, settingsOf: () => ({}), ...none };
  expire(run, until);
  return run.events.filter(({ event }) => event === 'EXIT');
}

/** When `endings` has something new to say about an open visit (ms, sensing time), or null. */
export function nextEnding(state: TrackState, patience: number, hasEnded: (visitId: string) => boolean): number | null {
  let first: number | null = null;
  for (const beaconId of Object.keys(state.beacons)) {
    const presence = state.beacons[beaconId] as PresenceState;
    if (presence.visit === null || hasEnded(presence.visit.id)) continue;
    const end = openUntil(presence, patience);
    if (end !== null && (first === null || end < first)) first = end;
  }
  return first;
}

/** A total order over all that matters, so that any order of arrival gives one order of work. Decisions come last. */
export function compareSamples(a: Sample, b: Sample): number {
  return (
    a.occurredAt - b.occurredAt ||
    compareText(a.event ?? '', b.event ?? '') ||
    compareText(a.beaconId, b.beaconId) ||
    compareText(a.receiver ?? '', b.receiver ?? '') ||
    (a.rssi ?? 0) - (b.rssi ?? 0) ||
    (a.distance ?? 0) - (b.distance ?? 0) ||
    (a.txPower ?? 0) - (b.txPower ?? 0) ||
    compareText(a.sender ?? '', b.sender ?? '') ||
    (a.interval ?? 0) - (b.interval ?? 0)
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
