import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../components/code/copy-field.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { givenName, ownFilePath } from '../../lib/data/own-files.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { useTimes } from '../../lib/time/times.ts';
import classes from './files.module.css';
import { type FileUses, fileKeys, fileQuery, type StoredFile, thumbnailOf, usesQuery } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly objectId: string | undefined;
  readonly onClose: () => void;
}

/** All about one file: the picture, the address, who shows it, and the way to delete it. */
export function FileDialog({ appId, objectId, onClose }: Props) {
  const { data: file, error } = useQuery({ ...fileQuery(appId, objectId ?? ''), enabled: objectId !== undefined });
  const isOpen = objectId !== undefined;
  return (
    <Modal opened={isOpen} onClose={onClose} title={file ? givenName(file.name) : 'File'} size="lg">
      <FailureNote message={error?.message} />
      {!file && !error && <Skeleton h={200} />}
      {isOpen && file && <Details appId={appId} file={file} onClose={onClose} />}
    </Modal>
  );
}

function Details({ appId, file, onClose }: { appId: string; file: StoredFile; onClose: () => void }) {
  const times = useTimes(appId);
  const mayDelete = useMayCall()('deleteFile');
  const [isDeleting, setDeleting] = useState(false);
  const { data: uses } = useQuery(usesQuery(appId, file));
  const picture = thumbnailOf(appId, file);
  return (
    <Stack>
      <div className={classes.large}>{picture ? <img src={picture} alt="" /> : <Icon name="file" size={40} />}</div>
      <CopyField label="Address" text={file.url} />
      <dl className={classes.list}>
        <dt>Type</dt>
        <dd>{file.contentType}</dd>
        <dt>Size</dt>
        <dd>{showBytes(file.size)}</dd>
        <dt>Uploaded</dt>
        <dd>
          {times.dateTime(file.createdAt)} ({times.zone})
        </dd>
        <dt>Used in</dt>
        <dd>{uses ? usesText(uses) : '…'}</dd>
      </dl>
      <Text size="sm" c="dimmed">
        Whoever has the address can read the file, without signing in.
      </Text>
      <Group justify="space-between">
        <Button
          component="a"
          href={ownFilePath(file.url, appId) ?? file.url}
          target="_blank"
          rel="noreferrer"
          variant="default"
        >
          Open
        </Button>
        {mayDelete && (
          <Button
            color="red"
            variant="outline"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => setDeleting(true)}
          >
            Delete
          </Button>
        )}
      </Group>
      <DeleteFile
        appId={appId}
        file={file}
        uses={uses}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDone={onClose}
      />
    </Stack>
  );
}

const counted = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

function usesText({ notifications, scenarios, names }: FileUses): string {
  if (notifications + scenarios === 0) return 'no notification and no storyline';
  const more = notifications > names.length ? ' …' : '';
  return [
    ...(notifications > 0 ? [`${counted(notifications, 'notification')} (${names.join(', ')}${more})`] : []),
    ...(scenarios > 0 ? [counted(scenarios, 'scenario')] : []),
  ].join(' and ');
}

interface DeleteProps {
  readonly appId: string;
  readonly file: StoredFile;
  readonly uses: FileUses | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DeleteFile({ appId, file, uses, isOpen, onClose, onDone }: DeleteProps) {
  const queries = useQueryClient();
  const name = givenName(file.name);
  const remove = useAction({
    run: () => dataOf(appId).files.delete(file.objectId),
    done: `${name} is deleted.`,
    showsError: true,
    after: async () => {
      onClose();
      onDone();
      await Promise.all(fileKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  const isUsed = uses !== undefined && uses.notifications + uses.scenarios > 0;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Delete the file"
      confirm="Delete for good"
      isBusy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
    >
      <b>{name}</b> goes for good, and its address stops working.
      {isUsed && <div>It is used in {usesText(uses)}; they will show nothing in its place.</div>}
    </ConfirmDialog>
  );
}
