import { Alert, Button, Group } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { call, dataKey, dataOf } from '../../lib/data/api.ts';
import { pushName } from '../../lib/data/names.ts';
import { useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './push.module.css';
import { PushStateBadge } from './push-list.tsx';
import { isBeforeItsTime, type PushDetail } from './push-states.ts';

interface Props {
  readonly appId: string;
  readonly push: PushDetail;
}

const pushKeys = (appId: string) =>
  (['getPush', 'listPushes', 'listDeliveries'] as const).map((operation) => dataKey(appId, operation));

const resumePush = (appId: string, pushId: string) => call('resumePush', { params: { appId, pushId } });

export function Cancel({ appId, push }: Props) {
  const [isOpen, setOpen] = useState(false);
  const { objectId } = push;
  const canComeBack = isBeforeItsTime(push);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('Cancel the message')}</Button>
      <ConfirmedAction
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('Cancel the push message')}
        confirm={t('Stop sending')}
        run={() => dataOf(appId).call(operations.cancelPush, { params: { objectId } })}
        done={t('The push message was cancelled.')}
        undo={canComeBack ? () => resumePush(appId, objectId) : undefined}
        refresh={pushKeys(appId)}
      >
        {canComeBack
          ? rich('<b>{pushName}</b> is not sent to anyone. Until its time comes, the cancellation can be taken back.', {
              pushName: pushName(push),
            })
          : rich(
              '<b>{pushName}</b> is not sent to anyone who is still waiting for it. Messages that are being sent right now may still arrive. Sending cannot be resumed.',
              { pushName: pushName(push) },
            )}
      </ConfirmedAction>
    </>
  );
}

/** It was cancelled before its time, which has not come yet: nobody has missed anything. */
export function CalledOff({ appId, push }: Props) {
  const times = useTimes(appId);
  const mayResume = useMayCall()('cancelPush');
  const { objectId, sendAt } = push;
  const resume = useAction({
    run: () => resumePush(appId, objectId),
    done: t('It is no longer cancelled.'),
    undo: () => dataOf(appId).call(operations.cancelPush, { params: { objectId } }),
    refresh: pushKeys(appId),
    showsError: true,
  });
  return (
    <Block title={t('Outcome')}>
      <PushStateBadge {...push} />
      <p className={classes.live}>
        {t(
          'It was cancelled before it was sent to anyone. {hasSendAt, select, true {Until {minute} the cancellation can be taken back; it is then sent at that time.} other {The cancellation can be taken back; somebody else then still has to approve it.}}',
          { hasSendAt: Boolean(sendAt), minute: sendAt && times.minute(sendAt) },
        )}
      </p>
      {resume.error && <Alert color="red">{resume.error.message}</Alert>}
      {mayResume && (
        <Group>
          <Button loading={resume.isPending} onClick={() => resume.mutate()}>
            {t('Take the cancellation back')}
          </Button>
        </Group>
      )}
    </Block>
  );
}
