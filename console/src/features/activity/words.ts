import type { Answer } from '@pharos/sdk';
import type { Listed } from '../../components/list/record-list.tsx';
import { deliveryColors as stateColors, deliveryWords as stateWords } from '../../lib/text/delivery-words.ts';

export { stateColors, stateWords };

export type ActivityEvent = Listed<'listEvents'>;
export type Visit = Listed<'listVisits'>;
export type Delivery = Listed<'listDeliveries'>;
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

export const eventColors: Readonly<Record<ActivityEvent['event'], string>> = {
  ENTER: 'teal',
  EXIT: 'gray',
  IMMEDIATE: 'blue',
  NEAR: 'blue',
  FAR: 'gray',
};

/** Who noticed it. */
export const causeWords: Readonly<Record<ActivityEvent['cause'], string>> = {
  samples: 'signals of the beacon',
  device: 'the phone itself',
  silence: 'silence: no signal came any more',
  timeout: 'nobody: twelve hours without a word',
};

/** How sure a visit's end is. */
export function endWords({ isOpen, endedBy, inferred }: Visit): string {
  if (isOpen || endedBy === null) return 'still here';
  if (inferred) return 'inferred: nobody saw the end';
  return endedBy === 'silence'
    ? 'seen: the signal was gone'
    : endedBy === 'device'
      ? 'seen by the phone'
      : 'seen by its signals';
}

const stateSentences: Readonly<Record<Delivery['state'], string>> = {
  queued: 'It waits to be sent.',
  sent: 'The push service has taken it.',
  failed: 'The push service has refused it.',
  expired: 'It could not be sent in time, and is no longer wanted.',
  noTarget: 'There was no address to send it to. An app that was open has shown it all the same.',
  cancelled: 'The push was cancelled before it was sent.',
};

/** What became of it, as far as the app has said. */
export function deliverySentence({ state, openedAt, receivedAt }: Delivery): string {
  if (openedAt) return 'The phone has received it, and somebody opened it.';
  return receivedAt ? 'The phone has received it.' : stateSentences[state];
}

/** `Opened`, where the app has said so. */
export function deliveryWord({ state, openedAt, receivedAt }: Delivery): string {
  if (openedAt) return 'Opened';
  return receivedAt ? 'Received' : stateWords[state];
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
