import { firstIdAt, timeOfId } from '../base/id.ts';
import { NumberReader, NumberWriter } from './numbers.ts';

/** ObjectIds as bytes: their times as differences, and each half of the twelve digits behind as 36 bits, byte by byte. */

const form = /^[0-9A-Za-z]{20}$/;
const [timeDigits, halfDigits] = [8, 6];
/** The digits of a half are the end of the time text of a number. */
const halfText = (value: number) => firstIdAt(value).slice(-halfDigits);
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

export function idsOfBytes(bytes: Uint8Array, length: number): string[] {
  const reader = new NumberReader(bytes);
  const times: number[] = [];
  let last = 0;
  for (let place = 0; place < length; place++) {
    last += reader.nextSigned();
    times.push(last);
  }
  const tails = reader.rest;
  return times.map((time, place) => {
    const at = (plane: number) => tails[plane * length + place] ?? 0;
    const middle = at(4);
    const high = at(0) * 2 ** 28 + at(1) * 2 ** 20 + at(2) * 2 ** 12 + at(3) * 16 + (middle >> 4);
    const low = (middle & 15) * 2 ** 32 + at(5) * 2 ** 24 + at(6) * 2 ** 16 + at(7) * 2 ** 8 + at(8);
    return `${firstIdAt(time)}${halfText(high)}${halfText(low)}`;
  });
}
