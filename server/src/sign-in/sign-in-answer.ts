import { Type } from 'typebox';
import { exampleId, objectIdSchema } from '../http/answers.ts';
import type { Session } from './accounts.ts';

/** The answer to every way of signing in. */

export const tokenMembers = {
  accessToken: Type.String(),
  expiresIn: Type.Integer({ minimum: 0, description: 'Seconds' }),
  tokenType: Type.Literal('Bearer'),
};
export const exampleToken = 'q3Zf0v7n2mB1xK8dT5sJ6yR4wL9aH0cE3gU7iO2pN5M';
export const exampleSeconds = 2_592_000;

export const exampleRefreshToken = 'Zf0v7n2mB1xK8dT5sJ6yR4wL9aH0cE3g.U7iO2pN5Mq3Zf0v7n2mB1xK8dT5sJ6yR';

/** Of a body that signs in. */
export const refreshMember = Type.Optional(
  Type.Boolean({
    description:
      'Whether the answer has a `refreshToken`. The access token then lives for minutes only (policy tokenMinutes) and is ' +
      'renewed at POST /users/token',
  }),
);

export const signInAnswer = {
  schema: Type.Object({
    ...tokenMembers,
    objectId: objectIdSchema,
    refreshToken: Type.Optional(Type.String({ description: 'Only if `refresh` was true' })),
    refreshExpiresIn: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Seconds until the session ends, unless it is renewed before' }),
    ),
  }),
  example: { accessToken: exampleToken, expiresIn: exampleSeconds, objectId: exampleId, tokenType: 'Bearer' },
};
export const renewableExample = {
  ...signInAnswer.example,
  expiresIn: 900,
  refreshToken: exampleRefreshToken,
  refreshExpiresIn: exampleSeconds,
};

export function answerOf({ accessToken, expiresAt, userId, refresh }: Session, now: number) {
  const seconds = (until: number) => Math.max(0, Math.floor((until - now) / 1000));
  return {
    accessToken,
    expiresIn: seconds(expiresAt),
    objectId: userId,
    tokenType: 'Bearer',
    ...(refresh ? { refreshToken: refresh.token, refreshExpiresIn: seconds(refresh.expiresAt) } : {}),
  };
}
