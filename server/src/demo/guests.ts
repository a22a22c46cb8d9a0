import { createRandom, type Random } from '@pharos/engine/simulation';
import { firstIdAt } from '../base/id.ts';
import { dayMs } from './calendar.ts';
import { museum } from './halls.ts';

/** The installations of a year. Each follows from the seed, its number and the day of its first visit. */

export interface Guest {
  readonly objectId: string;
  readonly installationId: string;
  readonly deviceType: 'ios' | 'android' | 'web' | 'embedded';
  readonly pushType: string | null;
  readonly deviceToken: string | null;
  readonly tokenDeadAt: number | null;
  readonly tokenDeadReason: string | null;
  readonly channels: readonly string[];
  readonly locale: string;
  readonly timeZone: string;
  readonly appVersion: string;
  readonly createdAt: number;
  /** Keeps the guide open while walking: zones are measured, and messages are shown without a push. */
  readonly isInForeground: boolean;
  /** Has no reception in the building and reports late. */
  readonly isOffline: boolean;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const characters = (random: Random, length: number, from: string) =>
  Array.from({ length }, () => from[Math.floor(random.next() * from.length)]).join('');

/** An objectId for a time, as the product makes them, but from the seed. */
export const seededId = (random: Random, at: number): string => firstIdAt(at) + characters(random, 12, alphabet);

function uuid(random: Random): string {
  const hex = characters(random, 32, '0123456789abcdef');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const deadReasons = {
  ios: 'APNs 410 Unregistered',
  android: 'FCM 404 UNREGISTERED Requested entity was not found.',
  web: 'The push service answered 410',
} as const;
export const senderOf = { ios: 'apns', android: 'fcm', web: 'webpush' } as const;

const homes: readonly (readonly [locale: string, timeZone: string])[] = [
  ['da-DK', 'Europe/Copenhagen'],
  ['da-DK', 'Europe/Copenhagen'],
  ['da-DK', 'Europe/Copenhagen'],
  ['de-DE', 'Europe/Berlin'],
  ['de-DE', 'Europe/Berlin'],
  ['sv-SE', 'Europe/Stockholm'],
  ['nb-NO', 'Europe/Oslo'],
  ['en-GB', 'Europe/London'],
  ['nl-NL', 'Europe/Amsterdam'],
];
const versions = ['2.1.0', '2.2.0', '2.3.1', '2.4.0'] as const;

function kindOf(share: number): Guest['deviceType'] {
  if (share < 0.46) return 'android';
  if (share < 0.9) return 'ios';
  return share < 0.985 ? 'web' : 'embedded';
}

/** `now` is when the demo was created; a dead token died before it. */
export function guestOf(seed: string, number: number, { firstAt, now }: { firstAt: number; now: number }): Guest {
  const random = createRandom(`${seed}/guest/${number}`);
  const createdAt = firstAt - Math.round(random.between(60_000, 900_000));
  const deviceType = kindOf(random.next());
  const [locale, timeZone] = random.pick(homes);
  const kind = deviceType === 'embedded' ? undefined : deviceType;
  const hasToken = kind !== undefined && random.next() < 0.8;
  const deadAfter = random.between(20, 200) * dayMs;
  const isDead = hasToken && random.next() < 0.12 && createdAt + deadAfter < now;
  return {
    objectId: seededId(random, createdAt),
    installationId: uuid(random),
    deviceType,
    pushType: hasToken ? senderOf[kind] : null,
    deviceToken: hasToken ? `demo-${characters(random, 40, '0123456789abcdef')}` : null,
    tokenDeadAt: isDead ? Math.round(createdAt + deadAfter) : null,
    tokenDeadReason: isDead ? deadReasons[kind] : null,
    channels: ['news', 'families'].filter((name) => random.next() < (name === 'news' ? 0.55 : 0.25)),
    locale,
    timeZone,
    appVersion:
      versions[Math.min(3, Math.floor(4 * (1 - (now - createdAt) / (366 * dayMs)) + random.between(-0.4, 0.4)))] ??
      '2.1.0',
    createdAt,
    isInForeground: random.next() < 0.3,
    isOffline: random.next() < 0.04,
  };
}

export const appName = `${museum.shortName} Guide`;
