import { Type } from 'typebox';
import { fail } from '../base/errors.ts';
import { exampleId, objectIdSchema } from '../http/answers.ts';
import type { HalfSignIn, SignedIn } from './accounts.ts';

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

/** What else a sign-in may be answered with than a session. */
export const halfSignInErrors = ['SecondFactorNeeded', 'EnrolmentNeeded'] as const;

/** @throws Failure SecondFactorNeeded, EnrolmentNeeded with the challenge that continues a half-finished sign-in */
export function answerOf(signedIn: SignedIn, now: number) {
  if ('challenge' in signedIn) throw halfDone(signedIn);
  const { accessToken, expiresAt, userId, refresh } = signedIn;
  const seconds = (until: number) => Math.max(0, Math.floor((until - now) / 1000));
  return {
    accessToken,
    expiresIn: seconds(expiresAt),
    objectId: userId,
    tokenType: 'Bearer',
    ...(refresh ? { refreshToken: refresh.token, refreshExpiresIn: seconds(refresh.expiresAt) } : {}),
  };
}

function halfDone({ challenge, missing }: HalfSignIn) {
  const more = (field: string) => ({ field, problem: 'is needed, or the other one that is named here' });
  if (missing === 'code')
    return fail('SecondFactorNeeded', {
      message:
        'Send the code of the authenticator app, or a recovery code, with this challenge to POST /users/signin/factor.',
      details: [more('code'), more('recoveryCode')],
      challenge,
    });
  return fail('EnrolmentNeeded', {
    message:
      'This app asks everybody for a second factor. Set up an authenticator app with this challenge: POST /users/signin/factor/totp.',
    challenge,
  });
}
