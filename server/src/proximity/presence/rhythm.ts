import { DEFAULT_RADIUS, nearestDistance } from './presence.ts';
import { SILENCE_SECONDS, silenceMs } from './silence.ts';
import type { PresenceState, Rhythm, Sample, TrackState } from './types.ts';

/**
 * Senders that report in bursts without saying so: an app that the system wakes every few minutes. The silence that ends a visit
 * is 30 s for whoever names neither a sender nor an interval, so that each burst would be a visit of its own.
 *
 * A pause is one of a sender and not of a visitor if it begins and ends beside the same beacon: whoever walks away gets quieter
 * first. Once two such pauses in a row are alike, the next one has to last three times as long to end a visit, as for a stated
 * interval.
 */

/** A shorter pause ends no visit, ms. */
const LEAST_PAUSE_MS = SILENCE_SECONDS.phone * 1000;
/** A longer one is taken for an absence: systems wake an app every quarter of an hour, and sometimes late. */
const MOST_PAUSE_MS = 20 * 60_000;
const LEAST_PAUSES = 2;
/** Pauses are alike where one is at most so many times as long as the other. */
const ALIKE = 2;
/** How many times its usual pause a sender is waited for. */
const PATIENCE = 3;
const LONGEST_SILENCE_MS = SILENCE_SECONDS.androidBackground * 1000;
/** The beacon has to be heard again this soon after the pause, ms, and not quieter than before by more than this, dB. */
const RETURN_MS = 10_000;
const QUIETER = 10;

/** Takes note of the time since the newest instant; to be called before anything expires at `at` (ms). */
export function notePause(track: TrackState, at: number): void {
  const { rhythm } = track;
  if (track.at === null) return;
  const pause = at - track.at;
  if (pause < LEAST_PAUSE_MS) {
    if (rhythm === null) return;
    // What lasts longer than the pauses is no burst.
    if (ALIKE * pause >= rhythm.usual && rhythm.usual > 0) track.rhythm = { ...rhythm, since: at };
    else if (at - rhythm.since > Math.max(rhythm.pause, rhythm.usual)) track.rhythm = null;
    return;
  }
  const awaited = pause > MOST_PAUSE_MS ? null : besideBefore(track, track.at);
  // Where the beacon awaited was not heard again, that was no pause.
  const known = rhythm !== null && rhythm.awaited === null ? rhythm : { usual: 0, count: 0 };
  track.rhythm = awaited === null ? null : { usual: known.usual, count: known.count, since: at, pause, awaited };
}

/** The beacon beside which the visitor was heard last, with its path loss (dB); null: beside none. */
function besideBefore({ beacons, ear }: TrackState, at: number): Rhythm['awaited'] {
  let [found, least]: [Rhythm['awaited'], number] = [null, Number.POSITIVE_INFINITY];
  for (const beaconId of Object.keys(beacons)) {
    const state = beacons[beaconId] as PresenceState;
    const { settings, radius, visit, filters } = state;
    const distance = nearestDistance(state, at, ear?.loss);
    if (distance === null) continue;
    const isVisited = visit?.source === 'samples' && radius.inside === true;
    if (!isVisited && distance > (settings.radius ?? DEFAULT_RADIUS)) continue;
    // A beacon that has the visitor comes first.
    const rank = isVisited ? 0 : distance;
    if (rank >= least) continue;
    [found, least] = [{ beaconId, loss: Math.min(...filters.map(({ mean }) => mean)) }, rank];
  }
  return found;
}

/** Takes note of a sample with its path loss (dB): the beacon that was awaited may be there again. */
export function noteReturn(track: TrackState, sample: Sample, loss: number): void {
  const { rhythm } = track;
  if (rhythm?.awaited?.beaconId !== sample.beaconId || isNamed(sample)) return;
  if (sample.occurredAt - rhythm.since > RETURN_MS || loss > rhythm.awaited.loss + QUIETER) return;
  const { usual, count, since, pause } = rhythm;
  const isKnown = count >= LEAST_PAUSES && pause <= PATIENCE * usual;
  const isAlike = count > 0 && pause <= ALIKE * usual && usual <= ALIKE * pause;
  const next = isAlike
    ? { usual: (usual + pause) / 2, count: count + 1 }
    : isKnown
      ? { usual, count }
      : { usual: pause, count: 1 };
  track.rhythm = { ...next, since, pause, awaited: null };
}

/** How long silence has to last after a sample to end the contact, ms. */
export function silenceAfter({ rhythm }: TrackState, sample: Sample): number {
  const silence = silenceMs(sample);
  if (rhythm === null || rhythm.count < LEAST_PAUSES || isNamed(sample)) return silence;
  return Math.max(silence, Math.min(LONGEST_SILENCE_MS, PATIENCE * rhythm.usual));
}

const isNamed = ({ sender, interval = 0 }: Sample) => sender !== undefined || interval > 0;
