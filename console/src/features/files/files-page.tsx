import { NativeSelect, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type ListDefinition, RecordList } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { givenName } from '../../lib/data/own-files.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { useTimes } from '../../lib/time/times.ts';
import { FileDialog } from './file-dialog.tsx';
import classes from './files.module.css';
import { type StoredFile, thumbnailOf, usageQuery } from './queries.ts';
import { UploadZone } from './upload-zone.tsx';

const route = getRouteApi('/signed-in/apps/$appId/files');

const orders = [
  { value: '-createdAt', label: 'Newest first' },
  { value: 'createdAt', label: 'Oldest first' },
  { value: '-size', label: 'Largest first' },
  { value: 'contentType', label: 'By type' },
];

const fileList: ListDefinition<'listFiles'> = {
  operation: 'listFiles',
  plural: 'files',
  searchFields: ['name', 'contentType'],
  searchHint: 'Search by name or type',
  defaultOrder: '-createdAt',
  columns: [],
  filters: [
    { name: 'name', label: 'Name', kind: 'text' },
    { name: 'contentType', label: 'Type', kind: 'text' },
    { name: 'size', label: 'Size in bytes', kind: 'number' },
    { name: 'createdAt', label: 'Uploaded', kind: 'date' },
  ],
};

/** The app's pictures, videos and other files. */
export function FilesPage() {
  const { appId } = route.useParams();
  const { file, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const mayUpload = useMayCall()('uploadFile');
  const open = (objectId: string | undefined) => void navigate({ search: (known) => ({ ...known, file: objectId }) });
  return (
    <>
      <SectionHeader title="Files">
        Pictures, videos and other files that messages show. <Usage appId={appId} />
      </SectionHeader>
      {mayUpload && <UploadZone appId={appId} />}
      <RecordList
        appId={appId}
        list={fileList}
        search={search}
        onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
        layout={(files, isBusy) => (
          <Grid appId={appId} files={files} isBusy={isBusy} onOpen={(objectId) => open(objectId)} />
        )}
        tools={
          <NativeSelect
            aria-label="Sort by"
            data={orders}
            value={search.order ?? fileList.defaultOrder}
            onChange={({ currentTarget: { value } }) =>
              void navigate({ search: { ...search, page: undefined, order: value } as never })
            }
          />
        }
        note={`Times are in ${times.zone}.`}
        empty={
          <EmptyState icon="file" title="No file yet">
            {mayUpload
              ? 'Upload a picture or a video; its address can be put into a notification or a storyline.'
              : 'There is nothing here yet. Owners, managers and editors upload files.'}
          </EmptyState>
        }
      />
      <FileDialog appId={appId} objectId={file} onClose={() => open(undefined)} />
    </>
  );
}

function Usage({ appId }: { readonly appId: string }) {
  const { data } = useQuery(usageQuery(appId));
  if (!data || data.files === 0) return null;
  return (
    <Text span inherit>
      {data.files === 1 ? '1 file takes' : `${data.files.toLocaleString('en')} files take`} {showBytes(data.bytes)}.
    </Text>
  );
}

interface GridProps {
  readonly appId: string;
  readonly files: readonly StoredFile[] | undefined;
  readonly isBusy: boolean;
  readonly onOpen: (objectId: string) => void;
}

function Grid({ appId, files, isBusy, onOpen }: GridProps) {
  return (
    <ul className={isBusy && files ? `${classes.grid} ${classes.busy}` : classes.grid} aria-label="files">
      {files?.map((file) => (
        <li key={file.objectId}>
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

/** A picture that cannot be drawn, such as one of an app that is switched off, is a sign like any other file. */
function Thumbnail({ path }: { readonly path: string | undefined }) {
  const [isBroken, setBroken] = useState(false);
  if (!path || isBroken) return <Icon name="file" size={34} />;
  return <img src={path} alt="" loading="lazy" decoding="async" onError={() => setBroken(true)} />;
}
