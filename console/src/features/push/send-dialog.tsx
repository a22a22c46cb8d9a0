import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { appQuery } from '../../lib/data/queries.ts';
import { useTimes } from '../../lib/time/times.ts';
import { instantOf } from '../../lib/time/zoned-time.ts';
import { rich, t } from '../../lib/words/words.ts';
import { count, type Reach, ReachNote, useReach } from './audience.tsx';
import type { Audience } from './audience-fields.ts';
import type { PushFields } from './push-fields.ts';

interface Props {
  readonly appId: string;
  readonly fields: PushFields;
  readonly audience: Audience;
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  /** `waits`: a second person has to approve it. */
  readonly onConfirm: (waits: boolean) => void;
}

/** Shows how many people a push reaches before it is sent. */
export function SendDialog({ appId, fields, audience, isOpen, isBusy, onClose, onConfirm }: Props) {
  const times = useTimes(appId);
  const { reach, isCurrent, error } = useReach(appId, audience);
  const known = isCurrent ? reach : undefined;
  const { data: app } = useQuery(appQuery(appId));
  const approval = app?.policy.approval ?? { enabled: false, above: 0 };
  const needsApproval = approval.enabled && (known?.installations ?? 0) > approval.above;
  const who = whoText(audience, known);
  const when = fields.sendAt
    ? t('on {minute}', { minute: times.minute(new Date(instantOf(fields.sendAt, times.zone)).toISOString()) })
    : t('now');
  const [title, alert] = [fields['data.title'].trim(), fields['data.alert'].trim()];
  return (
    <Modal opened={isOpen} onClose={onClose} title={fields.sendAt ? t('Schedule it?') : t('Send it?')}>
      <Stack>
        <Text size="md">
          {rich('<b>{title}</b> goes to <b>{who}</b> {when}{sendAt}.', {
            title: title || alert || t('A message without text'),
            who,
            when,
            sendAt: fields.sendAt ? ` (${times.zone})` : '',
          })}
        </Text>
        {title === '' && alert === '' && (
          <Alert color="yellow">
            {t('It has no title and no text, so phones show nothing. Only the app receives it.')}
          </Alert>
        )}
        {known && known.reachable === 0 && (
          <Alert color="red" title={t('It would reach nobody')}>
            {known.installations === 0
              ? t('No one matches at the moment, so no one would receive it.')
              : t('Of those who match, none can be reached at the moment.')}
          </Alert>
        )}
        {known && <ReachNote reach={known} />}
        {needsApproval && (
          <Alert color="yellow" title={t('Somebody else has to approve it')}>
            {t(
              'It goes to more than {above, number} phones. It waits until somebody who has not written it approves it.',
              { above: approval.above },
            )}
          </Alert>
        )}
        {error && <Alert color="red">{error.message}</Alert>}
        <Text c="dimmed">{t('A message cannot be recalled once a phone has received it.')}</Text>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('Not yet')}
          </Button>
          <Button variant="filled" loading={isBusy || !(known || error)} onClick={() => onConfirm(needsApproval)}>
            {t('{hasSendAt, select, true {Schedule} other {Send}} to {who}', {
              hasSendAt: Boolean(fields.sendAt),
              who,
            })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function whoText(audience: Audience, reach: Reach | undefined): string {
  const isAll = audience.kind === 'everyone';
  if (!reach) return isAll ? t('everyone') : t('everyone who matches');
  const { reachable, installations } = reach;
  if (reachable === 0) return t('nobody');
  if (reachable < installations) return t('{reachable, number} of {count}', { reachable, count: count(installations) });
  return isAll && reachable > 1 ? t('all {count}', { count: count(installations) }) : count(installations);
}
