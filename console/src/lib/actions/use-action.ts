import { notifications } from '@mantine/notifications';
import type { PharosError } from '@pharos/sdk';
import {
  type MutateOptions,
  type QueryClient,
  type QueryKey,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { withSession } from '../data/signing-in.ts';
import { t } from '../words/words.ts';
import { buttonMessage, type MessageButton } from './button-message.tsx';
import { type CutOff, underWay, useCutOffNotice } from './cut-off.ts';

interface Action<Input, Result> {
  readonly run: (input: Input) => Promise<Result>;
  /** The message when it is done; undefined if the page itself shows the result. */
  readonly done?: string | ((result: Result, input: Input) => string | undefined);
  readonly refresh?: readonly QueryKey[];
  readonly after?: (result: Result, input: Input) => unknown;
  /** The form shows the error itself. */
  readonly showsError?: true;
  /** Reverts the action: for ten seconds, the message has a button for it. */
  readonly undo?: ((result: Result, input: Input) => Promise<unknown>) | undefined;
  /** Whether this result can be reverted; always unless given. */
  readonly isUndoable?: (result: Result) => boolean;
  /** A button in the message, for what may follow. */
  readonly next?: MessageButton;
  /** For long actions that a reload would interrupt: a notice is shown afterwards. */
  readonly cutOff?: CutOff;
}

/** Only the newest message has a button; several messages would hide others. */
const id = 'undo';
/** How long a button is offered, ms. Alternates by 1: a message that replaces another restarts its timer only if this differs. */
let offered = 10_002;

function showWithButton(message: string, button: MessageButton): void {
  const onClick = () => {
    notifications.hide(id);
    button.onClick();
  };
  notifications.hide(id);
  offered = offered === 10_001 ? 10_002 : 10_001;
  notifications.show({
    id,
    message: buttonMessage(message, { ...button, onClick }),
    color: 'teal',
    autoClose: offered,
  });
}

function showWithUndo(message: string, undo: () => Promise<unknown>, queries: QueryClient): void {
  let isTakenBack = false;
  const takeBack = async () => {
    // The message may be clicked again while it fades.
    if (isTakenBack) return;
    isTakenBack = true;
    try {
      await withSession(undo);
      // A form that is opened next must not start with the reverted values.
      queries.removeQueries({ type: 'inactive' });
      await queries.invalidateQueries();
      notifications.show({ message: t('The change was undone.'), color: 'teal', autoClose: 4_000 });
    } catch (error) {
      notifications.show({ message: (error as Error).message, color: 'red', autoClose: 10_000 });
    }
  };
  showWithButton(message, { label: t('Undo'), onClick: () => void takeBack() });
}

/** A key of an action's input; undefined for inputs that cannot be compared, such as files. */
function keyOf(input: unknown): string | undefined {
  let isPlain = true;
  const key = JSON.stringify(input, (_, part: unknown) => {
    const kind = typeof part === 'object' && part !== null ? Object.getPrototypeOf(part) : Object.prototype;
    isPlain &&= kind === Object.prototype || kind === Array.prototype;
    return part;
  });
  return isPlain ? String(key) : undefined;
}

/**
 * A user action: runs it, reports the result, and reads again what it changed. The second click of a double click comes before the
 * button is drawn as busy, and does nothing.
 */
export function useAction<Input = void, Result = unknown>(action: Action<Input, Result>) {
  const queries = useQueryClient();
  const { cutOff } = action;
  useCutOffNotice(cutOff);
  const running = useRef(new Set<string>());
  const begin = async (input: Input) => {
    if (!cutOff) return action.run(input);
    await cutOff.before?.();
    return underWay(cutOff, () => action.run(input));
  };
  const mutation = useMutation<Result, PharosError, Input>({
    mutationFn: (input) => withSession(() => begin(input)).finally(() => running.current.delete(keyOf(input) ?? '')),
    onSuccess: async (result, input) => {
      const message = typeof action.done === 'function' ? action.done(result, input) : action.done;
      await Promise.all((action.refresh ?? []).map((queryKey) => queries.invalidateQueries({ queryKey })));
      await action.after?.(result, input);
      const { undo } = action;
      // Said last: whoever reads it may go elsewhere, and is not to be led away from there.
      if (message && undo && (action.isUndoable?.(result) ?? true))
        showWithUndo(message, () => undo(result, input), queries);
      else if (message && action.next) showWithButton(message, action.next);
      else if (message) notifications.show({ message, color: 'teal', autoClose: 4_000 });
    },
    onError: (error) => {
      if (!action.showsError) notifications.show({ message: error.message, color: 'red', autoClose: 10_000 });
    },
  });
  /** Starts the action; false if the same one is running. */
  const mutate = (input: Input, options?: MutateOptions<Result, PharosError, Input>): boolean => {
    const key = keyOf(input);
    if (key !== undefined) {
      if (running.current.has(key)) return false;
      running.current.add(key);
    }
    mutation.mutate(input, options);
    return true;
  };
  return { ...mutation, mutate };
}
