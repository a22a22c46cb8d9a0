import { sharedWord, t } from '../../lib/words/words.ts';

/** What the service calls the resources of which the console has no list, which would have the noun. */
const withoutList: Readonly<Record<string, string>> = {
  accounts: t('accounts'),
  analytics: t('analytics'),
  floors: t('floors'),
  installations: t('phones'),
  notifications: t('single messages'),
  positions: t('positions'),
  'push notifications': t('pushes'),
  scenarios: t('messages of a series'),
  schemas: t('schemas'),
  storylines: t('series of messages'),
  verdicts: t('verdicts'),
  zones: t('zones'),
};

/** `beacons`, in the language of the page. */
export const resourceNoun = (noun: string): string => withoutList[noun] ?? sharedWord(noun);

/** `Beacons`, in the language of the page. */
export const resourceLabel = (noun: string): string => resourceNoun(noun).replace(/^./, (first) => first.toUpperCase());
