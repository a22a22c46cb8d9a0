import type { Activity, Telemetry } from '../types.ts';
import { present, textOf } from '../values.ts';
import { batteryOf, rounded, s8, s16le, u8, u16le } from './bytes.ts';
import type { Frame } from './frame.ts';

const uuid = 0xfe6a;
const scanResponseUuid = 0xd00d;

const truncated: Frame = { problem: "Kontakt.io's frame is truncated." };

/** Kontakt.io: https://developer.kontakt.io/hardware/packets. Plain secure profile (2), telemetry (3) and location (5). */
export function readKontakt(id: number, data: Uint8Array): Frame | undefined {
  if (id === scanResponseUuid) return readScanResponse(data);
  if (id !== uuid || data.length === 0) return undefined;
  switch (u8(data, 0)) {
    case 0x02:
      if (data.length < 7) return truncated;
      return {
        ...identified(data.subarray(6)),
        telemetry: present({ battery: batteryOf(data, 4), firmware: `${u8(data, 2)}.${u8(data, 3)}` }),
      };
    case 0x03:
      return readTelemetry(data);
    case 0x05:
      return data.length < 6 ? truncated : identified(data.subarray(5));
    default:
      return { problem: "Kontakt.io's frame is encrypted or of an unknown type." };
  }
}

/** Older firmware writes its version in ASCII. */
const digit = (byte: number): number => (byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte);

/** Four letters, the firmware, the battery. */
function readScanResponse(data: Uint8Array): Frame {
  if (data.length < 7) return truncated;
  const telemetry = present({ battery: batteryOf(data, 6), firmware: `${digit(u8(data, 4))}.${digit(u8(data, 5))}` });
  return { ...identified(data.subarray(0, 4)), telemetry };
}

function identified(name: Uint8Array): Frame {
  const id = textOf(name, 32);
  return id === undefined ? {} : { identity: { kind: 'kontakt', id } };
}

/** Seconds; 65535: longer ago than can be said, or never. */
const ago = (data: Uint8Array, at: number): Activity => {
  const secondsAgo = u16le(data, at);
  return secondsAgo === 0xffff ? {} : { secondsAgo };
};

interface Field {
  readonly length: number;
  readonly read: (data: Uint8Array) => Telemetry;
}

const fields: Readonly<Record<number, Field>> = {
  // The time, then the battery.
  1: { length: 5, read: (data) => ({ battery: batteryOf(data, 4) }) },
  // Sensitivity, three axes, seconds since a double tap, seconds since a movement.
  2: { length: 8, read: (data) => ({ movement: ago(data, 6) }) },
  5: { length: 2, read: (data) => ({ temperature: s8(data, 1) }) },
  7: { length: 2, read: (data) => ({ movement: ago(data, 0) }) },
  11: { length: 1, read: (data) => ({ temperature: s8(data, 0) }) },
  12: { length: 1, read: (data) => ({ battery: batteryOf(data, 0) }) },
  13: { length: 2, read: (data) => ({ button: ago(data, 0) }) },
  17: { length: 3, read: (data) => ({ button: { count: u8(data, 0), ...ago(data, 1) } }) },
  18: { length: 1, read: (data) => ({ humidity: u8(data, 0) }) },
  19: { length: 2, read: (data) => ({ temperature: rounded(s16le(data, 0) / 256) }) },
  22: { length: 3, read: (data) => ({ movement: { count: u8(data, 0), ...ago(data, 1) } }) },
};

/** Fields of length (with the identifier), identifier, value. */
function readTelemetry(data: Uint8Array): Frame {
  let telemetry: Telemetry = {};
  for (let at = 1; at < data.length; ) {
    const length = u8(data, at);
    const end = at + 1 + length;
    if (length === 0 || end > data.length) return { ...truncated, telemetry: present(telemetry) };
    const field = fields[u8(data, at + 1)];
    const value = data.subarray(at + 2, end);
    if (field && value.length >= field.length) telemetry = { ...telemetry, ...field.read(value) };
    at = end;
  }
  return { telemetry: present(telemetry) };
}
