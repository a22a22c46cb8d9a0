import type { PresenceEvent } from '@pharos/engine';
import { Type } from 'typebox';
import type { RowOf } from '../../../db/table.ts';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  recordStamps,
  timestampSchema,
} from '../../../http/answers.ts';
import { defineResource } from '../../../resources/define.ts';
import { boolean, number, pointer, text, time } from '../../../resources/members/members.ts';
import { flag, type NewEvent } from './events.ts';

const cause = ['samples', 'device', 'silence', 'timeout'] as const;

/** Written by the proximity engine; an objectId begins with the time of the visit's first event. */
export const visits = defineResource({
  owner: 'sightings',
  table: 'visits',
  noun: ['visit', 'visits'],
  title: ['Visit', 'Visits'],
  tag: {
    name: 'Visits',
    description: 'Who was where, from when until when.',
    place: 110,
    console: { read: 'activity.read', byVenue: true },
  },
  path: '/visits',
  record: {
    schema: Type.Object({
      objectId: objectIdSchema,
      beaconId: pointerSchema('Beacon'),
      installationId: pointerSchema('_Installation'),
      enteredAt: timestampSchema,
      leftAt: Type.Union([timestampSchema, Type.Null()], { description: 'null while the visit is open' }),
      dwell: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description: 'Seconds; null while it is open' }),
      isOpen: Type.Boolean(),
      source: Type.Enum([...cause], { description: 'Who noticed the ENTER: samples, or the device itself' }),
      endedBy: Type.Union([Type.Enum([...cause]), Type.Null()], {
        description: 'samples, device, silence, or timeout: twelve hours without a word',
      }),
      inferred: Type.Boolean({ description: 'Its end is a guess: nobody reported it' }),
      ...recordStamps,
    }),
    example: {
      objectId: exampleId,
      beaconId: pointerExample('Beacon', otherExampleId),
      installationId: pointerExample('_Installation', otherExampleId),
      enteredAt: exampleCreated,
      leftAt: exampleUpdated,
      dwell: 2730.25,
      isOpen: false,
      source: 'samples',
      endedBy: 'silence',
      inferred: false,
      createdAt: exampleCreated,
      updatedAt: exampleUpdated,
    },
  },
  members: {
    objectId: text('object_id'),
    beaconId: pointer('beacon_id', 'Beacon'),
    installationId: pointer('installation_id', '_Installation', { phone: { day: 'object_id', as: 'pseudonym' } }),
    enteredAt: time('entered_at'),
    leftAt: time('left_at', { nullable: true }),
    dwell: number('dwell', { nullable: true, isFraction: true }),
    isOpen: boolean('is_open'),
    source: text('source'),
    endedBy: text('ended_by', { nullable: true }),
    inferred: boolean('inferred'),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  indexes: {
    visits_entered: { on: ['app_id', 'entered_at', 'object_id'] },
    visits_beacon_entered: { on: ['app_id', 'beacon_id', 'entered_at', 'object_id'] },
    visits_installation_entered: { on: ['app_id', 'installation_id', 'entered_at', 'object_id'] },
    visits_open_entered: { on: ['app_id', 'is_open', 'entered_at', 'object_id'] },
  },
  trail: { installation: 'installation_id', at: 'created_at' },
  kept: { days: 'visits', only: 'is_open = 0' },
  rules: 'visits',
  venue: { beacon: 'beacon_id' },
  defaultLimit: 100,
});

export type VisitRow = RowOf<typeof visits.table>;

/** A new visit, with its end where that is known already. */
export interface NewVisit extends NewEvent {
  readonly exit: PresenceEvent | undefined;
}

/** A visit from its ENTER on. */
export function visitRow({ appId, now, event, exit }: NewVisit): VisitRow {
  const { left_at, dwell, is_open, ended_by, inferred } = visitEndOf(exit);
  return {
    app_id: appId,
    object_id: event.visitId,
    beacon_id: event.beaconId,
    installation_id: event.installationId,
    entered_at: event.enteredAt ?? event.at,
    left_at,
    dwell,
    is_open,
    source: event.cause,
    ended_by,
    inferred,
    created_at: now,
    updated_at: now,
  };
}

export type VisitEnd = Pick<VisitRow, 'left_at' | 'dwell' | 'is_open' | 'ended_by' | 'inferred'>;

const underWay: VisitEnd = { left_at: null, dwell: null, is_open: 1, ended_by: null, inferred: 0 };

/** How a visit ended: when somebody left and after how many seconds, and who noticed. Without an EXIT it is under way. */
export function visitEndOf(exit: PresenceEvent | null | undefined, enteredAt = exit?.enteredAt): VisitEnd {
  if (!exit) return underWay;
  const leftAt = exit.leftAt ?? exit.at;
  return {
    left_at: leftAt,
    dwell: Math.max(0, leftAt - (enteredAt ?? leftAt)) / 1000,
    is_open: 0,
    ended_by: exit.cause,
    inferred: flag(exit.inferred),
  };
}
