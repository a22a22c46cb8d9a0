/** Values as gateways write them: numbers as strings, bytes as hexadecimal digits or base64, times in seconds or milliseconds. */

export type Raw = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** A number, or a string that is wholly one. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 32 || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** A number within limits. */
export function numberIn(value: unknown, min: number, max: number): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= min && number <= max ? number : undefined;
}

/** A name that a database can store: neither empty nor long, no control characters, well-formed. */
export function nameOf(value: unknown, maxLength = 200): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > maxLength) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  return value.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(value) ? value : undefined;
}

/** Below it, a time can only be seconds: as milliseconds it would lie before March 1973. */
const firstMilliseconds = 1e11;
/** The end of the year 9999. */
const latestTime = 253_402_300_799_999;

/** Epoch milliseconds from seconds, milliseconds or ISO 8601; null if it is none of them. */
export function timeOf(value: unknown): number | undefined | null {
  if (value === undefined || value === null || value === '') return undefined;
  const number = numberOf(value) ?? (typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN);
  const time = Math.round(
    Math.abs(number) < firstMilliseconds && numberOf(value) !== undefined ? number * 1000 : number,
  );
  return time >= 0 && time <= latestTime ? time : null;
}

/** Extended advertising has 1,650 bytes at most (Core Specification, Vol 6, Part B, 2.3.4). */
const maxBytes = 2_048;

export function bytesOfHex(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length === 0 || value.length > maxBytes * 2 || value.length % 2 === 1)
    return undefined;
  if (!/^[0-9a-fA-F]+$/.test(value)) return undefined;
  const bytes = new Uint8Array(value.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(value.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}

export function bytesOfBase64(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length > maxBytes * 1.5) return undefined;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)) return undefined;
  return Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
}

export function bytesOfList(value: unknown): Uint8Array | undefined {
  if (!Array.isArray(value) || value.length > maxBytes) return undefined;
  return value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255) ? Uint8Array.from(value) : undefined;
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Text in UTF-8; undefined where it is none, or no name. */
export function textOf(bytes: Uint8Array, maxLength = 200): string | undefined {
  try {
    return nameOf(new TextDecoder('utf-8', { fatal: true }).decode(bytes), maxLength);
  } catch {
    return undefined;
  }
}

/** 12 hexadecimal digits in lower case, from any of the usual spellings. */
export function addressOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 17) return undefined;
  const plain = value.replace(/[:-]/g, '').toLowerCase();
  return /^[0-9a-f]{12}$/.test(plain) ? plain : undefined;
}

/** `{key: value}`, or nothing where there is no value. */
export function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

/** An object of what is there; undefined if nothing is. */
export function present<T extends object>(values: T): T | undefined {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined);
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as T);
}
