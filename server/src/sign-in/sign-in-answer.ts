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

export const signInAnswer = {
  schema: Type.Object({ ...tokenMembers, objectId: objectIdSchema }),
  example: { accessToken: exampleToken, expiresIn: exampleSeconds, objectId: exampleId, tokenType: 'Bearer' },
};

export function answerOf({ accessToken, expiresAt, userId }: Session, now: number) {
  return { accessToken, expiresIn: Math.floor((expiresAt - now) / 1000), objectId: userId, tokenType: 'Bearer' };
}
