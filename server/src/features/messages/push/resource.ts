import { noDayMs } from '@pharos/engine/decide';
import { bigint, nullable, text as textColumn, withDefault } from '../../../db/table.ts';
import { defineResource } from '../../../resources/define.ts';
import { json, number, pointer, text, time } from '../../../resources/members/members.ts';
import { pushDeliveryRecord, pushRecord } from './schemas.ts';

const optional = { optional: true } as const;
/** A count, which is hidden from those who may not know it. */
const count = { omitNull: true, hasDefault: true } as const;

/** The states: accepted (also: waits for its time), sending, done, cancelled, failed. */
export const pushes = defineResource({
  owner: 'push',
  table: 'pushes',
  noun: ['push notification', 'push notifications'],
  title: ['Push', 'Pushes'],
  tag: {
    name: 'Push',
    description: 'Messages to everyone or to a filtered audience.',
    place: 80,
    console: { read: 'push.read', write: 'push.send' },
  },
  path: '/push/notification',
  record: pushRecord,
  members: {
    objectId: text('object_id'),
    data: json('data'),
    options: json('options', optional),
    where: json('audience', optional),
    language: text('language', optional),
    translations: json('translations', optional),
    state: text('state'),
    problem: text('problem', optional),
    userId: pointer('user_id', '_User', optional),
    approval: json('approval', optional),
    sendAt: time('send_at', optional),
    expiresAt: time('expires_at', optional),
    audience: number('audience_count', count),
    sent: number('sent_count', count),
    failed: number('failed_count', count),
    expired: number('expired_count', count),
    noTarget: number('no_target_count', count),
    cancelled: number('cancelled_count', count),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  internal: {
    expanded_to: nullable(textColumn),
    edition: withDefault(bigint),
    waits: withDefault(bigint),
    is_blind: nullable(bigint),
    authors: nullable(textColumn),
  },
  indexes: { pushes_waiting: { on: ['app_id', 'object_id'], isPartial: true } },
  users: ['user_id'],
  erased: 'own',
  // Whom it is or was for; one that waits for its time still goes to the others.
  mentions: { in: ['audience', 'approval', 'authors'], erased: 'unname' },
  rules: 'pushes',
});

/** What became of a message for one recipient. */
export const deliveries = defineResource({
  owner: 'push',
  table: 'deliveries',
  noun: ['delivery', 'deliveries'],
  tag: {
    name: 'Deliveries',
    description: 'The result of each message for each recipient, and what the app reports about it.',
    place: 90,
    console: { read: 'activity.read' },
  },
  path: '/deliveries',
  record: pushDeliveryRecord,
  members: {
    objectId: text('object_id'),
    pushId: text('push_id', optional),
    eventId: text('event_id', optional),
    triggerId: text('trigger_id', optional),
    // Whoever chose the audience would know which phone has a pseudonym.
    installationId: pointer('installation_id', '_Installation', {
      omitNull: true,
      phone: { day: 'object_id', as: 'nothing' },
    }),
    state: text('state'),
    reason: text('reason', optional),
    sender: text('sender', optional),
    language: text('language', optional),
    attempts: number('attempts'),
    sentAt: time('sent_at', optional),
    receivedAt: time('received_at', optional),
    openedAt: time('opened_at', optional),
    expiresAt: time('expires_at'),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  internal: { run_at: bigint },
  indexes: {
    deliveries_push: { on: ['app_id', 'push_id', 'object_id'], isPartial: true },
    deliveries_trigger: { on: ['app_id', 'trigger_id', 'object_id'], isPartial: true },
    deliveries_installation: { on: ['app_id', 'installation_id', 'object_id'] },
    deliveries_reason: { on: ['app_id', 'push_id', 'state', 'reason'], isPartial: true },
    deliveries_received: { on: ['app_id', 'push_id', 'object_id'], isPartial: true },
    deliveries_opened: { on: ['app_id', 'push_id', 'object_id'], isPartial: true },
  },
  childOf: ['pushes'],
  trail: { installation: 'installation_id', at: 'created_at' },
  // Of those that are under way a push still counts them.
  kept: { days: 'deliveries', only: "state <> 'queued'", atLeastMs: noDayMs },
  rules: 'deliveries',
});
