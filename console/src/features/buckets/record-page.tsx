import { Box, Group } from '@mantine/core';
import { type BucketRecord, operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { Deletion } from '../../components/dialogs/confirm-dialog.tsx';
import { HistoryButton } from '../../components/history/history-button.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { FailureNote, LinkButton, Loading } from '../../components/page/blocks.tsx';
import { once } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { restoreFromTrash, trashKey } from '../../lib/data/history.ts';
import { pointer } from '../../lib/data/venue-queries.ts';
import { useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import { BucketHeader } from './bucket-header.tsx';
import { missingBucket, recordKeys, recordQuery, useBucket } from './queries.ts';
import { sampleQuery } from './record/linked-records.ts';
import { PointingHere } from './record/pointing-here.tsx';
import { recordTitle } from './record-cells.ts';
import { type BucketPlace, BucketRecordForm } from './record-form.tsx';

const newRoute = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName/new');
const oneRoute = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName/records/$recordId');

export function NewRecordPage() {
  const place = newRoute.useParams();
  const { bucket, error, isMissing } = useBucket(place.appId, place.bucketName);
  const { from } = newRoute.useSearch();
  const model = useQuery({ ...recordQuery(place.appId, place.bucketName, from ?? ''), enabled: from !== undefined });
  const open = useOpenBucket(place);
  const missing = isMissing ? missingBucket(place.bucketName) : undefined;
  return (
    <>
      <BucketHeader {...place} title={t('Add a record')} />
      <FailureNote message={error?.message ?? model.error?.message ?? missing} />
      {bucket && (from === undefined || model.data) && (
        <BucketRecordForm
          place={place}
          columns={bucket.columns}
          {...(model.data ? { model: model.data } : {})}
          after={open}
          onCancel={open}
        />
      )}
    </>
  );
}

function useOpenBucket({ appId, bucketName }: BucketPlace) {
  const navigate = useNavigate();
  return () => void navigate({ to: '/apps/$appId/buckets/$bucketName', params: { appId, bucketName } });
}

export function BucketRecordPage() {
  const { recordId, ...place } = oneRoute.useParams();
  const { appId, bucketName } = place;
  const { bucket } = useBucket(appId, bucketName);
  const { data, error } = once(
    useQuery(recordQuery(appId, bucketName, recordId)),
    useQuery(sampleQuery(appId, bucketName)),
  );
  const record = bucket && data;
  const mayWrite = useMayCall()('updateRecord');
  const open = useOpenBucket(place);
  const title = record && recordTitle(record.metadata, bucket.columns, t('Record'));
  return (
    <>
      <BucketHeader
        {...place}
        title={title ?? t('Record')}
        action={record && <RecordActions place={place} record={record} title={title ?? ''} mayWrite={mayWrite} />}
      />
      <Loading data={record} error={error} height={260} />
      {record && (
        <>
          <BucketRecordForm
            key={record.objectId}
            place={place}
            columns={bucket.columns}
            record={record}
            isLocked={!mayWrite}
            onCancel={open}
          />
          <Stamps appId={appId} record={record} />
          <Group justify="flex-end" mt="xs">
            <ShowRequest
              appId={appId}
              request={{ operation: 'getRecord', params: { bucketName, objectId: recordId } }}
            />
          </Group>
          <Box mt="lg">
            <RecordOwner place={place} record={record} name={title ?? t('Record')} />
          </Box>
          <Box mt="lg">
            <PointingHere appId={appId} className={bucketName} objectId={recordId} />
          </Box>
        </>
      )}
    </>
  );
}

interface OwnerProps {
  readonly place: BucketPlace;
  readonly record: BucketRecord & { readonly createdBy: { readonly objectId: string } | null };
  readonly name: string;
}

/** A record names its next owner in a change that leaves the document as it is. */
function RecordOwner({ place: { appId, bucketName }, record, name }: OwnerProps) {
  const { objectId } = record;
  const params = { bucketName, objectId };
  const body = (userId: string) => ({ metadata: {}, createdBy: pointer('_User', userId) });
  return (
    <OwnerBlock
      appId={appId}
      name={name}
      createdBy={record.createdBy ?? undefined}
      operation="patchRecord"
      rules={{ group: 'buckets', name: bucketName }}
      read={async () => (await dataOf(appId).call(operations.getRecord, { params })).result}
      handOver={async (userId, how) =>
        (await dataOf(appId).call(operations.patchRecord, { params, body: body(userId), ...how })).result
      }
      refresh={recordKeys(appId)}
    />
  );
}

interface ActionsProps {
  readonly place: BucketPlace;
  readonly record: BucketRecord;
  readonly title: string;
  readonly mayWrite: boolean;
}

function RecordActions({ place, record, title, mayWrite }: ActionsProps) {
  const { appId } = place;
  const { objectId, metadata, updatedAt } = record;
  return (
    <Group gap="xs">
      {mayWrite && <DeleteRecord place={place} record={record} title={title} />}
      <HistoryButton
        appId={appId}
        kind="records"
        recordId={objectId}
        present={metadata}
        updatedAt={updatedAt}
        labels={{}}
        mayChange={mayWrite}
        refresh={recordKeys(appId)}
      />
      {mayWrite && (
        <LinkButton
          to="/apps/$appId/buckets/$bucketName/new"
          params={place}
          search={{ from: objectId }}
          icon="copy"
          isPlain
        >
          {t('Duplicate')}
        </LinkButton>
      )}
    </Group>
  );
}

function Stamps({ appId, record }: { readonly appId: string; readonly record: BucketRecord }) {
  const times = useTimes(appId);
  return (
    <Group gap="0.2rem 1.4rem" mt="0.8rem" c="dimmed" fz="0.88rem">
      <Group component="span" display="inline-flex" gap="0.3rem" wrap="nowrap">
        <span className="mono">{record.objectId}</span> <CopyButton text={record.objectId} label="objectId" />
      </Group>
      <span>{t('Created {dateTime}', { dateTime: times.dateTime(record.createdAt) })}</span>
      <span>{t('Changed {dateTime}', { dateTime: times.dateTime(record.updatedAt) })}</span>
      <span>{t('Times are in {zone}.', { zone: times.zone })}</span>
    </Group>
  );
}

function DeleteRecord({ place, record, title }: Omit<ActionsProps, 'mayWrite'>) {
  const { appId, bucketName } = place;
  return (
    <Deletion
      title={t('Delete the record')}
      run={() => dataOf(appId).bucket(bucketName).delete(record.objectId)}
      done={t('The record was deleted.')}
      undo={() => restoreFromTrash(appId, 'records', record.objectId)}
      refresh={[...recordKeys(appId), trashKey(appId)]}
      leave={{
        to: '/apps/$appId/buckets/$bucketName',
        params: { appId, bucketName },
        forget: recordQuery(appId, bucketName, record.objectId).queryKey,
      }}
    >
      {rich(
        'The record <b>{title}</b> of {bucketName} is deleted. It stays in the trash for 30 days, from where it can be put back.',
        { title, bucketName },
      )}
    </Deletion>
  );
}
