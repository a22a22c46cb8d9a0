import type { Body, JsonObject, PharosProblem } from '@pharos/sdk';
import { jsonObjectOf } from '../../lib/text/json-text.ts';
import { instantOf } from '../../lib/time/zoned-time.ts';

/** The values of the form. */
export interface PushFields {
  readonly 'data.title': string;
  readonly 'data.alert': string;
  readonly 'data.uri': string;
  readonly 'data.badge': number | string;
  readonly 'data.sound': string;
  readonly 'data.image': string;
  /** Additional members, as JSON text. */
  readonly extra: string;
  /** Local time at the venue; empty to send immediately. */
  readonly sendAt: string;
  readonly expiresAt: string;
}

export const emptyPush: PushFields = {
  'data.title': '',
  'data.alert': '',
  'data.uri': '',
  'data.badge': '',
  'data.sound': '',
  'data.image': '',
  extra: '',
  sendAt: '',
  expiresAt: '',
};

export const pushFieldNames = [...(Object.keys(emptyPush) as (keyof PushFields)[]), 'data'];

/** The limit of the service. */
export const maxBytes = 4096;

const known = ['title', 'alert', 'uri', 'sound', 'image'] as const;

/** The members of `data`; undefined while the additional ones are not a JSON object. */
export function dataOfPush(fields: PushFields): JsonObject | undefined {
  const extra = jsonObjectOf(fields.extra);
  if (!extra) return undefined;
  const texts = known.map((name) => [name, fields[`data.${name}`].trim()] as const).filter(([, text]) => text !== '');
  const badge = fields['data.badge'];
  return { ...extra, ...Object.fromEntries(texts), ...(badge === '' ? {} : { badge }) };
}

export const byteSize = (data: JsonObject): number => new TextEncoder().encode(JSON.stringify(data)).length;

const linkProblem = 'must be an address such as https://example.org, or a deep link such as museum://tonight';

/** A link needs its scheme: phones open nothing for `example.org`. */
const isLink = (text: string): boolean => text.trim() === '' || /^[a-z][a-z\d+.-]*:\S+$/i.test(text.trim());

/** Problems that are found before the service is asked. */
export function pushProblems(fields: PushFields, now: number, zone: string): PharosProblem[] {
  const data = dataOfPush(fields);
  const size = data ? byteSize(data) : 0;
  const [sendAt, expiresAt] = [fields.sendAt, fields.expiresAt].map((wall) => wall && instantOf(wall, zone));
  return [
    ...(isLink(fields['data.uri']) ? [] : [{ field: 'data.uri', problem: linkProblem }]),
    ...(data ? [] : [{ field: 'extra', problem: 'must be a JSON object, such as {"hall": 2}' }]),
    ...(size > maxBytes
      ? [{ field: 'extra', problem: `the message has ${size} bytes; the limit is ${maxBytes}` }]
      : []),
    ...(sendAt && sendAt < now
      ? [{ field: 'sendAt', problem: 'is in the past; leave it empty to send immediately' }]
      : []),
    ...(expiresAt && expiresAt <= (sendAt || now)
      ? [{ field: 'expiresAt', problem: 'must be after the time of sending' }]
      : []),
  ];
}

export function pushBody(fields: PushFields, where: JsonObject | undefined, zone: string): Body<'sendPush'> {
  const time = (wall: string) => new Date(instantOf(wall, zone)).toISOString();
  return {
    data: dataOfPush(fields) ?? {},
    ...(where ? { where } : {}),
    ...(fields.sendAt ? { sendAt: time(fields.sendAt) } : {}),
    ...(fields.expiresAt ? { expiresAt: time(fields.expiresAt) } : {}),
  } as Body<'sendPush'>;
}
