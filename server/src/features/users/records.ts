import { Type } from 'typebox';
import { exampleCreated, exampleId, exampleUpdated, objectIdSchema, recordStamps } from '../../http/answers.ts';
import { country, metadata, middlename, names, phone } from './schemas.ts';

/** Users as answers show them. */

const stamps = { createdAt: exampleCreated, updatedAt: exampleUpdated };
const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);

export const userSummary = {
  schema: Type.Object({ objectId: objectIdSchema, ...names, validemail: Type.String(), ...recordStamps }),
  example: { objectId: exampleId, firstname: 'Vera', lastname: 'Visitor', validemail: 'vera@example.org', ...stamps },
};

const profileMembers = {
  objectId: objectIdSchema,
  firstname: Type.String(),
  middlename: orNull(middlename),
  lastname: Type.String(),
  validemail: Type.String({ description: 'The e-mail address' }),
  country: orNull(country),
  phone: orNull(phone),
  metadata,
};
const profileExample = {
  objectId: exampleId,
  firstname: 'Vera',
  middlename: null,
  lastname: 'Visitor',
  validemail: 'vera@example.org',
  country: 'AT',
  phone: '+43 1 234567',
  metadata: { language: 'de' },
};

export const profileRecord = {
  schema: Type.Object({ ...profileMembers, ...recordStamps }),
  example: { ...profileExample, ...stamps },
};

const tokenMembers = {
  accessToken: Type.String(),
  expiresIn: Type.Integer({ minimum: 0, description: 'Seconds' }),
  tokenType: Type.Literal('Bearer'),
};
const exampleToken = 'q3Zf0v7n2mB1xK8dT5sJ6yR4wL9aH0cE3gU7iO2pN5M';
const monthSeconds = 2_592_000;

export const meRecord = {
  schema: Type.Object({
    ...profileMembers,
    ...tokenMembers,
    expireAt: Type.String({ format: 'date-time', description: 'ISO 8601 with the offset +00:00' }),
  }),
  example: {
    ...profileExample,
    accessToken: exampleToken,
    expiresIn: monthSeconds,
    expireAt: '2026-06-03T09:30:00.000+00:00',
    tokenType: 'Bearer',
  },
};

export const signInAnswer = {
  schema: Type.Object({ ...tokenMembers, objectId: objectIdSchema }),
  example: { accessToken: exampleToken, expiresIn: monthSeconds, objectId: exampleId, tokenType: 'Bearer' },
};
