import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { BoundedMap } from '../../base/caches/bounded-map.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idForm = /^[0-9A-Za-z]{20}$/;
const nameForm = /^[0-9a-f]{32}$/;
const idBytes = 15;
const maxKnown = 2_000;

/**
 * The pseudonyms of one day. An objectId fits into one block of AES (20 digits of base62 are 120 bits), so that a pseudonym is
 * that block under the secret of the day: two phones never share one, and without the secret nothing links it to another day's.
 */
export class DayNames {
  readonly #key: Buffer;
  readonly #idKey: Buffer;
  readonly #known = new BoundedMap<string, string>(maxKnown);

  /** @param secret 32 random bytes, base64url */
  constructor(secret: string) {
    const derived = (purpose: string) =>
      createHmac('sha256', Buffer.from(secret, 'base64url')).update(purpose).digest();
    this.#key = derived('names');
    this.#idKey = derived('ids');
  }

  /** 32 hexadecimal digits for an installation's objectId. */
  of(installationId: string): string {
    let name = this.#known.get(installationId);
    if (name === undefined) {
      name = this.#encrypt(installationId);
      this.#known.set(installationId, name);
    }
    return name;
  }

  /** The objectId that has this pseudonym; undefined for what is not a pseudonym of this day. */
  installationOf(name: string): string | undefined {
    if (!nameForm.test(name)) return undefined;
    const cipher = createDecipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    const block = Buffer.concat([cipher.update(Buffer.from(name, 'hex')), cipher.final()]);
    return block[idBytes] === 0 ? textOf(block.subarray(0, idBytes)) : undefined;
  }

  /** Replaces the installation's own id in the derivation of visit and message ids, since others may know that id and try it. */
  seedOf(installationId: string): string {
    return createHmac('sha256', this.#idKey).update(installationId).digest('base64url');
  }

  #encrypt(installationId: string): string {
    const bytes = bytesOf(installationId);
    // An id of another form cannot be told from its pseudonym again.
    if (!bytes) return createHmac('sha256', this.#key).update(installationId).digest('hex').slice(0, 32);
    const cipher = createCipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(Buffer.concat([bytes, Buffer.alloc(1)])), cipher.final()]).toString('hex');
  }
}

function bytesOf(id: string): Buffer | undefined {
  if (!idForm.test(id)) return undefined;
  let number = 0n;
  for (const digit of id) number = number * 62n + BigInt(alphabet.indexOf(digit));
  return Buffer.from(number.toString(16).padStart(2 * idBytes, '0'), 'hex');
}

function textOf(bytes: Buffer): string | undefined {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let place = 0; place < 20; place++) {
    text = alphabet[Number(number % 62n)] + text;
    number /= 62n;
  }
  return number === 0n ? text : undefined;
}
