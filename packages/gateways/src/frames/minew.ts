import type { Telemetry } from '../types.ts';
import { present, textOf } from '../values.ts';
import { batteryOf, fixed88, rounded, u8, u16be } from './bytes.ts';
import type { Frame } from './frame.ts';

const uuid = 0xffe1;
const company = 0x0639;

const truncated: Frame = { problem: "Minew's frame is truncated." };

/** Minew, BeaconPlus: frame type 0xA1, then the kind of frame, battery, values, and the address. */
export function readMinew(id: number, data: Uint8Array): Frame | undefined {
  if (id !== uuid || data.length < 2 || u8(data, 0) !== 0xa1) return undefined;
  if (data.length < 9) return truncated;
  const battery = batteryOf(data, 2);
  switch (u8(data, 1)) {
    case 0x01:
      if (data.length < 13) return truncated;
      return { telemetry: present({ battery, ...climate(data, 3) }) };
    case 0x08:
      return { name: textOf(data.subarray(9)), telemetry: present({ battery }) };
    // With the time of the vibration in seconds before it.
    case 0x18:
      return { telemetry: present({ battery, movement: { isActive: (u8(data, 7) & 1) === 1 } }) };
    // Light (2), acceleration (3) and others.
    default:
      return { telemetry: present({ battery }) };
  }
}

/** Minew Connect V3 (0xCA) and the S3 (0xA3). */
export function readMinewConnect(id: number, data: Uint8Array): Frame | undefined {
  if (id !== company || data.length < 2) return undefined;
  switch (u16be(data, 0)) {
    // Device information: address, battery, firmware as 2, 6 and 7 bits.
    case 0xca00: {
      if (data.length < 11) return truncated;
      const version = u16be(data, 9);
      const firmware = `${(version >> 13) & 3}.${(version >> 7) & 63}.${version & 127}`;
      return { telemetry: present({ battery: batteryOf(data, 8), firmware }) };
    }
    case 0xca05:
      if (data.length < 9) return truncated;
      return { telemetry: present(climate(data, 5)) };
    case 0xa303:
      if (data.length < 7) return truncated;
      return { telemetry: present({ battery: batteryOf(data, 2), ...climate(data, 3) }) };
    default:
      return undefined;
  }
}

const climate = (data: Uint8Array, at: number): Pick<Telemetry, 'temperature' | 'humidity'> => ({
  temperature: rounded(fixed88(data, at)),
  humidity: rounded(fixed88(data, at + 2)),
});
