import { Group, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useOneClick } from '../../components/form/use-one-click.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { securityQuery } from '../../lib/data/queries.ts';
import type { Operations } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

type Security = Operations['getSecurity']['answer']['result'];

interface Props {
  readonly isLocked: boolean;
  /** How many administrators have no second factor. */
  readonly without: number;
}

/** Whether every administrator needs a second factor. */
export function SecondFactorRule({ isLocked, without }: Props) {
  const { data: security } = useQuery(securityQuery);
  // Another owner may have the page open: what was changed there is not changed back.
  const sent = useOneClick<Security, Security>({
    name: t('the rules for signing in'),
    read: async () => (await call('getSecurity')).result,
    send: async (body, ifMatch) => (await call('changeSecurity', { body, ifMatch })).result,
    refresh: [securityQuery.queryKey],
  });
  const change = useAction({
    run: (secondFactorRequired: boolean) =>
      sent.change({ secondFactorRequired }, (now) => now.secondFactorRequired === security?.secondFactorRequired),
    done: (_, isRequired) =>
      isRequired ? t('Every administrator needs a second factor now.') : t('A second factor is optional now.'),
    refresh: [securityQuery.queryKey],
  });
  if (!security) return null;
  const isOn = change.isPending ? change.variables : security.secondFactorRequired;
  return (
    <Group gap="0.4rem 1rem" mt="1.2rem" px="0.2rem">
      <Switch
        label={t('Every administrator needs a second factor')}
        checked={isOn}
        disabled={isLocked}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      <Text c="dimmed">
        {without === 0
          ? t('All have one.')
          : t(
              '{without, plural, one {One has} other {{without} have}} none yet, and {isOn, select, true {must} other {would have to}} set one up before anything else.',
              { without, isOn },
            )}
      </Text>
    </Group>
  );
}
