import type { Answer, Delivery } from '@pharos/sdk';
import { t } from '../../lib/words/words.ts';

/** Administrators always get the counts. */
type Counted<Push, Members extends keyof Push> = Push & Required<Pick<Push, Members>>;
type CountName = 'audience' | 'sent' | 'failed' | 'expired' | 'noTarget' | 'cancelled';
export type ListedPush = Answer<'listPushes'>['results'][number];
export type PushDetail = Counted<Answer<'getPush'>['result'], CountName | 'queued' | 'received' | 'opened' | 'reasons'>;
export type DeliveryState = Delivery['state'];

interface StateText {
  readonly label: string;
  /** What the state means. */
  readonly about: string;
}

/** In the order of the bar. */
export const deliveryStates: Readonly<Record<DeliveryState, StateText>> = {
  sent: { label: t('Sent'), about: t('The push service accepted it.') },
  queued: { label: t('Waiting'), about: t('It has not been sent yet.') },
  failed: { label: t('Failed'), about: t('The push service rejected it, or did not accept it in time.') },
  expired: { label: t('Expired'), about: t('It was not sent in time.') },
  noTarget: {
    label: t('Not reachable'),
    about: t('The phone has no push address, or its push service is not set up.'),
  },
  cancelled: { label: t('Cancelled'), about: t('It was cancelled before it was sent.') },
};

export const isDeliveryState = (value: unknown): value is DeliveryState =>
  typeof value === 'string' && value in deliveryStates;

export const pushStates: Readonly<Record<ListedPush['state'], { readonly label: string; readonly color: string }>> = {
  accepted: { label: t('Waiting'), color: 'gray' },
  sending: { label: t('Sending'), color: 'blue' },
  done: { label: t('Done'), color: 'teal' },
  cancelled: { label: t('Cancelled'), color: 'yellow' },
  failed: { label: t('Failed'), color: 'red' },
};

/** A second person must approve it. */
export const waitsForApproval = ({ state, approval }: Pick<ListedPush, 'state' | 'approval'>): boolean =>
  state === 'accepted' && approval?.state === 'waiting';

/** The state of a push in one word. A finished push that has reached nobody is not called done. */
export function outcomeOf(push: Pick<ListedPush, 'state' | 'sent' | 'audience' | 'approval'>): {
  label: string;
  color: string;
} {
  if (waitsForApproval(push)) return { label: t('Waits for approval'), color: 'yellow' };
  if (push.state !== 'done' || push.sent !== 0) return pushStates[push.state];
  return { label: push.audience === 0 ? t('Nobody matched') : t('Nobody reached'), color: 'red' };
}

/** The push may still change. */
export const isUnderWay = ({ state }: Pick<ListedPush, 'state'>): boolean =>
  state === 'accepted' || state === 'sending';

/** Its recipients have been looked for. */
export const hasRecipients = ({ state, audience = 0 }: Pick<ListedPush, 'state' | 'audience'>): boolean =>
  state !== 'accepted' || audience > 0;

type Waiting = Pick<ListedPush, 'state' | 'approval' | 'sendAt' | 'expiresAt'>;

/** It is scheduled, or waits for approval: no recipients have been found yet. */
export function isBeforeItsTime({ approval, sendAt, expiresAt }: Omit<Waiting, 'state'>, now = Date.now()): boolean {
  const time = approval?.state === 'waiting' ? expiresAt : sendAt;
  return time !== undefined && Date.parse(time) > now;
}

/** It was cancelled, and the cancellation can be taken back. */
export const canGoOn = (push: Waiting): boolean => push.state === 'cancelled' && isBeforeItsTime(push);

export type Counts = Readonly<Record<DeliveryState, number>>;

export function countsOf(push: ListedPush): Counts {
  const { audience = 0, sent = 0, failed = 0, expired = 0, noTarget = 0, cancelled = 0 } = push;
  const queued = Math.max(0, audience - sent - failed - expired - noTarget - cancelled);
  return { sent, queued, failed, expired, noTarget, cancelled };
}
