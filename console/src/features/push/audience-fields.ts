import type { JsonObject } from '@pharos/sdk';
import { conditionOf, type Filter, type FilterField, fieldsIn, whereOf } from '../../components/list/filter-rows.ts';

/** The recipients of a push, as chosen in the form. */
export type Audience =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'rows'; readonly filter: Filter }
  | { readonly kind: 'json'; readonly text: string };

/** The fields of installations that an audience can be chosen by. */
const audienceFields: readonly FilterField[] = [
  { name: 'channels', label: 'Channel', kind: 'tag' },
  {
    name: 'deviceType',
    label: 'Device',
    kind: 'choice',
    choices: [
      { value: 'ios', label: 'iPhone or iPad' },
      { value: 'android', label: 'Android' },
      { value: 'web', label: 'Browser' },
      { value: 'embedded', label: 'Embedded' },
    ],
  },
  { name: 'localeIdentifier', label: 'Language', kind: 'text' },
  { name: 'timeZone', label: 'Time zone', kind: 'text' },
  { name: 'appVersion', label: 'App version', kind: 'text' },
  { name: 'appName', label: 'App name', kind: 'text' },
  { name: 'appIdentifier', label: 'App identifier', kind: 'text' },
  { name: 'pushType', label: 'Push type', kind: 'text' },
  { name: 'metadata', label: 'Metadata', kind: 'member' },
  { name: 'userId', label: 'User', kind: 'pointer', className: '_User' },
  { name: 'installationId', label: 'Installation', kind: 'text' },
  { name: 'createdAt', label: 'Installed', kind: 'date' },
  { name: 'updatedAt', label: 'Last changed', kind: 'date' },
];

/** The same with their dates in the zone of the app. */
export const audienceFieldsIn = (zone: string) => fieldsIn(zone, audienceFields);

/**
 * The condition to send; undefined for everyone. An incomplete condition is `unfinished` and cannot be sent, so that it
 * never means everyone.
 */
export function whereOfAudience(audience: Audience, zone: string): JsonObject | undefined | 'unfinished' {
  if (audience.kind === 'everyone') return undefined;
  if (audience.kind === 'json') return parsed(audience.text) ?? 'unfinished';
  const { filter } = audience;
  const fields = audienceFieldsIn(zone);
  const isFinished = filter.rows.length > 0 && filter.rows.every((row) => conditionOf(row, fields) !== undefined);
  return (isFinished ? whereOf(filter, fields) : undefined) ?? 'unfinished';
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isCondition =
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
    return isCondition ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
