import { Button, Group, Progress, Skeleton, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { Block } from '../../components/page/block.tsx';
import blocks from '../../components/page/blocks.module.css';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { showDateTime } from '../../lib/time/time.ts';
import type { ConsoleAnswer } from './answers.ts';

type List = ConsoleAnswer<'listBackups'>;
type Backup = List['results'][number];
type Running = NonNullable<List['running']>;

const backupsQuery = queryOptions({
  queryKey: ['system', 'backups'],
  queryFn: () => call('listBackups'),
  // Follows the progress of a backup. The service creates it, so a reload of the page loses nothing.
  refetchInterval: ({ state }) => (state.data?.running ? 500 : 30_000),
});

/** Backups of all data, created while the service runs. */
export function Backups({ freeBytes }: { readonly freeBytes: number | undefined }) {
  const { data, error } = useQuery(backupsQuery);
  const [going, setGoing] = useState<Backup>();
  const start = useAction({ run: () => call('startBackup'), refresh: [backupsQuery.queryKey] });
  const isFull = data !== undefined && data.results.length >= data.most;
  return (
    <Block
      title="Backups"
      about={
        <>
          A backup contains all data and files, and the hashes of keys, tokens and passwords: protect it like the
          database. It is written to the folder backups in the data folder while the service keeps running; download it
          to another machine. At most {data?.most ?? 5} are kept.
        </>
      }
    >
      <FailureNote message={error?.message ?? data?.failure?.message} />
      {!data && !error && <Skeleton h={60} />}
      {data?.running && <Going running={data.running} />}
      {data?.results.length === 0 && !data.running && (
        <Text c="dimmed" size="sm" mb="md">
          No backups yet. Create one and download it to another machine.
        </Text>
      )}
      {data && data.results.length > 0 && (
        <ul className={blocks.rows} aria-label="Backups">
          {data.results.map((backup) => (
            <Line key={backup.backupId} backup={backup} onDelete={() => setGoing(backup)} />
          ))}
        </ul>
      )}
      <Group mt="md">
        <Button
          loading={start.isPending}
          disabled={!data || data.running !== null || isFull}
          onClick={() => start.mutate()}
        >
          Create a backup
        </Button>
        <Text size="sm" c="dimmed">
          {isFull
            ? 'Delete one first.'
            : freeBytes === undefined
              ? ''
              : `${showBytes(freeBytes)} of disk space are free.`}
        </Text>
      </Group>
      <DeleteBackup backup={going} onClose={() => setGoing(undefined)} />
    </Block>
  );
}

function Going({ running }: { readonly running: Running }) {
  const { part, tables, ofTables, rows, files } = running;
  return (
    <div role="status">
      <Progress value={ofTables === 0 ? 2 : (95 * tables) / ofTables} animated aria-label="The backup" />
      <Text size="sm" mt={4} mb="md">
        {part === '' ? 'Starting …' : `Copying ${part}: ${rows.toLocaleString('en')} rows`}
        {files > 0 && `, ${files.toLocaleString('en')} files`}. You can leave this page.
      </Text>
    </div>
  );
}

function Line({ backup, onDelete }: { readonly backup: Backup; readonly onDelete: () => void }) {
  const { backupId, createdAt, rows, files, bytes, lost } = backup;
  return (
    <li className={`${blocks.row} ${blocks.stacking}`}>
      <div className={blocks.grow}>
        <div className={blocks.title}>{showDateTime(createdAt)}</div>
        <div className={blocks.meta}>
          <span>{rows.toLocaleString('en')} rows</span>
          <span>{files === 1 ? '1 file' : `${files.toLocaleString('en')} files`}</span>
          <span>{showBytes(bytes)}</span>
        </div>
        {lost.count > 0 && (
          <Text size="sm" c="red" mt={4}>
            {lost.count === 1 ? '1 file is' : `${lost.count.toLocaleString('en')} files are`} missing from it, because
            the storage has lost the content: {lost.names.join(', ')}
            {lost.count > lost.names.length && ' and more'}.
          </Text>
        )}
      </div>
      <div className={blocks.tools}>
        <Button
          variant="default"
          size="xs"
          component="a"
          href={`/console/api/system/backups/${backupId}/archive`}
          download
          leftSection={<Icon name="download" size={14} />}
          aria-label={`Download the backup of ${showDateTime(createdAt)}`}
        >
          Download
        </Button>
        <Button
          variant="default"
          size="xs"
          aria-label={`Delete the backup of ${showDateTime(createdAt)}`}
          onClick={onDelete}
        >
          Delete
        </Button>
      </div>
    </li>
  );
}

function DeleteBackup({ backup, onClose }: { readonly backup: Backup | undefined; readonly onClose: () => void }) {
  return (
    <ConfirmedAction
      isOpen={backup !== undefined}
      onClose={onClose}
      title="Delete the backup"
      confirm="Delete permanently"
      run={async () => backup && call('deleteBackup', { params: { backupId: backup.backupId } })}
      done="The backup was deleted."
      refresh={[backupsQuery.queryKey]}
    >
      The backup of <b>{backup && showDateTime(backup.createdAt)}</b> is deleted from this machine. Copies elsewhere are
      kept.
    </ConfirmedAction>
  );
}
