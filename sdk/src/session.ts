import type { Call, RenewableSession } from './call.ts';
import { PharosError } from './error.ts';
import { safely } from './report.ts';

/** The tokens of a signed-in user; undefined after signing out. */
export interface Tokens {
  readonly token: string | undefined;
  /** Without one the access token is long-lived. */
  readonly refreshToken: string | undefined;
  /** When the access token expires, epoch milliseconds. */
  readonly tokenExpiresAt: number | undefined;
}

/** What signing in and renewing answer. */
interface Issued {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly refreshToken?: string;
}

/** A request takes a while, and clocks differ. */
const earlyMs = 30_000;

/** The tokens of a client. An access token that comes with a refresh token is renewed shortly before it expires. */
export class Session implements RenewableSession {
  token: string | undefined;
  refreshToken: string | undefined;
  #expiresAt: number | undefined;
  readonly #onTokens: ((tokens: Tokens) => void) | undefined;
  #renewing: Promise<boolean> | undefined;
  /** Set once there is something to call with. */
  call: Call | undefined;

  constructor(
    { token, refreshToken, tokenExpiresAt }: Partial<Tokens>,
    onTokens: ((tokens: Tokens) => void) | undefined,
  ) {
    this.token = token;
    this.refreshToken = refreshToken;
    this.#expiresAt = tokenExpiresAt;
    this.#onTokens = onTokens;
  }

  get isDue(): boolean {
    if (this.refreshToken === undefined) return false;
    return this.token === undefined || Date.now() >= (this.#expiresAt ?? 0) - earlyMs;
  }

  keep({ accessToken, expiresIn, refreshToken }: Issued): void {
    this.#set({ token: accessToken, refreshToken, tokenExpiresAt: Date.now() + expiresIn * 1000 });
  }

  forget(): void {
    this.#set({ token: undefined, refreshToken: undefined, tokenExpiresAt: undefined });
  }

  #set(tokens: Tokens): void {
    this.token = tokens.token;
    this.refreshToken = tokens.refreshToken;
    this.#expiresAt = tokens.tokenExpiresAt;
    safely(() => this.#onTokens?.(tokens));
  }

  renew(refused: string | undefined): Promise<boolean> {
    if (this.token !== refused) return Promise.resolve(this.token !== undefined);
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<boolean> {
    const { refreshToken, call } = this;
    if (refreshToken === undefined || !call) return false;
    try {
      const answer = await call('refreshToken', { body: { refreshToken } });
      // Signed out, or in as somebody else, in the meantime.
      if (this.refreshToken === refreshToken) this.keep(answer);
    } catch (error) {
      if (!(error instanceof PharosError) || error.name !== 'InvalidSessionToken') throw error;
      if (this.refreshToken === refreshToken) this.forget();
    }
    return this.token !== undefined;
  }
}
