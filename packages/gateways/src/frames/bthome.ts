import type { Telemetry } from '../types.ts';
import { present } from '../values.ts';
import { rounded, s8, s16le, u8, u16le } from './bytes.ts';
import type { Frame } from './frame.ts';

const uuid = 0xfcd2;

type Read = (data: Uint8Array) => Telemetry;

/** What moves the sender itself; `motion` (0x21) is of people in front of it. */
const moves: Read = (data) => ({ movement: { isActive: u8(data, 0) !== 0 } });
const firmware: Read = (data) => ({ firmware: [...data].reverse().join('.') });

const values: Readonly<Record<number, Read>> = {
  1: (data) => ({ battery: u8(data, 0) }),
  2: (data) => ({ temperature: rounded(s16le(data, 0) * 0.01) }),
  3: (data) => ({ humidity: rounded(u16le(data, 0) * 0.01) }),
  34: moves,
  44: moves,
  46: (data) => ({ humidity: u8(data, 0) }),
  58: (data) => ({ button: { isActive: u8(data, 0) !== 0 } }),
  69: (data) => ({ temperature: rounded(s16le(data, 0) * 0.1) }),
  87: (data) => ({ temperature: s8(data, 0) }),
  88: (data) => ({ temperature: rounded(s8(data, 0) * 0.35) }),
  241: firmware,
  242: firmware,
};

/** Of several sensors the first counts, of several buttons any. */
function together(known: Telemetry, next: Telemetry): Telemetry {
  const { movement, button } = known;
  return {
    ...next,
    ...known,
    ...(movement && next.movement?.isActive ? { movement: next.movement } : {}),
    ...(button && next.button?.isActive ? { button: next.button } : {}),
  };
}

/** Bytes of each object by its id, from 0x00 on; 0: there is none, or it states its length. */
const lengths = [
  '1122332221332221', // 0x00
  '1122211111111111', // 0x10
  '1111111111111111', // 0x20
  '0000000000102242', // 0x30
  '2232221222234444', // 0x40
  '4220042111244222', // 0x50
  '1244000000000000', // 0x60
];

function lengthOf(object: number): number {
  if (object === 0xf0) return 2;
  if (object === 0xf1) return 4;
  if (object === 0xf2) return 3;
  return Number(lengths[object >> 4]?.[object & 15] ?? 0);
}

/** BTHome v2: https://bthome.io/format. Objects of unknown length end the reading, since what follows cannot be found. */
export function readBtHome(id: number, data: Uint8Array): Frame | undefined {
  if (id !== uuid || data.length === 0) return undefined;
  const info = u8(data, 0);
  if (info >> 5 !== 2) return { problem: `BTHome version ${info >> 5} is not read, only 2.` };
  if ((info & 1) === 1) return { problem: 'The BTHome frame is encrypted.' };
  let found: Telemetry = {};
  for (let at = 1; at < data.length; ) {
    const object = u8(data, at);
    // Texts (0x53) and raw bytes (0x54) state their length.
    const isLong = object === 0x53 || object === 0x54;
    const start = isLong ? at + 2 : at + 1;
    const length = isLong ? (data[at + 1] ?? 0) : lengthOf(object);
    const end = start + length;
    if (end > data.length) return { telemetry: present(found), problem: 'The BTHome frame is truncated.' };
    if (length === 0 && !isLong)
      return {
        telemetry: present(found),
        problem: `The BTHome frame has an unknown object, 0x${object.toString(16)}.`,
      };
    const value = values[object]?.(data.subarray(start, end));
    if (value) found = together(found, value);
    at = end;
  }
  return { telemetry: present(found) };
}
