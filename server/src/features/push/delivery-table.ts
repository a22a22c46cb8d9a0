import { defineTable, number, pointer, text, time } from '../../resources/table.ts';

const optional = { omitNull: true } as const;

/** What became of a message for one recipient. The states: queued, sent, failed, expired, noTarget, cancelled. */
export const deliveryTable = defineTable('deliveries', {
  objectId: text('object_id'),
  pushId: text('push_id', optional),
  eventId: text('event_id', optional),
  triggerId: text('trigger_id', optional),
  installationId: pointer('installation_id', '_Installation', { indexed: true }),
  state: text('state'),
  reason: text('reason', optional),
  sender: text('sender', optional),
  attempts: number('attempts'),
  sentAt: time('sent_at', optional),
  receivedAt: time('received_at', optional),
  openedAt: time('opened_at', optional),
  expiresAt: time('expires_at'),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});

export const deliveryStates = ['queued', 'sent', 'failed', 'expired', 'noTarget', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The id of a push's message to one installation: one for each, however often it is asked for. */
export const deliveryIdOf = (pushId: string, installationId: string) => `${pushId}-${installationId}`;
