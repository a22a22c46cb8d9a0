import { Checkbox, NativeSelect, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { SectionList } from '../../components/list/section-list.tsx';
import { Icon } from '../../components/page/blocks.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { givenName } from '../../lib/data/own-files.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { t } from '../../lib/words/words.ts';
import { FileDialog } from './file-dialog.tsx';
import classes from './files.module.css';
import { fileKeys, fileUsageQuery, type StoredFile, thumbnailOf } from './queries.ts';
import { UploadZone } from './upload-zone.tsx';

const route = getRouteApi('/signed-in/apps/$appId/files');

const orders = [
  { value: '-createdAt', label: t('Newest first') },
  { value: 'createdAt', label: t('Oldest first') },
  { value: '-size', label: t('Largest first') },
  { value: 'contentType', label: t('By type') },
];

const fileList = (appId: string, mayDelete: boolean): ListDefinition<'listFiles'> => ({
  operation: 'listFiles',
  bulk: mayDelete
    ? {
        kind: 'files',
        remove: 'deleteFile',
        refresh: [...fileKeys(appId), fileUsageQuery(appId).queryKey],
      }
    : undefined,
  plural: t('files'),
  searchFields: ['name', 'contentType'],
  searchHint: t('Search by name or type'),
  defaultOrder: '-createdAt',
  columns: [],
  filters: [
    { name: 'name', label: t('Name'), kind: 'text' },
    { name: 'contentType', label: t('Type'), kind: 'text' },
    { name: 'size', label: t('Size in bytes'), kind: 'number' },
    { name: 'createdAt', label: t('Uploaded'), kind: 'date' },
  ],
});

export function FilesPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayCall = useMayCall();
  // Installers upload plans of floors only, where these are.
  const mayUpload = mayCall('uploadFile') && mayCall('deleteFile');
  const list = fileList(appId, mayCall('deleteFile'));
  const open = (objectId: string | undefined) => void navigate({ search: (known) => ({ ...known, file: objectId }) });
  return (
    <>
      <SectionList
        appId={appId}
        title={t('Files')}
        about={
          <>
            {t('Pictures, videos and other files for messages.')} <Usage appId={appId} />
          </>
        }
        above={mayUpload && <UploadZone appId={appId} />}
        list={list}
        layout={(files, isBusy, selection) => (
          <Grid appId={appId} files={files} isBusy={isBusy} selection={selection} onOpen={open} />
        )}
        tools={
          <NativeSelect
            aria-label={t('Sort by')}
            data={orders}
            value={search.order ?? list.defaultOrder}
            onChange={({ currentTarget: { value } }) =>
              void navigate({ search: { ...search, page: undefined, order: value } as never })
            }
          />
        }
        empty={{
          icon: 'file',
          title: t('No files yet'),
          text: mayUpload
            ? t('Upload a picture or a video to use it in a message.')
            : t('Owners, managers and editors upload files.'),
        }}
      />
      <FileDialog appId={appId} objectId={search.file} onClose={() => open(undefined)} />
    </>
  );
}

function Usage({ appId }: { readonly appId: string }) {
  const { data } = useQuery(fileUsageQuery(appId));
  if (!data || data.files === 0) return null;
  return (
    <Text span inherit>
      {t('{files, plural, one {1 file takes} other {# files take}} {bytes}.', {
        files: data.files,
        bytes: showBytes(data.bytes),
      })}
    </Text>
  );
}

type Chosen = ReadonlyMap<string, StoredFile>;

interface GridProps {
  readonly appId: string;
  readonly files: readonly StoredFile[] | undefined;
  readonly isBusy: boolean;
  readonly selection: { readonly chosen: Chosen; readonly onChange: (chosen: Chosen) => void } | undefined;
  readonly onOpen: (objectId: string) => void;
}

function Grid({ appId, files, isBusy, selection, onOpen }: GridProps) {
  function choose(file: StoredFile, isChosen: boolean) {
    const next = new Map(selection?.chosen);
    if (isChosen) next.set(file.objectId, file);
    else next.delete(file.objectId);
    selection?.onChange(next);
  }
  return (
    <ul className={isBusy && files ? `${classes.grid} ${classes.busy}` : classes.grid} aria-label={t('files')}>
      {files?.map((file) => (
        <li key={file.objectId}>
          {selection && (
            <Checkbox
              className={classes.choose}
              aria-label={t('Choose {name}', { name: givenName(file.name) })}
              checked={selection.chosen.has(file.objectId)}
              onChange={({ currentTarget }) => choose(file, currentTarget.checked)}
            />
          )}
          <UnstyledButton className={classes.card} onClick={() => onOpen(file.objectId)}>
            <span className={classes.picture}>
              <Thumbnail path={thumbnailOf(appId, file)} />
            </span>
            <span className={classes.name}>{givenName(file.name)}</span>
            <span className={classes.facts}>
              {file.contentType}, {showBytes(file.size)}
            </span>
          </UnstyledButton>
        </li>
      ))}
      {!files &&
        ['a', 'b', 'c', 'd'].map((key) => (
          <li key={key}>
            <Skeleton h={190} />
          </li>
        ))}
    </ul>
  );
}

/** A picture that cannot be loaded, such as one of an app that is off, is shown as an icon like any other file. */
function Thumbnail({ path }: { readonly path: string | undefined }) {
  const [isBroken, setBroken] = useState(false);
  if (!path || isBroken) return <Icon name="file" size={34} />;
  return <img src={path} alt="" loading="lazy" decoding="async" onError={() => setBroken(true)} />;
}
