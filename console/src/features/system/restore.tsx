import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { Icon } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { showAge } from '../../lib/time/times.ts';
import { rich, t, translated } from '../../lib/words/words.ts';
import type { ConsoleAnswer } from './answers.ts';
import { type PlanAnswer, planQuery } from './backup-plan.tsx';
import { RestartWait } from './restart-wait.tsx';

const refresh = [planQuery.queryKey];

type Backup = ConsoleAnswer<'listBackups'>['results'][number];

/** The time at which a backup was begun, from its id. */
const madeAt = (backupId: string) => backupId.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d+)Z$/, 'T$1:$2:$3.$4Z');

export function RestoreNotes() {
  const { data } = useQuery(planQuery);
  if (!data) return null;
  const { prepared, restored, canRestart } = data;
  return (
    <>
      {prepared && <Prepared prepared={prepared} canRestart={canRestart} />}
      {restored && <Restored restored={restored} />}
    </>
  );
}

interface PreparedProps {
  readonly prepared: NonNullable<PlanAnswer['prepared']>;
  readonly canRestart: boolean;
}

function Prepared({ prepared: { backupId, askedBy, askedAt }, canRestart }: PreparedProps) {
  const times = useServiceTimes();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  const backup = times.minute(madeAt(backupId));
  const cancel = useAction({
    run: () => call('cancelRestore'),
    done: t('Nothing will be restored.'),
    refresh,
  });
  const start = useAction({
    run: () => call('startRestore', { body: { backupId } }),
    showsError: true,
    after: () => {
      setAsking(false);
      setWaiting(true);
    },
  });
  return (
    <Alert color="yellow" mb="md" icon={<Icon name="warning" />}>
      <Text>
        {rich(
          '<b>A restore is prepared.</b> When the service is next started, it goes back to the backup of {backup}. What is stored now is kept in a folder of its own. {askedBy} asked for it on {askedAt}.',
          { backup, askedBy, askedAt: times.minute(askedAt) },
        )}
      </Text>
      {!canRestart && (
        <Text mt="xs">
          {rich(
            'This service cannot start itself again. Restart it where it runs, such as with {command}, or by starting its container again.',
            { command: <b className="mono">systemctl restart pharos</b> },
          )}
        </Text>
      )}
      <Group mt="sm" gap="xs">
        {canRestart && (
          <Button variant="filled" color="red" size="xs" onClick={() => setAsking(true)}>
            {t('Restart and restore now …')}
          </Button>
        )}
        <Button size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          {t('Do not restore')}
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('Restart and restore now')}
        confirm={t('Restart and restore')}
        isBusy={start.isPending}
        failure={start.error?.message}
        // Another owner may have prepared another backup, or taken it back.
        onConfirm={() => start.mutate(undefined, { onError: () => void queries.invalidateQueries(planQuery) })}
      >
        {rich(
          'The service stops and goes back to the backup of <b>{backup}</b>. Until that is done it answers nobody, neither the console nor visitors: seconds for a small backup, minutes for a large one. Whoever signed in after the backup has to sign in again, with the password of that time.',
          { backup },
        )}
      </ConfirmDialog>
      {isWaiting && <RestartWait backup={backup} />}
    </Alert>
  );
}

function Restored({ restored }: { readonly restored: NonNullable<PlanAnswer['restored']> }) {
  const times = useServiceTimes();
  const { backupId, at, ok, message, rows, files, askedBy, aside } = restored;
  const [backup, on] = [times.minute(madeAt(backupId)), times.minute(at)];
  if (!ok)
    return (
      <Alert color="red" mb="md" icon={<Icon name="warning" />}>
        {t('The backup of {backup} could not be restored on {at}. {message}', {
          backup,
          at: on,
          message: translated(message),
        })}
      </Alert>
    );
  return (
    <Stack gap={4} mb="md">
      <Text>
        {rows === null || files === null
          ? t('On {at} the backup of {backup} was restored.', { at: on, backup })
          : t(
              'On {at} the backup of {backup} was restored: {rows, number} rows and {files, plural, one {# file} other {# files}}. {askedBy} asked for it.',
              { at: on, backup, rows, files, askedBy },
            )}
      </Text>
      {aside !== null && (
        <Text c="dimmed">
          {rich(
            'What was there before is in the folder {aside} of the data folder. Delete it when nobody needs it any more.',
            { aside: <span className="mono">{aside}</span> },
          )}
        </Text>
      )}
    </Stack>
  );
}

interface Props {
  readonly backup: Backup | undefined;
  readonly onClose: () => void;
}

/** Says what is replaced, and asks for the name of the service before everything is restored from a backup. */
export function RestoreDialog({ backup, onClose }: Props) {
  const { data } = useQuery(planQuery);
  const times = useServiceTimes();
  const name = data?.name ?? '';
  const prepare = useAction({
    run: () => call('prepareRestore', { params: { backupId: backup?.backupId ?? '' }, body: { name } }),
    done: t('The restore is prepared, and nothing has changed yet.'),
    showsError: true,
    refresh,
    after: onClose,
  });
  return (
    <DeleteDialog
      isOpen={backup !== undefined}
      onClose={onClose}
      title={t('Go back to this backup')}
      confirm={t('Prepare the restore')}
      name={name}
      isBusy={prepare.isPending}
      failure={prepare.error?.message}
      onConfirm={() => prepare.mutate()}
    >
      {backup && (
        <Stack gap="sm">
          <span>
            {rich(
              'Everything goes back to how it was on <b>{backup}</b>: messages, records, files, visits, administrators and passwords. It was made {age}; what came after it leaves the service and is kept in a folder of its own. People who were erased since are erased again.',
              {
                backup: times.minute(backup.createdAt),
                age: showAge(backup.createdAt),
              },
            )}
          </span>
          <span>
            {t(
              'The backup has {rows, number} rows and {files, plural, one {# file} other {# files}} ({bytes}). The disk needs room for them beside what is there now.',
              { rows: backup.rows, files: backup.files, bytes: showBytes(backup.bytes) },
            )}
          </span>
          <span>{trialText(data?.drill, backup, times.minute)}</span>
          <span>{t('Nothing happens until the service is restarted; that is the next step.')}</span>
        </Stack>
      )}
    </DeleteDialog>
  );
}

function trialText(drill: PlanAnswer['drill'] | undefined, { backupId }: Backup, minute: (iso: string) => string) {
  if (drill?.backupId !== backupId)
    return t('It is not the one that was last restored for trial. To be sure that it is whole, try it first.');
  return drill.ok
    ? t('It was restored for trial on {at}, and everything was there.', { at: minute(drill.at) })
    : t('Its trial on {at} failed: {message}', { at: minute(drill.at), message: translated(drill.message) });
}
