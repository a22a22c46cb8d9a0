import { changeZone, currentZone, DEFAULT_RADIUS, showGates, showImmediate } from '../presence/presence.ts';
import { isSparse } from '../presence/silence.ts';
import type { Thresholds } from '../presence/thresholds.ts';
import type { PresenceState, Rival, Sample } from '../presence/types.ts';
import { type Calculation, enter, leave, ownState, type TrackedBeacon } from '../presence/visits.ts';
import { distanceInField, fieldOf, type Surroundings } from './lead.ts';
import { levelDistance, receptionOf } from './levels.ts';
import { notePasses } from './passes.ts';
import { isPlaced, stepPosition } from './stepping.ts';

/**
 * One zone at a time: the beacons that one installation hears are decided together.
 *
 * Where three or more of them have a location, a position is computed (fix.ts), and a beacon's radius holds the visitor as soon
 * as that is likely and until it is unlikely. Otherwise each beacon's own gates say whether the visitor is within its radius.
 * Of those that hold the visitor the nearest gets the visit; another one takes over only when it is clearly nearer, so that a
 * visitor standing between two beacons does not alternate. Visits decided by a phone itself are left alone.
 */

/** A beacon that was heard at the instant in question, with its newest sample. */
export interface HeardAt {
  readonly place: TrackedBeacon;
  sample: Sample;
}

/** At which share of the distance another beacon takes over where no position is known. */
const CLEARLY_NEARER = 0.7;
/** Share of the radius within which a visit begins if only the signal is known; as in the gates. */
const NEAR_ENOUGH = 5 / 6;
/**
 * Between two equally distant beacons, the signal of somebody standing still favours one, then the other. A beacon that held the
 * visitor this recently (ms) takes them back only with more evidence, so many times as much (in log odds).
 */
const RETURN_MS = 300_000;
const RETURN_EVIDENCE = 3;
/**
 * Where a position is known, most of those who seem to come back within seconds have never left: a body or a wave that shadows one
 * beacon does so for seconds. The evidence asked for falls from the first to the second figure with this time constant, ms.
 */
const EVIDENCE_AT_ONCE = 10;
const EVIDENCE_LATER = 3;
const SHADOW_MS = 20_000;
const MAX_RIVALS = 3;

/** Decides over all beacons in contact after something was heard of some of them. */
export function decideTogether(run: Calculation, heard: readonly HeardAt[]): void {
  const { track } = run;
  const at = (heard[0] as HeardAt).sample.occurredAt;
  const isLocated = stepPosition(run, at);
  // While a position is known, it is asked at each of its steps; the quietest of many beacons, which are no part of it, wait for that.
  const reception = receptionOf(track);
  const known = isLocated || !isPlaced(track, at) ? fieldOf(track, at, reception) : null;
  for (const { place, sample } of heard) {
    const { state } = place;
    const distance = levelDistance(state, at, reception);
    if (distance === null) continue;
    if (state.standing !== null) {
      showImmediate(state, { distance, sample });
      continue;
    }
    const field = known ?? fieldOf(track, at, reception);
    const isOfSender = sample.rssi === undefined || sample.smoothed === true;
    const taken = isSparse(sample) || isOfSender ? distance : distanceInField(state, distance, field);
    showGates(state, { distance: taken, sample }, distance);
  }
  if (known === null) return;
  notePasses(run, at);
  decideVisit(run, at, known);
}

/** The beacon that has the visitor, of those that are decided together; undefined: none has. */
function currentOf(run: Calculation): TrackedBeacon | undefined {
  const { beacons } = run.track;
  for (const beaconId of Object.keys(beacons)) {
    const { settings, visit } = beacons[beaconId] as PresenceState;
    if (settings.oneZone === true && visit?.source === 'samples')
      return { beaconId, state: ownState(run, beaconId) as PresenceState };
  }
  return undefined;
}

