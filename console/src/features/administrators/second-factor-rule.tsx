import { Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { securityQuery } from '../../lib/data/queries.ts';
import classes from './administrators.module.css';

interface Props {
  readonly isLocked: boolean;
  /** How many administrators have no second factor. */
  readonly without: number;
}

/** Whether every administrator needs a second factor. */
export function SecondFactorRule({ isLocked, without }: Props) {
  const { data: security } = useQuery(securityQuery);
  const change = useAction({
    run: (secondFactorRequired: boolean) => call('changeSecurity', { body: { secondFactorRequired } }),
    done: (_, isRequired) =>
      isRequired ? 'Every administrator needs a second factor now.' : 'A second factor is optional now.',
    refresh: [securityQuery.queryKey],
  });
  if (!security) return null;
  const isOn = change.isPending ? change.variables : security.secondFactorRequired;
  return (
    <div className={classes.rule}>
      <Switch
        label="Every administrator needs a second factor"
        checked={isOn}
        disabled={isLocked}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      <Text size="sm" c="dimmed">
        {without === 0
          ? 'All have one.'
          : `${without === 1 ? 'One has' : `${without} have`} none yet, and ${isOn ? 'must' : 'would have to'} set one up before anything else.`}
      </Text>
    </div>
  );
}
