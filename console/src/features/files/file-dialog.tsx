import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../components/code/copy-field.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { Icon, Loading } from '../../components/page/blocks.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { restoreFromTrash, trashKey } from '../../lib/data/history.ts';
import { givenName, ownFilePath } from '../../lib/data/own-files.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './files.module.css';
import {
  type FileUses,
  fileKeys,
  fileQuery,
  fileUsesQuery,
  fileUsesText,
  readFile,
  type StoredFile,
  thumbnailOf,
} from './queries.ts';

interface Props {
  readonly appId: string;
  readonly objectId: string | undefined;
  readonly onClose: () => void;
}

/** One file: preview, address, the messages that use it, and deletion. */
export function FileDialog({ appId, objectId, onClose }: Props) {
  const { data: file, error } = useQuery({ ...fileQuery(appId, objectId ?? ''), enabled: objectId !== undefined });
  const isOpen = objectId !== undefined;
  return (
    <Modal opened={isOpen} onClose={onClose} title={file ? givenName(file.name) : t('File')} size="lg">
      <Loading data={file} error={error} height={200} />
      {isOpen && file && <Details appId={appId} file={file} onClose={onClose} />}
    </Modal>
  );
}

function Details({ appId, file, onClose }: { appId: string; file: StoredFile; onClose: () => void }) {
  const times = useTimes(appId);
  const mayDelete = useMayCall()('deleteFile');
  const [isDeleting, setDeleting] = useState(false);
  const { data: uses } = useQuery(fileUsesQuery(appId, file));
  const picture = thumbnailOf(appId, file);
  return (
    <Stack>
      <div className={classes.large}>{picture ? <img src={picture} alt="" /> : <Icon name="file" size={40} />}</div>
      <CopyField label={t('Address')} text={file.url} />
      <dl className={classes.list}>
        <dt>{t('Type')}</dt>
        <dd>{file.contentType}</dd>
        <dt>{t('Size')}</dt>
        <dd>{showBytes(file.size)}</dd>
        <dt>{t('Uploaded')}</dt>
        <dd>
          {times.dateTime(file.createdAt)} ({times.zone})
        </dd>
        <dt>{t('Used in')}</dt>
        <dd>{uses ? (fileUsesText(uses) ?? t('no message and no plan')) : '…'}</dd>
      </dl>
      <Text c="dimmed">{t('Anyone with the address can read the file without signing in.')}</Text>
      <Group justify="space-between">
        <Button component="a" href={ownFilePath(file.url, appId) ?? file.url} target="_blank" rel="noreferrer">
          {t('Open')}
        </Button>
        {mayDelete && (
          <Button
            color="red"
            variant="outline"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => setDeleting(true)}
          >
            {t('Delete')}
          </Button>
        )}
      </Group>
      <OwnerBlock
        appId={appId}
        name={givenName(file.name)}
        createdBy={file.createdBy}
        operation="updateFileOwner"
        rules={{ group: 'resources', name: 'files' }}
        read={() => readFile(appId, file.objectId)}
        handOver={(userId, how) => dataOf(appId).files.handOver(file.objectId, userId, how)}
        refresh={[...fileKeys(appId), fileQuery(appId, file.objectId).queryKey]}
      />
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

interface DeleteProps {
  readonly appId: string;
  readonly file: StoredFile;
  readonly uses: FileUses | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DeleteFile({ appId, file, uses, isOpen, onClose, onDone }: DeleteProps) {
  const name = givenName(file.name);
  const usedIn = uses && fileUsesText(uses);
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title={t('Delete the file')}
      confirm={t('Delete {name}', { name })}
      run={async () => {
        await dataOf(appId).files.delete(file.objectId);
        onDone();
      }}
      done={t('{name} was deleted.', { name })}
      undo={() => restoreFromTrash(appId, 'files', file.objectId)}
      refresh={[...fileKeys(appId), trashKey(appId)]}
    >
      {rich(
        'The address of <b>{name}</b> stops working. The file stays in the trash for 30 days, from where it can be put back.',
        { name },
      )}
      {usedIn && <div>{t('It is used in {usedIn}; they will show nothing in its place.', { usedIn })}</div>}
    </ConfirmedAction>
  );
}
