import type { Body, Notification, PharosProblem, Storyline, StorylineDetail } from '@pharos/sdk';
import { everyDay, runsOn, type ShownDay, week } from '../../components/rules/days.ts';
import { type EventKind, type Rules, rulesOrNull } from '../../components/rules/rules.ts';
import {
  cleanTranslations,
  type TranslatedField,
  type Translations,
  textOf,
  translationProblems,
} from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';
import { type EffectFields, effectFields, effectMembers, effectNames, effectProblems } from './effects/effects.ts';

/** How a message is stored: what one beacon and every day can say as a notification, the rest as a storyline with a scenario. */
export type Stored =
  | { readonly kind: 'notification'; readonly record: Notification }
  | {
      readonly kind: 'storyline';
      readonly record: Storyline;
      /** Undefined: nothing was written in it yet. */
      readonly scenario: StorylineDetail | undefined;
      /** All of its scenarios, in their order; what apps have made may have several. */
      readonly scenarios: readonly StorylineDetail[];
    };

/** What an editor sees of either. */
export interface Message {
  /** Of the notification, or of the storyline. */
  readonly objectId: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly updatedAt: string;
  readonly stored: Stored;
  readonly fields: MessageFields;
}

/** The values of the form, in the words of a scenario, which can say the most. */
export interface MessageFields extends EffectFields {
  /** For editors; empty: as the title. */
  readonly name: string;
  readonly beacons: readonly string[];
  readonly event: EventKind;
  readonly showOn: readonly ShownDay[];
  readonly alertTitle: string;
  readonly alertMessage: string;
  readonly urlImageIOS: string;
  /** Where phones with Android get another picture. */
  readonly urlImageAndroid: string;
  readonly urlPage: string;
  readonly urlVideo: string;
  readonly delivery: Rules;
  readonly language: string;
  readonly translations: Translations;
}

/** The fields that show their own problems. */
export const fieldNames = [
  'name',
  'beacons',
  'event',
  'showOn',
  'alertTitle',
  'alertMessage',
  'urlImageIOS',
  'urlImageAndroid',
  'urlPage',
  'urlVideo',
  'delivery.',
  ...effectNames,
  'language',
  'translations',
  'translations.',
] as const;

/** What a translation may replace. */
export const translatedFields: readonly TranslatedField[] = [
  { name: 'alertTitle', label: t('Title'), kind: 'line' },
  { name: 'alertMessage', label: t('Text'), kind: 'text' },
  { name: 'urlImageIOS', label: t('Picture'), kind: 'address' },
  { name: 'urlVideo', label: t('Video'), kind: 'address' },
  { name: 'urlPage', label: t('Page'), kind: 'address' },
];
const translatedNames = [...translatedFields.map(({ name }) => name), 'urlImageAndroid'];

const maxName = 50;

/** What editors call it. */
export const nameOf = ({ name, alertTitle, alertMessage }: MessageFields): string =>
  (name.trim() || alertTitle.trim() || alertMessage.trim()).slice(0, maxName).trim();

/** The attachment that a phone shows beside the texts, which also decides the type that apps are given. */
export function attachmentOf(fields: Pick<MessageFields, 'urlVideo' | 'urlImageIOS' | 'urlImageAndroid' | 'urlPage'>) {
  if (fields.urlVideo.trim()) return 'VIDEO';
  if (fields.urlImageIOS.trim() || fields.urlImageAndroid.trim()) return 'IMAGE';
  return fields.urlPage.trim() ? 'URL' : 'TEXT';
}

const isWordless = ({ alertTitle, alertMessage }: MessageFields) =>
  alertTitle.trim() === '' && alertMessage.trim() === '';

export const newMessage = (): MessageFields => ({
  name: '',
  beacons: [],
  event: 'ENTER',
  showOn: everyDay,
  alertTitle: '',
  alertMessage: '',
  urlImageIOS: '',
  urlImageAndroid: '',
  urlPage: '',
  urlVideo: '',
  delivery: {},
  ...effectFields(),
  language: '',
  translations: {},
});

