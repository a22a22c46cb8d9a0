import { type Cipheriv, createCipheriv } from 'node:crypto';
import type { Heard } from '@pharos/gateways';
import { BoundedMap } from '../../../base/caches/bounded-map.ts';

/** Finds the keys of an app's tags: 32 hexadecimal digits, the most significant first. */
export type FindIrks = (appId: string) => Promise<readonly string[]>;

/** `metadata.advertisedId` of an installation whose address changes; the engine writes it in lower case. */
const irkPrefix = 'irk:';

interface Irk {
  readonly id: string;
  readonly cipher: Cipheriv;
}

interface Known {
  readonly id: string | undefined;
  readonly at: number;
}

/** How long the keys of an app are cached, ms. */
const irksMs = 60_000;
/** Phones change their address about every 15 minutes (Core Specification, Vol 3, Part C, Appendix A, T_GAP private_addr_int). */
const knownMs = 15 * 60_000;
const maxAddresses = 20_000;
const maxApps = 200;
/** Keys that are tried for an app in a second, about 25 ms; other addresses are tried when they are heard again. */
const maxTried = 20_000;

/**
 * Finds out whose a resolvable private address is, by the identity resolving keys (IRK) of the app's tags. What is remembered of addresses is
 * bounded, and lost with the process: those that nobody's key resolves are strangers, of whom nothing is stored.
 */
export class AddressResolver {
  readonly #findIrks: FindIrks;
  readonly #now: () => number;
  readonly #irks = new BoundedMap<string, { readonly irks: readonly Irk[]; readonly at: number }>(maxApps);
  readonly #known = new BoundedMap<string, Known>(maxAddresses);
  #second = 0;
  readonly #tried = new Map<string, number>();

  constructor(findIrks: FindIrks, now: () => number) {
    this.#findIrks = findIrks;
    this.#now = now;
  }

  /** What was heard, with the tag's own identity where its key is known. */
  async resolve(appId: string, heard: readonly Heard[]): Promise<readonly Heard[]> {
    if (!heard.some(mayBeResolved)) return heard;
    const irks = await this.#irksOf(appId);
    if (irks.length === 0) return heard;
    return heard.map((one) => {
      const id = mayBeResolved(one) ? this.#idOf(appId, one.address, irks) : undefined;
      return id === undefined ? one : { ...one, identity: { kind: 'named', id } };
    });
  }

  async #irksOf(appId: string): Promise<readonly Irk[]> {
    const known = this.#irks.get(appId);
    if (known && Math.abs(this.#now() - known.at) < irksMs) return known.irks;
    const found = await this.#findIrks(appId);
    const irks = found.map((hex) => ({ id: `${irkPrefix}${hex}`, cipher: cipherOf(hex) }));
    this.#irks.set(appId, { irks, at: this.#now() });
    return irks;
  }

  #idOf(appId: string, address: string, irks: readonly Irk[]): string | undefined {
    const key = `${appId} ${address}`;
    const known = this.#known.get(key);
    if (known && Math.abs(this.#now() - known.at) < knownMs) return known.id;
    if (!this.#mayTry(appId, irks.length)) return known?.id;
    const id = irks.find(({ cipher }) => isOf(address, cipher))?.id;
    this.#known.set(key, { id, at: this.#now() });
    return id;
  }

  #mayTry(appId: string, keys: number): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) this.#tried.clear();
    this.#second = second;
    const tried = this.#tried.get(appId) ?? 0;
    this.#tried.set(appId, tried + keys);
    return tried < maxTried;
  }
}

/** Whether the address may be resolvable: many gateways do not say whether it is random. */
const mayBeResolved = (one: Heard): one is Heard & { readonly address: string } =>
  one.identity === undefined &&
  one.address !== undefined &&
  (one.addressKind === undefined || one.addressKind === 'resolvable') &&
  Number.parseInt(one.address.slice(0, 2), 16) >> 6 === 1;

function cipherOf(irk: string): Cipheriv {
  return createCipheriv('aes-128-ecb', Buffer.from(irk, 'hex'), null).setAutoPadding(false);
}

/** The hash in the lower half is ah(IRK, prand): the last 24 bits of AES-128 of prand (Core Specification, Vol 3, Part H, 2.2.2). */
function isOf(address: string, cipher: Cipheriv): boolean {
  const bytes = Buffer.from(address, 'hex');
  const block = Buffer.alloc(16);
  bytes.copy(block, 13, 0, 3);
  return cipher.update(block).subarray(13).equals(bytes.subarray(3));
}
