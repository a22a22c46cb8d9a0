import { firstIdAt, timeOfId } from '../../base/id.ts';
import { NumberReader, NumberWriter } from './numbers.ts';

/** ObjectIds as bytes: their times as differences, and each half of the twelve digits behind as 36 bits, byte by byte. */

const form = /^[0-9A-Za-z]{20}$/;
const [timeDigits, halfDigits] = [8, 6];
const idDigits = timeDigits + 2 * halfDigits;
/** The digits from 0 to 61: each is the last one of a time. */
const letters = Uint8Array.from({ length: 62 }, (_, digit) => firstIdAt(digit).charCodeAt(timeDigits - 1));
/** The digits of a half are the end of the time text of a number. */
const halfValue = (text: string) => timeOfId(`00${text}`);
const bytesOfTail = 9;

export const isId = (text: string): boolean => form.test(text);

export function bytesOfIds(ids: readonly string[]): Buffer {
  const times = new NumberWriter();
  // The same byte of all ids lies together, so that those that hardly differ cost nothing.
  const tails = Buffer.alloc(ids.length * bytesOfTail);
  let last = 0;
  for (const [place, id] of ids.entries()) {
    const time = timeOfId(id);
    times.addSigned(time - last);
    last = time;
    const high = halfValue(id.slice(timeDigits, timeDigits + halfDigits));
    const low = halfValue(id.slice(timeDigits + halfDigits));
    const bytes = [
      Math.floor(high / 2 ** 28),
      Math.floor(high / 2 ** 20) & 0xff,
      Math.floor(high / 2 ** 12) & 0xff,
      Math.floor(high / 2 ** 4) & 0xff,
      ((high % 16) << 4) | Math.floor(low / 2 ** 32),
      Math.floor(low / 2 ** 24) & 0xff,
      Math.floor(low / 2 ** 16) & 0xff,
      Math.floor(low / 2 ** 8) & 0xff,
      low & 0xff,
    ];
    for (const [plane, byte] of bytes.entries()) tails[plane * ids.length + place] = byte;
  }
  return Buffer.concat([times.bytes, tails]);
}

/** Encoded ids, of which each text is made when it is asked for. */
export class EncodedIds {
  /** What the ids say of when they were made (ms). */
  readonly times: Float64Array;
  readonly #tails: Uint8Array;

  constructor(bytes: Uint8Array, length: number) {
    const reader = new NumberReader(bytes);
    this.times = new Float64Array(length);
    let last = 0;
    for (let place = 0; place < length; place++) {
      last += reader.nextSigned();
      this.times[place] = last;
    }
    this.#tails = reader.rest;
  }

  /** Of these places, or all of them. */
  texts(places: ArrayLike<number> = Array.from(this.times.keys())): string[] {
    const { length } = this.times;
    const texts = Buffer.allocUnsafe(places.length * idDigits);
    const at = (plane: number, place: number) => this.#tails[plane * length + place] ?? 0;
    for (let n = 0; n < places.length; n++) {
      const place = places[n] ?? 0;
      const middle = at(4, place);
      const high =
        at(0, place) * 2 ** 28 + at(1, place) * 2 ** 20 + at(2, place) * 2 ** 12 + at(3, place) * 16 + (middle >> 4);
      const low =
        (middle & 15) * 2 ** 32 +
        at(5, place) * 2 ** 24 +
        at(6, place) * 2 ** 16 +
        at(7, place) * 2 ** 8 +
        at(8, place);
      writeDigits(texts, n * idDigits, timeDigits, this.times[place] ?? 0);
      writeDigits(texts, n * idDigits + timeDigits, halfDigits, high);
      writeDigits(texts, n * idDigits + timeDigits + halfDigits, halfDigits, low);
    }
    return Array.from({ length: places.length }, (_, n) => texts.toString('latin1', n * idDigits, (n + 1) * idDigits));
  }

  /** Where an id is, or -1. */
  indexOf(id: string): number {
    if (!isId(id)) return -1;
    const time = timeOfId(id);
    for (let place = this.times.indexOf(time); place >= 0; place = this.times.indexOf(time, place + 1))
      if (this.texts([place])[0] === id) return place;
    return -1;
  }
}

/** The last so many digits of a number. */
function writeDigits(texts: Buffer, start: number, digits: number, value: number): void {
  let rest = value;
  for (let place = start + digits - 1; place >= start; place--) {
    const next = Math.floor(rest / 62);
    texts[place] = letters[rest - next * 62] ?? 0;
    rest = next;
  }
}
