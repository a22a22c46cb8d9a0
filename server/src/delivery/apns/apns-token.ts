import { createPrivateKey, type KeyObject } from 'node:crypto';
import { signJwt } from '../provider/jwt.ts';
import type { ApnsSettings } from './apns-settings.ts';

const minute = 60_000;
/** Apple accepts a token for an hour and refuses a new one more than once in twenty minutes. */
const renewAfterMs = 50 * minute;
const keepAtLeastMs = 20 * minute;

/** The provider token: signed here, and the same for every push until it is renewed. */
export class ApnsToken {
  readonly #settings: ApnsSettings;
  readonly #key: KeyObject;
  readonly #now: () => number;
  #authorization = '';
  #issuedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: ApnsSettings, now: () => number) {
    this.#settings = settings;
    this.#key = createPrivateKey(settings.key);
    this.#now = now;
  }

  /** The `authorization` header's value. */
  get(): string {
    if (this.#now() - this.#issuedAt >= renewAfterMs) this.#issue();
    return this.#authorization;
  }

  /**
   * Apple has reported `authorization` as expired.
   *
   * @returns 0 when there is a new one, else the number of ms until there may be one
   */
  renew(authorization: string): number {
    if (authorization !== this.#authorization) return 0;
    const wait = keepAtLeastMs - (this.#now() - this.#issuedAt);
    if (wait > 0) return wait;
    this.#issue();
    return 0;
  }

  #issue(): void {
    const { keyId, teamId } = this.#settings;
    this.#issuedAt = this.#now();
    const claims = { iss: teamId, iat: Math.floor(this.#issuedAt / 1000) };
    this.#authorization = `bearer ${signJwt({ alg: 'ES256', kid: keyId }, claims, this.#key)}`;
  }
}
