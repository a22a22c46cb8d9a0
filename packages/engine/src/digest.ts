import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 (FIPS 180-4) of a text in UTF-8, as eight words of 32 bits. Synchronous, unlike a browser's own. Not for secrets. */
export function digestOf(text: string): Uint32Array {
  const view = new DataView(sha256(utf8ToBytes(text)).buffer);
  return Uint32Array.from({ length: 8 }, (_, word) => view.getUint32(word * 4));
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The first characters of the same in base64url (RFC 4648, section 5); at most 42. */
export function base64Of(text: string, length: number): string {
  const words = digestOf(text);
  const bits = (from: number) => {
    const [word, offset] = [from >>> 5, from & 31];
    const high = (words[word] as number) << offset;
    return (offset <= 26 ? high : high | ((words[word + 1] as number) >>> (32 - offset))) >>> 26;
  };
  return Array.from({ length }, (_, place) => BASE64URL[bits(place * 6)]).join('');
}
