import type { SqlValue } from '../../base/sql.ts';
import type { ColumnType } from '../../db/table.ts';
import { bytesOfIds, EncodedIds, isId } from './ids.ts';
import { NumberReader, NumberWriter } from './numbers.ts';

/**
 * How the values of one column are encoded, so that they compress well. Decoding returns exactly the encoded values.
 */
export type Coding =
  /** All are the same. */
  | { readonly as: 'same'; readonly value: SqlValue }
  /** Texts: the distinct ones as ids or as JSON, and the index of each row's. */
  | { readonly as: 'ids' | 'texts'; readonly different: number; readonly textBytes: number }
  /** Whole numbers as their distance from a time of the row. */
  | { readonly as: 'distances' }
  /** Fractions with few digits, multiplied. */
  | { readonly as: 'digits'; readonly factor: number }
  | { readonly as: 'fractions' };

export interface Coded {
  readonly coding: Coding;
  readonly bytes: Uint8Array;
}

/** `base`: a time (ms) of each row, to which its other times are near. */
export function encodeColumn(values: readonly SqlValue[], type: ColumnType, base: readonly number[]): Coded {
  const [first = null] = values;
  // JSON has neither −0 nor infinity.
  const isJson = typeof first !== 'number' || (Number.isFinite(first) && !Object.is(first, -0));
  if (isJson && values.every((value) => Object.is(value, first)))
    return { coding: { as: 'same', value: first }, bytes: Buffer.alloc(0) };
  const nulls = new NumberWriter();
  const places = values.flatMap((value, place) => (value === null ? place : []));
  nulls.add(places.length);
  for (const [n, place] of places.entries()) nulls.add(place - (places[n - 1] ?? 0));
  const { coding, bytes } =
    type === 'text' ? encodeTexts(values.filter((value) => typeof value === 'string')) : encodeNumbers(values, base);
  return { coding, bytes: Buffer.concat([nulls.bytes, bytes]) };
}

function encodeTexts(texts: readonly string[]): Coded {
  const known = new Map<string, number>();
  const places = new NumberWriter();
  for (const text of texts) {
    const place = known.get(text);
    // Zero means a new text; a text seen recently has a small number.
    places.add(place === undefined ? 0 : known.size - place);
    if (place === undefined) known.set(text, known.size);
  }
  const different = [...known.keys()];
  const areIds = different.every(isId);
  const texted = areIds ? bytesOfIds(different) : Buffer.from(JSON.stringify(different));
  const coding = { as: areIds ? 'ids' : 'texts', different: different.length, textBytes: texted.length } as const;
  return { coding, bytes: Buffer.concat([texted, places.bytes]) };
}

/** More digits are not stored as decimals. Distances are estimates with few digits. */
const factors = [10, 100, 1_000, 10_000];

function encodeNumbers(values: readonly SqlValue[], base: readonly number[]): Coded {
  const numbers = values.flatMap((value, place) =>
    value === null ? [] : [[Number(value), base[place] ?? 0] as const],
  );
  const written = new NumberWriter();
  const isExact = (value: number) => Number.isSafeInteger(value) && !Object.is(value, -0);
  if (numbers.every(([value, from]) => isExact(value) && Math.abs(value - from) < 2 ** 52)) {
    for (const [value, from] of numbers) written.addSigned(value - from);
    return { coding: { as: 'distances' }, bytes: written.bytes };
  }
  const fits = (factor: number) => (value: number) => {
    const whole = Math.round(value * factor);
    return Math.abs(whole) < 2 ** 52 && !Object.is(whole, -0) && Object.is(whole / factor, value);
  };
  const factor = factors.find((one) => numbers.every(([value]) => fits(one)(value)));
  if (factor !== undefined) {
    for (const [value] of numbers) written.addSigned(Math.round(value * factor));
    return { coding: { as: 'digits', factor }, bytes: written.bytes };
  }
  return { coding: { as: 'fractions' }, bytes: new Uint8Array(Float64Array.from(numbers, ([value]) => value).buffer) };
}

type TextCoding = Extract<Coding, { readonly as: 'ids' | 'texts' }>;
type NumberCoding = Exclude<Coding, TextCoding | { readonly as: 'same' }>;

const isOfTexts = (coding: Coding): coding is TextCoding => coding.as === 'ids' || coding.as === 'texts';

/** No text: a null. */
const none = -1;

/** A column as it is encoded. What each row has is decoded when it is asked for. */
export class CodedColumn {
  readonly #coding: Coding;
  readonly #length: number;
  readonly #bytes: Uint8Array;
  /** The rows that have none, in ascending order. */
  readonly #nulls: number[] = [];
  #texts: { readonly known: EncodedIds | readonly string[]; readonly places: Int32Array } | undefined;

  constructor({ coding, bytes }: Coded, length: number) {
    this.#coding = coding;
    this.#length = length;
    if (coding.as === 'same') {
      this.#bytes = bytes;
      return;
    }
    const reader = new NumberReader(bytes);
    let last = 0;
    for (let left = reader.next(); left > 0; left--) {
      last += reader.next();
      this.#nulls.push(last);
    }
    this.#bytes = reader.rest;
  }

  /** Whether its values are distances from times of the rows. */
  get isNear(): boolean {
    return this.#coding.as === 'distances';
  }

