/**
 * How far a sender's clock is off, learned from what it sends. Pure; times in ms, errors positive where the clock is ahead.
 *
 * A message takes time and never arrives before it was sent, so the clock is ahead by at least (sent − arrived), and the
 * least delayed of a few messages tells best. Without the time of sending, the newest report stands in for it where it lies
 * in the future, since nothing is heard there. A report from the past may as well come from a phone that was offline.
 */

export interface ClockState {
  /** What was found for the newest messages that said when they were sent, oldest first: sent − arrived. */
  readonly found: readonly number[];
  /** The correction in force. It moves only when it is clearly wrong, so that a repeated report keeps its time. */
  readonly error: number;
  /** When the newest messages were sent, by the sender's clock, and what was corrected in them. */
  readonly sent?: readonly Sent[];
  /** Since when (ms, corrected) the clock is as it is; without it, always. */
  readonly setAt?: number;
}

/** Times since a moment (ms, corrected) were wrong by so much: what to add to them. */
export interface Retimed {
  readonly since: number;
  readonly by: number;
}

type Sent = readonly [sentAt: number, error: number];

export const newClock: ClockState = { found: [], error: 0 };

const REMEMBERED = 8;
/** What is not corrected: NTP on a phone, rounding to whole seconds, the way to us. */
const TOLERANCE_MS = 2_000;
/** A message in transit for longer is treated as one whose clock is behind. */
const MAX_DELAY_MS = 30_000;
/** This many messages must agree before a clock that is behind by less than the longest delay is corrected. */
const FEWEST_FOUND = 4;
/** Reports of one batch that are further apart belong to two separate periods, or one of them has a wrong time. */
const CLUSTER_GAP_MS = 5 * 60_000;
/** A report may lie so far in the future after the correction. */
const MAX_AHEAD_MS = 60_000;

export interface Arrival {
  /** The sender's clock at sending, where it says so. */
  readonly sentAt?: number | undefined;
  /** Times of the reports, by the sender's clock. */
  readonly times: readonly number[];
  readonly now: number;
}

export interface Corrected {
  readonly clock: ClockState;
  /** What has to be taken from the times of this message. */
  readonly error: number;
  /** The clock error at the time of one report (sender's clock): the clock may have been set since an earlier one. */
  readonly errorAt: (time: number) => number;
  /** What was corrected in the messages before this one turned out to be wrong. */
  readonly retimed?: Retimed;
  /** Times after this (sender's clock) cannot be right; they say nothing about the other reports. */
  readonly latest: number;
}

/** The clock after one more message, and which of its times are impossible. */
export function learnClock(clock: ClockState, { sentAt, times, now }: Arrival): Corrected {
  if (sentAt !== undefined) return learnFromSending(clock, { sentAt, times, now });
  const newest = newestPlausible(times, now + Math.max(0, clock.error));
  if (newest === undefined) return { clock, ...sameFor(clock.error), latest: Number.POSITIVE_INFINITY };
  const found = newest - now;
  const isSame = clock.error > 0 && found <= clock.error + TOLERANCE_MS && clock.error - found <= MAX_DELAY_MS;
  const error = isSame ? clock.error : found > TOLERANCE_MS ? found : 0;
  return { clock: { found: [], error }, ...sameFor(error), latest: newest };
}

const sameFor = (error: number) => ({ error, errorAt: () => error });

