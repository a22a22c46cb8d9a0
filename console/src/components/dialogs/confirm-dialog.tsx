import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { CutOff } from '../../lib/actions/cut-off.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { rich, t } from '../../lib/words/words.ts';
import { FailureNote, Icon } from '../page/blocks.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What is deleted or stopped, by name, and what that means. */
  readonly children: ReactNode;
  /** On the button: `Delete Main gate`. The title unless given. */
  readonly confirm?: string;
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  readonly onConfirm: () => void;
}

/** Asks for confirmation with one button. What cannot be recreated takes a `DeleteDialog`. */
export function ConfirmDialog(props: Props) {
  const { isOpen, onClose, title, children, confirm = title, isBusy, failure, onConfirm } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <OfApp />
        <Text component="div">{children}</Text>
        <FailureNote message={failure} />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('Cancel')}
          </Button>
          <Button variant="filled" color="red" loading={isBusy} onClick={onConfirm}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The app in which something serious is done: with two apps open in two tabs, it shows which one is meant. */
export function OfApp() {
  const { appId = '' } = useParams({ strict: false });
  const { data: app } = useQuery({ ...appQuery(appId), enabled: appId !== '' });
  if (!app) return null;
  return <Text c="dimmed">{rich('In the app <b>{name}</b>', { name: app.name })}</Text>;
}

/** What is asked before a change that stops visitors from being served. */
export interface Stop {
  readonly title: string;
  /** On the button: `Save and switch off`. */
  readonly confirm: string;
  /** What visitors do without, and until when. */
  readonly text: ReactNode;
}

interface StopProps {
  /** Undefined: nothing is asked. */
  readonly stop: Stop | undefined;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for the name of the app before a change that stops visitors from being served. */
export function StopDialog({ stop, isBusy, onConfirm, onClose }: StopProps) {
  return (
    <ConfirmDialog
      isOpen={stop !== undefined}
      onClose={onClose}
      title={stop?.title ?? ''}
      confirm={stop?.confirm ?? ''}
      isBusy={isBusy}
      failure={undefined}
      onConfirm={onConfirm}
    >
      {stop?.text}
    </ConfirmDialog>
  );
}

/** What a change of the policy or of another record with several consequences means, one sentence each. */
export function stopOf(title: string, confirm: string, sentences: readonly string[]): Stop | undefined {
  if (sentences.length === 0) return undefined;
  const text = (
    <>
      {t('From this moment:')}
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
  return { title, confirm, text };
}

interface ActionProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** On the button: `Delete Main gate`. The title unless given. */
  readonly confirm?: string;
  readonly run: () => Promise<unknown>;
  /** What to tell when it is done. */
  readonly done: string;
  /** Takes it back: for ten seconds, the message has a button for it. */
  readonly undo?: (() => Promise<unknown>) | undefined;
  /** Where to read more about it, for a button in the message. */
  readonly more?: { readonly label: string; readonly to: string; readonly params: object; readonly hash: string };
  readonly refresh: readonly QueryKey[];
  /** For a record that is deleted on its own page: where to go, and what was read about it. */
  readonly leave?: { readonly to: string; readonly params: object; readonly forget: QueryKey };
  readonly cutOff?: CutOff;
  /** What is deleted or stopped, by name, and what that means. */
  readonly children: ReactNode;
}

/** Asks for confirmation, then does something grave: it cannot be undone, or it stops visitors from being served. */
export function ConfirmedAction(props: ActionProps) {
  const { isOpen, onClose, title, confirm = title, run, done, undo, more, refresh, leave, cutOff, children } = props;
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
  function close() {
    // Opened again, it does not show why the former try has failed.
    if (!action.isPending) action.reset();
    onClose();
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={close}
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

interface AskedProps extends Omit<ActionProps, 'isOpen' | 'onClose'> {
  readonly button: (ask: () => void) => ReactNode;
}

/** A `ConfirmedAction` with the button that opens it. */
export function AskedAction({ button, ...action }: AskedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {button(() => setOpen(true))}
      <ConfirmedAction {...action} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

interface DeletionProps extends Omit<AskedProps, 'button'> {
  readonly label?: string;
}

/** Deletes the record of a page, after a question. */
export const Deletion = ({ label = t('Delete'), ...action }: DeletionProps) => (
  <AskedAction
    {...action}
    button={(ask) => (
      <Button leftSection={<Icon name="trash" size={16} />} onClick={ask}>
        {label}
      </Button>
    )}
  />
);
