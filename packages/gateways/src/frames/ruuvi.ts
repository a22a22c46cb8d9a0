import { present } from '../values.ts';
import { rounded, s16be, u8, u16be } from './bytes.ts';
import type { Frame } from './frame.ts';

const company = 0x0499;

/** Ruuvi data format 5 (RAWv2): https://docs.ruuvi.com. The largest number, or the smallest signed one, stands for "not available". */
export function readRuuvi(id: number, data: Uint8Array): Frame | undefined {
  if (id !== company || data.length === 0) return undefined;
  if (u8(data, 0) !== 5) return { problem: `Ruuvi's data format ${u8(data, 0)} is not read, only 5.` };
  if (data.length < 24) return { problem: 'The frame of Ruuvi is truncated.' };
  const temperature = s16be(data, 1);
  const humidity = u16be(data, 3);
  const voltage = u16be(data, 13) >> 5;
  const count = u8(data, 15);
  return {
    telemetry: present({
      temperature: temperature === -32_768 ? undefined : rounded(temperature * 0.005, 3),
      humidity: humidity === 0xffff ? undefined : rounded(humidity * 0.0025),
      voltage: voltage === 2_047 ? undefined : (voltage + 1_600) / 1000,
      movement: count === 255 ? undefined : { count },
    }),
  };
}
