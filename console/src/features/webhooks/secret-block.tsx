import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { SigningSecretDialog } from './secret-dialog.tsx';

interface Props {
  readonly appId: string;
  readonly webhookId: string;
}

interface Made {
  readonly secret: string;
  readonly oldSecretUntil: string;
}

/** Replaces the signing secret; the old one stays valid for a while. */
export function SecretBlock({ appId, webhookId }: Props) {
  const times = useTimes(appId);
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<Made>();
  const rotate = useAction({
    run: async (): Promise<Made> => (await call('rotateWebhookSecret', { params: { appId, webhookId } })).result,
    showsError: true,
    after: (result) => {
      setAsking(false);
      setMade(result);
    },
  });
  return (
    <Block
      title={t('Signing secret')}
      about={t(
        'With it, your server verifies that a call comes from here. It was shown when it was created and cannot be read again.',
      )}
    >
      <Button onClick={() => setAsking(true)}>{t('Create a new secret')}</Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('Create a new secret')}
        isBusy={rotate.isPending}
        failure={rotate.error?.message}
        onConfirm={() => rotate.mutate()}
      >
        {t(
          'For a day, calls are signed with both secrets, so that your server can switch. After that, the old secret is no longer used.',
        )}
      </ConfirmDialog>
      <SigningSecretDialog
        secret={made?.secret}
        {...(made
          ? {
              note: t('The old secret is used too until {dateTime}.', {
                dateTime: times.dateTime(made.oldSecretUntil),
              }),
            }
          : {})}
        onClose={() => setMade(undefined)}
      />
    </Block>
  );
}
