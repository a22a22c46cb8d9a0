import type { Body, JsonObject, PharosProblem } from '@pharos/sdk';
import type { Fields } from '../../components/form/use-fields.ts';
import { jsonObjectOf } from '../../lib/text/json-text.ts';
import {
  cleanTranslations,
  type TranslatedField,
  type Translations,
  translationProblems,
} from '../../lib/text/languages.ts';
import { instantOf, wallTime } from '../../lib/time/zoned-time.ts';
import { t } from '../../lib/words/words.ts';
import type { Audience } from './audience-fields.ts';
import type { ListedPush } from './push-states.ts';

/** The values of the form. */
export interface PushFields {
  readonly 'data.title': string;
  readonly 'data.alert': string;
  readonly 'data.uri': string;
  readonly 'data.badge': number | string;
  readonly 'data.sound': string;
  readonly 'data.image': string;
  /** Empty: as usual. */
  readonly 'options.level': string;
  readonly 'options.replaces': string;
  /** What only apps set, kept as it is. */
  readonly otherOptions: JsonObject;
  /** Additional members, as JSON text. */
  readonly extra: string;
  /** Local time at the venue; empty to send immediately. */
  readonly sendAt: string;
  readonly expiresAt: string;
  readonly language: string;
  readonly translations: Translations;
}

/** What the form asks: the message, and who receives it. */
export interface ComposeFields extends PushFields {
  readonly audience: Audience;
}

export type ComposeForm = Fields<ComposeFields>;

export const emptyPush: PushFields = {
  'data.title': '',
  'data.alert': '',
  'data.uri': '',
  'data.badge': '',
  'data.sound': '',
  'data.image': '',
  'options.level': '',
  'options.replaces': '',
  otherOptions: {},
  extra: '',
  sendAt: '',
  expiresAt: '',
  language: '',
  translations: {},
};

/** What a translation may replace. */
export const translatedFields: readonly TranslatedField[] = [
  { name: 'title', label: t('Title'), kind: 'line' },
  { name: 'alert', label: t('Text'), kind: 'text' },
  { name: 'uri', label: t('Link'), kind: 'address' },
];
const translatedNames = translatedFields.map(({ name }) => name);

export const pushFieldNames = [...(Object.keys(emptyPush) as (keyof PushFields)[]), 'data', 'translations.'];

/** The limit of the service. */
export const maxBytes = 4096;

/** How it is shown; undefined: as usual. */
function optionsOfPush(fields: PushFields): JsonObject | undefined {
  const own = [
    ['level', fields['options.level']],
    ['replaces', fields['options.replaces'].trim()],
  ].filter(([, text]) => text !== '');
  const options = { ...fields.otherOptions, ...Object.fromEntries(own) };
  return Object.keys(options).length === 0 ? undefined : options;
}

const known = ['title', 'alert', 'uri', 'sound', 'image'] as const;

/** The members of `data`; undefined while the additional ones are not a JSON object. */
export function dataOfPush(fields: PushFields): JsonObject | undefined {
  const extra = jsonObjectOf(fields.extra);
  if (!extra) return undefined;
  const texts = known.map((name) => [name, fields[`data.${name}`].trim()] as const).filter(([, text]) => text !== '');
  const badge = fields['data.badge'];
  return { ...extra, ...Object.fromEntries(texts), ...(badge === '' ? {} : { badge }) };
}

/** The form's values of a push that is there. Times are those of the venue. */
export function fieldsOfPush({
  data,
  options = {},
  language = '',
  translations = {},
}: Pick<ListedPush, 'data' | 'options' | 'language' | 'translations'>): PushFields {
  const { level = '', replaces = '', ...otherOptions } = options;
  const { badge, ...others } = data as JsonObject;
  const text = (name: string) => (typeof others[name] === 'string' ? String(others[name]) : '');
  const extra = Object.fromEntries(Object.entries(others).filter(([name]) => text(name) === '' || !isKnown(name)));
  return {
    ...emptyPush,
    ...Object.fromEntries(known.map((name) => [`data.${name}`, text(name)])),
    'data.badge': typeof badge === 'number' ? badge : '',
    'options.level': level,
    'options.replaces': replaces,
    otherOptions: otherOptions as JsonObject,
    language,
    translations,
    extra: Object.keys(extra).length === 0 ? '' : JSON.stringify(extra, null, 2),
  };
}

const isKnown = (name: string) => (known as readonly string[]).includes(name);

/** When it goes out and ends, in local time. */
export const timesOfPush = ({ sendAt, expiresAt }: Pick<ListedPush, 'sendAt' | 'expiresAt'>, zone: string) => ({
  sendAt: sendAt ? wallTime(Date.parse(sendAt), zone) : '',
  expiresAt: expiresAt ? wallTime(Date.parse(expiresAt), zone) : '',
});

export const byteSize = (data: JsonObject): number => new TextEncoder().encode(JSON.stringify(data)).length;

const linkProblem = t('must be an address such as https://example.org, or a deep link such as museum://tonight');

/** A link needs its scheme: phones open nothing for `example.org`. */
const isLink = (text: string): boolean => text.trim() === '' || /^[a-z][a-z\d+.-]*:\S+$/i.test(text.trim());

/** Problems that are found before the service is asked. */
export function pushProblems(fields: PushFields, now: number, zone: string): PharosProblem[] {
  const data = dataOfPush(fields);
  const size = data ? byteSize(data) : 0;
  const [sendAt, expiresAt] = [fields.sendAt, fields.expiresAt].map((wall) => wall && instantOf(wall, zone));
  return [
    ...translationProblems(fields.translations, translatedNames),
    ...(isLink(fields['data.uri']) ? [] : [{ field: 'data.uri', problem: linkProblem }]),
    ...(data ? [] : [{ field: 'extra', problem: t('must be a JSON object, such as {"hall": 2}') }]),
    ...(size > maxBytes
      ? [{ field: 'extra', problem: t('the message has {size} bytes; the limit is {maxBytes}', { size, maxBytes }) }]
      : []),
    ...(sendAt && sendAt < now
      ? [{ field: 'sendAt', problem: t('is in the past; leave it empty to send immediately') }]
      : []),
    ...(expiresAt && expiresAt <= (sendAt || now)
      ? [{ field: 'expiresAt', problem: t('must be after the time of sending') }]
      : []),
  ];
}

export function pushBody(fields: PushFields, where: JsonObject | undefined, zone: string): Body<'sendPush'> {
  const translations = cleanTranslations(fields.translations, translatedNames);
  const options = optionsOfPush(fields);
  const time = (wall: string) => new Date(instantOf(wall, zone)).toISOString();
  return {
    data: dataOfPush(fields) ?? {},
    ...(options ? { options } : {}),
    ...(where ? { where } : {}),
    ...(fields.language ? { language: fields.language } : {}),
    ...(translations ? { translations } : {}),
    ...(fields.sendAt ? { sendAt: time(fields.sendAt) } : {}),
    ...(fields.expiresAt ? { expiresAt: time(fields.expiresAt) } : {}),
  } as Body<'sendPush'>;
}
