/** Asks the person for the password once more, from wherever something needs it. The dialog stands beside the pages. */

type Listener = () => void;

let waiting: { readonly promise: Promise<boolean>; readonly resolve: (isConfirmed: boolean) => void } | undefined;
const listeners = new Set<Listener>();

function set(next: typeof waiting): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Resolves when the person has confirmed (true) or has changed their mind. Several that need it wait for one answer. */
export function askForPassword(): Promise<boolean> {
  if (!waiting) set(Promise.withResolvers<boolean>());
  return waiting?.promise ?? Promise.resolve(false);
}

export function answerConfirmation(isConfirmed: boolean): void {
  waiting?.resolve(isConfirmed);
  set(undefined);
}

export const confirmation = {
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isAsked: () => waiting !== undefined,
};
