import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface TestCertificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

/** DER (X.690): tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (date: Date) => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));

/** subjectAltName: dNSName and iPAddress. */
function alternativeNames(): Buffer {
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1)));
  return der(0xa3, sequence(sequence(oid('551d11'), der(0x04, names))));
}

/** A self-signed certificate for `localhost` (RFC 5280), valid from yesterday for ten years. */
export function selfSignedCertificate(): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const day = 24 * 3600_000;
  const serial = randomBytes(8);
  serial.writeUInt8((serial.readUInt8() & 0x7f) | 0x01);
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    ecdsaWithSha256,
    commonName('localhost'),
    sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + 3650 * day))),
    commonName('localhost'),
    publicKey.export({ format: 'der', type: 'spki' }),
    alternativeNames(),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ecdsaWithSha256, der(0x03, Buffer.of(0), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
