import { Switch } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { t } from '../../lib/words/words.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';

interface Props {
  /** What the switch turns on, for screen readers. */
  readonly label: string;
  /** What it turns on, for the message that takes it back. */
  readonly name: string;
  /** Beside the switch. */
  readonly text?: string;
  readonly isOn: boolean;
  readonly isLocked: boolean;
  readonly onChange: (isOn: boolean) => Promise<unknown>;
  readonly refresh: readonly QueryKey[];
  /** What visitors do without while it is off: then it is asked before it is switched off. */
  readonly off?: ReactNode;
}

/** A switch that changes at once, and reverts if the service rejects the change. */
export function EnableSwitch({ label, name, text, isOn, isLocked, onChange, refresh, off }: Props) {
  const [isAsking, setAsking] = useState(false);
  const change = useAction({
    run: onChange,
    done: (_, wanted) =>
      t('{name} is {hasWanted, select, true {on} other {off}}.', { name, hasWanted: Boolean(wanted) }),
    undo: (_, wanted) => onChange(!wanted),
    refresh,
    after: () => setAsking(false),
  });
  const turn = (wanted: boolean) => (off !== undefined && !wanted ? setAsking(true) : change.mutate(wanted));
  return (
    <>
      <Switch
        {...(text ? { label: text } : { 'aria-label': label })}
        checked={change.isPending ? change.variables : isOn}
        disabled={isLocked}
        onChange={({ currentTarget }) => turn(currentTarget.checked)}
      />
      {off !== undefined && (
        <ConfirmDialog
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          title={t('Switch off {what}', { what: name })}
          confirm={t('Switch off')}
          isBusy={change.isPending}
          failure={change.error?.message}
          onConfirm={() => change.mutate(false)}
        >
          {off}
        </ConfirmDialog>
      )}
    </>
  );
}
