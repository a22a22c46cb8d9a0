import { Type } from 'typebox';
import {
  exampleCreated,
  exampleId,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../http/answers.ts';
import { rivalsExample, rivalsSchema } from '../rivals.ts';

const kind = Type.Enum(['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR']);
const visitId = Type.String({ description: 'The visit that it belongs to' });

const eventMembers = {
  objectId: objectIdSchema,
  event: kind,
  beaconId: pointerSchema('Beacon'),
  installationId: pointerSchema('_Installation'),
  visitId,
  occurredAt: timestampSchema,
  enteredAt: Type.Optional(timestampSchema),
  leftAt: Type.Optional(timestampSchema),
  distance: Type.Optional(Type.Number({ description: 'Metres, estimated' })),
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

export const eventRecord = { schema: Type.Object(eventMembers), example: eventExample };

export const verdictRecord = {
  schema: Type.Object({
    objectId: Type.String({ description: 'The objectId of the event, a dash, and that of the trigger' }),
    eventId: objectIdSchema,
    triggerId: objectIdSchema,
    kind: Type.Enum(['notification', 'scenario']),
    event: kind,
    beaconId: pointerSchema('Beacon'),
    installationId: pointerSchema('_Installation'),
    visitId,
    outcome: Type.Enum(['fired', 'stopped', 'pending']),
    reason: Type.Enum(
      [
        'disabled',
        'event',
        'beacon',
        'schedule',
        'stale',
        'repeat',
        'cool_down',
        'cap',
        'dwell',
        'nth_visit',
        'quiet_hours',
        'validity',
        'no_target',
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

export const judgedEventRecord = {
  schema: Type.Object({ ...eventMembers, verdicts: Type.Array(verdictRecord.schema) }),
  example: { ...eventExample, verdicts: [verdictRecord.example] },
};
