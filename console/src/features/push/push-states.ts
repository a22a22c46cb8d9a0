import type { Answer, Delivery } from '@pharos/sdk';

/** Administrators are always told the counts. */
type Counted<Push, Members extends keyof Push> = Push & Required<Pick<Push, Members>>;
type CountName = 'audience' | 'sent' | 'failed' | 'expired' | 'noTarget' | 'cancelled';
export type ListedPush = Answer<'listPushes'>['results'][number];
export type PushDetail = Counted<Answer<'getPush'>['result'], CountName | 'queued' | 'received' | 'opened' | 'reasons'>;
export type DeliveryState = Delivery['state'];

interface StateText {
  readonly label: string;
  /** What it means for the recipient. */
  readonly about: string;
}

/** In the order in which the bar shows them. */
export const deliveryStates: Readonly<Record<DeliveryState, StateText>> = {
  sent: { label: 'Sent', about: 'The push service has taken it.' },
  queued: { label: 'Waiting', about: 'It is on its way.' },
  failed: { label: 'Failed', about: 'The push service refused it, or did not take it in time.' },
  expired: { label: 'Too late', about: 'It was not sent in time.' },
  noTarget: { label: 'Not reachable', about: 'It has no push address, or its push service is not set up.' },
  cancelled: { label: 'Cancelled', about: 'It was cancelled before it was sent.' },
};

export const isDeliveryState = (value: unknown): value is DeliveryState =>
  typeof value === 'string' && value in deliveryStates;

export const pushStates: Readonly<Record<ListedPush['state'], { readonly label: string; readonly color: string }>> = {
  accepted: { label: 'Waiting', color: 'gray' },
  sending: { label: 'Sending', color: 'blue' },
  done: { label: 'Done', color: 'teal' },
  cancelled: { label: 'Cancelled', color: 'yellow' },
  failed: { label: 'Failed', color: 'red' },
};

/** Something may still change about it. */
export const isUnderWay = ({ state }: Pick<ListedPush, 'state'>): boolean =>
  state === 'accepted' || state === 'sending';

export type Counts = Readonly<Record<DeliveryState, number>>;

export function countsOf(push: ListedPush): Counts {
  const { audience = 0, sent = 0, failed = 0, expired = 0, noTarget = 0, cancelled = 0 } = push;
  const queued = Math.max(0, audience - sent - failed - expired - noTarget - cancelled);
  return { sent, queued, failed, expired, noTarget, cancelled };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the push is called in a list: its title or its text. */
export function nameOf({ data }: Pick<ListedPush, 'data'>): string {
  return text(data['title']) || text(data['alert']) || 'Without a text';
}
