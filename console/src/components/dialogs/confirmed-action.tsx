import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CutOff } from '../../lib/actions/cut-off.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** On the button: `Delete Main gate`. */
  readonly confirm: string;
  readonly run: () => Promise<unknown>;
  /** What to tell when it is done. */
  readonly done: string;
  /** Takes it back: for ten seconds, the message has a button for it. */
  readonly undo?: (() => Promise<unknown>) | undefined;
  /** Where to read more about it, for a button in the message. */
  readonly more?: { readonly label: string; readonly to: string; readonly params: object; readonly hash: string };
  /** What has to be read again. */
  readonly refresh: readonly QueryKey[];
  /** For a record that is deleted on its own page: where to go, and what was read about it. */
  readonly leave?: { readonly to: string; readonly params: object; readonly forget: QueryKey };
  readonly cutOff?: CutOff;
  /** What is deleted or stopped, by name, and what that means. */
  readonly children: ReactNode;
}

/** Asks for confirmation, then does something grave: it cannot be undone, or it stops visitors from being served. */
export function ConfirmedAction(props: Props) {
  const { isOpen, onClose, title, confirm, run, done, undo, more, refresh, leave, cutOff, children } = props;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const action = useAction({
    run,
    done,
    undo,
    showsError: true,
    ...(cutOff ? { cutOff } : {}),
    ...(more
      ? { next: { label: more.label, onClick: () => void navigate({ ...more, params: more.params as never }) } }
      : {}),
    after: async () => {
      if (leave) {
        await navigate({ to: leave.to, params: leave.params as never });
        queries.removeQueries({ queryKey: leave.forget });
      } else onClose();
      await Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      confirm={confirm}
      isBusy={action.isPending}
      failure={action.error?.message}
      onConfirm={() => action.mutate()}
    >
      {children}
    </ConfirmDialog>
  );
}
