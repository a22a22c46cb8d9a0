import { hexOf, nameOf, present } from '../values.ts';
import { fixed88, rounded, s8, u8, u16be, u32be } from './bytes.ts';
import type { Frame } from './frame.ts';

const uuid = 0xfeaa;
/** Eddystone states the power at 0 m; at 1 m it is 41 dB less. */
const lossOfFirstMetre = 41;

/** Eddystone, protocol specification: UID, URL and unencrypted TLM. EID changes with time, and identifies nobody without its key. */
export function readEddystone(id: number, data: Uint8Array): Frame | undefined {
  if (id !== uuid || data.length === 0) return undefined;
  switch (u8(data, 0)) {
    case 0x00:
      return readUid(data);
    case 0x10:
      return readUrl(data);
    case 0x20:
      return readTlm(data);
    case 0x30:
      return { problem: 'Eddystone-EID is not read: only its owner can resolve it.' };
    default:
      return { problem: 'The Eddystone frame is of an unknown type.' };
  }
}

/** The last two bytes are reserved, and some senders leave them out. */
function readUid(data: Uint8Array): Frame {
  if (data.length < 18) return { problem: 'The Eddystone-UID frame is truncated.' };
  const id = `${hexOf(data.subarray(2, 12))}-${hexOf(data.subarray(12, 18))}`;
  return { identity: { kind: 'eddystone', id }, txPower: s8(data, 1) - lossOfFirstMetre };
}

const schemes = ['http://www.', 'https://www.', 'http://', 'https://'];
const domains = ['.com', '.org', '.edu', '.net', '.info', '.biz', '.gov'];
const endings = [...domains.map((domain) => `${domain}/`), ...domains];

function readUrl(data: Uint8Array): Frame {
  const scheme = schemes[u8(data, 2)];
  if (data.length < 4 || scheme === undefined) return { problem: 'The Eddystone-URL frame is truncated.' };
  const id = scheme + Array.from(data.subarray(3), (code) => endings[code] ?? String.fromCharCode(code)).join('');
  if (nameOf(id) === undefined || !/^[\x21-\x7e]+$/.test(id)) return { problem: 'The Eddystone-URL frame has no URL.' };
  return { identity: { kind: 'url', id }, txPower: s8(data, 1) - lossOfFirstMetre };
}

function readTlm(data: Uint8Array): Frame {
  if (data.length < 14) return { problem: 'The Eddystone-TLM frame is truncated.' };
  if (u8(data, 1) !== 0) return { problem: 'The Eddystone-TLM frame is encrypted.' };
  const voltage = u16be(data, 2);
  const hasTemperature = u16be(data, 4) !== 0x8000;
  return {
    telemetry: present({
      voltage: voltage === 0 ? undefined : voltage / 1000,
      temperature: hasTemperature ? rounded(fixed88(data, 4)) : undefined,
      // In tenths of a second.
      uptime: u32be(data, 10) / 10,
    }),
  };
}
