import type { LiveEvent } from '../../lib/data/live.ts';
import { t } from '../../lib/words/words.ts';

export const eventDots = {
  ENTER: 'dotIn',
  EXIT: 'dotOut',
  IMMEDIATE: 'dotNear',
  NEAR: 'dotNear',
  FAR: 'dotOut',
} as const satisfies Readonly<Record<LiveEvent['event'], string>>;

/** Why messages were not shown, as the end of a sentence with `because`. */
export const stopWords: Readonly<Record<string, string>> = {
  schedule: t('they do not run on this day'),
  stale: t('the report came too late'),
  repeat: t('they were already shown in this visit'),
  cool_down: t('another message was shown shortly before'),
  cap: t('the visitor has reached the limit'),
  dwell: t('the visitor did not stay long enough'),
  nth_visit: t('they are for another visit'),
  quiet_hours: t('it was in the quiet hours'),
  closed: t('the venue was closed'),
  validity: t('they are outside their period'),
  no_consent: t('the visitor has not agreed to messages'),
  no_target: t('the phone could not be reached'),
  holdout: t('the visitor is in the group that gets nothing, for comparison'),
};
