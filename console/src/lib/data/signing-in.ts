import { PharosError } from '@pharos/sdk';
import { createQuestion } from './question.ts';

/** Asks to sign in again, over the page, when the session has ended in the middle of something. */
export const signingIn = createQuestion();

export const isSignedOut = (error: unknown): boolean =>
  error instanceof PharosError && error.name === 'InvalidSessionToken';

/** Does something that needs a session; if it has ended, once more after signing in again. */
export async function withSession<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isSignedOut(error) && (await signingIn.ask())) return work();
    throw error;
  }
}
