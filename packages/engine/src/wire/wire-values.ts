import type { BeaconAddress, ReporterKind, Subject } from '../presence/types.ts';

/** Values as senders write them: numbers as strings, UUIDs with and without dashes, times in three forms. */

export type ProblemCode =
  | 'not_an_object'
  | 'unknown_shape'
  | 'no_beacon'
  | 'bad_uuid'
  | 'bad_number'
  | 'bad_event'
  | 'bad_time'
  | 'no_measurement'
  | 'unusable';

export interface ReportProblem {
  readonly code: ProblemCode;
  readonly field?: string;
  readonly message: string;
}

/** What a reader of one shape has found: a subject, and an observation still without its time. */
export interface Draft {
  readonly subject: Subject;
  readonly event?: 'ENTER' | 'EXIT';
  readonly rssi?: number;
  readonly txPower?: number;
  readonly distance?: number;
  readonly smoothed?: true;
  readonly receiver?: string;
  readonly sender?: ReporterKind;
  readonly interval?: number;
}

export type Refused = { readonly ok: false; readonly problem: ReportProblem };
export type DraftReading = { readonly ok: true; readonly draft: Draft } | Refused;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function refuse(code: ProblemCode, field: string, message: string): Refused {
  return { ok: false, problem: { code, field, message } };
}

/** A number, or a string that is wholly one; anything else is as good as absent. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** `{key: number}` or `{}`: an absent member stays absent. */
export function optional<K extends string>(key: K, value: unknown): { readonly [P in K]?: number } {
  const number = asNumber(value);
  return (number === undefined ? {} : { [key]: number }) as { readonly [P in K]?: number };
}

/** The end of the year 9999, epoch ms: what ISO 8601 writes with four digits. */
export const latestTime = 253_402_300_799_999;

/** Epoch ms from ISO 8601, epoch milliseconds or epoch seconds, also as digits in a string; `fallback` where there is none; null where it is none. */
export function asTime(value: unknown, fallback: number): number | null {
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return asTime(Number(value), fallback);
  const number = typeof value === 'string' ? Date.parse(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0 || number > latestTime) return null;
  // Below 10^11 it can only be seconds: as milliseconds it would lie before March 1973.
  return Math.round(typeof value === 'number' && number < 1e11 ? number * 1000 : number);
}

/** A UUID in the form in which the engine compares: lower case, no dashes. Null where it is not 32 hexadecimal digits. */
export function canonicalUuid(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const plain = value.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(plain) ? plain : null;
}

/** One text for an address, to look beacons up by; `uuid` is any string of a stored beacon or a canonical one. */
export function addressKey(uuid: string, major: number, minor: number): string {
  return `${uuid.replaceAll('-', '').toLowerCase()}:${major}:${minor}`;
}

export type AddressReading = { readonly ok: true; readonly address: BeaconAddress } | Refused;

/** Reads uuid, major and minor; absent numbers of a watched region count as 0 and "any". */
export function readAddress(uuid: unknown, major: unknown, minor: unknown, region = false): AddressReading {
  const plain = canonicalUuid(uuid);
  if (plain === null) return refuse('bad_uuid', 'uuid', 'uuid is 32 hexadecimal digits, with or without dashes.');
  const numbers = [asNumber(major ?? (region ? 0 : undefined)), asNumber(minor ?? (region ? 0 : undefined))];
  const bad = numbers.findIndex(
    (number) => number === undefined || !Number.isInteger(number) || number < 0 || number > 65_535,
  );
  if (bad !== -1) {
    const field = bad === 0 ? 'major' : 'minor';
    return refuse('bad_number', field, `${field} is an integer from 0 to 65535.`);
  }
  const [first = 0, second = 0] = numbers;
  const any = region && (first === 0 || second === 0);
  return { ok: true, address: { uuid: plain, major: first, minor: second, ...(any ? { region: true as const } : {}) } };
}
