import { Type } from 'typebox';
import { adminRoles } from '../../../access/roles.ts';
import { fail, type Problem } from '../../../base/errors.ts';
import { createdRecordAnswer, objectIdSchema, timestampSchema } from '../../../http/answers.ts';
import { defineShape, sentence } from '../../../http/shape.ts';
import { registrationSchema, signatureSchema } from '../../../sign-in/factors/factor-schemas.ts';
import { grantSchema } from './accounts/reach-schema.ts';

const email = Type.String({ minLength: 1, maxLength: 200, description: 'Compared without case and surrounding space' });
const name = Type.String({ minLength: 1, maxLength: 100 });
/** An administrator sees every app, so this is stricter than the rule for app users. */
const password = Type.String({ minLength: 10, maxLength: 200 });
export const role = Type.Enum([...adminRoles]);

const whereItHolds = 'Where the role holds; null: in all apps, and for the service as a whole';
const apps = Type.Optional(Type.Array(grantSchema, { maxItems: 200, description: whereItHolds }));
/** The apps and venues where a role holds, as answers show them. */
export const reachSchema = Type.Union([Type.Array(grantSchema), Type.Null()], { description: whereItHolds });

const emailForm = /^[^\s@]{1,64}@[^\s@]+$/;

function emailProblems(given: { readonly email?: string }): Problem[] {
  if (given.email === undefined || emailForm.test(given.email.trim())) return [];
  return [{ field: 'email', problem: 'must be an e-mail address' }];
}

function failure(details: readonly Problem[]) {
  const isOnlyEmail = details.every(({ field, problem }) => field === 'email' && problem !== 'is required');
  return fail(isOnlyEmail ? 'InvalidEmailAddress' : 'ValidationError', { message: sentence(details), details });
}

export const setupShape = defineShape(Type.Object({ token: Type.String({ maxLength: 200 }), email, password, name }), {
  rules: emailProblems,
  failure,
});
export const signInShape = defineShape(
  Type.Object({
    email: Type.String({ maxLength: 200 }),
    password: Type.String({ maxLength: 200 }),
    code: Type.Optional(Type.String({ maxLength: 20, description: 'Of the authenticator app' })),
    recoveryCode: Type.Optional(Type.String({ maxLength: 60 })),
  }),
);
export const newAdminShape = defineShape(Type.Object({ email, name, role, apps, password }), {
  rules: emailProblems,
  failure,
});
export const adminChangeShape = defineShape(Type.Object({ name, role, apps, disabled: Type.Boolean() }));
export const resetShape = defineShape(Type.Object({ password }));
export const confirmShape = defineShape(
  Type.Object({
    password: Type.Optional(Type.String({ maxLength: 200 })),
    passkey: Type.Optional(signatureSchema),
  }),
  {
    rules: ({ password, passkey }) =>
      (password === undefined) !== (passkey === undefined)
        ? []
        : [{ field: 'password', problem: 'or passkey is required, and not both' }],
  },
);
export const ownPasswordShape = defineShape(
  Type.Object({
    currentPassword: Type.Optional(Type.String({ maxLength: 200, description: 'Unless there is none' })),
    password,
  }),
);
export const securityShape = defineShape(Type.Object({ secondFactorRequired: Type.Boolean() }));

const token = Type.String({ maxLength: 200 });
export const invitationShape = defineShape(Type.Object({ email, role, apps }), { rules: emailProblems, failure });
export const tokenShape = defineShape(Type.Object({ token }));
export const joinShape = defineShape(
  Type.Object({
    token,
    name,
    password: Type.Optional(password),
    passkey: Type.Optional(registrationSchema),
  }),
);
export const newPasswordShape = defineShape(Type.Object({ token, password }));
export const resetRequestShape = defineShape(Type.Object({ email: Type.String({ minLength: 1, maxLength: 200 }) }));

export const adminSchema = Type.Object({
  adminId: objectIdSchema,
  email: Type.String(),
  name: Type.String(),
  role,
  apps: reachSchema,
  disabled: Type.Boolean(),
  secondFactor: Type.Boolean({ description: 'Whether the password alone is not enough' }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

const demo = Type.Boolean({ description: 'The service shows a demo: a made-up museum with made-up visitors' });
const mustEnrol = Type.Boolean({
  description: 'A second factor is required and missing; until there is one, everything else is refused',
});
const timeZone = Type.String({ description: 'Of the service: what belongs to no app has its times in it' });
export const sessionSchema = Type.Object({
  adminId: objectIdSchema,
  email: Type.String(),
  name: Type.String(),
  role,
  apps: reachSchema,
  demo,
  mustEnrol,
  timeZone,
});
export const signedInAnswer = {
  ...createdRecordAnswer(Type.Object({ ...adminSchema.properties, demo, mustEnrol, timeZone })),
  description: 'Signed in; the session is in the cookie.',
};

export const auditSchema = Type.Object({
  auditId: objectIdSchema,
  appId: Type.Union([objectIdSchema, Type.Null()]),
  actor: Type.String({ description: "An administrator's e-mail, `command line` or `service`" }),
  action: Type.String(),
  subject: Type.String(),
  before: Type.Unknown({ description: 'The changed members before the change' }),
  after: Type.Unknown({ description: 'The changed members after the change' }),
  address: Type.Union([Type.String(), Type.Null()]),
  createdAt: timestampSchema,
});