const renamed = (translations: Translations = {}, from: string, to: string): Translations =>
  Object.fromEntries(
    Object.entries(translations).map(([tag, words]) => [
      tag,
      Object.fromEntries(Object.entries(words).map(([name, text]) => [name === from ? to : name, text])),
    ]),
  );

/** The member of the form that a notification's address is. */
const addressOf = (type: Notification['type']) => (type === 'VIDEO' ? 'urlVideo' : 'urlImageIOS');

function ofNotification(one: Notification): MessageFields {
  const { message, type } = one;
  return {
    ...newMessage(),
    name: one.description,
    beacons: [one.beaconId.objectId],
    event: one.event,
    alertTitle: textOf(message['alertTitle']),
    alertMessage: textOf(message['alertMessage']),
    ...(type === 'TEXT' ? {} : { [addressOf(type)]: textOf(message['url']) }),
    delivery: one.delivery ?? {},
    ...effectFields(one),
    language: one.language ?? '',
    translations: renamed(one.translations, 'url', addressOf(type)),
  };
}

function ofScenario(storyline: Storyline, one?: StorylineDetail): MessageFields {
  if (!one) return { ...newMessage(), name: storyline.title };
  const { showOn } = one;
  return {
    name: storyline.title,
    beacons: one.beacons,
    event: one.event,
    showOn: week.map((dayName) => ({ dayName, checked: runsOn(showOn, dayName) })),
    alertTitle: one.alertTitle ?? '',
    alertMessage: one.alertMessage ?? '',
    urlImageIOS: one.urlImageIOS ?? '',
    urlImageAndroid: one.urlImageAndroid ?? '',
    urlPage: one.urlPage ?? '',
    urlVideo: one.urlVideo ?? '',
    delivery: one.delivery ?? {},
    ...effectFields(one),
    language: one.language ?? '',
    translations: one.translations ?? {},
  };
}

export function messageOf(stored: Stored): Message {
  const { objectId, isEnabled, updatedAt } = stored.record;
  const fields =
    stored.kind === 'notification' ? ofNotification(stored.record) : ofScenario(stored.record, stored.scenario);
  return { objectId, isEnabled, name: fields.name, updatedAt, stored, fields };
}

/** The message by which visitors are remembered and effects are counted; undefined: there is none yet. */
export const triggerOf = ({ stored }: Message): string | undefined =>
  stored.kind === 'notification' ? stored.record.objectId : stored.scenario?.objectId;

/** Whether others share its storyline: then they have one name and one switch. */
export const isInSeries = ({ stored }: Message): boolean => stored.kind === 'storyline' && stored.scenarios.length > 1;

/** Every member that the form writes, in its own words. */
export function memberOf(fields: MessageFields): Readonly<Record<string, unknown>> {
  const { beacons, event, showOn, delivery, goal, holdout, variants } = fields;
  const addresses = (['urlImageIOS', 'urlImageAndroid', 'urlPage', 'urlVideo'] as const).map(
    (name) => [name, fields[name].trim() || null] as const,
  );
  return {
    name: nameOf(fields),
    beacons,
    event,
    showOn,
    alertTitle: fields.alertTitle.trim() || null,
    alertMessage: fields.alertMessage.trim() || null,
    ...Object.fromEntries(addresses),
    delivery: rulesOrNull(delivery),
    ...effectMembers({ goal, holdout, variants }, false),
    language: fields.language || null,
    translations: cleanTranslations(fields.translations, translatedNames) ?? null,
  };
}

/** The values of a form after a change of members; null clears one. */
export function withMembers(fields: MessageFields, members: object): MessageFields {
  const empty = newMessage() as unknown as Readonly<Record<string, unknown>>;
  const changes = Object.entries(members).map(([name, value]) => [name, value ?? empty[name]]);
  return { ...fields, ...Object.fromEntries(changes) };
}

