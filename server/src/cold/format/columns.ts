import type { SqlValue } from '../../base/sql.ts';
import type { ColumnType } from '../../db/table.ts';
import { bytesOfIds, idsOfBytes, isId } from './ids.ts';
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

/** The values of all rows. */
export function decodeColumn({ coding, bytes }: Coded, base: readonly number[]): SqlValue[] {
  if (coding.as === 'same') return base.map(() => coding.value);
  const reader = new NumberReader(bytes);
  const nulls = new Set<number>();
  let last = 0;
  for (let left = reader.next(); left > 0; left--) {
    last += reader.next();
    nulls.add(last);
  }
  const next = decoder(coding, reader.rest);
  return base.map((from, place) => (nulls.has(place) ? null : next(from)));
}

function decoder(coding: Exclude<Coding, { readonly as: 'same' }>, bytes: Uint8Array): (from: number) => SqlValue {
  switch (coding.as) {
    case 'ids':
    case 'texts': {
      const texted = bytes.subarray(0, coding.textBytes);
      const different =
        coding.as === 'ids'
          ? idsOfBytes(texted, coding.different)
          : (JSON.parse(Buffer.from(texted).toString()) as string[]);
      const places = new NumberReader(bytes.subarray(coding.textBytes));
      let known = 0;
      return () => {
        const back = places.next();
        return different[back === 0 ? known++ : known - back] ?? null;
      };
    }
    case 'distances': {
      const numbers = new NumberReader(bytes);
      return (from) => from + numbers.nextSigned();
    }
    case 'digits': {
      const numbers = new NumberReader(bytes);
      return () => numbers.nextSigned() / coding.factor;
    }
    case 'fractions': {
      const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let place = 0;
      return () => numbers.getFloat64(8 * place++, true);
    }
  }
}
