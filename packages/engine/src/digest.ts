import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 (FIPS 180-4) of a text in UTF-8, as eight words of 32 bits. Synchronous, unlike a browser's own. Not for secrets. */
export function digestOf(text: string): Uint32Array {
  const view = new DataView(sha256(utf8ToBytes(text)).buffer);
  return Uint32Array.from({ length: 8 }, (_, word) => view.getUint32(word * 4));
}
