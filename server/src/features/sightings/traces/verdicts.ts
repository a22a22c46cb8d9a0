import type { Verdict } from '@pharos/engine';
import { Type } from 'typebox';
import { noDayMs } from '../../../access/policy.ts';
import type { SqlValue } from '../../../base/sql.ts';
import type { Row } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import {
  exampleCreated,
  exampleId,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { defineResource } from '../../../resources/define.ts';
import { pointer, text, time } from '../../../resources/members/members.ts';
import { events, eventTag, kind, visitIdMember, type WriteContext } from './events.ts';

/** These are explained by what happened to the visitor on other days. */
const ofOtherDays: ReadonlySet<unknown> = new Set(['cool_down', 'cap', 'nth_visit']);
const ofOtherDaysText =
  'Not shown: a pause, a limit or the number of the visit. What this visitor did before is not told.';

/** Why a message was shown or not, without what would link the visitor's days. */
const explainedToOthers = (row: Row): SqlValue =>
  ofOtherDays.has(row['reason']) ? ofOtherDaysText : (row['explanation'] ?? null);

const verdictRecord = {
  schema: Type.Object({
    objectId: Type.String({ description: 'The objectId of the event, a dash, and that of the trigger' }),
    eventId: objectIdSchema,
    triggerId: objectIdSchema,
    kind: Type.Enum(['notification', 'scenario']),
    event: kind,
    beaconId: pointerSchema('Beacon'),
    installationId: pointerSchema('_Installation'),
    visitId: visitIdMember,
    outcome: Type.Enum(['fired', 'stopped', 'pending']),
    reason: Type.Enum(
      [
        'disabled',
        'event',
        'beacon',
        'schedule',
        'no_consent',
        'stale',
        'repeat',
        'cool_down',
        'cap',
        'dwell',
        'nth_visit',
        'quiet_hours',
        'closed',
        'validity',
        'no_target',
        'holdout',
        'fired',
      ],
      { description: 'fired, or the first gate that said no' },
    ),
    text: Type.String({ description: 'The same as a sentence' }),
    decidedAt: timestampSchema,
    dueAt: Type.Optional(timestampSchema),
    deliveryId: Type.Optional(Type.String()),
    createdAt: timestampSchema,
  }),
  example: {
    objectId: `${exampleId}-${otherExampleId}`,
    eventId: exampleId,
    triggerId: otherExampleId,
    kind: 'scenario',
    event: 'ENTER',
    beaconId: pointerExample('Beacon', otherExampleId),
    installationId: pointerExample('_Installation', otherExampleId),
    visitId: exampleId,
    outcome: 'stopped',
    reason: 'schedule',
    text: 'Not shown: it runs on Mon–Fri, and it was Sunday in Europe/Vienna.',
    decidedAt: exampleCreated,
    createdAt: exampleCreated,
  },
};

/** An objectId is the event's, a dash, and the trigger's. */
export const verdicts = defineResource({
  owner: 'sightings',
  table: 'verdicts',
  noun: ['verdict', 'verdicts'],
  title: ['Verdict', 'Verdicts'],
  tag: eventTag,
  path: '/verdicts',
  record: verdictRecord,
  members: {
    objectId: text('object_id'),
    eventId: text('event_id'),
    triggerId: text('trigger_id'),
    kind: text('kind'),
    event: text('event'),
    beaconId: pointer('beacon_id', 'Beacon'),
    installationId: pointer('installation_id', '_Installation', { phone: { day: 'visit_id', as: 'pseudonym' } }),
    visitId: text('visit_id'),
    outcome: text('outcome'),
    reason: text('reason'),
    text: text('explanation', { phone: { day: 'visit_id', as: explainedToOthers } }),
    decidedAt: time('decided_at'),
    dueAt: time('due_at', { optional: true }),
    deliveryId: text('delivery_id', { optional: true }),
    createdAt: time('created_at'),
  },
  indexes: {
    verdicts_trigger: { on: ['app_id', 'trigger_id', 'object_id'] },
    verdicts_installation: { on: ['app_id', 'installation_id', 'object_id'] },
  },
  childOf: ['events'],
  trail: { installation: 'installation_id', at: 'created_at' },
  kept: { days: 'events', atLeastMs: noDayMs },
  rules: 'verdicts',
  venue: { beacon: 'beacon_id' },
  defaultLimit: 100,
});

export type VerdictRow = RowOf<typeof verdicts.table>;

/** A verdict, where it was decided, and the message that came of it. */
export interface TracedVerdict {
  readonly verdict: Verdict;
  readonly beaconId: string;
  readonly installationId: string;
  readonly deliveryId: string | null;
}

export interface NewVerdict extends WriteContext, TracedVerdict {}

export function verdictRow(given: NewVerdict): VerdictRow {
  const { eventId, triggerId } = given.verdict;
  return { app_id: given.appId, object_id: `${eventId}-${triggerId}`, ...verdictCells(given), created_at: given.now };
}

/** What a verdict is apart from the app's records. */
export function verdictCells(given: TracedVerdict): Omit<VerdictRow, 'app_id' | 'object_id' | 'created_at'> {
  const { verdict } = given;
  return {
    event_id: verdict.eventId,
    trigger_id: verdict.triggerId,
    kind: verdict.kind,
    event: verdict.event,
    beacon_id: given.beaconId,
    installation_id: given.installationId,
    visit_id: verdict.visitId,
    outcome: verdict.outcome,
    reason: verdict.reason,
    explanation: verdict.text,
    decided_at: verdict.at,
    due_at: verdict.dueAt ?? null,
    delivery_id: given.deliveryId,
  };
}

export const judgedEventRecord = {
  schema: Type.Object({ ...events.record.schema.properties, verdicts: Type.Array(verdictRecord.schema) }),
  example: { ...events.record.example, verdicts: [verdictRecord.example] },
};
