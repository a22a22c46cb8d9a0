import { Alert, NativeSelect, Stack, Text } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useOneClick } from '../../components/form/use-one-click.ts';
import { Block, Icon, Loading } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { ownAlertsQuery } from '../../lib/data/queries.ts';
import type { Operations } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { type Kind, KindSwitches } from './kind-switches.tsx';

type Own = Operations['getOwnAlerts']['answer']['result'];

const digests = [
  { value: 'off', label: t('No summary') },
  { value: 'daily', label: t('Every morning on which there is something to tell') },
  { value: 'weekly', label: t('Every Monday, also when all is well') },
];

/** What the service tells the administrator by mail. */
export function AlertsByMail() {
  const { data: own, error } = useQuery(ownAlertsQuery);
  return (
    <Block
      title={t('What you are told by mail')}
      about={t(
        'When something needs a person, you get a mail as soon as it has lasted for some minutes, another one each day while it lasts, and one when it is over.',
      )}
    >
      <Loading data={own} error={error} height={180} />
      {own && (
        <Stack gap="md">
          {own.canMail ? (
            <Text>
              {t('Mails go to {email}, in the language in which you last opened the console.', { email: own.email })}
            </Text>
          ) : (
            <Alert color="yellow" icon={<Icon name="warning" />}>
              {t(
                'No mail server is set up, so no mail is sent. Whoever runs the service can set one up. Home and System show the same, and webhooks are called.',
              )}
            </Alert>
          )}
          <Kinds label={t('In each app')} kinds={own.kinds.filter(({ of }) => of === 'app')} />
          <Kinds label={t('The whole service')} kinds={own.kinds.filter(({ of }) => of === 'service')} />
          <Summary digest={own.digest} />
        </Stack>
      )}
    </Block>
  );
}

/** The same page may be open in another window: choices changed there are not overwritten. */
function useChoices(refresh: readonly QueryKey[]) {
  return useOneClick<Own, Operations['changeOwnAlerts']['body']>({
    name: t('your choices'),
    read: async () => (await call('getOwnAlerts')).result,
    send: async (body, ifMatch) => (await call('changeOwnAlerts', { body, ifMatch })).result,
    refresh,
  });
}

function Kinds({ label, kinds }: { readonly label: string; readonly kinds: readonly Kind[] }) {
  const choices = useChoices([ownAlertsQuery.queryKey]);
  if (kinds.length === 0) return null;
  const store = (kind: Kind['kind'], isOn: boolean) =>
    choices.change({ kinds: { [kind]: isOn } }, (now) =>
      now.kinds.every((one) => one.kind !== kind || one.isOn !== isOn),
    );
  return <KindSwitches label={label} kinds={kinds} isOn={(one) => one.isOn} store={store} />;
}

function Summary({ digest }: Pick<Own, 'digest'>) {
  const choices = useChoices([ownAlertsQuery.queryKey]);
  const change = useAction({
    run: (chosen: Own['digest']) => choices.change({ digest: chosen }, (now) => now.digest === digest),
    done: t('Saved.'),
    refresh: [ownAlertsQuery.queryKey],
  });
  return (
    <NativeSelect
      label={t('Summary')}
      description={t('At seven in the morning, in the time zone of each app.')}
      data={digests}
      value={change.isPending ? change.variables : digest}
      onChange={({ currentTarget }) => change.mutate(currentTarget.value as Own['digest'])}
      maw={420}
    />
  );
}
