/** Asks for the password again. The dialog is mounted once, outside the pages; any part of the console can open it. */

type Listener = () => void;

let waiting: { readonly promise: Promise<boolean>; readonly resolve: (isConfirmed: boolean) => void } | undefined;
const listeners = new Set<Listener>();

function set(next: typeof waiting): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Resolves to true when the password was confirmed, to false when the dialog was closed. Concurrent callers share one dialog. */
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
