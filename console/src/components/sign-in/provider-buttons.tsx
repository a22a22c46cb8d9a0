import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../lib/actions/use-action.ts';
import { waysQuery } from '../../lib/data/queries.ts';
import { signInAgainThrough, signInThrough } from '../../lib/data/single-sign-on.ts';
import { t } from '../../lib/words/words.ts';
import { FailureNote, Icon } from '../page/blocks.tsx';

interface Props {
  /** The page to go on to; by default the one that is shown. */
  readonly next?: string;
  /** In a window of its own, so that this page stays. */
  readonly isAgain?: boolean;
  /** Whether they are the way to sign in here, and not one beside others. */
  readonly isMain?: boolean;
}

/** Sign in through the organisation: a button for each provider, nothing while there are none. */
export function ProviderButtons({ next, isMain = false, isAgain = false }: Props) {
  const { data: ways } = useQuery(waysQuery);
  const leave = useAction({
    run: (providerId: string): Promise<unknown> =>
      isAgain ? signInAgainThrough(providerId) : signInThrough(providerId, next),
    showsError: true,
  });
  return (
    <>
      <FailureNote message={leave.error?.message} />
      {ways?.providers.map(({ providerId, name }) => (
        <Button
          key={providerId}
          variant={isMain ? 'filled' : 'default'}
          fullWidth
          leftSection={<Icon name="shield" />}
          loading={leave.isPending && leave.variables === providerId}
          onClick={() => leave.mutate(providerId)}
        >
          {t('Sign in with {name}', { name })}
        </Button>
      ))}
    </>
  );
}
