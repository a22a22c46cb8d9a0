import { Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { ownAlertsQuery } from '../../lib/data/queries.ts';
import type { Operations } from '../../lib/wire.ts';
import { told } from '../../lib/words/service-words.ts';
import { t } from '../../lib/words/words.ts';
import classes from './account.module.css';

type Kind = Operations['getOwnAlerts']['answer']['result']['kinds'][number];

/** What the service tells the administrator by a push: what cannot wait for mails to be read. */
export function ToldOnPhones() {
  const { data: own, error } = useQuery(ownAlertsQuery);
  const kinds = own?.kinds.filter(({ onPhone }) => onPhone !== undefined);
  if (kinds?.length === 0) return null;
  return (
    <Block
      title={t('What your phones tell you')}
      about={t(
        'A push to the phones that you have paired, in the app that it is about: when it begins, and when it is over.',
      )}
    >
      <FailureNote message={error?.message} />
      {!own && !error && <Skeleton h={60} />}
      {own && (
        <Stack gap="md">
          <Text size="sm">
            {t(
              '{phones, plural, =0 {You have paired no phone yet. Below the preview of a message, choose “Test on my own phone” and pair yours there.} one {You have paired one phone.} other {You have paired # phones.}}',
              { phones: own.phones },
            )}
          </Text>
          <Choices kinds={kinds ?? []} />
        </Stack>
      )}
    </Block>
  );
}

function Choices({ kinds }: { readonly kinds: readonly Kind[] }) {
  const change = useAction({
    run: ({ kind, isOn }: { readonly kind: string; readonly isOn: boolean }) =>
      call('changeOwnAlerts', { body: { onPhone: { [kind]: isOn } } }),
    refresh: [ownAlertsQuery.queryKey],
  });
  const shown = ({ kind, onPhone = false }: Kind) =>
    change.isPending && change.variables.kind === kind ? change.variables.isOn : onPhone;
  return (
    <fieldset className={classes.kinds}>
      <legend>{t('By a push')}</legend>
      {kinds.map((one) => (
        <Switch
          key={one.kind}
          label={told(one.name)}
          checked={shown(one)}
          onChange={({ currentTarget }) => change.mutate({ kind: one.kind, isOn: currentTarget.checked })}
        />
      ))}
    </fieldset>
  );
}
