import type { Body, JsonObject, PharosProblem } from '@pharos/sdk';
import { jsonObjectOf } from '../../lib/text/json-text.ts';
import { instantOf } from '../../lib/time/zoned-time.ts';

/** What stands in the fields of the composer. */
export interface PushFields {
  readonly 'data.title': string;
  readonly 'data.alert': string;
  readonly 'data.uri': string;
  readonly 'data.badge': number | string;
  readonly 'data.sound': string;
  readonly 'data.image': string;
  /** Further members, as JSON text. */
  readonly extra: string;
  /** As the clock at the site shows it; empty: at once. */
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

export const fieldNames = [...(Object.keys(emptyPush) as (keyof PushFields)[]), 'data'];

/** The service takes no more. */
export const maxBytes = 4096;

const known = ['title', 'alert', 'uri', 'sound', 'image'] as const;

/** The members of `data`, or undefined while the further ones are no JSON object. */
export function dataOfPush(fields: PushFields): JsonObject | undefined {
  const extra = jsonObjectOf(fields.extra);
  if (!extra) return undefined;
  const texts = known.map((name) => [name, fields[`data.${name}`].trim()] as const).filter(([, text]) => text !== '');
  const badge = fields['data.badge'];
  return { ...extra, ...Object.fromEntries(texts), ...(badge === '' ? {} : { badge }) };
}

export const sizeOf = (data: JsonObject): number => new TextEncoder().encode(JSON.stringify(data)).length;

/** What can be said before the service is asked. */
export function problemsOf(fields: PushFields, now: number, zone: string): PharosProblem[] {
  const data = dataOfPush(fields);
  const size = data ? sizeOf(data) : 0;
  const [sendAt, expiresAt] = [fields.sendAt, fields.expiresAt].map((wall) => wall && instantOf(wall, zone));
  return [
    ...(data ? [] : [{ field: 'extra', problem: 'must be a JSON object, such as {"hall": 2}' }]),
    ...(size > maxBytes
      ? [{ field: 'extra', problem: `the message has ${size} bytes; at most ${maxBytes} can be delivered` }]
      : []),
    ...(sendAt && sendAt < now ? [{ field: 'sendAt', problem: 'is past; leave it empty to send at once' }] : []),
    ...(expiresAt && expiresAt <= (sendAt || now)
      ? [{ field: 'expiresAt', problem: 'must be later than the time it is sent' }]
      : []),
  ];
}

export function bodyOf(fields: PushFields, where: JsonObject | undefined, zone: string): Body<'sendPush'> {
  const time = (wall: string) => new Date(instantOf(wall, zone)).toISOString();
  return {
    data: dataOfPush(fields) ?? {},
    ...(where ? { where } : {}),
    ...(fields.sendAt ? { sendAt: time(fields.sendAt) } : {}),
    ...(fields.expiresAt ? { expiresAt: time(fields.expiresAt) } : {}),
  } as Body<'sendPush'>;
}
