import { type Static, Type } from 'typebox';
import type { Problem } from '../../base/errors.ts';
import {
  type AnswerSpec,
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
import { defineShape, isObject } from '../../http/shape.ts';

const visible = {
  installationId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: "The client's own id of the installation" }),
  ),
  deviceType: Type.Enum(['ios', 'android', 'web', 'embedded']),
  pushType: Type.Optional(Type.String({ maxLength: 64, description: 'How it is reached, such as fcm, apns, web' })),
  channels: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 200,
      description: 'What it has subscribed to',
    }),
  ),
  timeZone: Type.Optional(Type.String({ maxLength: 64, description: 'IANA time zone, such as Europe/Vienna' })),
  localeIdentifier: Type.Optional(Type.String({ maxLength: 64, description: 'Such as de-AT' })),
  appIdentifier: Type.Optional(Type.String({ maxLength: 255, description: 'Bundle or package name' })),
  appName: Type.Optional(Type.String({ maxLength: 255 })),
  appVersion: Type.Optional(Type.String({ maxLength: 64 })),
  userId: Type.Optional(pointerSchema('_User')),
  metadata: Type.Optional(Type.Object({}, { description: 'Any JSON object' })),
};

const installationSchema = Type.Object({
  ...visible,
  // Longer values do not fit an index entry of PostgreSQL.
  deviceToken: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2000, description: 'Of the push service; never answered or listed' }),
  ),
});
export type Installation = Static<typeof installationSchema>;

const registrationSchema = Type.Object({
  ...installationSchema.properties,
  previousDeviceToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'The token that the phone sent before this one, as proof that it is the same phone',
    }),
  ),
});
export type Registration = Static<typeof registrationSchema>;

const rules = {
  rules: ({ timeZone, deviceToken, metadata }: Partial<Installation>) => [
    ...broken('timeZone', timeZone, isTimeZone, 'must be an IANA time zone such as Europe/Vienna'),
    ...broken('deviceToken', deviceToken, (text) => /^[\x20-\x7e]+$/.test(text), 'must be printable ASCII'),
    ...(metadata === undefined || isObject(metadata) ? [] : [{ field: 'metadata', problem: 'must be a JSON object' }]),
  ],
};
export const installationShape = defineShape(installationSchema, rules);
export const registrationShape = defineShape(registrationSchema, rules);

function broken(
  field: string,
  value: string | undefined,
  holds: (text: string) => boolean,
  problem: string,
): Problem[] {
  return value === undefined || holds(value) ? [] : [{ field, problem }];
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const installationExample = {
  installationId: 'c6f1a7e2-7d0b-4c55-9c37-0d6d6a1f2b90',
  deviceType: 'android',
  deviceToken: 'fGx0c2VjcmV0LXRva2Vu',
  pushType: 'fcm',
  channels: ['news', 'hall-2'],
  timeZone: 'Europe/Vienna',
  localeIdentifier: 'de-AT',
  appIdentifier: 'org.example.museum',
  appName: 'Museum',
  appVersion: '2.4.1',
  userId: pointerExample('_User', otherExampleId),
  metadata: { favourite: 'kestrel' },
};

const { deviceToken: _hidden, ...exampleShown } = installationExample;

export const installationRecord = {
  schema: Type.Object({
    objectId: objectIdSchema,
    ...visible,
    tokenAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Since when it has its push token; absent without one' }),
    ),
    tokenDeadAt: Type.Optional(timestampSchema),
    tokenDeadReason: Type.Optional(
      Type.String({ description: 'Why the push service no longer takes the token; registering again revives it' }),
    ),
    ...recordStamps,
  }),
  example: {
    objectId: exampleId,
    ...exampleShown,
    tokenAt: exampleCreated,
    createdAt: exampleCreated,
    updatedAt: exampleUpdated,
  },
};

/** Registering a known installation changes it. */
export const knownAnswer: AnswerSpec = {
  status: 200,
  description: 'It was registered already and is updated.',
  schema: Type.Object({
    result: Type.Object({ createdAt: timestampSchema, objectId: objectIdSchema, updatedAt: timestampSchema }),
  }),
  example: { result: { createdAt: exampleCreated, objectId: exampleId, updatedAt: exampleUpdated } },
};
