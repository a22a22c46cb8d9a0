import { bitOfText, bytesIn, textOfBytes } from './bytes-text.ts';

/**
 * A Bloom filter: whether a chunk may hold a value. False positives are two in a hundred; there are no false negatives.
 */

const bitsForEach = 8;
const hashes = 5;

/** FNV-1a. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  return hash >>> 0;
}

function* bitsOf(value: string, size: number): Generator<number> {
  const [first, second] = [hashOf(value, 0x811c9dc5), hashOf(value, 0x9747b28c) | 1];
  for (let n = 0; n < hashes; n++) yield ((first + n * second) >>> 0) % size;
}

export function filterOf(values: ReadonlySet<string>): string {
  const bytes = new Uint8Array(Math.max(8, Math.ceil((values.size * bitsForEach) / 8)));
  for (const value of values)
    for (const bit of bitsOf(value, bytes.length * 8)) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
  return textOfBytes(bytes);
}

/** Whether any of the values may be there. */
export function mayHold(filter: string, values: readonly string[]): boolean {
  const size = bytesIn(filter) * 8;
  const isSet = (bit: number) => bitOfText(filter, bit);
  return values.some((value) => bitsOf(value, size).every(isSet));
}
