import { createPrivateKey, type KeyObject } from 'node:crypto';
import { BoundedMap } from '../../base/caches/bounded-map.ts';
import { IssuerClock } from '../provider/issuer-clock.ts';
import { signJwt } from '../provider/jwt.ts';
import type { ProviderAnswer } from '../provider/provider-answer.ts';
import type { NoteClock } from '../push/push-sender.ts';
import type { WebPushSettings } from './web-push-settings.ts';

const lifetimeMs = 12 * 3600_000;
const maxMs = 24 * 3600_000;
const renewBeforeMs = 3600_000;
const originsKept = 1000;

interface Kept {
  readonly clock: IssuerClock;
  readonly header: string;
  /** By the clock. */
  readonly expiresAt: number;
}

/**
 * The `authorization` header of a Web Push request (RFC 8292). A token names its push service, so there is one per
 * origin; signing one for each message would cost more than sending it. RFC 8292 allows 24 hours.
 */
export class Vapid {
  readonly #settings: WebPushSettings;
  readonly #key: KeyObject;
  readonly #now: () => number;
  readonly #noteClock: NoteClock | undefined;
  readonly #kept = new BoundedMap<string, Kept>(originsKept);

  constructor(settings: WebPushSettings, now: () => number, noteClock?: NoteClock) {
    this.#settings = settings;
    this.#key = vapidKey(settings);
    this.#now = now;
    this.#noteClock = noteClock;
  }

  authorization(origin: string): string {
    const kept = this.#kept.get(origin);
    if (kept && kept.expiresAt - kept.clock.now() > renewBeforeMs) return kept.header;
    const { host } = new URL(origin);
    return this.#issue(
      origin,
      kept?.clock ?? new IssuerClock(this.#now, { name: host, isAnybody: true }, this.#noteClock),
    );
  }

  /** Another one, if a push service refused this one because of its time. */
  renewed(origin: string, header: string, answer: ProviderAnswer): string | undefined {
    if (answer.status !== 401 && answer.status !== 403) return undefined;
    const kept = this.#kept.get(origin);
    if (kept === undefined || kept.header !== header) return kept?.header;
    const { clock, expiresAt } = kept;
    return clock.refusedTime(answer, { from: expiresAt - maxMs, until: expiresAt })
      ? this.#issue(origin, clock)
      : undefined;
  }

  #issue(origin: string, clock: IssuerClock): string {
    const { publicKey, subject } = this.#settings;
    const expiresAt = clock.now() + lifetimeMs;
    const claims = { aud: origin, exp: Math.floor(expiresAt / 1000), sub: subject };
    const header = `vapid t=${signJwt({ typ: 'JWT', alg: 'ES256' }, claims, this.#key)}, k=${publicKey}`;
    this.#kept.delete(origin);
    this.#kept.set(origin, { clock, header, expiresAt });
    return header;
  }
}

export function vapidKey({ publicKey, privateKey }: WebPushSettings): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: privateKey,
    },
  });
}
