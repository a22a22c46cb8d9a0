import { digestOf } from '../digest.ts';
import type { EventKind } from './types.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 20 characters of base64url, 120 bits: no collision to be expected below 10^17 ids. */
function digest(parts: readonly (string | number)[]): string {
  // JSON keeps the parts apart: ("a", "bc") and ("ab", "c") must not meet.
  const words = digestOf(JSON.stringify(parts));
  const [a, b, c, d] = [words[0]!, words[1]!, words[2]!, words[3]!];
  const ofThreeBytes = (bits: number) =>
    BASE64URL.charAt((bits >>> 18) & 63) +
    BASE64URL[(bits >>> 12) & 63] +
    BASE64URL[(bits >>> 6) & 63] +
    BASE64URL[bits & 63];
  return [a >>> 8, (a << 16) | (b >>> 16), (b << 8) | (c >>> 24), c, d >>> 8].map(ofThreeBytes).join('');
}

/** 8 base62 digits of time (ms), so that ids sort by it like any other objectId. What lies before 1970 counts as 1970. */
export function timePrefix(at: number): string {
  let rest = Math.max(0, Math.floor(at));
  let text = '';
  for (let place = 0; place < 8; place++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** When an objectId was made (ms): the time in its first 8 characters; 0 for any other text. */
export function timeOfId(id: string): number {
  let time = 0;
  for (let place = 0; place < 8; place++) {
    const digit = id[place] === undefined ? -1 : ALPHABET.indexOf(id[place] as string);
    if (digit < 0) return 0;
    time = time * 62 + digit;
  }
  return time;
}

/** An objectId as the interface has them: 8 characters of time and 12 of the parts' digest, 71 bits. */
const timedId = (at: number, parts: readonly (string | number)[]): string => timePrefix(at) + digits(parts);

function digits(parts: readonly (string | number)[]): string {
  const words = digestOf(JSON.stringify(parts));
  // 88 bits divided by 62^12: the remainder is as good as unbiased.
  let rest = (BigInt(words[0]!) << 56n) | (BigInt(words[1]!) << 24n) | BigInt(words[2]! >>> 8);
  let text = '';
  for (let place = 0; place < 12; place++) {
    text += ALPHABET[Number(rest % 62n)];
    rest /= 62n;
  }
  return text;
}

/** The id for what would have this one if it were not another's; it sorts in the same place. */
export const anotherId = (id: string): string => id.slice(0, 9) + digits(['another', id]).slice(1);

/** A visit's id, from what makes it that visit; `startedAt` is the time of its first confirmed event (ms). */
export function visitIdOf(installationId: string, beaconId: string, startedAt: number): string {
  return timedId(startedAt, ['visit', installationId, beaconId, startedAt]);
}

/**
 * A confirmed event's id. `order` counts the installation's events at one instant: their ids sort in the order in which
 * they were confirmed.
 */
export function presenceEventId(of: {
  readonly visit: string;
  readonly event: EventKind;
  readonly at: number;
  readonly order: number;
}): string {
  const id = timedId(of.at, ['event', of.visit, of.event, of.at]);
  return id.slice(0, 8) + ALPHABET[Math.min(of.order, ALPHABET.length - 1)] + id.slice(9);
}

/** What a sighting is known by: the client's `eventId`, else a hash over what makes two reports the same report. */
export function sightingKey(sighting: {
  readonly eventId?: string;
  readonly installation: string;
  readonly beacon: string;
  readonly event: string;
  readonly occurredAt: number;
}): string {
  const { eventId, installation, beacon, event, occurredAt } = sighting;
  // The installation stays part of the key, or one phone's counter would swallow another's.
  return eventId === undefined
    ? digest(['sighting', installation, beacon, event, occurredAt])
    : digest(['eventId', installation, eventId]);
}