function learnFromSending(
  clock: ClockState,
  { sentAt, times, now }: { readonly sentAt: number; readonly times: readonly number[]; readonly now: number },
): Corrected {
  const { sent = [] } = clock;
  // A message sent a second time says when it was first sent: that does not mean that a clock is behind.
  const place = sent.findIndex(([at]) => at === sentAt);
  const isKnown = place >= 0;
  const next = isKnown ? clock : withFound(clock, sentAt - now);
  const error = isKnown ? (sent[place] as Sent)[1] : next.error;
  const retimed = isKnown ? undefined : retimedBy(clock, next);
  const before =
    retimed === undefined ? sent : sent.map((one): Sent => (one[1] === clock.error ? [one[0], error] : one));
  const errorAt = errorsSince(before.at(isKnown ? place - sent.length - 1 : -1), [sentAt, error], times);
  const remembered = isKnown ? sent : [...before, [sentAt, error] as const].slice(-REMEMBERED);
  const corrected = { error, errorAt, latest: now + error + MAX_AHEAD_MS };
  return { ...corrected, clock: { ...next, sent: remembered }, ...(retimed === undefined ? {} : { retimed }) };
}

/** The first messages may all have taken a while: a later one that was quicker tells of them, too. */
function retimedBy(before: ClockState, { error, found }: ClockState): Retimed | undefined {
  const isOfAllFound = found.length > 1 && before.found.length < REMEMBERED;
  if (!isOfAllFound || error === before.error) return undefined;
  return { since: before.setAt ?? Number.MIN_SAFE_INTEGER, by: before.error - error };
}

/**
 * What has to be taken from each time of a message, if the clock was set after the message before it. A time is by the clock as it is now
 * if that puts it between the two messages, and else by the clock as it was, if that does. Messages take a while, so that neither moment
 * is known exactly; half of what the clock was set by leaves no doubt.
 */
function errorsSince(
  before: Sent | undefined,
  [sentAt, error]: Sent,
  times: readonly number[],
): (time: number) => number {
  if (before === undefined || Math.abs(before[1] - error) <= TOLERANCE_MS) return () => error;
  const [beforeAt, beforeError] = before;
  const doubt = Math.min(MAX_DELAY_MS, Math.abs(error - beforeError) / 2);
  const [from, until] = [beforeAt - beforeError - doubt, sentAt - error];
  const isNow = (time: number) => time - error >= from && time - error <= until;
  const wasBefore = (time: number) => time - beforeError >= from && time - beforeError <= until + doubt;
  // Anything else was sent late, and nothing says by which clock it was heard.
  if (!times.every((time) => isNow(time) || wasBefore(time))) return () => error;
  return (time) => (isNow(time) ? error : beforeError);
}

function withFound(clock: ClockState, found: number): ClockState {
  const best = Math.max(...clock.found);
  // The clock was set: earlier findings no longer apply.
  const wasSet = clock.found.length > 0 && Math.abs(best - found) > MAX_DELAY_MS;
  const kept = [...(wasSet ? [] : clock.found), found].slice(-REMEMBERED);
  const error = errorOf(kept);
  const [lastAt, lastError] = clock.sent?.at(-1) ?? [0, 0];
  const setAt = wasSet ? lastAt - lastError : clock.setAt;
  const moves = error === 0 || Math.abs(error - clock.error) > TOLERANCE_MS;
  return { found: kept, error: moves ? error : clock.error, ...(setAt === undefined ? {} : { setAt }) };
}

function errorOf(found: readonly number[]): number {
  const best = Math.max(...found);
  if (best > TOLERANCE_MS || best < -MAX_DELAY_MS) return best;
  return best < -TOLERANCE_MS && found.length >= FEWEST_FOUND ? best : 0;
}

/**
 * The newest time that is not a mistake: of the last spell of reports that has begun by now, or, where all lie in the
 * future, of the largest one.
 */
function newestPlausible(times: readonly number[], now: number): number | undefined {
  const clusters: number[][] = [];
  for (const time of [...times].sort((a, b) => a - b)) {
    const last = clusters.at(-1);
    if (last === undefined || time - (last.at(-1) ?? 0) > CLUSTER_GAP_MS) clusters.push([time]);
    else last.push(time);
  }
  const begun = clusters.filter(([first = 0]) => first <= now + TOLERANCE_MS).at(-1);
  return (begun ?? clusters.sort((a, b) => b.length - a.length)[0])?.at(-1);
}
