import { Switch } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useAction } from '../../lib/actions/use-action.ts';

interface Props {
  /** What is on, for those who cannot see where the switch stands. */
  readonly label: string;
  /** Beside it. */
  readonly text?: string;
  readonly isOn: boolean;
  readonly isLocked: boolean;
  readonly onChange: (isOn: boolean) => Promise<unknown>;
  readonly refresh: readonly QueryKey[];
}

/** Shows at once what one wants; falls back when the service refuses. */
export function EnableSwitch({ label, text, isOn, isLocked, onChange, refresh }: Props) {
  const change = useAction({ run: onChange, refresh });
  return (
    <Switch
      {...(text ? { label: text } : { 'aria-label': label })}
      checked={change.isPending ? change.variables : isOn}
      disabled={isLocked}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}
