/** How far a gateway's clock is ahead, ms. */
export interface GatewayClock {
  readonly offset: number;
  /** What the last messages say instead, and since when (ms) they agree. */
  readonly lag?: { readonly found: number; readonly since: number };
}

export interface Sent {
  /** By the gateway's clock, ms. */
  readonly sentAt: number;
  /** When it arrived, ms. */
  readonly now: number;
}

/** A network's delays, and times in whole seconds, ms. */
const toleranceMs = 2_000;
/** What was kept comes faster than it was sent: a lag that stays the same for so long (ms) is the clock's. */
const sameMs = 15_000;
/** Nothing is kept for longer, ms. */
const maxLagMs = 86_400_000;

/** Whether the message is neither early nor too late for what is known of the clock. */
export function fits({ offset }: GatewayClock, { sentAt, now }: Sent): boolean {
  const ahead = sentAt - now - offset;
  return ahead <= toleranceMs && ahead >= -maxLagMs;
}

/** Whether the message was kept on its way. */
export const isLate = ({ offset }: GatewayClock, { sentAt, now }: Sent): boolean => sentAt - now < offset - toleranceMs;

/**
 * The clock after one more message. One that lags was kept on its way, and says nothing about the clock. The clock was set if a message is
 * early, if it lags by more than a day, or if messages lag by the same for 15 seconds.
 */
export function clockAfter(clock: GatewayClock | undefined, sent: Sent): GatewayClock {
  const found = sent.sentAt - sent.now;
  if (!clock || !fits(clock, sent)) return { offset: found };
  const { offset, lag } = clock;
  if (!isLate(clock, sent)) return { offset };
  if (!lag || Math.abs(found - lag.found) > toleranceMs) return { offset, lag: { found, since: sent.now } };
  return sent.now - lag.since < sameMs ? clock : { offset: found };
}
