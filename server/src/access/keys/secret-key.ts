import type { BlockList } from 'node:net';
import { isWithin } from './networks.ts';
import type { Scopes } from './scopes.ts';

/** Scanners of repositories find keys by it, and no key of an app has an underscore. */
export const secretKeyPrefix = 'phs_';

/** A key of a gateway, an integration or a server, which acts for the app itself. */
export interface SecretKey {
  readonly keyId: string;
  readonly keyHash: string;
  readonly name: string;
  readonly scopes: Scopes;
  /** Undefined: from everywhere. */
  readonly networks: BlockList | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  /** The administrator who has made it, by e-mail, or the command line. */
  readonly madeBy: string;
}

/** Why a correct key is refused. The caller gets the same answer as for a wrong key; the log gets this. */
export class RefusedKey {
  readonly keyId: string;
  readonly name: string;
  readonly why: 'it has expired' | 'it came from a network that it does not allow';

  constructor({ keyId, name }: SecretKey, why: RefusedKey['why']) {
    this.keyId = keyId;
    this.name = name;
    this.why = why;
  }
}

/** Undefined for a key that may be used now and from there. */
export function refusalOf(key: SecretKey, { address, now }: { address: string; now: number }): RefusedKey | undefined {
  if (key.expiresAt !== null && key.expiresAt <= now) return new RefusedKey(key, 'it has expired');
  if (key.networks && !isWithin(key.networks, address))
    return new RefusedKey(key, 'it came from a network that it does not allow');
  return undefined;
}
