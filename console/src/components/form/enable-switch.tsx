import { Switch } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useAction } from '../../lib/actions/use-action.ts';
import { t } from '../../lib/words/words.ts';

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
}

/** A switch that changes at once, and reverts if the service rejects the change. */
export function EnableSwitch({ label, name, text, isOn, isLocked, onChange, refresh }: Props) {
  const change = useAction({
    run: onChange,
    done: (_, wanted) =>
      t('{name} is {hasWanted, select, true {on} other {off}}.', { name, hasWanted: Boolean(wanted) }),
    undo: (_, wanted) => onChange(!wanted),
    refresh,
  });
  return (
    <Switch
      {...(text ? { label: text } : { 'aria-label': label })}
      checked={change.isPending ? change.variables : isOn}
      disabled={isLocked}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}
