import { lossFromPowers, powerShare } from '../presence/distance.ts';
import { isSparse } from '../presence/silence.ts';
import type { Thresholds } from '../presence/thresholds.ts';
import type { GateState, HeardBeacon, PresenceState, Sample, TrackState } from '../presence/types.ts';
import { type Calculation, ownState, type TrackedBeacon } from '../presence/visits.ts';
import { expectedOf, nearShareOf, standingOf } from './belief.ts';
import { biasAt } from './bias.ts';
import { biasOf, type HeardAnchor, newReceiverOffset, stepFix } from './fix.ts';
import { type Anchor, anchorOf, type Layout, layoutOf } from './layout.ts';
import { fieldOf, leadOf, likelyWith } from './lead.ts';
import { addEvidence, noEvidence, stepEvidence } from './learning.ts';
import { correctionOf, levelDistance, receptionOf } from './levels.ts';

/** The steps of a position: which beacons take part, what they say about their radii, and what is learned from it. */

/** Fewer beacons do not make a position. */
const LEAST_ANCHORS = 3;
/** More are not looked at: the quietest say least. */
const MAX_ANCHORS = 16;
const STEP_MS = 1_000;
/** After this long without a step the old position says nothing. */
export const FORGET_MS = 30_000;
/** Only a position more certain than this (m²), with a receiver offset known better than this (dB²), teaches anything. */
const SURE_VARIANCE = 12;
export const SURE_OFFSET = 4;

/** Notes what was heard of a beacon with a location for the next step. */
export function noteLoss(
  { track }: Calculation,
  { beaconId, state }: TrackedBeacon,
  sample: Sample,
  loss: number,
): void {
  if (state.settings.location === undefined || isSparse(sample)) return;
  const [sum, count] = track.powers[beaconId] ?? [0, 0];
  track.powers[beaconId] = [sum + powerShare(loss), count + 1];
  track.pendingSince ??= sample.occurredAt;
}
/** Whether the position is kept up, so that its next step is soon. */
export const isPlaced = ({ fix }: Pick<TrackState, 'fix'>, at: number): boolean =>
  fix !== null && at - fix.at < 2 * STEP_MS;

/** Makes a step of the position if one is due; true when it has been made. */
export function stepPosition(run: Calculation, at: number): boolean {
  const { track } = run;
  const before = track.fix !== null && at - track.fix.at < FORGET_MS ? track.fix : null;
  const since = before?.at ?? track.pendingSince;
  if (since === null || at - since < STEP_MS) return false;
  const anchors = anchorsOf(run);
  if (anchors.length < LEAST_ANCHORS) {
    if (track.fix !== null) forget(run);
    Object.assign(track, { fix: null, powers: {}, pendingSince: null });
    return false;
  }
  const heard: HeardAnchor[] = [];
  const reception = receptionOf(track);
  anchors.forEach(({ beaconId, map }, anchor) => {
    const power = track.powers[beaconId];
    if (power === undefined) return;
    const [sum, count] = power;
    const { settings } = track.beacons[beaconId] as PresenceState;
    // Of a beacon that was surveyed the map says all this.
    const added = map === null ? correctionOf(settings, reception) - (settings.learned?.loss ?? 0) : 0;
    const bias = biasAt(track.beacons[beaconId]?.bias ?? null, at);
    heard.push({ anchor, loss: lossFromPowers(sum, count) + added, count, bias });
  });
  if (heard.length === 0) return false;
  const layout = layoutOf(anchors);
  Object.assign(
    track,
    stepFix({
      fix: before,
      receiverOffset: track.receiverOffset ?? newReceiverOffset(),
      layout,
      heard,
      at,
      slowVariance: run.thresholds.slowVariance,
    }),
    {
      powers: {},
      pendingSince: null,
    },
  );
  run.noteStep?.({
    at,
    receiverOffset: track.receiverOffset?.loss ?? 0,
    heard: heard.map((one) => withoutBias(one, anchors)),
  });
  const heardSo = receptionOf(track);
  const field = fieldOf(track, at, heardSo);
  anchors.forEach(({ beaconId }, anchor) => {
    const state = ownState(run, beaconId) as PresenceState;
    const lead = leadOf(levelDistance(state, at, heardSo), field);
    const { share, distance } = standingOf(layout, anchor);
    state.standing = { share: likelyWith(share, lead), distance };
    turnGate(state.radius, run.thresholds, { share: state.standing.share, at });
    turnGate(state.near, run.thresholds, { share: likelyWith(nearShareOf(layout, anchor), lead), at });
    if (state.radius.inside === true) state.insideAt = at;
  });
  learn(run, { anchors, layout, heard });
  return true;
}

const withoutBias = ({ anchor, loss, bias, count }: HeardAnchor, anchors: readonly Anchor[]): HeardBeacon => ({
  beaconId: (anchors[anchor] as Anchor).beaconId,
  loss: loss - bias.loss,
  count,
});

interface Stepped {
  readonly anchors: readonly Anchor[];
  readonly layout: Layout;
  readonly heard: readonly HeardAnchor[];
}

/** Notes how what was heard differs from what is expected: for the next steps and, if certain, for later visitors. */
function learn({ track, evidence, thresholds }: Calculation, { anchors, layout, heard }: Stepped): void {
  const { fix, receiverOffset } = track;
  if (fix === null || receiverOffset === null) return;
  const isSure = fix.xx + fix.yy <= SURE_VARIANCE && receiverOffset.variance <= SURE_OFFSET;
  for (const one of heard) {
    const { anchor, loss } = one;
    const { beaconId, map } = anchors[anchor] as Anchor;
    const state = track.beacons[beaconId] as PresenceState;
    const { learned } = state.settings;
    const expected = expectedOf(layout, anchor);
    const distance = state.standing?.distance ?? 0;
    state.bias = biasOf(one, {
      expected,
      receiverOffset,
      distance,
      slowVariance: thresholds.slowVariance,
      isSurveyed: map !== null,
    });
    if (!isSure || map !== null) continue;
    // Later visitors have no bias yet, so that they are taught all of it.
    const base = expected.loss - (learned?.exponent ?? 0) * expected.decades;
    const residual = loss + (learned?.loss ?? 0) - base - receiverOffset.loss;
    evidence[beaconId] = addEvidence(evidence[beaconId] ?? noEvidence, stepEvidence(expected.decades, residual));
  }
}

/** Beacons in contact whose location is known, by id; of many those that are heard best. */
function anchorsOf({ track: { beacons }, mapOf }: Calculation): Anchor[] {
  const found: { anchor: Anchor; loss: number }[] = [];
  for (const beaconId of Object.keys(beacons)) {
    const { settings, inContact, filters } = beacons[beaconId] as PresenceState;
    const { location } = settings;
    if (!inContact || settings.oneZone !== true || location === undefined || filters.length === 0) continue;
    found.push({ anchor: anchorOf(beaconId, location, settings, mapOf?.(beaconId)), loss: filters[0]?.mean ?? 0 });
  }
  if (found.length > MAX_ANCHORS) found.sort((a, b) => a.loss - b.loss).length = MAX_ANCHORS;
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
function turnGate(gate: GateState, { likely, unlikely }: Thresholds, { share, at }: Turning): void {
  const inside = share >= likely ? true : share <= unlikely ? false : gate.inside;
  if (inside === gate.inside) return;
  gate.inside = inside;
  gate.since = at;
  gate.toward = null;
}
