import type { PresenceEvent } from '@pharos/engine';
import { Type } from 'typebox';
import { noDayMs } from '../../../access/policy.ts';
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
import type { Tag } from '../../../http/endpoint.ts';
import { defineResource } from '../../../resources/define.ts';
import { boolean, json, number, pointer, text, time } from '../../../resources/members/members.ts';
import { answeredRivals, rivalsExample, rivalsSchema } from './rivals.ts';

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

export const eventTag: Tag = {
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
  title: ['Event', 'Events'],
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
  defaultLimit: 100,
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
