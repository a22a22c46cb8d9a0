import { type Static, Type } from 'typebox';
import type { Problem } from '../../../base/errors.ts';
import { objectIdSchema, timestampSchema } from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { providerKinds } from './provider-kinds.ts';

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

const roles = Type.Object(
  {
    claim: text(200),
    manager: Type.Array(text(200), { minItems: 1, maxItems: 50, description: 'Values that make a manager' }),
  },
  {
    description:
      'The claim that says who is a manager: its name, or a path such as realm_access.roles. The role of a user then ' +
      'follows the claim at each sign-in. Without it the provider has no say in roles.',
  },
);

const issuer = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'The claim `iss`, letter by letter. Known of google and apple',
});
const jwksUri = Type.String({
  minLength: 1,
  maxLength: 2000,
  description:
    "The address of the public keys. Without it the issuer's configuration names it (/.well-known/openid-configuration)",
});

const members = {
  name: Type.String({
    pattern: '^[a-z][a-z0-9-]{0,31}$',
    description: 'By which apps name it: a lower-case letter, then up to 31 letters, digits and dashes',
  }),
  kind: Type.Enum(providerKinds, { description: 'oidc: any issuer of OpenID Connect' }),
  audiences: Type.Array(text(255), {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: "The app's client ids at the provider; a token has to name one of them in `aud`",
  }),
  enabled: Type.Boolean(),
  acceptsTokens: Type.Boolean({
    description: 'Whether its JSON Web Tokens are accepted as access tokens, without signing in here',
  }),
};

const writable = Type.Object({
  name: members.name,
  kind: members.kind,
  issuer: Type.Optional(issuer),
  jwksUri: Type.Optional(jwksUri),
  audiences: members.audiences,
  roles: Type.Optional(roles),
  enabled: Type.Optional(members.enabled),
  acceptsTokens: Type.Optional(members.acceptsTokens),
});
export type ProviderFields = Static<typeof writable>;

function problemsOf({ name, kind, issuer, jwksUri }: Partial<ProviderFields>): Problem[] {
  if (kind === undefined) return [];
  if (kind === 'oidc') return issuer === undefined ? [{ field: 'issuer', problem: 'is required' }] : [];
  const known = (field: string, value: unknown) =>
    value === undefined ? [] : [{ field, problem: `is known of ${kind}, leave it out` }];
  return name === undefined ? [] : [...known('issuer', issuer), ...known('jwksUri', jwksUri)];
}

export const providerShape = defineShape(writable, { rules: problemsOf });

export const providerFieldsExample = {
  name: 'staff',
  kind: 'oidc',
  issuer: 'https://login.museum.example',
  audiences: ['museum-guide'],
  roles: { claim: 'groups', manager: ['curators'] },
};

export const providerRecord = Type.Object({
  objectId: objectIdSchema,
  ...members,
  issuer,
  jwksUri: Type.Union([jwksUri, Type.Null()]),
  roles: Type.Union([roles, Type.Null()]),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const providerTest = Type.Object({
  ok: Type.Boolean(),
  text: Type.String({ description: 'How many keys were read, or why they could not be' }),
});
