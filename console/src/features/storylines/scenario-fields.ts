import type { Body, StorylineDetail } from '@pharos/sdk';
import {
  type EffectFields,
  effectFields,
  effectLabels,
  effectMembers,
  effectNames,
  effectProblems,
} from '../../components/message/effects.ts';
import { runsOn, type ShownDay, week } from '../../components/rules/days.ts';
import { type Rules, rulesOrNull } from '../../components/rules/rules.ts';
import {
  cleanTranslations,
  type TranslatedField,
  type Translations,
  translationProblems,
} from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';

export interface ScenarioFields extends EffectFields {
  readonly beacons: readonly string[];
  readonly event: StorylineDetail['event'];
  readonly campaign: StorylineDetail['campaign'];
  readonly showOn: readonly ShownDay[];
  readonly alertTitle: string;
  readonly alertMessage: string;
  readonly urlImageIOS: string;
  readonly urlImageAndroid: string;
  readonly urlPage: string;
  readonly urlVideo: string;
  readonly delivery: Rules;
  readonly language: string;
  readonly translations: Translations;
}

export const scenarioFieldNames = [
  'beacons',
  'event',
  'campaign',
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

/** The fields in words. */
export const scenarioLabels: Readonly<Record<keyof ScenarioFields, string>> = {
  beacons: t('Beacons'),
  event: 'A visitor',
  campaign: t('Campaign'),
  showOn: t('Shown on'),
  alertTitle: t('Title'),
  alertMessage: t('Text'),
  urlImageIOS: t('Picture on iPhones'),
  urlImageAndroid: t('Picture on Android'),
  urlPage: t('Page'),
  urlVideo: t('Video'),
  delivery: t('How often it is shown'),
  ...effectLabels,
  language: t('Language'),
  translations: t('Other languages'),
};

/** What a translation may replace. */
export const translatedFields: readonly TranslatedField[] = [
  { name: 'alertTitle', label: t('Title'), kind: 'line' },
  { name: 'alertMessage', label: t('Text'), kind: 'text' },
  { name: 'urlPage', label: t('Page'), kind: 'address' },
];
const translatedNames = translatedFields.map(({ name }) => name);

/** A text without words: visitors would read the title of the storyline. */
export const isWordless = ({
  campaign,
  alertTitle = '',
  alertMessage = '',
}: Pick<StorylineDetail, 'campaign' | 'alertTitle' | 'alertMessage'>): boolean =>
  campaign === 'TEXT' && alertTitle.trim() === '' && alertMessage.trim() === '';

/** What the page finds wrong by itself. The service takes a text without words, as the specification asks of apps. */
export const scenarioProblems = (fields: ScenarioFields) => [
  ...(isWordless(fields) ? [{ field: 'alertTitle', problem: t('write a title or a text') }] : []),
  ...(fields.beacons.length === 0 ? [{ field: 'beacons', problem: t('choose at least one beacon') }] : []),
  ...translationProblems(fields.translations, translatedNames),
  ...effectProblems(fields),
];

export const campaignTexts = {
  TEXT: { label: t('Text'), kind: undefined },
  URL: { label: t('Web page'), kind: 'page' },
  IMAGE: { label: t('Picture'), kind: 'picture' },
  VIDEO: { label: t('Video'), kind: 'video' },
} as const satisfies Record<
  StorylineDetail['campaign'],
  { readonly label: string; readonly kind: 'page' | 'picture' | 'video' | undefined }
>;

export function scenarioFields(scenario?: StorylineDetail): ScenarioFields {
  const showOn = scenario?.showOn;
  return {
    beacons: scenario?.beacons ?? [],
    event: scenario?.event ?? 'ENTER',
    campaign: scenario?.campaign ?? 'TEXT',
    showOn: week.map((dayName) => ({ dayName, checked: showOn ? runsOn(showOn, dayName) : true })),
    alertTitle: scenario?.alertTitle ?? '',
    alertMessage: scenario?.alertMessage ?? '',
    urlImageIOS: scenario?.urlImageIOS ?? '',
    urlImageAndroid: scenario?.urlImageAndroid ?? '',
    urlPage: scenario?.urlPage ?? '',
    urlVideo: scenario?.urlVideo ?? '',
    delivery: scenario?.delivery ?? {},
    ...effectFields(scenario),
    language: scenario?.language ?? '',
    translations: scenario?.translations ?? {},
  };
}

const optional = ['alertTitle', 'alertMessage', 'urlImageIOS', 'urlImageAndroid', 'urlPage', 'urlVideo'] as const;

/** An empty field is left out of a new scenario and cleared in an existing one. */
export function scenarioBody(fields: ScenarioFields, isNew: boolean): Body<'createStorylineDetail'> {
  const { beacons, event, campaign, showOn, delivery } = fields;
  const members = [
    ...optional.map((name) => [name, fields[name].trim() || null] as const),
    ['delivery', rulesOrNull(delivery)] as const,
    ['language', fields.language || null] as const,
    ['translations', cleanTranslations(fields.translations, translatedNames) ?? null] as const,
  ].filter(([, value]) => !isNew || value !== null);
  const body = { beacons, event, campaign, showOn, ...Object.fromEntries(members), ...effectMembers(fields, isNew) };
  return body as Body<'createStorylineDetail'>;
}

export type Platform = 'ios' | 'android';

/** What a phone shows. As in the service, a missing picture is replaced by the one for the other platform. */
export function shownOn(platform: Platform, fields: ScenarioFields) {
  const [own, other] =
    platform === 'ios' ? [fields.urlImageIOS, fields.urlImageAndroid] : [fields.urlImageAndroid, fields.urlImageIOS];
  const video = fields.campaign === 'VIDEO' ? fields.urlVideo.trim() : '';
  return { picture: own.trim() || other.trim(), video, link: fields.urlPage.trim() || video };
}
