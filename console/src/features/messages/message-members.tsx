import type { ReactNode } from 'react';
import { BeaconNames } from '../../components/names/names.tsx';
import type { ShownDay } from '../../components/rules/days.ts';
import { type EventKind, eventTexts } from '../../components/rules/rules.ts';
import { t } from '../../lib/words/words.ts';
import { effectLabels } from './effects/effects.ts';
import type { MessageFields } from './message.ts';
import { weekText } from './sentence/parts.ts';

/** The members of a message in words, where somebody else's change or an earlier version is shown. */

export const fieldLabels: Readonly<Record<keyof MessageFields, string>> = {
  name: t('Name'),
  beacons: t('Place'),
  event: 'A visitor',
  showOn: t('Days'),
  alertTitle: t('Title'),
  alertMessage: t('Text'),
  urlImageIOS: t('Picture'),
  urlImageAndroid: t('Picture on Android'),
  urlPage: t('Page'),
  urlVideo: t('Video'),
  delivery: t('How often it is shown'),
  ...effectLabels,
  language: t('Language'),
  translations: t('Other languages'),
};

/** As they are stored. */
export const memberLabels: Readonly<Record<string, string>> = {
  ...fieldLabels,
  description: t('Name'),
  title: t('Name'),
  beaconId: t('Place'),
  type: t('Type'),
  campaign: t('Type'),
  isEnabled: t('On'),
  'message.alertTitle': t('Title'),
  'message.alertMessage': t('Text'),
  'message.url': t('Picture or video'),
};

export const shownFields = (appId: string) => ({
  beacons: (ids: readonly string[]): ReactNode => <BeaconNames appId={appId} beaconIds={ids} />,
  beaconId: (id: string): ReactNode => <BeaconNames appId={appId} beaconIds={id ? [id] : []} />,
  event: (event: EventKind): ReactNode => eventTexts[event].verb,
  showOn: (days: readonly ShownDay[]): ReactNode => weekText(days),
});
