import type { Answer } from '@pharos/sdk';
import type { Listed } from '../../lib/data/api.ts';
import { deliveryWords } from '../../lib/text/event-words.ts';
import { t } from '../../lib/words/words.ts';

export type ActivityEvent = Listed<'listEvents'>;
export type Visit = Listed<'listVisits'>;
export type ListedDelivery = Listed<'listDeliveries'>;
export type Log = Listed<'listLogs'>;
export type JudgedEvent = Answer<'getEvent'>['result'];
export type Verdict = JudgedEvent['verdicts'][number];

export const eventLabels: Readonly<Record<ActivityEvent['event'], string>> = {
  ENTER: t('Enters'),
  EXIT: t('Leaves'),
  IMMEDIATE: t('Is within one metre'),
  NEAR: t('Is one to three metres away'),
  FAR: t('Is more than three metres away'),
};

export const causeWords: Readonly<Record<ActivityEvent['cause'], string>> = {
  samples: t('beacon signals'),
  device: t('the phone itself'),
  silence: t('silence: the signals stopped'),
  timeout: t('timeout: twelve hours without a report'),
};

export function endWords({ isOpen, endedBy, inferred }: Visit): string {
  if (isOpen || endedBy === null) return t('still here');
  if (inferred) return t('inferred: the end was not detected');
  return endedBy === 'silence'
    ? t('detected: the signal stopped')
    : endedBy === 'device'
      ? t('detected by the phone')
      : t('detected by beacon signals');
}

const stateSentences: Readonly<Record<ListedDelivery['state'], string>> = {
  queued: t('It is waiting to be sent.'),
  sent: t('The push service accepted it.'),
  failed: t('The push service rejected it.'),
  expired: t('It could not be sent in time and has expired.'),
  noTarget: t('There was no push address to send it to. If the app was open, it showed the message.'),
  cancelled: t('The push was cancelled before it was sent.'),
};

export function deliverySentence({ state, openedAt, receivedAt }: ListedDelivery): string {
  if (openedAt) return t('The phone received it, and it was opened.');
  return receivedAt ? t('The phone received it.') : stateSentences[state];
}

/** The state of a delivery; `Opened` if the app reported it. */
export function deliveryWord({ state, openedAt, receivedAt }: ListedDelivery): string {
  if (openedAt) return t('Opened');
  return receivedAt ? t('Received') : deliveryWords[state];
}

export const outcomeWords: Readonly<Record<Verdict['outcome'], string>> = {
  fired: t('Shown'),
  stopped: t('Not shown'),
  pending: t('Waiting'),
};
export const outcomeColors: Readonly<Record<Verdict['outcome'], string>> = {
  fired: 'teal',
  stopped: 'gray',
  pending: 'blue',
};

export const messageKinds = { notification: t('message'), scenario: t('message') } as const;
