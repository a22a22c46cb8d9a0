/**
 * Bytes as a text, since rows hold no bytes: seven bits per character, where base64 has six. A zero, which PostgreSQL does not accept, is
 * written as U+0080.
 */

const zero = 0x80;

export function textOfBytes(bytes: Uint8Array): string {
  const characters = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 7));
  let [held, bits, place] = [0, 0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0x3fff;
    bits += 8;
    while (bits >= 7) {
      bits -= 7;
      characters[place++] = (held >> bits) & 0x7f || zero;
    }
  }
  if (bits > 0) characters[place] = (held << (7 - bits)) & 0x7f || zero;
  return characters.toString('latin1');
}

export function bytesOfText(text: string): Buffer {
  const characters = Buffer.from(text, 'latin1');
  const bytes = Buffer.allocUnsafe(bytesIn(text));
  const bitsAt = (place: number) => (characters[place] ?? 0) & 0x7f;
  // Eight characters are seven bytes.
  const groups = Math.floor(characters.length / 8);
  for (let group = 0; group < groups; group++) {
    const [from, to] = [group * 8, group * 7];
    const high = (bitsAt(from) << 21) | (bitsAt(from + 1) << 14) | (bitsAt(from + 2) << 7) | bitsAt(from + 3);
    const low = (bitsAt(from + 4) << 21) | (bitsAt(from + 5) << 14) | (bitsAt(from + 6) << 7) | bitsAt(from + 7);
    bytes[to] = high >> 20;
    bytes[to + 1] = high >> 12;
    bytes[to + 2] = high >> 4;
    bytes[to + 3] = (high << 4) | (low >> 24);
    bytes[to + 4] = low >> 16;
    bytes[to + 5] = low >> 8;
    bytes[to + 6] = low;
  }
  let [held, bits, place] = [0, 0, groups * 7];
  for (let from = groups * 8; from < characters.length; from++) {
    held = ((held << 7) | bitsAt(from)) & 0x7fff;
    bits += 7;
    if (bits < 8) continue;
    bits -= 8;
    bytes[place++] = held >> bits;
  }
  return bytes;
}

/** Some of the bytes of a text: others are not looked at. */
export function someBytesOfText(text: string, start: number, end: number): Buffer {
  // Eight characters are seven bytes.
  const group = Math.floor(start / 7);
  const bytes = bytesOfText(text.slice(group * 8, Math.ceil((end * 8) / 7)));
  return bytes.subarray(start - group * 7, end - group * 7);
}

/** How many bytes a text is. */
export const bytesIn = (text: string): number => Math.floor((text.length * 7) / 8);

/** Of the bytes of a text one bit: the lowest of the first byte is 0. */
export function bitOfText(text: string, bit: number): boolean {
  // The highest bit of a byte comes first.
  const place = (bit & ~7) + 7 - (bit & 7);
  return ((text.charCodeAt(Math.floor(place / 7)) >> (6 - (place % 7))) & 1) === 1;
}
