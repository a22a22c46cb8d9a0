import { Switch } from '@mantine/core';
import { useAction } from '../../lib/actions/use-action.ts';
import { ownAlertsQuery } from '../../lib/data/queries.ts';
import type { Operations } from '../../lib/wire.ts';
import { translated } from '../../lib/words/words.ts';
import classes from './account.module.css';

export type Kind = Operations['getOwnAlerts']['answer']['result']['kinds'][number];

interface Props {
  readonly label: string;
  readonly kinds: readonly Kind[];
  /** What is stored. */
  readonly isOn: (kind: Kind) => boolean;
  readonly store: (kind: Kind['kind'], isOn: boolean) => Promise<unknown>;
}

/** A switch for each kind of what the service tells; the one that is being stored shows what was chosen. */
export function KindSwitches({ label, kinds, isOn, store }: Props) {
  const change = useAction({
    run: ({ kind, isOn }: Pick<Kind, 'kind' | 'isOn'>) => store(kind, isOn),
    refresh: [ownAlertsQuery.queryKey],
  });
  const shown = (one: Kind) =>
    change.isPending && change.variables.kind === one.kind ? change.variables.isOn : isOn(one);
  return (
    <fieldset className={classes.kinds}>
      <legend>{label}</legend>
      {kinds.map((one) => (
        <Switch
          key={one.kind}
          label={translated(one.name)}
          checked={shown(one)}
          onChange={({ currentTarget }) => change.mutate({ kind: one.kind, isOn: currentTarget.checked })}
        />
      ))}
    </fieldset>
  );
}
