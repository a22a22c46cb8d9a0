import {
  changeZone,
  currentZone,
  DEFAULT_RADIUS,
  nearestDistance,
  showGates,
  showImmediate,
} from '../presence/presence.ts';
import { isSparse } from '../presence/silence.ts';
import type { Thresholds } from '../presence/thresholds.ts';
import type { GateState, PresenceState, Rival, Sample } from '../presence/types.ts';
import { type Calculation, enter, leave, ownState, type TrackedBeacon } from '../presence/visits.ts';
import { expectedOf, type HeardAnchor, nearShareOf, newEar, standingOf, stepFix } from './fix.ts';
import { type Anchor, anchorOf, type Layout, layoutOf } from './layout.ts';
import { addEvidence, noEvidence, stepEvidence } from './learning.ts';

/**
 * One zone at a time: the beacons that one installation hears are decided together.
 *
 * Where three or more of them have a location, a position is reckoned (fix.ts), and a beacon's radius holds the visitor as
 * soon as it is likely and until it is unlikely. Else each beacon's own gates say whether the visitor is within its radius.
 * Of those that hold the visitor the nearest gets the visit; another one takes over only when it is clearly nearer, so that
 * nobody who stands between two beacons is sent to and fro. Visits that a phone has decided by itself are left alone.
 */

/** A beacon that was heard at the instant in question, with its newest sample. */
export interface HeardAt {
  readonly place: TrackedBeacon;
  sample: Sample;
}

/** Fewer beacons do not make a position. */
const LEAST_ANCHORS = 3;
/** More are not looked at: the quietest say least. */
const MOST_ANCHORS = 16;
const STEP_MS = 1_000;
/** After this long without a step the old position says nothing. */
const FORGET_MS = 30_000;
/** At which share of the distance another beacon takes over where no position is known. */
const CLEARLY_NEARER = 0.75;
/** Share of the radius within which a visit begins where only the signal speaks; as the gates have it. */
const NEAR_ENOUGH = 5 / 6;
const MOST_RIVALS = 3;
/** Only a position that is surer than this (m²), of an ear that is known better than this (dB²), teaches anything. */
const SURE_VARIANCE = 12;
const SURE_EAR = 4;

/** Notes what was heard of a beacon with a location for the next step. */
export function noteLoss(
  { track }: Calculation,
  { beaconId, state }: TrackedBeacon,
  sample: Sample,
  loss: number,
): void {
  if (state.settings.location === undefined || isSparse(sample)) return;
  const [sum, count] = track.pending[beaconId] ?? [0, 0];
  track.pending[beaconId] = [sum + loss, count + 1];
  track.pendingSince ??= sample.occurredAt;
}

/** Decides over all beacons in contact after something was heard of some of them. */
export function decideTogether(run: Calculation, heard: readonly HeardAt[]): void {
  const { track } = run;
  const at = (heard[0] as HeardAt).sample.occurredAt;
  const isLocated = reckon(run, at);
  for (const { place, sample } of heard) {
    const distance = nearestDistance(place.state, at, track.ear?.loss);
    if (distance === null) continue;
    if (place.state.standing === null) showGates(place.state, { distance, sample });
    else showImmediate(place.state, { distance, sample });
  }
  if (isLocated || heard.some(({ place }) => place.state.standing === null)) settle(run, at);
}

/**
 * How far measured powers of a site differ in truth, of how far they are measured to differ: the beacons of one site are
 * alike within 3 dB, and a calibration on one spot is wrong by 2 dB (9 / (9 + 4)).
 */
const TRUE_SPREAD = 0.7;

/** What is to be added to each anchor's loss, dB: its measured power is drawn towards the mean of the site's. */
function corrections(anchors: readonly Anchor[], beacons: Readonly<Record<string, PresenceState>>): number[] {
  const powers = anchors.map(({ beaconId }) => beacons[beaconId]?.settings.measuredPower);
  const known = powers.filter((power) => power !== undefined);
  const mean = known.reduce((sum, power) => sum + power, 0) / Math.max(1, known.length);
  return powers.map((power) => (power === undefined ? 0 : (1 - TRUE_SPREAD) * (mean - power)));
}

