import type { Identity, Telemetry } from '../types.ts';
import { textOf } from '../values.ts';
import { readAltBeacon, readIBeacon } from './beacons.ts';
import { readBtHome } from './bthome.ts';
import { u8, u16le } from './bytes.ts';
import { readEddystone } from './eddystone.ts';
import type { Frame } from './frame.ts';
import { readKontakt } from './kontakt.ts';
import { readMinew, readMinewConnect } from './minew.ts';
import { readRuuvi } from './ruuvi.ts';

type FrameReader = (id: number, data: Uint8Array) => Frame | undefined;

const ofManufacturers: readonly FrameReader[] = [readIBeacon, readAltBeacon, readRuuvi, readMinewConnect];
const ofServices: readonly FrameReader[] = [readEddystone, readBtHome, readMinew, readKontakt];

/** What all frames of an advertisement say together. */
export interface Contents {
  readonly identity?: Identity;
  readonly txPower?: number;
  readonly name?: string;
  readonly telemetry?: Telemetry;
  readonly problems: readonly string[];
}

/** What comes first of two identities: a beacon's own numbers before a vendor's id, and that before a URL. */
const ranks: readonly Identity['kind'][] = ['ibeacon', 'altbeacon', 'eddystone', 'kontakt', 'url', 'named'];

export function joined(frames: readonly Frame[]): Contents {
  const [identity] = frames
    .flatMap(({ identity }) => identity ?? [])
    .sort((a, b) => ranks.indexOf(a.kind) - ranks.indexOf(b.kind));
  const txPower = frames.find((frame) => frame.txPower !== undefined && frame.identity === identity)?.txPower;
  const name = frames.find((frame) => frame.name !== undefined)?.name;
  const telemetry = frames.flatMap(({ telemetry }) => telemetry ?? []);
  return {
    ...(identity ? { identity } : {}),
    ...(txPower === undefined ? {} : { txPower }),
    ...(name === undefined ? {} : { name }),
    ...(telemetry.length === 0 ? {} : { telemetry: Object.assign({}, ...telemetry) }),
    problems: frames.flatMap(({ problem }) => problem ?? []),
  };
}

const read = (readers: readonly FrameReader[], id: number, data: Uint8Array): readonly Frame[] =>
  readers.flatMap((reader) => reader(id, data) ?? []);

/** @param data with the company's identifier in its first two bytes, as it is on air */
export const readManufacturerData = (data: Uint8Array): readonly Frame[] =>
  data.length < 2 ? [] : read(ofManufacturers, u16le(data, 0), data.subarray(2));

/** @param uuid of 16 bits */
export const readServiceData = (uuid: number, data: Uint8Array): readonly Frame[] => read(ofServices, uuid, data);

/** Core Specification Supplement, Part A: types of structures. */
const shortName = 0x08;
const completeName = 0x09;
const serviceData = 0x16;
const manufacturerData = 0xff;

/**
 * Reads advertising data, or a scan response, as it is on air: structures of length, type and data (Core Specification, Vol 3, Part C, 11).
 * What is behind a structure that does not fit is not read.
 */
export function readAdvertisingData(bytes: Uint8Array): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = u8(bytes, at);
    // Early termination: the rest is zeros.
    if (length === 0) break;
    const end = at + 1 + length;
    if (end > bytes.length) return [...frames, { problem: 'The advertisement is truncated.' }];
    frames.push(...readStructure(u8(bytes, at + 1), bytes.subarray(at + 2, end)));
    at = end;
  }
  return frames;
}

function readStructure(type: number, data: Uint8Array): readonly Frame[] {
  switch (type) {
    case shortName:
    case completeName:
      return [{ name: textOf(data) }];
    case serviceData:
      return data.length < 2 ? [] : readServiceData(u16le(data, 0), data.subarray(2));
    case manufacturerData:
      return readManufacturerData(data);
    default:
      return [];
  }
}
