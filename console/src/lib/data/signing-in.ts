import { PharosError } from '@pharos/sdk';
import { createQuestion } from './question.ts';

/** Asks to sign in again, over the page, when the session has ended in the middle of something, or somebody else has signed in. */
export const signingIn = createQuestion();

/** Asks for the password again, before something grave. */
export const confirmation = createQuestion();

const lost = ['InvalidSessionToken', 'SignedInAsAnother'];

/** Whether the browser no longer has a session of the page's owner. */
export const isSignedOut = (error: unknown): boolean => error instanceof PharosError && lost.includes(error.name);

/** Does something that needs a session; if the session has ended, repeats it after signing in again. */
export async function withSession<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isSignedOut(error) && (await signingIn.ask())) return work();
    throw error;
  }
}
