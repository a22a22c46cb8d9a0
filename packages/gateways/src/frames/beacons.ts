import { hexOf } from '../values.ts';
import { s8, u8, u16be } from './bytes.ts';
import type { Frame } from './frame.ts';

const company = 0x004c;

/** iBeacon (Apple, Proximity Beacon Specification): type 2, length 21, UUID, major, minor, measured power. */
export function readIBeacon(id: number, data: Uint8Array): Frame | undefined {
  if (id !== company || data.length < 2 || u8(data, 0) !== 0x02 || u8(data, 1) !== 0x15) return undefined;
  if (data.length < 23) return { problem: 'The iBeacon frame is truncated.' };
  const [uuid, major, minor] = [hexOf(data.subarray(2, 18)), u16be(data, 18), u16be(data, 20)];
  return { identity: { kind: 'ibeacon', uuid, major, minor }, txPower: s8(data, 22) };
}

/** AltBeacon 1.0: code 0xBEAC, 20 bytes of id, of which the last four are read as major and minor, reference RSSI. Any company. */
export function readAltBeacon(_id: number, data: Uint8Array): Frame | undefined {
  if (data.length < 2 || u16be(data, 0) !== 0xbeac) return undefined;
  if (data.length < 23) return { problem: 'The AltBeacon frame is truncated.' };
  const [uuid, major, minor] = [hexOf(data.subarray(2, 18)), u16be(data, 18), u16be(data, 20)];
  return { identity: { kind: 'altbeacon', uuid, major, minor }, txPower: s8(data, 22) };
}
