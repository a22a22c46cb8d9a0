import { Button, Group, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listFilter, listQuery } from '../../components/list/list-search.ts';
import { RecordList, useListed } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Bucket } from '../../lib/wire.ts';
import { BucketHeader } from './bucket-header.tsx';
import { ExportMenu } from './export-menu.tsx';
import { useBucket } from './queries.ts';
import { recordList } from './record-list.tsx';

const route = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName');

/** The records of one bucket. */
export function RecordsPage() {
  const { appId, bucketName } = route.useParams();
  const { bucket, error, isMissing } = useBucket(appId, bucketName);
  const mayCall = useMayCall();
  return (
    <>
      <BucketHeader
        appId={appId}
        bucketName={bucketName}
        action={bucket && mayCall('createRecord') && <Actions appId={appId} bucketName={bucketName} />}
      />
      <FailureNote message={error?.message ?? (isMissing ? `There is no bucket called ${bucketName}.` : undefined)} />
      {!mayCall('listRecords') && (
        <Text>
          Your role does not include reading records, because they may hold personal data. Owners, managers and editors
          do.
        </Text>
      )}
      {bucket && mayCall('listRecords') && <Records key={bucketName} appId={appId} bucket={bucket} />}
    </>
  );
}

function Records({ appId, bucket }: { readonly appId: string; readonly bucket: Bucket }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const mayCreate = useMayCall()('createRecord');
  const given = { appId, bucketName: bucket.name, columns: bucket.columns, times };
  // The same question as the table's, so it is asked once: its answer says which columns there are.
  const asked = listQuery(search, recordList({ ...given, records: [] }));
  const { data } = useListed(appId, 'listRecords', asked, { params: { bucketName: bucket.name } });
  const list = recordList({ ...given, records: (data?.results ?? []) as never });
  return (
    <RecordList
      appId={appId}
      params={{ bucketName: bucket.name }}
      list={list}
      search={search}
      onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
      tools={<ExportMenu appId={appId} bucket={bucket} where={listFilter(search, list.searchFields)} />}
      note={`Times are in ${times.zone}.`}
      empty={
        <EmptyState
          icon="bucket"
          title="No record yet"
          action={mayCreate && <Actions appId={appId} bucketName={bucket.name} />}
        >
          Your app writes records here. You can also add one by hand, or bring in a list of them as CSV or JSON.
        </EmptyState>
      }
    />
  );
}

function Actions({ appId, bucketName }: { readonly appId: string; readonly bucketName: string }) {
  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={<Icon name="upload" size={16} />}
        component={Link}
        to="/apps/$appId/buckets/$bucketName/import"
        params={{ appId, bucketName } as never}
      >
        Import
      </Button>
      <Button
        leftSection={<Icon name="plus" size={16} />}
        component={Link}
        to="/apps/$appId/buckets/$bucketName/new"
        params={{ appId, bucketName } as never}
      >
        Add a record
      </Button>
    </Group>
  );
}
