import { setTimeout as delay } from 'node:timers/promises';
import type { PushSenderKind } from './push-sender.ts';

/**
 * Messages a second that one app may send through a provider. FCM allows 600,000 a minute for a project; the others
 * publish no figure and answer 429 when it is too much.
 */
export const messagesPerSecond: Readonly<Record<PushSenderKind, number>> = Object.freeze({
  fcm: 9_000,
  apns: 20_000,
  webpush: 10_000,
  mqtt: 20_000,
});

/**
 * How fast messages go to one provider for one app: a token bucket (the generic cell rate algorithm), additive increase
 * and multiplicative decrease on 429, and a pause with full jitter while the provider cannot be reached.
 */
export interface Pace {
  /**
   * Waits for the message's turn. Returns 0 to go, or the time (epoch ms) before which it makes no sense to try: a
   * message should not hold a slot for that long.
   */
  admit(signal: AbortSignal): Promise<number>;
  succeeded(): void;
  /**
   * The provider accepts no more right now and asked for a pause of `afterMs`. Returns when to come back (epoch ms).
   */
  pushedBack(afterMs: number | undefined): number;
  /** Messages a second right now. */
  rate(): number;
}

export interface PaceOptions {
  /** The most messages a second. */
  readonly perSecond: number;
  readonly now: () => number;
  /** 0 to 1. */
  readonly random?: () => number;
}

/** A message does not wait longer than this inside the sending process. */
const patienceMs = 2_000;
/** The burst that is allowed after a rest, as time at the full rate. */
const burstMs = 200;
const slowest = 1;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
/** The part of the full rate that a second of success gives back. */
const recoveryPerSecond = 0.05;

export function createPace({ perSecond, now, random = Math.random }: PaceOptions): Pace {
  let rate = perSecond;
  /** When the bucket will be empty: each message moves it on by 1/rate. */
  let spentUntil = 0;
  let pausedUntil = 0;
  let refusals = 0;

  return {
    async admit(signal) {
      const at = now();
      if (pausedUntil > at) return pausedUntil;
      const wait = Math.max(spentUntil, at) - burstMs - at;
      if (wait > patienceMs) return at + wait;
      spentUntil = Math.max(spentUntil, at) + 1_000 / rate;
      // Timers are no finer than a millisecond; a burst evens that out.
      if (wait >= 1) await delay(wait, undefined, { signal }).catch(() => undefined);
      return pausedUntil > now() ? pausedUntil : 0;
    },
    succeeded() {
      refusals = 0;
      if (rate < perSecond) rate = Math.min(perSecond, rate + (recoveryPerSecond * perSecond) / rate);
    },
    pushedBack(afterMs) {
      const at = now();
      // Messages in progress together are refused together and count once; those released after the pause count again.
      if (at >= pausedUntil) {
        refusals++;
        rate = Math.max(slowest, rate / 2);
        const bound = Math.min(maxPauseMs, firstPauseMs * 2 ** (refusals - 1));
        pausedUntil = at + Math.max(1, Math.ceil(random() * bound));
      }
      if (afterMs !== undefined) pausedUntil = Math.max(pausedUntil, at + afterMs);
      return pausedUntil;
    },
    rate: () => rate,
  };
}