/** Gives the visit to the nearest beacon that holds the visitor, and reports the zones. */
function decideVisit(run: Calculation, at: number, field: Surroundings): void {
  const contenders = contendersOf(run, at, field);
  const holder = currentOf(run);
  const stays = holder !== undefined && holder.state.radius.inside === true;
  const own = stays ? contenders.find(({ beaconId }) => beaconId === holder.beaconId) : undefined;
  const best = contenders
    .filter((one) => canBegin(one, { ...run.thresholds, at }))
    .reduce<Contender | undefined>(nearer, undefined);
  const next =
    stays && (best === undefined || own === undefined || !takesOver(best, own, { ...run.thresholds, at }))
      ? holder
      : best?.place;
  const rivals = contenders.slice(0, MAX_RIVALS).map(rivalOf);
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
  /** Its assumed distance (m); `distance` is what its own level gives, by which two beacons are compared. */
  readonly taken: number;
}

interface Beginning extends Pick<Thresholds, 'likely' | 'takeover'> {
  readonly at: number;
}

/**
 * Whether it holds the visitor now, as opposed to merely not having lost them yet. Who has just left a beacon for none comes back to it
 * only with as much evidence against being at none as it would take against another beacon.
 */
function canBegin({ place, share, taken }: Contender, { likely, takeover, at }: Beginning): boolean {
  const { radius, visit, settings, leftAt } = place.state;
  if (visit?.source === 'device' || radius.inside !== true) return false;
  if (share === undefined) return taken <= NEAR_ENOUGH * (settings.radius ?? DEFAULT_RADIUS);
  if (leftAt === null) return share >= likely;
  const evidence = EVIDENCE_AT_ONCE * Math.exp((leftAt - at) / SHADOW_MS);
  return share >= likely && share > takeover ** evidence * (1 - share);
}

function nearer(best: Contender | undefined, other: Contender): Contender {
  if (best === undefined) return other;
  const isNearer =
    best.share === undefined || other.share === undefined ? other.taken < best.taken : other.share > best.share;
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
function contendersOf(run: Calculation, at: number, field: Surroundings): Contender[] {
  const { track } = run;
  const reception = receptionOf(track);
  const found: Contender[] = [];
  for (const beaconId of Object.keys(track.beacons)) {
    const state = ownState(run, beaconId) as PresenceState;
    const { settings, inContact, standing } = state;
    if (settings.oneZone !== true || !inContact) continue;
    const place = { beaconId, state };
    if (standing !== null) found.push({ beaconId, place, ...standing, taken: standing.distance });
    else {
      const distance = levelDistance(state, at, reception);
      if (distance === null) continue;
      found.push({ beaconId, place, distance, taken: distanceInField(state, distance, field) });
    }
  }
  return found.sort((a, b) => a.taken - b.taken || (a.beaconId < b.beaconId ? -1 : 1));
}

interface Takeover {
  readonly takeover: number;
  readonly at: number;
}

function takesOver(other: Contender, own: Contender, { takeover, at }: Takeover): boolean {
  if (other.beaconId === own.beaconId) return false;
  const { leftAt } = other.place.state;
  const away = leftAt === null ? RETURN_MS : at - leftAt;
  if (other.share !== undefined && own.share !== undefined)
    return other.share > takeover ** evidenceAfter(away) * own.share;
  return other.distance < CLEARLY_NEARER ** (away < RETURN_MS ? RETURN_EVIDENCE : 1) * own.distance;
}

/** How many times the evidence a beacon needs that lost the visitor so long ago, ms. */
function evidenceAfter(away: number): number {
  if (away >= RETURN_MS) return 1;
  return EVIDENCE_LATER + (EVIDENCE_AT_ONCE - EVIDENCE_LATER) * Math.exp(-away / SHADOW_MS);
}

interface Zones {
  readonly at: number;
  /** The beacon that has the visitor from now on. */
  readonly next: string | undefined;
  readonly only?: string;
}

/** Only the beacon that has the visitor can be near; a visitor who leaves one is far from it. */
function changeZones(run: Calculation, contenders: readonly Contender[], { at, next, only }: Zones): void {
  for (const { beaconId, place, taken } of contenders) {
    if (only !== undefined && beaconId !== only) continue;
    const { state } = place;
    const zone = currentZone(state);
    const isHeld = zone === 'FAR' || zone === null || beaconId === next;
    // By what was decided: within one metre only the beacon's own signal says something.
    const distance = zone === 'IMMEDIATE' ? (levelDistance(state, at, receptionOf(run.track)) ?? taken) : taken;
    changeZone(run, place, isHeld ? zone : state.zone === null ? null : 'FAR', { at, distance, cause: 'samples' });
  }
}
