import { Type } from 'typebox';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  recordStamps,
  timestampSchema,
} from '../../../http/answers.ts';
import { exampleSeconds, exampleToken, tokenMembers } from '../../../sign-in/sign-in-answer.ts';
import { country, metadata, middlename, phone } from './schemas.ts';

/** Users as answers show them. */

const stamps = { createdAt: exampleCreated, updatedAt: exampleUpdated };
const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);

/** Empty where an identity provider did not tell. */
const known = {
  firstname: Type.String(),
  lastname: Type.String(),
  validemail: Type.String({ description: 'The e-mail address; empty if there is none' }),
};

export const userSummary = {
  schema: Type.Object({
    objectId: objectIdSchema,
    ...known,
    validemail: Type.Optional(
      Type.String({
        description: "The e-mail address; empty if there is none, and missing where the app's rules hide it",
      }),
    ),
    ...recordStamps,
  }),
  example: { objectId: exampleId, firstname: 'Vera', lastname: 'Visitor', validemail: 'vera@example.org', ...stamps },
};

const profileMembers = {
  objectId: objectIdSchema,
  ...known,
  middlename: orNull(middlename),
  emailVerifiedAt: Type.Union([timestampSchema, Type.Null()], {
    description: 'When somebody proved to read the mails to the address; null: nobody has yet',
  }),
  country: orNull(country),
  phone: orNull(phone),
  metadata,
  venueIds: Type.Array(objectIdSchema, { description: 'The venues to which managers have added the user' }),
};
const profileExample = {
  objectId: exampleId,
  firstname: 'Vera',
  middlename: null,
  lastname: 'Visitor',
  validemail: 'vera@example.org',
  emailVerifiedAt: exampleCreated,
  country: 'AT',
  phone: '+43 1 234567',
  metadata: { language: 'de' },
  venueIds: [],
};

export const profileRecord = {
  schema: Type.Object({ ...profileMembers, ...recordStamps }),
  example: { ...profileExample, ...stamps },
};

export const meRecord = {
  schema: Type.Object({
    ...profileMembers,
    ...tokenMembers,
    expireAt: Type.String({ format: 'date-time', description: 'ISO 8601 with the offset +00:00' }),
  }),
  example: {
    ...profileExample,
    accessToken: exampleToken,
    expiresIn: exampleSeconds,
    expireAt: '2026-06-03T09:30:00.000+00:00',
    tokenType: 'Bearer',
  },
};
