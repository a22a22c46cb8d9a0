import { Type } from 'typebox';
import { exampleCreated, exampleId, exampleUpdated, objectIdSchema, recordStamps } from '../../http/answers.ts';
import { defineShape, isObject } from '../../http/shape.ts';

/** Numeric `x` and `y`; further members (a floor, a note) are kept. */
const location = Type.Object(
  { x: Type.Number(), y: Type.Number() },
  { description: 'Where it is installed; further members are kept' },
);
const metadata = Type.Object({}, { description: 'Any JSON object, such as a greeting' });

const members = {
  name: Type.String({ minLength: 1, maxLength: 50 }),
  uuid: Type.String({ minLength: 1, maxLength: 50, description: 'Compared without case and dashes' }),
  major: Type.Integer({ minimum: 0, maximum: 65535 }),
  minor: Type.Integer({ minimum: 0, maximum: 65535 }),
};

export const beaconShape = defineShape(
  Type.Object({ ...members, location: Type.Optional(location), metadata: Type.Optional(metadata) }),
  {
    rules: ({ metadata: given }) =>
      given === undefined || isObject(given) ? [] : [{ field: 'metadata', problem: 'must be a JSON object' }],
  },
);

export const beaconExample = {
  name: 'Main hall',
  uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
  major: 1,
  minor: 12,
  location: { x: 4.2, y: 7.5 },
  metadata: { greeting: 'Welcome' },
};

export const beaconRecord = {
  schema: Type.Object({
    objectId: objectIdSchema,
    ...members,
    location: Type.Optional(location),
    metadata,
    ...recordStamps,
  }),
  example: { objectId: exampleId, ...beaconExample, createdAt: exampleCreated, updatedAt: exampleUpdated },
};

/** A beacon's uuid as it is compared: without case and dashes. */
export function uuidKey(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}
