/**
 * A question that any part of the console can ask a person, such as the password once more. Its dialog is mounted once,
 * outside the pages.
 */
export interface Question {
  /** Resolves to true when the person has answered, to false when the dialog was closed. Concurrent callers share one dialog. */
  ask(): Promise<boolean>;
  answer(isAnswered: boolean): void;
  subscribe(listener: () => void): () => void;
  isAsked(): boolean;
  /** The dialog was closed the last time, and nobody has come back to the page since. */
  isDeclined(): boolean;
  /** A person has come back to the page. */
  comeBack(): void;
}

export function createQuestion(): Question {
  let waiting: { readonly promise: Promise<boolean>; readonly resolve: (isAnswered: boolean) => void } | undefined;
  let isDeclined = false;
  const listeners = new Set<() => void>();
  function set(next: typeof waiting): void {
    waiting = next;
    for (const listener of listeners) listener();
  }
  return {
    ask() {
      if (!waiting) set(Promise.withResolvers<boolean>());
      return waiting?.promise ?? Promise.resolve(false);
    },
    answer(isAnswered) {
      isDeclined = waiting !== undefined && !isAnswered;
      waiting?.resolve(isAnswered);
      set(undefined);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isAsked: () => waiting !== undefined,
    isDeclined: () => isDeclined,
    comeBack: () => {
      isDeclined = false;
    },
  };
}
