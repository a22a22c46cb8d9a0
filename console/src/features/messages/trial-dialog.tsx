import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { OfApp } from '../../components/dialogs/confirm-dialog.tsx';
import { FailureNote } from '../../components/page/blocks.tsx';
import { appRules } from '../../components/rules/rules.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { rich, t } from '../../lib/words/words.ts';
import { type MessageFields, nameOf } from './message.ts';
import { PastTrial } from './past-trial.tsx';
import { weekText } from './sentence/parts.ts';
import { trialOf } from './trial.ts';

interface Props {
  readonly appId: string;
  readonly fields: MessageFields;
  /** A message that is on already: what it has sent is compared. */
  readonly triggerId?: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Without it, there is nothing to switch on. */
  readonly onConfirm?: (() => void) | undefined;
  readonly isBusy?: boolean;
  readonly failure?: string | undefined;
}

/** What a message would have sent, before it is switched on. */
export function TrialDialog({ appId, fields, triggerId, isOpen, onClose, onConfirm, isBusy = false, failure }: Props) {
  const { data: app } = useQuery(appQuery(appId));
  const name = nameOf(fields);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      size="lg"
      title={onConfirm ? t('Switch on {name}', { name }) : t('What it would have sent')}
    >
      {isOpen && app && (
        <Trial
          appId={appId}
          triggerId={triggerId}
          {...trialOf(fields, appRules(app.policy), { zone: app.policy.timeZone, now: Date.now() })}
        />
      )}
      {onConfirm && (
        <Stack mt="md">
          <OfApp />
          <Text>
            {rich('From then on visitors are shown <b>{name}</b>. You can switch it off at any time.', {
              name,
            })}
          </Text>
          <FailureNote message={failure} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button variant="filled" loading={isBusy} onClick={onConfirm}>
              {t('Switch on')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Trial({
  standIn,
  ...asked
}: { readonly appId: string; readonly triggerId: string | undefined } & ReturnType<typeof trialOf>) {
  return (
    <>
      <PastTrial {...asked} />
      {standIn && (
        <Text c="dimmed" mt="xs">
          {t(
            'The period is still to come. This counts the last 30 days ({days}) in its place, as if just as many visitors came.',
            { days: weekText(standIn) },
          )}
        </Text>
      )}
    </>
  );
}
