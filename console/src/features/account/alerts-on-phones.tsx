import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Block, Loading } from '../../components/page/blocks.tsx';
import { call } from '../../lib/data/api.ts';
import { ownAlertsQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { KindSwitches } from './kind-switches.tsx';

/** What the service tells the administrator by a push: what cannot wait for mails to be read. */
export function AlertsOnPhones() {
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
      <Loading data={own} error={error} height={60} />
      {own && (
        <Stack gap="md">
          <Text>
            {t(
              '{phones, plural, =0 {You have paired no phone yet. Below the preview of a message, choose “Test on my own phone” and pair yours there.} one {You have paired one phone.} other {You have paired # phones.}}',
              { phones: own.phones },
            )}
          </Text>
          <KindSwitches
            label={t('By a push')}
            kinds={kinds ?? []}
            isOn={({ onPhone = false }) => onPhone}
            store={(kind, isOn) => call('changeOwnAlerts', { body: { onPhone: { [kind]: isOn } } })}
          />
        </Stack>
      )}
    </Block>
  );
}
