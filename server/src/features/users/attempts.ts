import { secretHash } from '../../access/access.ts';
import type { AppContext } from '../../access/context.ts';
import { clientNetwork, type RateLimiter, type RateRule } from '../../limits/rate-limit.ts';

/** Who tries, and for which account. */
export interface Attempt {
  readonly app: AppContext;
  readonly address: string;
  readonly emailKey: string;
  readonly now: number;
}

/** Guesses at one account from one address: 5 at once, then one in 12 s. In force whatever the app's own limit is. */
const guesses: RateRule = { perSecond: 1 / 12, burst: 5 };
/** Guesses from one address at any account. */
const guessesAnywhere: RateRule = { perSecond: 1, burst: 30 };
/** Accounts that one address makes; many visitors of a venue share one. */
const newAccounts: RateRule = { perSecond: 1, burst: 100 };
/** Mails to one account, so that nobody's mailbox is flooded. */
const resetMails: RateRule = { perSecond: 1 / 600, burst: 3 };
const resetMailsAnywhere: RateRule = { perSecond: 1 / 12, burst: 10 };

type Limits = readonly (readonly [key: string, rule: RateRule])[];

interface Counting {
  readonly limits: Limits;
  readonly now: number;
  /** Whether an attempt that ended so uses up what it took; otherwise that is given back. */
  readonly counts: (outcome: { readonly error?: unknown }) => boolean;
}

/**
 * Stricter limits than the app's own for what can be abused with the app key alone. Only what they are against counts:
 * wrong e-mails and passwords, accounts that come into being, and requests for mails. An app whose own limit is off
 * has none for a whole address either.
 */
export class AttemptLimits {
  readonly #limiter: RateLimiter;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /**
   * Runs a sign-in. It counts when `isWrong` says so of what it throws.
   *
   * @throws Failure APICallLimit
   */
  guess<T>(attempt: Attempt, work: () => Promise<T>, isWrong: (error: unknown) => boolean): Promise<T> {
    const { app } = attempt;
    const limits: Limits = [
      [`guess ${keyOf(attempt)}`, guesses],
      ...(app.policy.rateLimit.enabled ? ([[`guesses ${networkOf(attempt)}`, guessesAnywhere]] as const) : []),
    ];
    return this.#counted(
      { limits, now: attempt.now, counts: ({ error }) => error !== undefined && isWrong(error) },
      work,
    );
  }

  /** Runs a sign-up. It counts when an account comes into being. @throws Failure APICallLimit */
  async signUp<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
    if (!attempt.app.policy.rateLimit.enabled) return work();
    const limits: Limits = [[`new ${networkOf(attempt)}`, newAccounts]];
    return this.#counted({ limits, now: attempt.now, counts: ({ error }) => error === undefined }, work);
  }

  /** Counts a request for a mail, alike whether there is such an account or not. @throws Failure APICallLimit */
  requestMail(attempt: Attempt): void {
    this.#take(
      [
        [`mails ${networkOf(attempt)}`, resetMailsAnywhere],
        [`mail ${attempt.app.appId} ${secretHash(attempt.emailKey)}`, resetMails],
      ],
      attempt.now,
    );
  }

  /** Counts an attempt at the reset page. @throws Failure APICallLimit */
  openPage(address: string, now: number): void {
    this.#limiter.take(`page ${clientNetwork(address)}`, guessesAnywhere, now);
  }

  async #counted<T>({ limits, now, counts }: Counting, work: () => Promise<T>): Promise<T> {
    this.#take(limits, now);
    let outcome: { readonly error?: unknown } = {};
    try {
      return await work();
    } catch (error) {
      outcome = { error };
      throw error;
    } finally {
      if (!counts(outcome)) this.#giveBack(limits);
    }
  }

  #take(limits: Limits, now: number): void {
    limits.forEach(([key, rule], index) => {
      try {
        this.#limiter.take(key, rule, now);
      } catch (error) {
        this.#giveBack(limits.slice(0, index));
        throw error;
      }
    });
  }

  #giveBack(limits: Limits): void {
    for (const [key, rule] of limits) this.#limiter.giveBack(key, rule);
  }
}

const networkOf = ({ app, address }: Attempt) => `${app.appId} ${clientNetwork(address)}`;
// Hashed, so that no e-mail address stays in memory or is stored with what was counted.
const keyOf = (attempt: Attempt) => `${networkOf(attempt)} ${secretHash(attempt.emailKey)}`;
