import { t } from '../../lib/words/words.ts';

/** What the service calls the resources, in the language of the page. */
const nouns: Readonly<Record<string, string>> = {
  accounts: t('accounts'),
  analytics: t('analytics'),
  devices: t('devices'),
  files: t('files'),
  installations: t('installations'),
  'push notifications': t('push notifications'),
  records: t('records'),
  schemas: t('schemas'),
  beacons: t('beacons'),
  deliveries: t('deliveries'),
  events: t('events'),
  floors: t('floors'),
  'log records': t('log records'),
  notifications: t('notifications'),
  positions: t('positions'),
  scenarios: t('scenarios'),
  storylines: t('storylines'),
  venues: t('venues'),
  verdicts: t('verdicts'),
  visits: t('visits'),
  zones: t('zones'),
};

/** `beacons`, in the language of the page; a resource that the console does not know stays as the service calls it. */
export const resourceNoun = (noun: string): string => nouns[noun] ?? noun;