/** Makes a step of the position where one is due; true when it has been made. */
function reckon(run: Calculation, at: number): boolean {
  const { track } = run;
  const since = track.fix !== null && at - track.fix.at < FORGET_MS ? track.fix.at : track.pendingSince;
  if (since === null || at - since < STEP_MS) return false;
  const anchors = anchorsOf(track.beacons);
  if (anchors.length < LEAST_ANCHORS) {
    if (track.fix !== null) forget(run);
    Object.assign(track, { fix: null, pending: {}, pendingSince: null });
    return false;
  }
  const heard: HeardAnchor[] = [];
  const added = corrections(anchors, track.beacons);
  anchors.forEach(({ beaconId }, anchor) => {
    const pending = track.pending[beaconId];
    if (pending === undefined) return;
    const [sum, count] = pending;
    const learned = track.beacons[beaconId]?.settings.learned?.loss ?? 0;
    heard.push({ anchor, loss: sum / count + (added[anchor] ?? 0) - learned, count });
  });
  if (heard.length === 0) return false;
  const layout = layoutOf(anchors);
  const before = track.fix !== null && at - track.fix.at < FORGET_MS ? track.fix : null;
  Object.assign(
    track,
    stepFix({ fix: before, ear: track.ear ?? newEar(), layout, heard, at, slowVariance: run.thresholds.slowVariance }),
    {
      pending: {},
      pendingSince: null,
    },
  );
  anchors.forEach(({ beaconId }, anchor) => {
    const state = ownState(run, beaconId) as PresenceState;
    state.standing = standingOf(layout, anchor);
    turn(state.radius, run.thresholds, { share: state.standing.share, at });
    turn(state.near, run.thresholds, { share: nearShareOf(layout, anchor), at });
    if (state.radius.inside === true) state.insideAt = at;
  });
  learn(run, { anchors, layout, heard });
  return true;
}

interface Reckoned {
  readonly anchors: readonly Anchor[];
  readonly layout: Layout;
  readonly heard: readonly HeardAnchor[];
}

/** Notes how what was heard differs from what is expected without anything learned. */
function learn({ track, evidence }: Calculation, { anchors, layout, heard }: Reckoned): void {
  const { fix, ear } = track;
  if (fix === null || ear === null || fix.xx + fix.yy > SURE_VARIANCE || ear.variance > SURE_EAR) return;
  for (const { anchor, loss } of heard) {
    const { beaconId } = anchors[anchor] as Anchor;
    const { learned } = (track.beacons[beaconId] as PresenceState).settings;
    const expected = expectedOf(layout, anchor);
    const base = expected.loss - (learned?.exponent ?? 0) * expected.decades;
    const residual = loss + (learned?.loss ?? 0) - base - ear.loss;
    evidence[beaconId] = addEvidence(evidence[beaconId] ?? noEvidence, stepEvidence(expected.decades, residual));
  }
}

/** Beacons in contact whose location is known, by id; of many those that are heard best. */
function anchorsOf(beacons: Readonly<Record<string, PresenceState>>): Anchor[] {
  const found: { anchor: Anchor; loss: number }[] = [];
  for (const beaconId of Object.keys(beacons)) {
    const { settings, inContact, filters } = beacons[beaconId] as PresenceState;
    const { location } = settings;
    if (!inContact || settings.oneZone !== true || location === undefined || filters.length === 0) continue;
    found.push({ anchor: anchorOf(beaconId, location, settings), loss: filters[0]?.mean ?? 0 });
  }
  if (found.length > MOST_ANCHORS) found.sort((a, b) => a.loss - b.loss).length = MOST_ANCHORS;
  return found.map(({ anchor }) => anchor).sort((a, b) => (a.beaconId < b.beaconId ? -1 : 1));
}

function forget(run: Calculation): void {
  for (const beaconId of Object.keys(run.track.beacons)) (ownState(run, beaconId) as PresenceState).standing = null;
}

interface Turning {
  readonly share: number;
  readonly at: number;
}

/** What a position says to a gate. */
function turn(gate: GateState, { likely, unlikely }: Thresholds, { share, at }: Turning): void {
  const inside = share >= likely ? true : share <= unlikely ? false : gate.inside;
  if (inside === gate.inside) return;
  gate.inside = inside;
  gate.since = at;
  gate.toward = null;
}

/** The beacon that has the visitor, of those that are decided together; undefined: none has. */
function holderOf(run: Calculation): TrackedBeacon | undefined {
  const { beacons } = run.track;
  for (const beaconId of Object.keys(beacons)) {
    const { settings, visit } = beacons[beaconId] as PresenceState;
    if (settings.oneZone === true && visit?.source === 'samples')
      return { beaconId, state: ownState(run, beaconId) as PresenceState };
  }
  return undefined;
}

