import type { JsonObject } from '@pharos/sdk';
import {
  conditionOf,
  type Filter,
  type FilterField,
  fieldsIn,
  filterOf,
  whereOf,
} from '../../components/list/filter-rows.ts';
import { t } from '../../lib/words/words.ts';

/** The recipients of a push, as chosen in the form. */
export type Audience =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'rows'; readonly filter: Filter }
  | { readonly kind: 'json'; readonly text: string };

const audienceFields: readonly FilterField[] = [
  { name: 'channels', label: t('Channel'), kind: 'tag' },
  {
    name: 'deviceType',
    label: t('Device'),
    kind: 'choice',
    choices: [
      { value: 'ios', label: t('iPhone or iPad') },
      { value: 'android', label: t('Android') },
      { value: 'web', label: t('Browser') },
      { value: 'embedded', label: t('Embedded') },
    ],
  },
  { name: 'localeIdentifier', label: t('Language'), kind: 'text' },
  { name: 'timeZone', label: t('Time zone'), kind: 'text' },
  { name: 'appVersion', label: t('App version'), kind: 'text' },
  { name: 'appName', label: t('App name'), kind: 'text' },
  { name: 'appIdentifier', label: t('App identifier'), kind: 'text' },
  { name: 'pushType', label: t('Push type'), kind: 'text' },
  { name: 'metadata', label: t('Metadata'), kind: 'member' },
  { name: 'userId', label: t('Account'), kind: 'pointer', className: '_User' },
  { name: 'installationId', label: t('Phone'), kind: 'text' },
  { name: 'createdAt', label: t('Installed'), kind: 'date' },
  { name: 'updatedAt', label: t('Last changed'), kind: 'date' },
];

/** Fields that not every role sees; the service refuses them to the others. */
export const personalFields: ReadonlySet<string> = new Set(['metadata', 'userId', 'installationId']);

/** The fields of an audience, with dates in the app's time zone. */
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

/** How the form shows the audience of a push that is there. */
export function audienceOf(where: JsonObject | undefined, zone: string): Audience {
  if (where === undefined || Object.keys(where).length === 0) return { kind: 'everyone' };
  const filter = filterOf(where, audienceFieldsIn(zone));
  return filter ? { kind: 'rows', filter } : { kind: 'json', text: JSON.stringify(where, null, 2) };
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
