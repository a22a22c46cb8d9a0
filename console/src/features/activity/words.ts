import type { Answer } from '@pharos/sdk';
import type { Listed } from '../../lib/data/listed.ts';
import { deliveryWords } from '../../lib/text/delivery-words.ts';

export type ActivityEvent = Listed<'listEvents'>;
export type Visit = Listed<'listVisits'>;
export type ListedDelivery = Listed<'listDeliveries'>;
export type Log = Listed<'listLogs'>;
export type JudgedEvent = Answer<'getEvent'>['result'];
export type Verdict = JudgedEvent['verdicts'][number];

export const eventLabels: Readonly<Record<ActivityEvent['event'], string>> = {
  ENTER: 'Enters',
  EXIT: 'Leaves',
  IMMEDIATE: 'Is within one metre',
  NEAR: 'Is one to three metres away',
  FAR: 'Is more than three metres away',
};

/** What detected an event. */
export const causeWords: Readonly<Record<ActivityEvent['cause'], string>> = {
  samples: 'beacon signals',
  device: 'the phone itself',
  silence: 'silence: the signals stopped',
  timeout: 'timeout: twelve hours without a report',
};

/** How the end of a visit was detected. */
export function endWords({ isOpen, endedBy, inferred }: Visit): string {
  if (isOpen || endedBy === null) return 'still here';
  if (inferred) return 'inferred: the end was not detected';
  return endedBy === 'silence'
    ? 'detected: the signal stopped'
    : endedBy === 'device'
      ? 'detected by the phone'
      : 'detected by beacon signals';
}

const stateSentences: Readonly<Record<ListedDelivery['state'], string>> = {
  queued: 'It is waiting to be sent.',
  sent: 'The push service accepted it.',
  failed: 'The push service rejected it.',
  expired: 'It could not be sent in time and has expired.',
  noTarget: 'There was no push address to send it to. If the app was open, it showed the message.',
  cancelled: 'The push was cancelled before it was sent.',
};

/** The state of a delivery as a sentence, as far as the app reported it. */
export function deliverySentence({ state, openedAt, receivedAt }: ListedDelivery): string {
  if (openedAt) return 'The phone received it, and it was opened.';
  return receivedAt ? 'The phone received it.' : stateSentences[state];
}

/** The state of a delivery; `Opened` if the app reported it. */
export function deliveryWord({ state, openedAt, receivedAt }: ListedDelivery): string {
  if (openedAt) return 'Opened';
  return receivedAt ? 'Received' : deliveryWords[state];
}

export const outcomeWords: Readonly<Record<Verdict['outcome'], string>> = {
  fired: 'Shown',
  stopped: 'Not shown',
  pending: 'Waiting',
};
export const outcomeColors: Readonly<Record<Verdict['outcome'], string>> = {
  fired: 'teal',
  stopped: 'gray',
  pending: 'blue',
};
