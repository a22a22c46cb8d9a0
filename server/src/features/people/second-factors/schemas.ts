import { Type } from 'typebox';
import { exampleCreated, exampleId, objectIdSchema, timestampSchema } from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import {
  codeShape,
  passkeySchema as ofAdministrator,
  passkeyExample as passkeyOfAdministrator,
  registrationSchema,
  signatureSchema,
} from '../../../sign-in/factors/factor-schemas.ts';
import { refreshMember } from '../../../sign-in/sign-in-answer.ts';

const challenge = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'From the answer that asked for a second factor',
});
const currentPassword = Type.Optional(
  Type.String({
    description:
      'Required if the session is older than 10 minutes and the account has a password. With a second factor only a fresh session counts',
  }),
);

export const proofShape = defineShape(Type.Object({ currentPassword }));
export const challengeShape = defineShape(Type.Object({ challenge }));
export const finishShape = defineShape(
  Type.Object({
    challenge,
    code: Type.Optional(codeShape.schema.properties.code),
    recoveryCode: Type.Optional(
      Type.String({ maxLength: 60, description: 'One of the codes that replace the app, each once' }),
    ),
  }),
  {
    rules: ({ code, recoveryCode }) =>
      (code === undefined) === (recoveryCode === undefined)
        ? [{ field: 'code', problem: 'or recoveryCode is required, and not both' }]
        : [],
  },
);
export const passkeySignInShape = defineShape(Type.Object({ passkey: signatureSchema, refresh: refreshMember }));

const { name, host, synced, createdAt, lastUsedAt } = ofAdministrator.properties;
export const passkeySchema = Type.Object({ objectId: objectIdSchema, name, host, synced, createdAt, lastUsedAt });
const { passkeyId: _, ...shown } = passkeyOfAdministrator;
export const passkeyExample = { objectId: exampleId, ...shown, name: 'My phone', host: 'museum.example' };

export const factorsSchema = Type.Object({
  totp: Type.Union([Type.Object({ since: timestampSchema }), Type.Null()], { description: 'The authenticator app' }),
  recoveryCodesLeft: Type.Integer({ minimum: 0 }),
  passkeys: Type.Integer({ minimum: 0, description: 'How many there are' }),
  required: Type.Boolean({ description: 'The app asks everybody for a second factor' }),
});
export const factorsExample = { totp: { since: exampleCreated }, recoveryCodesLeft: 9, passkeys: 1, required: false };

export { registrationSchema };
