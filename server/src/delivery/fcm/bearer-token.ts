import type { SendResult } from '../push/push-sender.ts';

export interface IssuedToken {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Refused or unreachable: the result of every message that needs the token. */
export type TokenRefusal = { readonly result: SendResult; readonly status?: number };

const refreshBeforeMs = 5 * 60_000;
const refusalKeptMs = 10_000;

/**
 * A token that another party issues. It is requested once however many callers wait for it, renewed before it expires
 * while the old one still serves, and not requested again for ten seconds after a refusal.
 */
export class BearerToken {
  readonly #issue: () => Promise<IssuedToken | TokenRefusal>;
  readonly #now: () => number;
  #current: IssuedToken | undefined;
  #refusal: { readonly at: number; readonly refusal: TokenRefusal } | undefined;
  #asking: Promise<IssuedToken | TokenRefusal> | undefined;

  constructor(issue: () => Promise<IssuedToken | TokenRefusal>, now: () => number) {
    this.#issue = issue;
    this.#now = now;
  }

  /** Returns an available value directly: a promise for each message would cost more than the message. */
  get(): IssuedToken | Promise<IssuedToken | TokenRefusal> {
    const now = this.#now();
    const current = this.#current;
    if (current && current.expiresAt > now) {
      if (current.expiresAt - now < refreshBeforeMs && !this.#refused(now)) void this.#ask();
      return current;
    }
    const refused = this.#refused(now);
    return refused ? Promise.resolve(refused) : this.#ask();
  }

  /** The provider no longer accepts this token. A newer one stays. */
  discard(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  #refused(now: number): TokenRefusal | undefined {
    return this.#refusal && now - this.#refusal.at < refusalKeptMs ? this.#refusal.refusal : undefined;
  }

  #ask(): Promise<IssuedToken | TokenRefusal> {
    this.#asking ??= this.#issue()
      .then((answer) => {
        if ('token' in answer) {
          this.#current = answer;
          this.#refusal = undefined;
        } else this.#refusal = { at: this.#now(), refusal: answer };
        return answer;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}
