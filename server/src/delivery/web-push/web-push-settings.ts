import { createECDH, generateKeyPairSync } from 'node:crypto';
import { Entered } from '../push/entered.ts';

/** The VAPID key pair as web apps know it: base64url, the public key as the uncompressed point. */
export interface WebPushSettings {
  readonly publicKey: string;
  readonly privateKey: string;
  /** The contact for a push service: a `mailto:` or https address. */
  readonly subject: string;
}

const howTo = 'generate a pair here, or paste the one that the web app already uses';

/** @throws Failure ValidationError */
export function readWebPushSettings(given: unknown): WebPushSettings {
  const entered = new Entered(given);
  const publicKey = readKey(entered, 'publicKey', 65);
  const privateKey = readKey(entered, 'privateKey', 32);
  const subject = entered.text(
    'subject',
    /^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]+\S*)$/i,
    'must be where push services can reach you: mailto:you@example.org or an https address',
  );
  if (publicKey && privateKey && publicOf(privateKey) !== publicKey) {
    entered.problem('privateKey', `does not belong to publicKey; ${howTo}`);
  }
  entered.check('The Web Push keys cannot be used; see details.');
  return { publicKey, privateKey, subject };
}

/** Also accepts plain base64 and padding; returns base64url. */
function readKey(entered: Entered, name: string, bytes: number): string {
  const text = entered.text(
    name,
    /^[A-Za-z0-9_+/-]+=*$/,
    `must be a P-256 key of ${bytes} bytes in base64url; ${howTo}`,
  );
  const key = Buffer.from(text, 'base64url');
  if (text !== '' && key.length !== bytes) {
    entered.problem(name, `must be a P-256 key of ${bytes} bytes in base64url, but has ${key.length} bytes; ${howTo}`);
    return '';
  }
  return key.toString('base64url');
}

function publicOf(privateKey: string): string | undefined {
  try {
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(privateKey, 'base64url');
    return ecdh.getPublicKey('base64url');
  } catch {
    return undefined;
  }
}

export function generateVapidKeys(): { publicKey: string; privateKey: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: d };
}
