import { secretHash } from '../../access/access.ts';
import type { AppContext } from '../../access/context.ts';
import { clientNetwork, type RateLimiter, type RateRule } from '../../limits/rate-limit.ts';

/** The origin of an attempt, and its account. */
export interface SignInAttempt {
  readonly app: AppContext;
  readonly address: string;
  readonly emailKey: string;
  readonly now: number;
}

/** Guesses at one account from one address: 5 at once, then one in 12 s. Applies whatever the app's own limit is. */
const guesses: RateRule = { perSecond: 1 / 12, burst: 5 };
/** Guesses from one address at any account. */
const guessesAnywhere: RateRule = { perSecond: 1, burst: 30 };
/** Accounts created from one address; many visitors of a venue share one. */
const newAccounts: RateRule = { perSecond: 1, burst: 100 };
/** Mails to one account, so that nobody's mailbox is flooded. */
const resetMails: RateRule = { perSecond: 1 / 600, burst: 3 };
const resetMailsAnywhere: RateRule = { perSecond: 1 / 12, burst: 10 };

type Limits = readonly (readonly [key: string, rule: RateRule])[];

interface Counting {
  readonly limits: Limits;
  readonly now: number;
  /** Whether an attempt with this result uses up its token; otherwise the token is given back. */
  readonly counts: (outcome: { readonly error?: unknown }) => boolean;
}

/**
 * Limits stricter than the app's own for what can be abused with just the app key. Only the abuse counts: wrong e-mail
 * addresses and passwords, new accounts, and requests for mails. If the app's own limit is off, there is none for a
 * whole address either.
 */
export class AttemptLimits {
  readonly #limiter: RateLimiter;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /**
   * Runs a sign-in. It counts if `isWrong` is true for its error.
   *
   * @throws Failure APICallLimit
   */
  guess<T>(attempt: SignInAttempt, work: () => Promise<T>, isWrong: (error: unknown) => boolean): Promise<T> {
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

  /** Runs a sign-up. It counts if an account is created. @throws Failure APICallLimit */
  async signUp<T>(attempt: SignInAttempt, work: () => Promise<T>): Promise<T> {
    if (!attempt.app.policy.rateLimit.enabled) return work();
    const limits: Limits = [[`new ${networkOf(attempt)}`, newAccounts]];
    return this.#counted({ limits, now: attempt.now, counts: ({ error }) => error === undefined }, work);
  }

  /** Counts a request for a mail, whether or not the account exists. @throws Failure APICallLimit */
  requestMail(attempt: SignInAttempt): void {
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

const networkOf = ({ app, address }: SignInAttempt) => `${app.appId} ${clientNetwork(address)}`;
// Hashed, so that no e-mail address stays in memory or is stored with the counts.
const keyOf = (attempt: SignInAttempt) => `${networkOf(attempt)} ${secretHash(attempt.emailKey)}`;
