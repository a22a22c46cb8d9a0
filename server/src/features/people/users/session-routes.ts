import { Type } from 'typebox';
import type { UserContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import {
  deletedAnswer,
  exampleCreated,
  exampleId,
  exampleUpdated,
  listAnswer,
  objectIdSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { answerOf, exampleRefreshToken, renewableExample, signInAnswer } from '../../../sign-in/sign-in-answer.ts';
import type { SessionService } from './sessions.ts';
import { usersTag } from './tables.ts';

interface SessionRouteDeps {
  readonly sessions: SessionService;
}

const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const sessionRecord = {
  schema: Type.Object({
    objectId: objectIdSchema,
    method: Type.Union([Type.Enum(['password', 'identityProvider', 'mailLink', 'passkey']), Type.Null()], {
      description: 'How it was begun; null if that was not noted',
    }),
    provider: Type.Union([Type.String(), Type.Null()], { description: 'The name of the identity provider' }),
    userAgent: textOrNull,
    isCurrent: Type.Boolean({ description: 'Whether it is that of this request' }),
    hasSecondFactor: Type.Boolean({ description: 'Whether two factors were given; a passkey is two' }),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema,
    expiresAt: timestampSchema,
  }),
  example: {
    objectId: exampleId,
    method: 'password',
    provider: null,
    userAgent: 'MuseumGuide/3.1 (Android 16)',
    isCurrent: true,
    hasSecondFactor: false,
    createdAt: exampleCreated,
    lastUsedAt: exampleCreated,
    expiresAt: exampleUpdated,
  },
};

const refreshShape = defineShape(
  Type.Object({ refreshToken: Type.String({ maxLength: 200, description: 'From signing in, or from the last call' }) }),
);

function keyOf(app: { readonly appId: string }, user: UserContext | undefined) {
  if (!user) throw fail('InvalidSessionToken');
  return { key: { appId: app.appId, userId: user.userId }, tokenHash: user.tokenHash };
}

export function sessionEndpoints({ sessions }: SessionRouteDeps): Endpoint[] {
  return [
    signOut({ sessions }),
    endpoint<{ refreshToken: string }>({
      method: 'POST',
      path: '/users/token',
      operationId: 'refreshToken',
      needsNoRoom: true,
      tag: usersTag,
      summary: 'Renew an access token',
      description:
        'With the refresh token of a sign-in with `refresh: true`. The answer has a new one; the one that was sent is no longer ' +
        'valid. Whoever sends one that was replaced before ends the session, except for the last one until something of ' +
        'its answer is used: that may have been lost. Renewals within 10 seconds are all answered.',
      grant: 'app',
      body: refreshShape.body({ refreshToken: exampleRefreshToken }),
      answer: { status: 200, description: 'Renewed.', schema: signInAnswer.schema, example: renewableExample },
      errors: ['InvalidSessionToken', 'ValidationError', 'Timeout'],
      handle: async ({ app, body, now }) => answerOf(await sessions.refresh(app, body.refreshToken), now),
    }),
    endpoint({
      method: 'GET',
      path: '/users/me/sessions',
      operationId: 'listSessions',
      tag: usersTag,
      summary: 'List your own sessions',
      description: 'Newest first. A session is what one sign-in has begun.',
      grant: 'user',
      answer: listAnswer(sessionRecord.schema, sessionRecord.example),
      errors: [],
      async handle({ app, user }) {
        const { key, tokenHash } = keyOf(app, user);
        return { results: await sessions.list(key, tokenHash) };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/users/me/sessions',
      operationId: 'endOtherSessions',
      needsNoRoom: true,
      tag: usersTag,
      summary: 'End all other sessions of yours',
      grant: 'user',
      answer: { ...deletedAnswer, description: 'Ended.' },
      errors: [],
      async handle({ app, user }) {
        const { key, tokenHash } = keyOf(app, user);
        await sessions.endOthers(key, tokenHash);
        return { result: {} };
      },
    }),
    endpoint<undefined, void>({
      method: 'DELETE',
      path: '/users/me/sessions/:objectId',
      operationId: 'endSession',
      needsNoRoom: true,
      tag: usersTag,
      summary: 'End a session of yours',
      grant: 'user',
      answer: { ...deletedAnswer, description: 'Ended.' },
      errors: ['ObjectNotFound'],
      locate: ({ app, user, params: { objectId = '' } }) => sessions.find(keyOf(app, user).key, objectId),
      async handle({ app, user, params: { objectId = '' } }) {
        await sessions.end(keyOf(app, user).key, objectId);
        return { result: {} };
      },
    }),
  ];
}

function signOut({ sessions }: SessionRouteDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/users/signout',
    operationId: 'signOut',
    needsNoRoom: true,
    tag: usersTag,
    summary: 'Sign out',
    description: 'Ends only the session of the access token that is sent. No body is needed.',
    grant: 'user',
    answer: { ...deletedAnswer, description: 'Signed out.' },
    errors: [],
    async handle({ app, user }) {
      const { key, tokenHash } = keyOf(app, user);
      await sessions.signOut(key, tokenHash);
      return { result: {} };
    },
  });
}
