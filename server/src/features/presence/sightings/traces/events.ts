import type { PresenceEvent, Verdict } from '@pharos/engine';
import { noDayMs } from '@pharos/engine/decide';
import { Type } from 'typebox';
import { type Caller, type FindHeld, ownTraces } from '../../../../access/caller.ts';
import { venuesFor } from '../../../../access/venue-limit.ts';
import { raw, type SqlValue, sql } from '../../../../base/sql.ts';
import type { Db, Row } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import {
  exampleCreated,
  exampleId,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../../../http/answers.ts';
import type { Endpoint, Tag } from '../../../../http/endpoint.ts';
import { withoutHidden } from '../../../../http/member-rules.ts';
import { allowedSql, allowedTo, type RuledTable } from '../../../../resources/allowed.ts';
import { defineResource } from '../../../../resources/define.ts';
import { tagOfRow } from '../../../../resources/entity-tag.ts';
import { boolean, json, number, pointer, text, time } from '../../../../resources/members/members.ts';
import { phoneViewOf, showPhones } from '../../../../resources/members/phone-view.ts';
import { getEndpoint, listEndpoint } from '../../../../resources/read-endpoints.ts';
import { answeredRivals, rivalsExample, rivalsSchema, showingRivals, withoutAskingForRivals } from './positions.ts';

export const kind = Type.Enum(['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR']);
export const visitIdMember = Type.String({ description: 'The visit that it belongs to; the same from ENTER to EXIT' });

const eventMembers = {
  objectId: objectIdSchema,
  event: kind,
  beaconId: pointerSchema('Beacon'),
  installationId: pointerSchema('_Installation'),
  visitId: visitIdMember,
  occurredAt: timestampSchema,
  enteredAt: Type.Optional(timestampSchema),
  leftAt: Type.Optional(timestampSchema),
  distance: Type.Optional(
    Type.Number({ description: 'Metres, estimated; absent where that would lie outside of the zone of the event' }),
  ),
  rivals: Type.Optional(rivalsSchema),
  cause: Type.Enum(['samples', 'device', 'silence', 'timeout'], {
    description: 'Signals, the decision of the phone, silence, or twelve hours without a word',
  }),
  inferred: Type.Boolean({ description: 'Guessed: nobody reported it' }),
  createdAt: timestampSchema,
};

const eventExample = {
  objectId: exampleId,
  event: 'ENTER',
  beaconId: pointerExample('Beacon', otherExampleId),
  installationId: pointerExample('_Installation', otherExampleId),
  visitId: exampleId,
  occurredAt: exampleCreated,
  enteredAt: exampleCreated,
  distance: 1.86,
  rivals: rivalsExample,
  cause: 'samples',
  inferred: false,
  createdAt: exampleCreated,
};

const eventTag: Tag = {
  name: 'Events',
  description: 'Confirmed transitions, and why each message was shown or not.',
  place: 120,
  console: { read: 'activity.read', byVenue: true },
};

/** Written by the proximity engine; an objectId begins with the time of the event. */
export const events = defineResource({
  owner: 'sightings',
  table: 'events',
  noun: ['event', 'events'],
  tag: eventTag,
  path: '/events',
  record: { schema: Type.Object(eventMembers), example: eventExample },
  members: {
    objectId: text('object_id'),
    event: text('event'),
    beaconId: pointer('beacon_id', 'Beacon'),
    installationId: pointer('installation_id', '_Installation', { phone: { day: 'visit_id', as: 'pseudonym' } }),
    visitId: text('visit_id'),
    occurredAt: time('occurred_at'),
    enteredAt: time('entered_at', { optional: true }),
    leftAt: time('left_at', { optional: true }),
    distance: number('distance', { optional: true, isFraction: true }),
    rivals: json('rivals', { optional: true }),
    cause: text('cause'),
    inferred: boolean('inferred'),
    createdAt: time('created_at'),
  },
  indexes: {
    events_beacon: { on: ['app_id', 'beacon_id', 'object_id'] },
    events_installation: { on: ['app_id', 'installation_id', 'object_id'] },
    events_visit: { on: ['app_id', 'visit_id'], hasFew: true },
  },
  childOf: ['visits'],
  trail: { installation: 'installation_id', at: 'created_at' },
  kept: { days: 'events', atLeastMs: noDayMs },
  rules: 'events',
  venue: { beacon: 'beacon_id' },
});

export type EventRow = RowOf<typeof events.table>;

/** In whose name, and when. */
export interface WriteContext {
  readonly appId: string;
  readonly now: number;
}

export interface NewEvent extends WriteContext {
  readonly event: PresenceEvent;
}

export const flag = (value: boolean | undefined) => (value === true ? 1 : 0);

export function eventRow({ appId, now, event }: NewEvent): EventRow {
  return {
    app_id: appId,
    object_id: event.id,
    event: event.event,
    beacon_id: event.beaconId,
    installation_id: event.installationId,
    visit_id: event.visitId,
    occurred_at: event.at,
    entered_at: event.enteredAt ?? null,
    left_at: event.leftAt ?? null,
    distance: event.distance ?? null,
    rivals: event.rivals === undefined ? null : JSON.stringify(answeredRivals(event.rivals)),
    cause: event.cause,
    inferred: flag(event.inferred),
    created_at: now,
  };
}

/** An event as the interface shows it outside lists: without the time at which it was recorded. */
export function shownEvent(event: PresenceEvent): Record<string, unknown> {
  const { created_at: _recorded, ...cells } = eventRow({ appId: '', now: 0, event });
  return events.records.show(cells);
}

/** The verdicts on one event that the caller may list, as JSON texts. */
async function findVerdicts(
  table: RuledTable & { readonly db: Db },
  caller: Caller,
  eventId: string,
): Promise<string[]> {
  const { db } = table;
  const { appId, rules } = caller.app;
  const allowed = await allowedTo(table, 'list', caller);
  const condition = allowed ? allowedSql(db, allowed) : raw('1 = 1');
  // A dot comes right after the dash, so this is the range of everything that begins with the event's id and a dash.
  const [from, until] = [`${eventId}-`, `${eventId}.`];
  const ofEvent = sql`app_id = ${appId} and object_id > ${from} and object_id < ${until} and ${condition}`;
  const rows = await db.all(
    sql`select ${verdicts.records.selection} from verdicts where ${ofEvent} order by object_id`,
  );
  const phones = await phoneViewOf(verdicts.records, caller);
  const shown = phones ? await showPhones(db, verdicts.records, rows, phones) : rows;
  const ruled = rules.of('verdicts');
  if (!ruled.hasMembers) return shown.map(verdicts.records.render);
  return shown.map((row) => JSON.stringify(withoutHidden(verdicts.records.decode(row), ruled, caller)));
}

export function eventEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const ofEvents = {
    ...events,
    db,
    // An EXIT tells when its visit began.
    narrow: ownTraces(findHeld, 'events_installation', ['created_at', 'occurred_at', 'entered_at']),
    showTo: async (caller: Caller) => {
      const show = await showingRivals(db, caller, 'list');
      return show && ((row: Row) => events.records.render(show(row)));
    },
  };
  const ofVerdicts = {
    ...verdicts,
    db,
    narrow: ownTraces(findHeld, 'verdicts_installation', ['created_at', 'decided_at']),
  };
  return [
    withoutAskingForRivals(
      listEndpoint(ofEvents, {
        summary: 'List confirmed events',
        description:
          'Newest first: ENTER, EXIT and the changes of zone that the engine has confirmed. Users see those of their own ' +
          'installations; managers see all.',
        defaultOrder: '-objectId',
        idsFollowOccurrence: true,
      }),
    ),
    getEndpoint(ofEvents, {
      summary: 'Get an event and why each message was shown or not',
      record: judgedEventRecord,
      render: async (row, caller) => {
        const judged = await findVerdicts(ofVerdicts, caller, String(row['object_id']));
        const show = await showingRivals(db, caller, 'get');
        return `${events.records.render(show?.(row) ?? row).slice(0, -1)},"verdicts":[${judged.join(',')}]}`;
      },
      // From the tag of the whole record its rivals could be guessed.
      tagFor: (row, caller) =>
        tagOfRow(events.records, venuesFor(caller, 'events', 'get') === undefined ? row : { ...row, rivals: null }),
    }),
    listEndpoint(ofVerdicts, {
      description:
        'Newest first: for every event and each notification or scenario of its beacon, whether it was shown, and if ' +
        'not, why. Ask by `triggerId`, `installationId`, `eventId`, `reason` and so on. Users see those of their own ' +
        'installations; managers see all.',
      defaultOrder: '-objectId',
    }),
  ];
}

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

const judgedEventRecord = {
  schema: Type.Object({ ...events.record.schema.properties, verdicts: Type.Array(verdictRecord.schema) }),
  example: { ...events.record.example, verdicts: [verdictRecord.example] },
};
