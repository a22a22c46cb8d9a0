import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listFilter } from '../../components/list/list-search.ts';
import { SectionList } from '../../components/list/section-list.tsx';
import { FailureNote, LinkButton } from '../../components/page/blocks.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Bucket } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { BucketHeader } from './bucket-header.tsx';
import { ExportMenu } from './export-menu.tsx';
import { missingBucket, useBucket } from './queries.ts';
import { sampleQuery } from './record/linked-records.ts';
import { recordList } from './record-list.tsx';

const route = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName');

export function RecordsPage() {
  const { appId, bucketName } = route.useParams();
  const { bucket, error, isMissing } = useBucket(appId, bucketName);
  const mayRead = useMayCall()('listRecords');
  if (bucket && mayRead) return <Records key={bucketName} appId={appId} bucket={bucket} />;
  return (
    <>
      <BucketHeader appId={appId} bucketName={bucketName} />
      <FailureNote message={error?.message ?? (isMissing ? missingBucket(bucketName) : undefined)} />
      {!mayRead && (
        <Text size="md">
          {t(
            'Your role cannot read records, because they may contain personal data. Owners, managers and editors can.',
          )}
        </Text>
      )}
    </>
  );
}

function Records({ appId, bucket }: { readonly appId: string; readonly bucket: Bucket }) {
  const bucketName = bucket.name;
  const search = route.useSearch();
  const times = useTimes(appId);
  const mayCall = useMayCall();
  const mayCreate = mayCall('createRecord');
  const { data: sample = [] } = useQuery(sampleQuery(appId, bucketName));
  const isFile = (text: string) => ownFilePath(text, appId) !== undefined;
  const ground = { columns: bucket.columns, sample, zone: times.zone, isFile };
  const list = recordList({
    appId,
    bucketName,
    columns: bucket.columns,
    times,
    ground: mayCall('deleteRecord') ? ground : undefined,
  });
  return (
    <SectionList
      appId={appId}
      params={{ bucketName }}
      heading={(action) => <BucketHeader appId={appId} bucketName={bucketName} action={action} />}
      action={mayCreate && <Actions appId={appId} bucketName={bucketName} />}
      list={list}
      tools={<ExportMenu appId={appId} bucket={bucket} where={listFilter(search, list.searchFields)} />}
      empty={{
        icon: 'bucket',
        title: t('No records yet'),
        text: t('Your app writes records here. You can also add one by hand, or import a CSV or JSON file.'),
      }}
    />
  );
}

function Actions({ appId, bucketName }: { readonly appId: string; readonly bucketName: string }) {
  const params = { appId, bucketName };
  return (
    <Group gap="xs">
      <LinkButton to="/apps/$appId/buckets/$bucketName/import" params={params} icon="upload" isPlain>
        {t('Import')}
      </LinkButton>
      <LinkButton to="/apps/$appId/buckets/$bucketName/new" params={params} icon="plus">
        {t('Add a record')}
      </LinkButton>
    </Group>
  );
}