/** Gives the visit to the nearest beacon that holds the visitor, and reports the zones. */
function settle(run: Calculation, at: number): void {
  const contenders = contendersOf(run, at);
  const holder = holderOf(run);
  const stays = holder !== undefined && holder.state.radius.inside === true;
  const own = stays ? contenders.find(({ beaconId }) => beaconId === holder.beaconId) : undefined;
  const best = contenders
    .filter((one) => canBegin(one, run.thresholds))
    .reduce<Contender | undefined>(nearer, undefined);
  const next =
    stays && (best === undefined || own === undefined || !takesOver(best, own, run.thresholds)) ? holder : best?.place;
  const rivals = contenders.slice(0, MOST_RIVALS).map(rivalOf);
  if (holder !== undefined && next?.beaconId !== holder.beaconId) {
    changeZones(run, contenders, { at, next: undefined, only: holder.beaconId });
    const leftAt = stays ? at : holder.state.radius.since;
    const gone = contenders.find(({ beaconId }) => beaconId === holder.beaconId);
    leave(run, holder, { at, leftAt, cause: 'samples', rivals, ...distanceOf(gone) });
  }
  if (next !== undefined && next.state.visit === null) {
    const since = stays || holder !== undefined ? at : next.state.radius.since;
    const come = contenders.find(({ beaconId }) => beaconId === next.beaconId);
    enter(run, next, { at, since, source: 'samples', rivals, ...distanceOf(come) });
  }
  changeZones(run, contenders, { at, next: next?.beaconId });
}

interface Contender extends Rival {
  readonly place: TrackedBeacon;
}

/** Whether it holds the visitor now, and not only not yet no more. */
function canBegin({ place, share, distance }: Contender, { likely }: Thresholds): boolean {
  const { radius, visit, settings } = place.state;
  if (visit?.source === 'device' || radius.inside !== true) return false;
  return share === undefined ? distance <= NEAR_ENOUGH * (settings.radius ?? DEFAULT_RADIUS) : share >= likely;
}

function nearer(best: Contender | undefined, other: Contender): Contender {
  if (best === undefined) return other;
  const isNearer =
    best.share === undefined || other.share === undefined ? other.distance < best.distance : other.share > best.share;
  return isNearer ? other : best;
}

const distanceOf = (rival: Rival | undefined) => (rival === undefined ? {} : { distance: rival.distance });

function rivalOf({ beaconId, distance, share }: Rival): Rival {
  const metres = Math.round(distance * 100) / 100;
  return share === undefined
    ? { beaconId, distance: metres }
    : { beaconId, distance: metres, share: Math.round(share * 100) / 100 };
}

/** The beacons that are decided together and were measured lately, the nearest first. */
function contendersOf(run: Calculation, at: number): Contender[] {
  const { track } = run;
  const found: Contender[] = [];
  for (const beaconId of Object.keys(track.beacons)) {
    const state = ownState(run, beaconId) as PresenceState;
    const { settings, inContact, standing } = state;
    if (settings.oneZone !== true || !inContact) continue;
    const place = { beaconId, state };
    if (standing !== null) found.push({ beaconId, place, ...standing });
    else {
      const distance = nearestDistance(state, at, track.ear?.loss);
      if (distance !== null) found.push({ beaconId, place, distance });
    }
  }
  return found.sort((a, b) => a.distance - b.distance || (a.beaconId < b.beaconId ? -1 : 1));
}

function takesOver(other: Rival, own: Rival, { takeover }: Thresholds): boolean {
  if (other.beaconId === own.beaconId) return false;
  if (other.share !== undefined && own.share !== undefined) return other.share > takeover * own.share;
  return other.distance < CLEARLY_NEARER * own.distance;
}

interface Zones {
  readonly at: number;
  /** The beacon that has the visitor from now on. */
  readonly next: string | undefined;
  readonly only?: string;
}

/** Only the beacon that has the visitor can be near; whoever leaves one is far from it. */
function changeZones(run: Calculation, contenders: readonly Contender[], { at, next, only }: Zones): void {
  for (const { beaconId, place, distance } of contenders) {
    if (only !== undefined && beaconId !== only) continue;
    const { state } = place;
    const zone = currentZone(state);
    const isHeld = zone === 'FAR' || zone === null || beaconId === next;
    changeZone(run, place, isHeld ? zone : state.zone === null ? null : 'FAR', { at, distance, cause: 'samples' });
  }
}
