import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/block.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { SecretDialog } from './secret-dialog.tsx';

interface Props {
  readonly appId: string;
  readonly webhookId: string;
}

interface Made {
  readonly secret: string;
  readonly oldSecretUntil: string;
}

/** A new signing secret, beside which the old one goes on for a while. */
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
      title="Signing secret"
      about="Your server checks with it that a call comes from here. It was shown when it was made and cannot be read again."
    >
      <Button variant="default" onClick={() => setAsking(true)}>
        Make a new secret
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Make a new secret"
        confirm="Make a new secret"
        isBusy={rotate.isPending}
        failure={rotate.error?.message}
        onConfirm={() => rotate.mutate()}
      >
        For a day calls carry the signatures of both, so that your server can change over. Then the old secret no longer
        signs.
      </ConfirmDialog>
      <SecretDialog
        secret={made?.secret}
        {...(made ? { note: `The old one signs too until ${times.dateTime(made.oldSecretUntil)}.` } : {})}
        onClose={() => setMade(undefined)}
      />
    </Block>
  );
}
