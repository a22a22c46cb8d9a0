import { Type } from 'typebox';
import type { Problem } from '../../base/errors.ts';
import {
  exampleCreated,
  exampleId,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  recordStamps,
} from '../../http/answers.ts';
import { defineShape } from '../../http/shape.ts';
import { parseInstant } from '../../query/instant.ts';

const dayMs = 86_400_000;
/** No app recorded a beacon before; a phone whose clock was reset says 1970. */
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

export const logRecord = {
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
