import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { showDateTime } from '../../lib/time/time.ts';
import { told } from '../../lib/words/service-words.ts';
import { rich, t } from '../../lib/words/words.ts';
import { planQuery } from './backup-plan.tsx';

const refresh = [planQuery.queryKey];

/** The time at which a backup was begun, from its id. */
const timeOf = (backupId: string) => showDateTime(backupId.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d+)Z$/, 'T$1:$2:$3.$4Z'));

/** What has been prepared, and how the last restore went. */
export function RestoreNotes() {
  const { data } = useQuery(planQuery);
  const cancel = useAction({
    run: () => call('cancelRestore'),
    done: t('Nothing will be restored.'),
    refresh,
  });
  if (!data) return null;
  const { prepared, restored } = data;
  return (
    <>
      {prepared && (
        <Alert color="yellow" variant="light" mb="md" icon={<Icon name="warning" />}>
          <Text size="sm">
            {rich(
              '<b>A restore is prepared.</b> When the service is next started, it goes back to the backup of {timeOf}. What is stored now is kept in a folder of its own. {askedBy} asked for it on {dateTime}. Now restart the service where it runs.',
              {
                b: (inner) => <b>{inner}</b>,
                timeOf: timeOf(prepared.backupId),
                askedBy: prepared.askedBy,
                dateTime: showDateTime(prepared.askedAt),
              },
            )}
          </Text>
          <Group mt="sm">
            <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
              {t('Do not restore')}
            </Button>
          </Group>
        </Alert>
      )}
      {restored && (
        <Text size="sm" mb="md" c={restored.ok ? undefined : 'red'}>
          {t(
            '{hasOk, select, true {On {dateTime} the backup of {timeOf} was restored.} other {The backup of {timeOf} could not be restored on {dateTime}.}} {message}',
            {
              dateTime: showDateTime(restored.at),
              timeOf: timeOf(restored.backupId),
              hasOk: Boolean(restored.ok),
              message: told(restored.message),
            },
          )}
        </Text>
      )}
    </>
  );
}

interface Props {
  readonly backupId: string | undefined;
  readonly onClose: () => void;
}

/** Asks for the name of the service before everything is taken back to a backup. */
export function RestoreDialog({ backupId, onClose }: Props) {
  const { data } = useQuery(planQuery);
  const name = data?.name ?? '';
  const prepare = useAction({
    run: () => call('prepareRestore', { params: { backupId: backupId ?? '' }, body: { name } }),
    done: t('It is prepared. Restart the service to go back to the backup.'),
    showsError: true,
    refresh,
    after: onClose,
  });
  return (
    <DeleteDialog
      isOpen={backupId !== undefined}
      onClose={onClose}
      title={t('Go back to this backup')}
      confirm={t('Prepare the restore')}
      name={name}
      isBusy={prepare.isPending}
      failure={prepare.error?.message}
      onConfirm={() => prepare.mutate()}
    >
      {rich(
        'Everything goes back to how it was on <b>{backupId}</b>: messages, records, files, visits, administrators and passwords. Nothing happens until the service is restarted; it then verifies the backup first and keeps what is stored now in a folder of its own. People who were erased since are erased again.',
        { backupId: backupId && timeOf(backupId), b: (inner) => <b>{inner}</b> },
      )}
    </DeleteDialog>
  );
}
