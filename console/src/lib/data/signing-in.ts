import { PharosError } from '@pharos/sdk';
import { createQuestion } from './question.ts';

/** Asks to sign in again, over the page, when the session has ended in the middle of something, or somebody else has signed in. */
export const signingIn = createQuestion();

/** Asks for the password again, before something grave. */
export const confirmation = createQuestion();

const lost = ['InvalidSessionToken', 'SignedInAsAnother'];

/** Whether the browser no longer has a session of the page's owner. */
export const isSignedOut = (error: unknown): boolean => error instanceof PharosError && lost.includes(error.name);

/** Errors after which a person declined to sign in again. */
const declined = new WeakSet<object>();

/**
 * Does something that needs a session; if there is none any more, once more after signing in again. Work in several steps, of which none
 * may be done twice, has each step in it: whoever has declined in one is not asked again.
 */
export async function withSession<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (await isBackAfter(error)) return work();
    throw error;
  }
}

/** Asks the person to sign in again if the error says that the session has ended. True if they did. */
export async function isBackAfter(error: unknown): Promise<boolean> {
  if (!isSignedOut(error) || declined.has(error as Error)) return false;
  if (await signingIn.ask()) return true;
  declined.add(error as Error);
  return false;
}

/** Tells the other pages of this browser something, and hears what they tell. */
export function createChannel(name: string) {
  return {
    tell(): void {
      const channel = new BroadcastChannel(name);
      channel.postMessage('');
      channel.close();
    },
    /** Returns a function that stops listening. */
    listen(listener: () => void): () => void {
      const channel = new BroadcastChannel(name);
      channel.onmessage = listener;
      return () => channel.close();
    },
  };
}

/** Somebody is signed in here. */
export const { tell: tellSignedIn, listen: onSignedIn } = createChannel('pharos-signed-in');
