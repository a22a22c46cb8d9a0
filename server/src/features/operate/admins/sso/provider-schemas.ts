import { type Static, type TSchema, Type } from 'typebox';
import { type AdminRole, adminRoles, limitedRoles } from '../../../../access/roles.ts';
import type { Problem } from '../../../../base/errors.ts';
import { exampleId, objectIdSchema, timestampSchema } from '../../../../http/answers.ts';
import { defineShape } from '../../../../http/shape.ts';
import { grantsSchema } from '../accounts/reach-schema.ts';

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const groups = Type.Array(text(200), { maxItems: 100 });

const roles = Type.Object(
  Object.fromEntries(adminRoles.map((role) => [role, Type.Optional(groups)])) as Record<
    AdminRole,
    ReturnType<typeof Type.Optional<typeof groups>>
  >,
  { description: 'For each role the groups that have it. Of several roles the first one of this list counts' },
);

const id = Type.String({ minLength: 1, maxLength: 40 });
const appRoles = Type.Array(
  Type.Object({
    group: text(200),
    role: Type.Enum([...limitedRoles]),
    appId: id,
    venues: Type.Optional(
      Type.Array(id, {
        minItems: 1,
        maxItems: 100,
        description: 'The objectIds of the venues for which the role holds; all of the app without it',
      }),
    ),
  }),
  {
    maxItems: 200,
    description:
      'Groups that give a role in one app only, or in some of its venues. They apply to people without a role by `roles`, and decide ' +
      'at each sign-in in which apps and venues those have one. Of several roles in one app the first in the order of roles counts',
  },
);

/** The role of people in no group, which is never owner. */
const defaultRole = Type.Enum(['manager', 'editor', 'installer', 'analyst']);

const members = {
  name: Type.String({ minLength: 1, maxLength: 60, description: 'On the button: Sign in with …' }),
  issuer: Type.String({ minLength: 1, maxLength: 500, description: 'The claim `iss`, letter by letter' }),
  clientId: Type.String({ minLength: 1, maxLength: 255, description: 'Of this service at the provider' }),
  scopes: Type.String({
    pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+( [\\x21\\x23-\\x5B\\x5D-\\x7E]+)*$',
    maxLength: 500,
    description: 'Separated by spaces, with `openid` among them',
  }),
  roles,
  appRoles,
  factorValues: Type.Array(text(200), {
    maxItems: 20,
    description: 'Values of the claims `amr` or `acr` that prove a second factor, such as `mfa`. Empty: none does',
  }),
  trustsEmail: Type.Boolean({
    description: 'Its e-mail addresses count as verified although it does not say so (`email_verified`)',
  }),
  joinApps: Type.Union([Type.Literal('all'), grantsSchema], {
    description:
      'Where the role of people who join without an invitation applies: `all`, or in these apps. Empty (the default): in no app, until an owner gives them some. Owners are not limited',
  }),
  enabled: Type.Boolean(),
};
const groupsClaim = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The claim that lists the groups: its name, or a path such as `realm_access.roles`',
});

const writable = Type.Object({
  name: members.name,
  issuer: members.issuer,
  clientId: members.clientId,
  clientSecret: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1000, description: 'It is stored encrypted and never shown' }),
  ),
  scopes: Type.Optional(members.scopes),
  groupsClaim: Type.Optional(groupsClaim),
  roles: Type.Optional(roles),
  appRoles: Type.Optional(appRoles),
  defaultRole: Type.Optional(defaultRole),
  factorValues: Type.Optional(members.factorValues),
  trustsEmail: Type.Optional(members.trustsEmail),
  joinApps: Type.Optional(members.joinApps),
  enabled: Type.Optional(members.enabled),
});
export type ProviderFields = Static<typeof writable>;

function problemsOf({ scopes }: Partial<ProviderFields>): Problem[] {
  if (scopes === undefined || scopes.split(' ').includes('openid')) return [];
  return [{ field: 'scopes', problem: 'must have openid among them' }];
}

export const ssoProviderShape = defineShape(writable, { rules: problemsOf });

export const ssoFieldsExample = {
  name: 'Museum account',
  issuer: 'https://login.museum.example',
  clientId: 'pharos-console',
  clientSecret: 'from the provider',
  groupsClaim: 'groups',
  roles: { owner: ['pharos-owners'], editor: ['curators', 'education'] },
  appRoles: [{ group: 'north-house', role: 'manager' as const, appId: exampleId }],
  joinApps: [{ appId: exampleId }],
};

const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const ssoProviderRecord = Type.Object({
  providerId: objectIdSchema,
  ...members,
  hasSecret: Type.Boolean({ description: 'Without a secret the provider knows this service as a public client' }),
  groupsClaim: orNull(groupsClaim),
  defaultRole: Type.Union([defaultRole, Type.Null()], {
    description: 'Of people in none of the groups; null: they are refused',
  }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

const only = Type.Boolean({ description: 'Whether nobody may sign in with a password or a passkey' });
const sessionHours = Type.Integer({
  minimum: 1,
  maximum: 168,
  description:
    'How long a session lasts that began at a provider, in hours. Groups are read at each sign-in, so whoever leaves one keeps access for so long at most',
});
export const ssoPolicySchema = Type.Object({ only, sessionHours });
export type SsoPolicy = Static<typeof ssoPolicySchema>;
export const ssoPolicyShape = defineShape(Type.Partial(ssoPolicySchema));

const next = Type.String({ maxLength: 500, description: 'The page of the console to go on to, such as `/apps`' });
export const beginShape = defineShape(
  Type.Object({ providerId: Type.String({ maxLength: 64 }), next: Type.Optional(next) }),
);
export const confirmThroughShape = defineShape(Type.Object({ next: Type.Optional(next) }));
export const departureSchema = Type.Object({ address: Type.String({ description: 'Where the browser has to go' }) });
/** What a sign-in page needs. */
export const waysSchema = Type.Object({
  only: members.enabled,
  providers: Type.Array(Type.Object({ providerId: objectIdSchema, name: members.name })),
});
export const ownIdentitiesSchema = Type.Object({
  /** Through which the session was begun. */
  current: orNull(Type.Object({ providerId: objectIdSchema, name: members.name })),
  providers: Type.Array(Type.Object({ providerId: objectIdSchema, name: members.name, connected: Type.Boolean() })),
});
export const ssoTest = Type.Object({
  ok: Type.Boolean(),
  text: Type.String({ description: 'What was read of the provider, or why it could not be' }),
});
