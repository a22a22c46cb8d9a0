import { Button, Group, Progress, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { ConfirmedDownload } from '../../components/export/confirmed-download.tsx';
import { Row, RowButton, RowList } from '../../components/list/row-list.tsx';
import { Block, FailureNote } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { rich, t, translated } from '../../lib/words/words.ts';
import type { ConsoleAnswer } from './answers.ts';
import { planQuery } from './backup-plan.tsx';
import { RestoreDialog, RestoreNotes } from './restore.tsx';

type List = ConsoleAnswer<'listBackups'>;
type Backup = List['results'][number];
type Running = NonNullable<List['running']>;

const backupsQuery = queryOptions({
  queryKey: ['system', 'backups'],
  queryFn: () => call('listBackups'),
  // Follows the progress of a backup. The service creates it, so a reload of the page loses nothing.
  refetchInterval: ({ state }) => (state.data?.running ? 500 : 30_000),
});

export function Backups({ freeBytes }: { readonly freeBytes: number | undefined }) {
  const { data, error } = useQuery(backupsQuery);
  const [going, setGoing] = useState<Backup>();
  const [back, setBack] = useState<Backup>();
  const start = useAction({ run: () => call('startBackup'), refresh: [backupsQuery.queryKey] });
  const isFull = data !== undefined && data.results.length >= data.most;
  return (
    <Block
      title={t('Backups')}
      about={t(
        'A backup contains all data and files, and the hashes of keys, tokens and passwords: protect it like the database. It is written while the service keeps running; download it to another machine. There may be {most} at most.',
        { most: data?.most ?? 5 },
      )}
    >
      <FailureNote message={data?.failure ? translated(data.failure.message) : undefined} />
      <RestoreNotes />
      {data?.running && <Going running={data.running} />}
      <RowList
        rows={data?.results}
        error={error}
        label={t('Backups')}
        empty={
          !data?.running && (
            <Text c="dimmed" mb="md">
              {t('No backups yet. Create one and download it to another machine.')}
            </Text>
          )
        }
      >
        {(backup) => (
          <Line
            key={backup.backupId}
            backup={backup}
            onDelete={() => setGoing(backup)}
            onRestore={() => setBack(backup)}
          />
        )}
      </RowList>
      <Group mt="md">
        <Button
          variant="filled"
          loading={start.isPending || (data !== undefined && data.running !== null)}
          disabled={!data || isFull}
          onClick={() => start.mutate()}
        >
          {t('Create a backup')}
        </Button>
        <Text c="dimmed">
          {isFull
            ? t('Delete one first.')
            : freeBytes === undefined
              ? ''
              : t('{bytes} of disk space are free.', { bytes: showBytes(freeBytes) })}
        </Text>
      </Group>
      <DeleteBackup backup={going} onClose={() => setGoing(undefined)} />
      <RestoreDialog backup={back} onClose={() => setBack(undefined)} />
    </Block>
  );
}

function Going({ running }: { readonly running: Running }) {
  const { part, tables, ofTables, rows, files } = running;
  return (
    <div role="status">
      <Progress value={ofTables === 0 ? 2 : (95 * tables) / ofTables} animated aria-label={t('The backup')} />
      <Text mt={4} mb="md">
        {t(
          '{hasPart, select, true {Starting …} other {Copying {part}: {rows, number} rows}}{hasFiles, select, true {, {files, number} files} other {}}. You can leave this page.',
          { part, rows, hasPart: part === '', files, hasFiles: files > 0 },
        )}
      </Text>
    </div>
  );
}

interface LineProps {
  readonly backup: Backup;
  readonly onDelete: () => void;
  readonly onRestore: () => void;
}

function Line({ backup, onDelete, onRestore }: LineProps) {
  const { backupId, createdAt, rows, files, filesElsewhere, bytes, lost } = backup;
  const { data: plan } = useQuery(planQuery);
  const times = useServiceTimes();
  const drill = useAction({
    run: () => call('tryBackup', { params: { backupId } }),
    done: t('It is being restored for trial; the outcome stands above, under Scheduled backups.'),
    refresh: [planQuery.queryKey],
  });
  return (
    <Row
      title={times.minute(createdAt)}
      facts={[
        t('{rows, number} rows', { rows }),
        t('{files, plural, one {1 file} other {# files}}', { files }),
        showBytes(bytes),
      ]}
      tools={
        <>
          <ConfirmedDownload
            href={`/console/api/system/backups/${backupId}/archive`}
            size="xs"
            label={t('Download the backup of {dateTime}', { dateTime: times.minute(createdAt) })}
          >
            {t('Download')}
          </ConfirmedDownload>
          <RowButton
            label={t('Try')}
            of={t('Try the backup of {dateTime}', { dateTime: times.minute(createdAt) })}
            isOff={plan?.isTrying}
            isBusy={drill.isPending}
            onClick={() => drill.mutate()}
          />
          {plan?.isEmbedded && (
            <RowButton
              label={t('Restore')}
              of={t('Restore the backup of {dateTime}', { dateTime: times.minute(createdAt) })}
              onClick={onRestore}
            />
          )}
          <RowButton
            label={t('Delete')}
            of={t('Delete the backup of {dateTime}', { dateTime: times.minute(createdAt) })}
            onClick={onDelete}
          />
        </>
      }
    >
      {filesElsewhere && (
        <Text mt={4}>
          {t(
            '{files, plural, one {1 file is} other {# files are}} not in it: they stay in {place}, which keeps copies by its own means.',
            { files: filesElsewhere.files, place: filesElsewhere.place },
          )}
        </Text>
      )}
      {lost.count > 0 && (
        <Text c="red" mt={4}>
          {t(
            '{count, plural, one {1 file is} other {# files are}} missing from it, because the storage has lost the content: {list}{hasCount, select, true { and more} other {}}.',
            { count: lost.count, list: lost.names.join(', '), hasCount: lost.count > lost.names.length },
          )}
        </Text>
      )}
    </Row>
  );
}

function DeleteBackup({ backup, onClose }: { readonly backup: Backup | undefined; readonly onClose: () => void }) {
  const times = useServiceTimes();
  return (
    <ConfirmedAction
      isOpen={backup !== undefined}
      onClose={onClose}
      title={t('Delete the backup')}
      confirm={t('Delete permanently')}
      run={async () => backup && call('deleteBackup', { params: { backupId: backup.backupId } })}
      done={t('The backup was deleted.')}
      refresh={[backupsQuery.queryKey]}
    >
      {rich('The backup of <b>{backup}</b> is deleted from this machine. Copies elsewhere are kept.', {
        backup: backup && times.minute(backup.createdAt),
      })}
    </ConfirmedAction>
  );
}
