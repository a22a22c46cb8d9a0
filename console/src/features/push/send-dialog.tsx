import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTimes } from '../../lib/time/times.ts';
import { instantOf } from '../../lib/time/zoned-time.ts';
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
  readonly onConfirm: () => void;
}

/** Shows how many people a push reaches before it is sent. */
export function SendDialog({ appId, fields, audience, isOpen, isBusy, onClose, onConfirm }: Props) {
  const times = useTimes(appId);
  const { reach, isCurrent, error } = useReach(appId, audience);
  const known = isCurrent ? reach : undefined;
  const who = whoText(audience, known);
  const when = fields.sendAt
    ? `on ${times.minute(new Date(instantOf(fields.sendAt, times.zone)).toISOString())}`
    : 'now';
  const [title, alert] = [fields['data.title'].trim(), fields['data.alert'].trim()];
  return (
    <Modal opened={isOpen} onClose={onClose} title={fields.sendAt ? 'Schedule it?' : 'Send it?'}>
      <Stack>
        <Text>
          <b>{title || alert || 'A message without text'}</b> goes to <b>{who}</b> {when}
          {fields.sendAt ? ` (${times.zone})` : ''}.
        </Text>
        {title === '' && alert === '' && (
          <Alert color="yellow">It has no title and no text, so phones show nothing. Only the app receives it.</Alert>
        )}
        {known && known.reachable === 0 && (
          <Alert color="red" title="It would reach nobody">
            {known.installations === 0
              ? 'No one matches at the moment, so no one would receive it.'
              : 'Of those who match, none can be reached at the moment.'}
          </Alert>
        )}
        {known && <ReachNote reach={known} />}
        {error && <Alert color="red">{error.message}</Alert>}
        <Text size="sm" c="dimmed">
          A message cannot be recalled once a phone has received it.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Not yet
          </Button>
          <Button loading={isBusy || !(known || error)} onClick={onConfirm}>
            {fields.sendAt ? 'Schedule' : 'Send'} to {who}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function whoText(audience: Audience, reach: Reach | undefined): string {
  const isAll = audience.kind === 'everyone';
  if (!reach) return isAll ? 'everyone' : 'everyone who matches';
  const { reachable, installations } = reach;
  if (reachable === 0) return 'nobody';
  if (reachable < installations) return `${reachable.toLocaleString('en')} of ${count(installations)}`;
  return isAll && reachable > 1 ? `all ${count(installations)}` : count(installations);
}
