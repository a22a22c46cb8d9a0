import { t } from '../words/words.ts';

/** Phones look for beacons by UUIDs of 32 hex digits; other texts are kept, but no phone finds them. */
const isUuid = (text: string): boolean => /^[0-9a-f]{32}$/.test(uuidKey(text.trim()));

/** A random UUID (version 4). `crypto.randomUUID` works only with https and on localhost. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toUpperCase();
}

/** As the service compares UUIDs: ignoring case and dashes. */
export const uuidKey = (uuid: string): string => uuid.replaceAll('-', '').toLowerCase();

/** Why no phone finds a beacon with this UUID; undefined: it is one. */
export const uuidWarning = (text: string): string | undefined =>
  isUuid(text) ? undefined : t('This is no UUID (32 digits from 0 to F). Phones would not find the beacon by it.');
