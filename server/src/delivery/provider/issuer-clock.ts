import { BoundedMap } from '../../base/caches/bounded-map.ts';
import type { Clock } from '../../base/clock.ts';
import type { Issuer, NoteClock } from '../push/push-sender.ts';
import { answeredAt, type ProviderAnswer } from './provider-answer.ts';

/**
 * The time that is signed for one issuer: the service's own until the issuer refuses a signature that is not valid by its own clock, and
 * that clock from then on. So a wrong clock here, or one that had to go on with the time from before, stops no message.
 */
export class IssuerClock {
  readonly #now: Clock;
  readonly #issuer: Issuer;
  readonly #note: NoteClock | undefined;
  #ahead = 0;

  constructor(now: Clock, issuer: Issuer, note: NoteClock | undefined) {
    this.#now = now;
    this.#issuer = issuer;
    this.#note = note;
  }

  /** ms */
  now(): number {
    return this.#now() - this.#ahead;
  }

  /** What expires at a time of the service's (ms), with the issuer's time. */
  forIssuer<T extends { readonly expiresAt: number }>(sent: T): T {
    return this.#ahead === 0 ? sent : { ...sent, expiresAt: sent.expiresAt - this.#ahead };
  }

  /**
   * Whether an issuer that refused what was valid between two times (ms) did so because of its time, and takes over that time. Then it is
   * worth signing again.
   */
  refusedTime(answer: ProviderAnswer, valid: { readonly from: number; readonly until: number }): boolean {
    const date = answeredAt(answer);
    if (date === undefined || (date >= valid.from && date <= valid.until)) return false;
    this.#ahead = this.#now() - date;
    this.#note?.(this.#issuer, this.#ahead);
    return true;
  }
}

/** Smaller differences are the way of an answer and its whole seconds. */
const noticedMs = 10_000;
const maxIssuers = 50;

/** What issuers have said about the service's time, for its operator. */
export class IssuersTime {
  readonly #log: (text: string) => void;
  readonly #issuers = new BoundedMap<string, { readonly ahead: number; readonly isAnybody: boolean }>(maxIssuers);

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  readonly note: NoteClock = ({ name, isAnybody = false }, ahead) => {
    const before = this.#issuers.get(name)?.ahead ?? 0;
    this.#issuers.set(name, { ahead, isAnybody });
    if (Math.abs(ahead - before) < noticedMs) return;
    this.#log(differs(name, ahead) ?? `The time of the service and the clock of ${name} agree again.`);
  };

  /** The first that differs, of those that nobody else can be. */
  warning(): string | undefined {
    for (const [name, { ahead, isAnybody }] of this.#issuers) {
      const text = isAnybody ? undefined : differs(name, ahead);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

function differs(name: string, ahead: number): string | undefined {
  if (Math.abs(ahead) < noticedMs) return undefined;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return `The time of the service is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock of ${name}, which refused credentials because of it. They are signed with its time from now on. Set the clock right, and restart the service if it uses the embedded database.`;
}
