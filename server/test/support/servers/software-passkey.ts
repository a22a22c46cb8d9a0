import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The bits of an authenticator's answer: somebody was there, and was verified; a credential follows. */
const flag = { present: 0x01, verified: 0x04, mayBeCopied: 0x08, credential: 0x40 } as const;

export interface PasskeyBehaviour {
  /** Whether it asked for a PIN, a finger or a face. */
  readonly verifies?: boolean;
  /** What the page says its address is. */
  readonly origin?: string;
  /** Whether a password manager may copy it; then it does not count its signatures. */
  readonly isSynced?: boolean;
}

interface Asked {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id?: string };
}

/** An authenticator in software, which answers as a browser with a security key does. */
export class SoftwarePasskey {
  readonly id = randomBytes(32).toString('base64url');
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly #origin: string;
  /** Signatures so far. */
  count = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  /** Answers `navigator.credentials.create`. */
  register({ challenge, rp }: Asked, behaviour: PasskeyBehaviour = {}) {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const id = Buffer.from(this.id, 'base64url');
    const key = cbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
    const authData = Buffer.concat([this.#data(rp?.id ?? '', flag.credential, behaviour), credential]);
    const attestation = new Map<string, CborValue>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', challenge, behaviour).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['usb', 'made up'],
    });
  }

  /** Answers `navigator.credentials.get`. */
  sign({ challenge, rpId }: Asked, behaviour: PasskeyBehaviour = {}) {
    if (!behaviour.isSynced) this.count++;
    const clientData = this.#clientData('webauthn.get', challenge, behaviour);
    const authenticatorData = this.#data(rpId ?? '', 0, behaviour);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    });
  }

  #answer<T>(response: T) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: PasskeyBehaviour): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #data(rpId: string, more: number, { verifies = true, isSynced = false }: PasskeyBehaviour): Buffer {
    const flags = flag.present | (verifies ? flag.verified : 0) | (isSynced ? flag.mayBeCopied : 0) | more;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.count);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count]);
  }
}

type CborValue = number | string | Buffer | ReadonlyMap<number | string, CborValue>;

/** As much of RFC 8949 as an authenticator needs. */
function cbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap((pair) => pair.map(cbor))]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
