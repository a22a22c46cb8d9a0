import { secretHash } from '../access/access.ts';
import type { AppContext } from '../access/context.ts';
import { Failure } from '../base/errors.ts';
import { clientNetwork, type RateLimiter, type RateRule } from '../limits/rate-limit.ts';

export interface Attempt {
  readonly app: AppContext;
  readonly address: string;
  readonly now: number;
}

/** And its account. */
export interface SignInAttempt extends Attempt {
  readonly emailKey: string;
}

export const isWrongLogin = (error: unknown) =>
  error instanceof Failure && error.entry.name === 'UserInvalidLoginParams';

/** Guesses at one account from one address: 5 at once, then one in 12 s. Applies whatever the app's own limit is. */
const guesses: RateRule = { perSecond: 1 / 12, burst: 5 };
/** Guesses from one address at any account. */
const guessesAnywhere: RateRule = { perSecond: 1, burst: 30 };
/** Accounts created from one address; many visitors of a venue share one. */
const newAccounts: RateRule = { perSecond: 1, burst: 100 };
/** Mails to one account, so that nobody's mailbox is flooded. */
const resetMails: RateRule = { perSecond: 1 / 600, burst: 3 };
/** Notices of changes: somebody who makes this many has been noticed. */
const notices: RateRule = { perSecond: 1 / 600, burst: 10 };
/** Challenges for passkeys: many visitors of a venue share an address. */
const challenges: RateRule = { perSecond: 2, burst: 200 };
const resetMailsAnywhere: RateRule = { perSecond: 1 / 12, burst: 10 };

type Limits = readonly (readonly [key: string, rule: RateRule])[];

interface Outcome<T> {
  readonly value?: T;
  readonly error?: unknown;
}

interface Counting<T> {
  readonly limits: Limits;
  readonly now: number;
  /** Whether an attempt with this result uses up its token; otherwise the token is given back. */
  readonly counts: (outcome: Outcome<T>) => boolean;
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

  /** Runs a sign-in with a proof that cannot be guessed: only the cost of checking wrong ones is limited. */
  present<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
    if (!attempt.app.policy.rateLimit.enabled) return work();
    const limits: Limits = [[`guesses ${networkOf(attempt)}`, guessesAnywhere]];
    return this.#counted({ limits, now: attempt.now, counts: ({ error }) => isWrongLogin(error) }, work);
  }

  /** Runs a sign-up. It counts if an account is created. @throws Failure APICallLimit */
  async signUp<T>(attempt: Attempt, work: () => Promise<T>, isNew: (value: T) => boolean = () => true): Promise<T> {
    if (!attempt.app.policy.rateLimit.enabled) return work();
    const limits: Limits = [[`new ${networkOf(attempt)}`, newAccounts]];
    const counts = ({ value, error }: Outcome<T>) => error === undefined && value !== undefined && isNew(value);
    return this.#counted({ limits, now: attempt.now, counts }, work);
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

  /** Counts a notice to the address of an account. False if there were too many of them. */
  mayTell({ app, emailKey, now }: SignInAttempt): boolean {
    return this.#limiter.tryTake(`notice ${app.appId} ${secretHash(emailKey)}`, notices, now) === undefined;
  }

  /** Counts a question that is stored until it is answered. @throws Failure APICallLimit */
  askPasskey(attempt: Attempt): void {
    if (attempt.app.policy.rateLimit.enabled) this.#take([[`ask ${networkOf(attempt)}`, challenges]], attempt.now);
  }

  /** Counts an attempt at the reset page. @throws Failure APICallLimit */
  openPage(address: string, now: number): void {
    this.#limiter.take(`page ${clientNetwork(address)}`, guessesAnywhere, now);
  }

  async #counted<T>({ limits, now, counts }: Counting<T>, work: () => Promise<T>): Promise<T> {
    this.#take(limits, now);
    let outcome: Outcome<T> = {};
    try {
      const value = await work();
      outcome = { value };
      return value;
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
// Hashed, so that no e-mail address stays in memory or is stored with the counts.
const keyOf = (attempt: SignInAttempt) => `${networkOf(attempt)} ${secretHash(attempt.emailKey)}`;
