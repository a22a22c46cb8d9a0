import { Type } from 'typebox';
import { exampleCreated, exampleId, exampleUpdated, objectIdSchema, recordStamps } from '../../http/answers.ts';
import { defineShape, isObject } from '../../http/shape.ts';

/** Numeric `x` and `y`; further members (a floor, a note) are kept. */
const location = Type.Object(
  { x: Type.Number(), y: Type.Number() },
  { additionalProperties: true, description: 'Where it is installed; further members are kept' },
);
const metadata = Type.Object({}, { description: 'Any JSON object, such as a greeting' });

const members = {
  name: Type.String({ minLength: 1, maxLength: 50 }),
  uuid: Type.String({ minLength: 1, maxLength: 50, description: 'Compared without case and dashes' }),
  major: Type.Integer({ minimum: 0, maximum: 65535 }),
  minor: Type.Integer({ minimum: 0, maximum: 65535 }),
};

/** How the proximity engine weighs this beacon; absent from answers unless set. */
const tuning = {
  measuredPower: Type.Optional(
    Type.Integer({ minimum: -100, maximum: -20, description: 'RSSI at one metre in dBm; calibration sets it' }),
  ),
  sensitivity: Type.Optional(
    Type.Enum(['stable', 'fast'], { description: 'Few false events, or short passes noticed; else as the app says' }),
  ),
  radius: Type.Optional(
    Type.Number({ minimum: 0.5, maximum: 50, description: 'Metres within which somebody has entered; 3 by default' }),
  ),
};

export const beaconShape = defineShape(
  Type.Object({ ...members, location: Type.Optional(location), metadata: Type.Optional(metadata), ...tuning }),
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
    ...tuning,
    ...recordStamps,
  }),
  example: { objectId: exampleId, ...beaconExample, createdAt: exampleCreated, updatedAt: exampleUpdated },
};

/** `metadata.gatewayId`: the fixed receiver that stands for this beacon. Longer ones than an index entry holds are none. */
export function gatewayKey(metadata: unknown): string | null {
  const id = isObject(metadata) ? metadata['gatewayId'] : undefined;
  return typeof id === 'string' && id !== '' && id.length <= 200 ? id : null;
}

/** A beacon's uuid as it is compared: without case and dashes. */
export function uuidKey(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}
