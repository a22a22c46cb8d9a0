import { lossFromDistance } from '../presence/distance.ts';
import { DEFAULT_RADIUS, RECEIVER_FRESH_MS } from '../presence/presence.ts';
import type { PresenceState, ReceiverOffset } from '../presence/types.ts';
import type { Calculation } from '../presence/visits.ts';
import { SURE_OFFSET } from './stepping.ts';

/**
 * How quiet an installation hears where no position shows it: by how near it seems to come to the beacons it passes.
 *
 * Where beacons hang a few metres apart, somebody passing them comes within a radius from time to time. An installation that
 * seems to pass all of them outside is a phone with a weak antenna or in a bag, not a visitor who stays away from everything. The
 * mean pass is assumed to lead to the edge of the radius. Most lead farther in, so a phone that hears well is not corrected.
 */

/** Fewer passes show nothing. */
const LEAST_PASSES = 6;
/** The newest count most: a phone is put into a bag, and taken out of it. */
const MAX_PASSES = 50;
/** Standard deviation between passes, dB. Of a mean only what exceeds its standard error counts. */
const SPREAD = 6;
/** More is a broken phone, dB. */
const MAX_LOSS = 20;
/** The least variance of what is learned this way, dB². A position does better. */
const VARIANCE = 36;
/** A filter (dB²) that has settled where each beacon is heard once in two seconds; that of `fast` tells nothing. */
const SETTLED = 16;

/**
 * Takes note of who is nearest at `at` (ms); corrects the receiver offset once enough beacons were passed, unless it is known better. A
 * finished pass is reported.
 */
export function notePasses({ track, passes: over }: Calculation, at: number): void {
  const found = nearestSettled(track.beacons, at);
  if (found === null) return;
  const { passes } = track;
  const { nearest, before, least } = passes;
  if (found.beaconId === nearest || found.beaconId === before) {
    // Back at the one before: somebody stands between two, and passes neither.
    const turned = found.beaconId === before ? { nearest: before, before: nearest } : {};
    if (found.beaconId === before || found.excess < least)
      track.passes = { ...passes, ...turned, least: Math.min(least, found.excess) };
    return;
  }
  const count = nearest === null ? 0 : Math.min(MAX_PASSES, passes.count + 1);
  const quiet = count === 0 ? 0 : passes.quiet + (least - passes.quiet) / count;
  track.passes = { nearest: found.beaconId, before: nearest, least: found.excess, quiet, count };
  const { fix, receiverOffset } = track;
  if (nearest !== null && fix === null) over.push({ beaconId: nearest, excess: least });
  else if (nearest !== null && receiverOffset !== null && receiverOffset.variance <= SURE_OFFSET)
    over.push({ beaconId: nearest, excess: least, receiverOffset: receiverOffset.loss });
  const isOpen = fix === null && (receiverOffset === null || receiverOffset.variance >= VARIANCE);
  if (count >= LEAST_PASSES && isOpen) track.receiverOffset = receiverOffsetOf(quiet - SPREAD / Math.sqrt(count));
}

const receiverOffsetOf = (quiet: number): ReceiverOffset => ({
  loss: Math.min(MAX_LOSS, Math.max(0, quiet)),
  variance: VARIANCE,
});

interface Nearest {
  readonly beaconId: string;
  /** How much more is lost than at the edge of its radius, dB. */
  readonly excess: number;
}

/** Of two beacons or more that are heard; of a single one nobody knows how far away people pass it. */
function nearestSettled(beacons: Readonly<Record<string, PresenceState>>, at: number): Nearest | null {
  let [nearest, least, heard]: [string | null, number, number] = [null, Number.POSITIVE_INFINITY, 0];
  for (const beaconId of Object.keys(beacons)) {
    const { inContact, settings, filters } = beacons[beaconId] as PresenceState;
    if (!inContact || settings.oneZone !== true) continue;
    let isHeard = false;
    for (const { mean, variance, at: heardAt } of filters) {
      if (at - heardAt > RECEIVER_FRESH_MS || variance > SETTLED) continue;
      isHeard = true;
      if (mean < least) [nearest, least] = [beaconId, mean];
    }
    if (isHeard) heard++;
  }
  if (nearest === null || heard < 2) return null;
  const { radius = DEFAULT_RADIUS } = (beacons[nearest] as PresenceState).settings;
  return { beaconId: nearest, excess: least - lossFromDistance(radius) };
}
