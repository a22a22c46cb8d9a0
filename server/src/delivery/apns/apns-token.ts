import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { IssuerClock } from '../provider/issuer-clock.ts';
import { signJwt } from '../provider/jwt.ts';
import type { ProviderAnswer } from '../provider/provider-answer.ts';
import { apnsReason } from './apns-answer.ts';
import type { ApnsSettings } from './apns-settings.ts';

const minute = 60_000;
/** Apple accepts a token for an hour and refuses a new one more than once in twenty minutes. */
const acceptedMs = 60 * minute;
const renewAfterMs = 50 * minute;
const keepAtLeastMs = 20 * minute;

/** The provider token: signed here, and the same for every push until it is renewed. */
export class ApnsToken {
  readonly #settings: ApnsSettings;
  readonly #key: KeyObject;
  readonly #clock: IssuerClock;
  #authorization = '';
  #issuedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: ApnsSettings, clock: IssuerClock) {
    this.#settings = settings;
    this.#key = createPrivateKey(settings.key);
    this.#clock = clock;
  }

  /** The `authorization` header's value. */
  get(): string {
    if (this.#clock.now() - this.#issuedAt >= renewAfterMs) this.#issue();
    return this.#authorization;
  }

  /**
   * Apple has refused `authorization`.
   *
   * @returns 0 when there is a new one, the number of ms until there may be one, or undefined if a new one would not help
   */
  renew(authorization: string, answer: ProviderAnswer): number | undefined {
    const told = apnsReason(answer);
    if (told !== 'ExpiredProviderToken' && told !== 'InvalidProviderToken') return undefined;
    if (authorization !== this.#authorization) return 0;
    const from = Math.floor(this.#issuedAt / 1000) * 1000;
    if (!this.#clock.refusedTime(answer, { from, until: from + acceptedMs })) {
      if (told === 'InvalidProviderToken') return undefined;
      const wait = keepAtLeastMs - (this.#clock.now() - this.#issuedAt);
      if (wait > 0) return wait;
    }
    this.#issue();
    return 0;
  }

  #issue(): void {
    const { keyId, teamId } = this.#settings;
    this.#issuedAt = this.#clock.now();
    const claims = { iss: teamId, iat: Math.floor(this.#issuedAt / 1000) };
    this.#authorization = `bearer ${signJwt({ alg: 'ES256', kid: keyId }, claims, this.#key)}`;
  }
}
