import { createPrivateKey, type KeyObject } from 'node:crypto';
import { BoundedMap } from '../../base/caches/bounded-map.ts';
import { signJwt } from '../provider/jwt.ts';
import type { WebPushSettings } from './web-push-settings.ts';

const lifetimeMs = 12 * 3600_000;
const renewBeforeMs = 3600_000;
const originsKept = 1000;

/**
 * The `authorization` header of a Web Push request (RFC 8292). A token names its push service, so there is one per
 * origin; signing one for each message would cost more than sending it. RFC 8292 allows 24 hours.
 */
export class Vapid {
  readonly #settings: WebPushSettings;
  readonly #key: KeyObject;
  readonly #now: () => number;
  readonly #kept = new BoundedMap<string, { readonly header: string; readonly expiresAt: number }>(originsKept);

  constructor(settings: WebPushSettings, now: () => number) {
    this.#settings = settings;
    this.#key = vapidKey(settings);
    this.#now = now;
  }

  authorization(origin: string): string {
    const now = this.#now();
    const kept = this.#kept.get(origin);
    if (kept && kept.expiresAt - now > renewBeforeMs) return kept.header;
    const { publicKey, subject } = this.#settings;
    const expiresAt = now + lifetimeMs;
    const claims = { aud: origin, exp: Math.floor(expiresAt / 1000), sub: subject };
    const header = `vapid t=${signJwt({ typ: 'JWT', alg: 'ES256' }, claims, this.#key)}, k=${publicKey}`;
    this.#kept.delete(origin);
    this.#kept.set(origin, { header, expiresAt });
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
