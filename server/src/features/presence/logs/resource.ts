import { parseInstant } from '@pharos/query';
import { Type } from 'typebox';
import type { Problem } from '../../../base/errors.ts';
import { bigint, nullable, text as textColumn } from '../../../db/table.ts';
import {
  exampleCreated,
  exampleId,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  recordStamps,
} from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { pointer, text, time } from '../../../resources/members/members.ts';

const dayMs = 86_400_000;
/** The earliest time accepted: a phone whose clock was reset says 1970. */
const earliest = Date.UTC(2000, 0, 1);

const event = Type.Enum(['ENTER', 'EXIT']);
const installation = pointerSchema('_Installation');

export const logShape = defineShape(
  Type.Object({
    event,
    beaconId: pointerSchema('Beacon'),
    moduleType: Type.Enum(['PRESENCE', 'STORYLINE']),
    installationId: Type.Optional(installation),
    occurredAt: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'When it happened, ISO 8601, by the clock of the phone: from 2000 to a day ahead of the service. The time of arrival without it.',
      }),
    ),
    eventId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "The client's own id of this event in the app; sent again, it is answered and not written again",
      }),
    ),
  }),
);

/** When the event happened, epoch milliseconds, or what is wrong with the time that was sent. */
export function readOccurredAt(sent: string | undefined, now: number): number | Problem {
  if (sent === undefined) return now;
  const at = parseInstant(sent);
  if (at === undefined) {
    return { field: 'occurredAt', problem: 'must be an ISO 8601 date such as 2026-05-04T09:30:00.000Z' };
  }
  if (at > now + dayMs) return { field: 'occurredAt', problem: 'must not be more than a day in the future' };
  return at < earliest ? { field: 'occurredAt', problem: 'must not be before 2000-01-01T00:00:00.000Z' } : at;
}

export const logExample = {
  event: 'ENTER',
  beaconId: pointerExample('Beacon', otherExampleId),
  moduleType: 'PRESENCE',
  installationId: pointerExample('_Installation', otherExampleId),
  occurredAt: exampleCreated,
  eventId: 'b1f6c2d4-1',
};

const logRecord = {
  schema: Type.Object({
    objectId: objectIdSchema,
    beaconId: pointerSchema('Beacon'),
    installationId: Type.Union([installation, Type.Null()]),
    event,
    ...recordStamps,
  }),
  example: {
    objectId: exampleId,
    beaconId: pointerExample('Beacon', otherExampleId),
    installationId: pointerExample('_Installation', otherExampleId),
    event: 'ENTER',
    createdAt: exampleCreated,
    updatedAt: exampleCreated,
  },
};

export const logs = defineResource({
  owner: 'logs',
  table: 'logs',
  noun: ['log record', 'log records'],
  title: ['Log', 'Logs'],
  tag: {
    name: 'Logs',
    description: 'Who entered and left where, and when.',
    place: 40,
    console: { read: 'activity.read' },
  },
  path: '/logs',
  record: logRecord,
  members: {
    objectId: text('object_id'),
    beaconId: pointer('beacon_id', 'Beacon'),
    installationId: pointer('installation_id', '_Installation', {
      nullable: true,
      phone: { day: 'object_id', as: 'nothing' },
    }),
    event: text('event'),
    moduleType: text('module_type', { hidden: true }),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  internal: { occurred_at: bigint, event_id: nullable(textColumn) },
  indexes: {
    logs_event_id: { on: ['app_id', 'event_id'], isPartial: true },
    logs_module: { on: ['app_id', 'module_type', 'object_id', 'event'] },
    logs_beacon: { on: ['app_id', 'beacon_id', 'object_id', 'module_type'] },
    logs_installation: { on: ['app_id', 'installation_id', 'object_id', 'module_type'] },
  },
  trail: { installation: 'installation_id', at: 'created_at' },
  kept: { days: 'logs' },
  rules: 'logs',
});