  /** Of all rows; `base` as when they were encoded. */
  all(base: ArrayLike<number>): SqlValue[] {
    return this.#values(base);
  }

  /** Of these rows alone, in ascending order. */
  some(base: ArrayLike<number>, places: readonly number[]): SqlValue[] {
    const coding = this.#coding;
    if (coding.as === 'same') return places.map(() => coding.value);
    if (!isOfTexts(coding)) return this.#someNumbers(coding, base, places);
    const { known, places: ofRows } = this.#open(coding);
    const asked = places.map((place) => ofRows[place] ?? none);
    if (!(known instanceof EncodedIds)) return asked.map((one) => known[one] ?? null);
    const different = [...new Set(asked)].filter((one) => one !== none);
    const texts = known.texts(different);
    const byPlace = new Map(different.map((one, n) => [one, texts[n] ?? null]));
    return asked.map((one) => byPlace.get(one) ?? null);
  }

  /** The rows that have one of these texts, in ascending order. */
  placesOf(texts: readonly string[]): number[] {
    const coding = this.#coding;
    if (coding.as === 'same')
      return texts.includes(String(coding.value)) && typeof coding.value === 'string'
        ? Array.from({ length: this.#length }, (_, place) => place)
        : [];
    if (!isOfTexts(coding)) return [];
    const { known, places } = this.#open(coding);
    const asked = new Set(texts.map((text) => known.indexOf(text)).filter((one) => one >= 0));
    const found: number[] = [];
    if (asked.size > 0) for (const [row, one] of places.entries()) if (asked.has(one)) found.push(row);
    return found;
  }

  /** What the ids of the rows say of their times; undefined if they are not all ids. */
  times(): Float64Array | undefined {
    const coding = this.#coding;
    if (!isOfTexts(coding) || this.#nulls.length > 0) return undefined;
    const { known, places } = this.#open(coding);
    if (!(known instanceof EncodedIds)) return undefined;
    const times = new Float64Array(places.length);
    for (let row = 0; row < times.length; row++) times[row] = known.times[places[row] ?? 0] ?? 0;
    return times;
  }

  #values(base: ArrayLike<number>): SqlValue[] {
    const coding = this.#coding;
    if (coding.as === 'same') return Array.from({ length: this.#length }, () => coding.value);
    if (isOfTexts(coding)) {
      const { known, places } = this.#open(coding);
      const texts = known instanceof EncodedIds ? known.texts() : known;
      return Array.from(places, (one) => texts[one] ?? null);
    }
    const { next } = new CodedNumbers(coding as NumberCoding, this.#bytes);
    const values = new Array<SqlValue>(this.#length);
    for (let row = 0, nulls = 0; row < values.length; row++) {
      const isNull = row === this.#nulls[nulls];
      values[row] = isNull ? null : next(base[row] ?? 0);
      if (isNull) nulls++;
    }
    return values;
  }

  /** Passes over the others. */
  #someNumbers(coding: NumberCoding, base: ArrayLike<number>, places: readonly number[]): SqlValue[] {
    const numbers = new CodedNumbers(coding, this.#bytes);
    const found = new Array<SqlValue>(places.length).fill(null);
    const ascending = [...places.keys()].sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
    let [row, nulls] = [0, 0];
    for (const n of ascending) {
      const place = places[n] ?? 0;
      const before = nulls;
      while ((this.#nulls[nulls] ?? place) < place) nulls++;
      numbers.skip(Math.max(place - row - (nulls - before), 0));
      row = Math.max(row, place);
      if (this.#nulls[nulls] === place || row > place) continue;
      found[n] = numbers.next(base[place] ?? 0);
      row = place + 1;
    }
    return found;
  }

  /** Which of the distinct texts each row has. */
  #open({ as, textBytes, different }: TextCoding) {
    if (this.#texts) return this.#texts;
    const texted = this.#bytes.subarray(0, textBytes);
    const known =
      as === 'ids'
        ? new EncodedIds(texted, different)
        : (JSON.parse(Buffer.from(texted).toString()) as readonly string[]);
    const reader = new NumberReader(this.#bytes.subarray(textBytes));
    const places = new Int32Array(this.#length);
    let seen = 0;
    for (let row = 0, nulls = 0; row < places.length; row++) {
      if (row === this.#nulls[nulls]) {
        places[row] = none;
        nulls++;
        continue;
      }
      const back = reader.next();
      places[row] = back === 0 ? seen++ : seen - back;
    }
    this.#texts = { known, places };
    return this.#texts;
  }
}

/** Numbers one after the other. */
class CodedNumbers {
  /** The next one; `from` is what it is near. */
  readonly next: (from: number) => number;
  readonly skip: (count: number) => void;

  constructor(coding: NumberCoding, bytes: Uint8Array) {
    if (coding.as === 'fractions') {
      const fractions = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let place = 0;
      this.next = () => fractions.getFloat64(8 * place++, true);
      this.skip = (count) => {
        place += count;
      };
      return;
    }
    const numbers = new NumberReader(bytes);
    this.skip = (count) => numbers.skip(count);
    this.next =
      coding.as === 'distances' ? (from) => from + numbers.nextSigned() : () => numbers.nextSigned() / coding.factor;
  }
}
