/**
 * How far a sender's clock is off, learned from what it sends. Pure; times in ms, errors positive where the clock is ahead.
 *
 * A message takes time and never arrives before it was sent, so the clock is ahead by at least (sent − arrived), and the
 * least delayed of a few messages tells best. Without the time of sending, the newest report stands in for it: nothing is
 * heard in the future. A report from the past may as well come from a phone that was offline.
 */

export interface ClockState {
  /** What was found for the newest messages, oldest first: sent − arrived. */
  readonly found: readonly number[];
  /** The correction in force. It moves only when it is clearly wrong, so that a repeated report keeps its time. */
  readonly error: number;
}

export const newClock: ClockState = { found: [], error: 0 };

const REMEMBERED = 8;
/** What is not corrected: NTP on a phone, rounding to whole seconds, the way to us. */
const TOLERANCE_MS = 2_000;
/** A message under way for longer is taken for one with a clock that is behind. */
const LONGEST_DELAY_MS = 30_000;
/** So many messages have to agree before a clock that is less behind than the longest delay is corrected. */
const FEWEST_FOUND = 4;

export interface Arrival {
  /** The sender's clock at sending, where it says so. */
  readonly sentAt?: number | undefined;
  /** The newest time of a report. */
  readonly newest?: number | undefined;
  readonly now: number;
}

/** The clock after one more message. */
export function learnClock(clock: ClockState, { sentAt, newest, now }: Arrival): ClockState {
  const sent = sentAt ?? (newest !== undefined && newest - now > clock.error - TOLERANCE_MS ? newest : undefined);
  if (sent === undefined) return clock;
  const found = sent - now;
  if (sentAt === undefined && found <= TOLERANCE_MS && clock.found.length === 0) return clock;
  const best = Math.max(...clock.found);
  // The clock was set: what was found before says nothing any more.
  const wasSet = clock.found.length > 0 && (best - found > LONGEST_DELAY_MS || found - best > LONGEST_DELAY_MS);
  const kept = [...(wasSet ? [] : clock.found), found].slice(-REMEMBERED);
  const error = errorOf(kept);
  return { found: kept, error: Math.abs(error - clock.error) > TOLERANCE_MS || error === 0 ? error : clock.error };
}

function errorOf(found: readonly number[]): number {
  const best = Math.max(...found);
  if (best > TOLERANCE_MS || best < -LONGEST_DELAY_MS) return best;
  return best < -TOLERANCE_MS && found.length >= FEWEST_FOUND ? best : 0;
}
