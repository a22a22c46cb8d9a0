import { notifications } from '@mantine/notifications';
import type { PharosError } from '@pharos/sdk';
import { type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type CutOff, underWay, useCutOffNotice } from './cut-off.ts';
import { undoMessage } from './undo-message.tsx';

interface Action<Input, Result> {
  readonly run: (input: Input) => Promise<Result>;
  /** What to tell when it is done; undefined where the page itself shows it. */
  readonly done?: string | ((result: Result, input: Input) => string | undefined);
  /** What is read anew. */
  readonly refresh?: readonly QueryKey[];
  readonly after?: (result: Result, input: Input) => unknown;
  /** The form shows the error itself. */
  readonly showsError?: true;
  /** Takes it back: for ten seconds there is a button for it beside the message. */
  readonly undo?: ((result: Result, input: Input) => Promise<unknown>) | undefined;
  /** It takes a while, and loading the page again would end it: told afterwards. */
  readonly cutOff?: CutOff;
}

/** One way back at a time, the newest: several would hide what else has to be told. */
const id = 'undo';

function showWithUndo(message: string, undo: () => Promise<unknown>, queries: QueryClient): void {
  const takeBack = async () => {
    notifications.hide(id);
    try {
      await undo();
      // A form that is opened next must not begin with what has just been taken back.
      queries.removeQueries({ type: 'inactive' });
      await queries.invalidateQueries();
      notifications.show({ message: 'It is as it was before.', color: 'teal', autoClose: 4_000 });
    } catch (error) {
      notifications.show({ message: (error as Error).message, color: 'red', autoClose: 10_000 });
    }
  };
  notifications.hide(id);
  notifications.show({
    id,
    message: undoMessage(message, () => void takeBack()),
    color: 'teal',
    autoClose: 10_000,
  });
}

/** Something that a person does: runs it, tells how it went, and reads anew what it has changed. */
export function useAction<Input = void, Result = unknown>(action: Action<Input, Result>) {
  const queries = useQueryClient();
  const { cutOff } = action;
  useCutOffNotice(cutOff);
  return useMutation<Result, PharosError, Input>({
    mutationFn: (input) => (cutOff ? underWay(cutOff, () => action.run(input)) : action.run(input)),
    onSuccess: async (result, input) => {
      const message = typeof action.done === 'function' ? action.done(result, input) : action.done;
      const { undo } = action;
      if (message && undo) showWithUndo(message, () => undo(result, input), queries);
      else if (message) notifications.show({ message, color: 'teal', autoClose: 4_000 });
      await Promise.all((action.refresh ?? []).map((queryKey) => queries.invalidateQueries({ queryKey })));
      await action.after?.(result, input);
    },
    onError: (error) => {
      if (!action.showsError) notifications.show({ message: error.message, color: 'red', autoClose: 10_000 });
    },
  });
}
