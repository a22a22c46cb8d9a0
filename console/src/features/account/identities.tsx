import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { ownIdentitiesQuery } from '../../lib/data/queries.ts';
import { connectWith } from '../../lib/data/single-sign-on.ts';
import { t } from '../../lib/words/words.ts';
import classes from './account.module.css';

/** With which providers the account is connected; nothing while there are none. */
export function Identities() {
  const { data: identities } = useQuery(ownIdentitiesQuery);
  const connect = useAction({ run: connectWith });
  const end = useAction({
    run: (providerId: string) => call('disconnectIdentity', { params: { providerId } }),
    done: t('The connection was ended.'),
    refresh: [ownIdentitiesQuery.queryKey],
  });
  if (!identities?.providers.length) return null;
  return (
    <Block
      title={t('Your organisation')}
      about={t(
        'Sign in with the account that you have there. From then on your role follows the groups that you are in.',
      )}
    >
      {identities.providers.map(({ providerId, name, connected }) => (
        <div key={providerId} className={classes.line}>
          <Text>
            {t('{name}: {hasConnected, select, true {connected} other {not connected}}', {
              name,
              hasConnected: Boolean(connected),
            })}
          </Text>
          {connected ? (
            <Button
              aria-label={t('Disconnect {name}', { name })}
              loading={end.isPending && end.variables === providerId}
              onClick={() => end.mutate(providerId)}
            >
              {t('Disconnect')}
            </Button>
          ) : (
            <Button
              aria-label={t('Connect with {name}', { name })}
              loading={connect.isPending && connect.variables === providerId}
              onClick={() => connect.mutate(providerId)}
            >
              {t('Connect')}
            </Button>
          )}
        </div>
      ))}
    </Block>
  );
}
