import type { Body, StorylineDetail } from '@pharos/sdk';
import { runsOn, type ShownDay, week } from '../../components/rules/days.ts';
import { type Rules, rulesOrNull } from '../../components/rules/rules.ts';

export interface ScenarioFields {
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
] as const;

/** The fields in words. */
export const scenarioLabels: Readonly<Record<keyof ScenarioFields, string>> = {
  beacons: 'Beacons',
  event: 'A visitor',
  campaign: 'Campaign',
  showOn: 'Shown on',
  alertTitle: 'Title',
  alertMessage: 'Text',
  urlImageIOS: 'Picture on iPhones',
  urlImageAndroid: 'Picture on Android',
  urlPage: 'Page',
  urlVideo: 'Video',
  delivery: 'How often it is shown',
};

export const campaignTexts = {
  TEXT: { label: 'Text', kind: '' },
  URL: { label: 'Web page', kind: 'the page' },
  IMAGE: { label: 'Picture', kind: 'the picture' },
  VIDEO: { label: 'Video', kind: 'the video' },
} as const satisfies Record<StorylineDetail['campaign'], { readonly label: string; readonly kind: string }>;

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
  };
}

const optional = ['alertTitle', 'alertMessage', 'urlImageIOS', 'urlImageAndroid', 'urlPage', 'urlVideo'] as const;

/** An empty field is left out of a new scenario and cleared in an existing one. */
export function scenarioBody(fields: ScenarioFields, isNew: boolean): Body<'createStorylineDetail'> {
  const { beacons, event, campaign, showOn, delivery } = fields;
  const members = [
    ...optional.map((name) => [name, fields[name].trim() || null] as const),
    ['delivery', rulesOrNull(delivery)] as const,
  ].filter(([, value]) => !isNew || value !== null);
  return { beacons, event, campaign, showOn, ...Object.fromEntries(members) } as Body<'createStorylineDetail'>;
}

export type Platform = 'ios' | 'android';

/** What a phone shows. As in the service, a missing picture is replaced by the one for the other platform. */
export function shownOn(platform: Platform, fields: ScenarioFields) {
  const [own, other] =
    platform === 'ios' ? [fields.urlImageIOS, fields.urlImageAndroid] : [fields.urlImageAndroid, fields.urlImageIOS];
  const video = fields.campaign === 'VIDEO' ? fields.urlVideo.trim() : '';
  return { picture: own.trim() || other.trim(), video, link: fields.urlPage.trim() || video };
}