const isDaily = (showOn: readonly ShownDay[]) => week.every((day) => runsOn(showOn, day));

/** Whether a notification can say it: at one beacon, on every day, with one picture or video or none. */
export function fitsNotification(fields: MessageFields): boolean {
  const { beacons, showOn, urlPage, urlImageAndroid, urlImageIOS, urlVideo, translations } = fields;
  const allowed = ['alertTitle', 'alertMessage', urlVideo.trim() ? 'urlVideo' : 'urlImageIOS'];
  const written = Object.values(cleanTranslations(translations, translatedNames) ?? {}).flatMap(Object.keys);
  return (
    beacons.length === 1 &&
    isDaily(showOn) &&
    urlPage.trim() === '' &&
    urlImageAndroid.trim() === '' &&
    (urlImageIOS.trim() === '' || urlVideo.trim() === '') &&
    written.every((name) => allowed.includes(name))
  );
}

const withoutNulls = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** As a notification; of a known one, members of the message that the form does not have are kept. */
export function notificationBody(fields: MessageFields, known?: Notification): Body<'createNotification'> {
  const { alertTitle, alertMessage, urlImageIOS, urlVideo } = fields;
  const attachment = attachmentOf(fields);
  const type = attachment === 'VIDEO' || attachment === 'IMAGE' ? attachment : 'TEXT';
  const { delivery, goal, holdout, variants, language, translations } = memberOf(fields);
  const optional = {
    delivery,
    goal,
    holdout,
    variants,
    language,
    translations: translations && renamed(translations as Translations, addressOf(type), 'url'),
  };
  const url = type === 'TEXT' ? undefined : (type === 'VIDEO' ? urlVideo : urlImageIOS).trim();
  return {
    description: nameOf(fields),
    beaconId: { __type: 'Pointer', className: 'Beacon', objectId: fields.beacons[0] ?? '' },
    event: fields.event,
    type,
    message: { ...known?.message, alertTitle, alertMessage, url },
    ...(known ? optional : withoutNulls(optional)),
  } as unknown as Body<'createNotification'>;
}

/** A scenario's body. A known scenario keeps its type while its attachments stay the same. */
export function scenarioBody(fields: MessageFields, known?: StorylineDetail): Body<'createStorylineDetail'> {
  const { name: _, ...members } = memberOf(fields);
  const attachment = attachmentOf(fields);
  const before = known && attachmentOf(ofScenario({} as Storyline, known));
  const body = { ...members, campaign: known && before === attachment ? known.campaign : attachment };
  return (known ? body : withoutNulls(body)) as unknown as Body<'createStorylineDetail'>;
}

/** What is missing, found before the service is asked. Without words it can only be kept as a draft with a name. */
export function messageProblems(fields: MessageFields, isOn: boolean): readonly PharosProblem[] {
  const needsWords = attachmentOf(fields) === 'TEXT' || attachmentOf(fields) === 'URL';
  return [
    ...(isWordless(fields) && needsWords && (isOn || fields.name.trim() === '')
      ? [{ field: 'alertTitle', problem: t('write a title or a text') }]
      : []),
    ...(isWordless(fields) && !needsWords && fields.name.trim() === ''
      ? [{ field: 'name', problem: t('give it a name') }]
      : []),
    ...(fields.beacons.length === 0 ? [{ field: 'beacons', problem: t('choose a place') }] : []),
    ...translationProblems(fields.translations, translatedNames),
    ...effectProblems(fields),
  ];
}

export function fieldOf(name: string): string {
  const [first = ''] = name.split('.');
  if (name === 'description' || name === 'title') return 'name';
  if (first === 'beaconId') return 'beacons';
  if (name === 'message.url') return 'urlImageIOS';
  if (first === 'message') return name.slice('message.'.length);
  return name.replace(/^(translations\.[^.]+)\.url$/, '$1.urlImageIOS');
}
