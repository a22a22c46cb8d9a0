import { Type } from 'typebox';
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
} from '../../http/answers.ts';

const cause = ['samples', 'device', 'silence', 'timeout'] as const;

export const visitRecord = {
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
};
