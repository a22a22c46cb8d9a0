import { zstdDecompressSync } from 'node:zlib';
import { timeOfId } from '@pharos/engine';
import { firstIdAt } from '../../base/id.ts';
import type { SqlValue } from '../../base/sql.ts';

/** Reads a chunk: rows of one app and table as a text, column by column, each compressed by itself. */

type Coding =
  | { readonly as: 'same'; readonly value: SqlValue }
  /** The distinct texts, and then for each row which of them. */
  | { readonly as: 'ids' | 'texts'; readonly different: number; readonly textBytes: number }
  /** Whole numbers; of a time its distance from that of the row's id. */
  | { readonly as: 'distances' }
  | { readonly as: 'digits'; readonly factor: number }
  | { readonly as: 'fractions' };

interface Head {
  readonly format?: number;
  readonly rows: number;
  /** Columns that are not stored, and of which others they are joined; the first format does not say. */
  readonly joined?: Readonly<Record<string, readonly string[]>>;
  /** In the order of their bytes. */
  readonly columns: Readonly<
    Record<string, { readonly coding: Coding; readonly size: number; readonly isCompressed: boolean }>
  >;
}

const newestFormat = 2;

/** The cells of each column but `app_id`, in the order of the rows. @throws Error for a chunk of an unknown format */
export function readChunk(content: string): ReadonlyMap<string, readonly SqlValue[]> {
  const bytes = bytesOfText(content);
  let place = 4 + bytes.readUInt32LE();
  const head = JSON.parse(zstdDecompressSync(bytes.subarray(4, place)).toString()) as Head;
  if ((head.format ?? 1) > newestFormat)
    throw new Error(`Old records are packed in an unknown format, ${head.format}.`);
  const coded = Object.entries(head.columns).map(([name, { coding, size, isCompressed }]) => {
    const part = bytes.subarray(place, place + size);
    place += size;
    return { name, coding, bytes: isCompressed ? zstdDecompressSync(part) : part };
  });
  const columns = new Map<string, readonly SqlValue[]>();
  const isTime = ({ name }: { readonly name: string }) => name.endsWith('_at');
  for (const one of coded.filter((one) => !isTime(one))) columns.set(one.name, decode(one, head.rows));
  const ofVerdicts = { object_id: ['event_id', 'trigger_id'] };
  for (const [name, parts] of Object.entries(head.joined ?? (columns.has('object_id') ? {} : ofVerdicts))) {
    const cells = parts.map((part) => columns.get(part) ?? []);
    columns.set(
      name,
      Array.from({ length: head.rows }, (_, row) => cells.map((column) => column[row]).join('-')),
    );
  }
  const times = columns.get('object_id')?.map((id) => timeOfId(String(id))) ?? [];
  for (const one of coded.filter(isTime)) columns.set(one.name, decode(one, head.rows, times));
  return columns;
}

/** Bytes that are stored as a text, seven bits in each character; U+0080 stands for a zero. */
function bytesOfText(text: string): Buffer {
  const characters = Buffer.from(text, 'latin1');
  const bytes = Buffer.alloc(Math.floor((characters.length * 7) / 8));
  let [held, bits, place] = [0, 0, 0];
  for (const character of characters) {
    held = ((held << 7) | (character & 0x7f)) & 0x7fff;
    bits += 7;
    if (bits < 8) continue;
    bits -= 8;
    bytes[place++] = held >> bits;
  }
  return bytes;
}

interface Coded {
  readonly coding: Coding;
  readonly bytes: Uint8Array;
}

function decode({ coding, bytes }: Coded, length: number, base: readonly number[] = []): SqlValue[] {
  if (coding.as === 'same') return new Array<SqlValue>(length).fill(coding.value);
  const numbers = new Numbers(bytes);
  const nulls = new Set<number>();
  for (let [left, row] = [numbers.next(), 0]; left > 0; left--) {
    row += numbers.next();
    nulls.add(row);
  }
  const next = nextOf(coding, numbers.rest);
  return Array.from({ length }, (_, row) => (nulls.has(row) ? null : next(base[row] ?? 0)));
}

/** The values one after the other; `from` is what a distance is from. */
function nextOf(coding: Exclude<Coding, { readonly as: 'same' }>, bytes: Uint8Array): (from: number) => SqlValue {
  if (coding.as === 'fractions') {
    const fractions = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let place = 0;
    return () => fractions.getFloat64(8 * place++, true);
  }
  if (coding.as === 'distances' || coding.as === 'digits') {
    const numbers = new Numbers(bytes);
    return coding.as === 'distances'
      ? (from) => from + numbers.nextSigned()
      : () => numbers.nextSigned() / coding.factor;
  }
  const texts = bytes.subarray(0, coding.textBytes);
  const known =
    coding.as === 'ids'
      ? readIds(texts, coding.different)
      : (JSON.parse(Buffer.from(texts).toString()) as readonly string[]);
  const places = new Numbers(bytes.subarray(coding.textBytes));
  let seen = 0;
  return () => {
    // Zero is a text that has not come before; others are counted back from the newest.
    const back = places.next();
    return known[back === 0 ? seen++ : seen - back] ?? null;
  };
}

/** Ids: the differences of their times, and then the twelve digits behind as nine bytes, the first byte of all of them first. */
function readIds(bytes: Uint8Array, length: number): string[] {
  const numbers = new Numbers(bytes);
  let time = 0;
  const times = Array.from({ length }, () => {
    time += numbers.nextSigned();
    return time;
  });
  const { rest } = numbers;
  const digits = (value: number) => firstIdAt(value).slice(2);
  return times.map((time, place) => {
    const at = (plane: number) => rest[plane * length + place] ?? 0;
    const high = at(0) * 2 ** 28 + at(1) * 2 ** 20 + at(2) * 2 ** 12 + at(3) * 16 + (at(4) >> 4);
    const low = (at(4) & 15) * 2 ** 32 + at(5) * 2 ** 24 + at(6) * 2 ** 16 + at(7) * 2 ** 8 + at(8);
    return firstIdAt(time) + digits(high) + digits(low);
  });
}

/** Whole numbers, seven bits in each byte, the lowest first, with a mark on all but the last. */
class Numbers {
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#bytes[this.#place++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  nextSigned(): number {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** The bytes after those that were read. */
  get rest(): Uint8Array {
    return this.#bytes.subarray(this.#place);
  }
}
