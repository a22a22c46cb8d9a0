/** A text and the encoding that its bytes had, as people call it. */
export interface Decoded {
  readonly text: string;
  readonly encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252 (ANSI)';
}

/** How many bytes are looked at to tell UTF-16 without a mark by its zeros. */
const looked = 2_000;

/**
 * The text of a file from a spreadsheet: UTF-8 or UTF-16 with or without a byte-order mark, else Windows-1252, which
 * spreadsheets call ANSI.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  const wide = wideLabel(bytes);
  if (wide) return { text: new TextDecoder(wide).decode(bytes), encoding: 'UTF-16' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252 (ANSI)' };
  }
}

function wideLabel(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const head = bytes.subarray(0, looked);
  const zeros = (parity: number) => head.filter((byte, index) => byte === 0 && index % 2 === parity).length;
  // Of western text, every second byte is zero; UTF-8 and ANSI have none.
  if (zeros(1) > head.length / 4) return 'utf-16le';
  return zeros(0) > head.length / 4 ? 'utf-16be' : undefined;
}
