import { Type } from 'typebox';
import type { UserContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import {
  deletedAnswer,
  exampleCreated,
  exampleId,
  listAnswer,
  objectIdSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { clientOf, tokenProof } from '../../../sign-in/accounts.ts';
import { type AttemptLimits, isWrongLogin } from '../../../sign-in/attempts.ts';
import { answerOf, halfSignInErrors, refreshMember, signInAnswer } from '../../../sign-in/sign-in-answer.ts';
import type { IdentityService, Presented } from './service.ts';
import { identitiesTag } from './tables.ts';

export interface IdentityRouteDeps {
  readonly service: IdentityService;
  readonly limits: AttemptLimits;
}

const token = {
  provider: Type.String({ minLength: 1, maxLength: 32, description: 'The name of the identity provider in this app' }),
  idToken: Type.String({ minLength: 1, maxLength: 16_384, description: 'As the provider has issued it' }),
  nonce: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'What the app gave the provider when it asked for the token, or that of which it gave the SHA-256 (hexadecimal). ' +
        'Required if the token has one',
    }),
  ),
};
const name = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, description: 'For a new account, if the token does not tell the name' }),
);
const signInShape = defineShape(Type.Object({ ...token, firstname: name, lastname: name, refresh: refreshMember }));
const linkShape = defineShape(
  Type.Object({
    ...token,
    currentPassword: Type.Optional(
      Type.String({ description: 'Required if the session is older than 10 minutes and the account has a password' }),
    ),
  }),
);

const tokenExample = {
  provider: 'google',
  idToken: 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2FjY291bnRzLmdvb2dsZS5jb20ifQ.c2lnbmF0dXJl',
  nonce: 'n-0S6_WzA2Mj',
};

const identityRecord = {
  schema: Type.Object({
    objectId: objectIdSchema,
    provider: Type.Union([Type.String(), Type.Null()], {
      description: 'The name of the identity provider; null if the app does not have it any more',
    }),
    issuer: Type.String(),
    email: Type.Union([Type.String(), Type.Null()], { description: 'What the provider last said, verified or not' }),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema,
  }),
  example: {
    objectId: exampleId,
    provider: 'google',
    issuer: 'https://accounts.google.com',
    email: 'vera@example.org',
    createdAt: exampleCreated,
    lastUsedAt: exampleCreated,
  },
};

export function identityEndpoints(deps: IdentityRouteDeps): Endpoint[] {
  return [signIn(deps), list(deps), link(deps), unlink(deps)];
}

function signedIn(user: UserContext | undefined): UserContext {
  if (!user) throw fail('InvalidSessionToken');
  return user;
}

const wrongTokens = [
  'UserInvalidLoginParams',
  'ValidationError',
  'ObjectNotFound',
  'OperationForbidden',
  'Timeout',
] as const;

const presentedOf = ({ nonce, ...body }: Omit<Presented, 'nonce'> & { readonly nonce?: string }): Presented => ({
  ...body,
  nonce,
});

function signIn({ service, limits }: IdentityRouteDeps): Endpoint {
  return endpoint<ReturnType<typeof signInShape.readCreate>>({
    method: 'POST',
    path: '/users/signin/token',
    operationId: 'signInWithToken',
    tag: identitiesTag,
    summary: 'Sign in with an ID token',
    description:
      'The app signs the person in at the provider and sends the ID token, which is accepted once. The first time makes an ' +
      'account, without a password. An account with the same e-mail address is linked only if the provider says that it has ' +
      'verified the address, and the address is verified here too (`emailVerifiedAt`); otherwise the answer is 203, and the ' +
      'person signs in as before and links the identity. The account has no address if the provider has not verified it.',
    grant: 'app',
    body: signInShape.body(tokenExample),
    answer: {
      status: 200,
      description: 'Signed in.',
      schema: Type.Object({
        ...signInAnswer.schema.properties,
        isNew: Type.Boolean({ description: 'Whether the account was made just now' }),
      }),
      example: { ...signInAnswer.example, isNew: false },
    },
    errors: [...wrongTokens, 'UserEmailTaken', ...halfSignInErrors],
    handle: async ({ app, body, address, now, headers }) => {
      const attempt = { app, address, now };
      const client = clientOf({ headers }, body);
      const { session, isNew } = await limits.present(attempt, () =>
        limits.signUp(
          attempt,
          () => service.signIn(app, presentedOf(body), client),
          ({ isNew }) => isNew,
        ),
      );
      return { ...answerOf(session, now), isNew };
    },
  });
}

function list({ service }: IdentityRouteDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/users/me/identities',
    operationId: 'listIdentities',
    tag: identitiesTag,
    summary: 'List your own identities at identity providers',
    grant: 'user',
    answer: listAnswer(identityRecord.schema, identityRecord.example),
    errors: [],
    handle: async ({ app, user }) => ({
      results: await service.list({ appId: app.appId, userId: signedIn(user).userId }),
    }),
  });
}

function link({ service, limits }: IdentityRouteDeps): Endpoint {
  return endpoint<ReturnType<typeof linkShape.readCreate>>({
    method: 'POST',
    path: '/users/me/identities',
    operationId: 'linkIdentity',
    tag: identitiesTag,
    summary: 'Link an identity to your own account',
    description:
      'From then on it signs in to the account. Takes `currentPassword`, or a sign-in in the last 10 minutes: whoever has ' +
      'found a phone must not be able to add a way in.',
    grant: 'user',
    body: linkShape.body(tokenExample),
    answer: {
      status: 201,
      description: 'Linked.',
      schema: Type.Object({ result: identityRecord.schema }),
      example: { result: identityRecord.example },
    },
    errors: [...wrongTokens, 'PasswordMissing', 'DuplicateValue'],
    handle: async ({ app, user, body, address, now }) => {
      const oneself = signedIn(user);
      const { currentPassword, ...presented } = body;
      const confirm = (emailKey: string, check: () => Promise<void>) =>
        limits.guess({ app, address, emailKey, now }, check, isWrongLogin);
      const proof = { currentPassword, ...tokenProof(oneself), confirm };
      const key = { appId: app.appId, userId: oneself.userId };
      return { result: await service.link(app, key, presentedOf(presented), proof) };
    },
  });
}

function unlink({ service }: IdentityRouteDeps): Endpoint {
  return endpoint<undefined, void>({
    method: 'DELETE',
    path: '/users/me/identities/:objectId',
    operationId: 'unlinkIdentity',
    tag: identitiesTag,
    summary: 'Unlink an identity from your own account',
    description: 'Not the last way to sign in: set a password or link another identity first. Sessions go on.',
    grant: 'user',
    answer: deletedAnswer,
    errors: ['ObjectNotFound', 'OperationForbidden'],
    locate: ({ app, user, params: { objectId = '' } }) =>
      service.find({ appId: app.appId, userId: signedIn(user).userId }, objectId),
    handle: async ({ app, user, params: { objectId = '' } }) => {
      await service.unlink({ appId: app.appId, userId: signedIn(user).userId }, objectId);
      return { result: {} };
    },
  });
}
