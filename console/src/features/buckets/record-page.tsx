import { Group, Skeleton } from '@mantine/core';
import type { BucketRecord } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { DeleteButton } from '../../components/page/record-page.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { BucketHeader } from './bucket-header.tsx';
import classes from './buckets.module.css';
import { missingBucket, recordKeys, recordQuery, useBucket } from './queries.ts';
import { type Columns, recordTitle } from './record-cells.ts';
import { type BucketPlace, BucketRecordForm } from './record-form.tsx';

const newRoute = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName/new');
const oneRoute = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName/records/$recordId');

export function NewRecordPage() {
  const place = newRoute.useParams();
  const { bucket, error, isMissing } = useBucket(place.appId, place.bucketName);
  const open = useOpenBucket(place);
  const missing = isMissing ? missingBucket(place.bucketName) : undefined;
  return (
    <>
      <BucketHeader {...place} title="Add a record" />
      <FailureNote message={error?.message ?? missing} />
      {bucket && (
        <BucketRecordForm
          place={place}
          columns={bucket.columns}
          start={template(bucket.columns)}
          after={open}
          onCancel={open}
        />
      )}
    </>
  );
}

/** Each declared column with an empty value of its type. */
function template(columns: Columns): string {
  const empty: Readonly<Record<string, unknown>> = { Number: 0, String: '', Boolean: false, Date: null };
  const document = Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, empty[type] ?? null]));
  return Object.keys(document).length === 0 ? '{\n  \n}' : JSON.stringify(document, null, 2);
}

function useOpenBucket({ appId, bucketName }: BucketPlace) {
  const navigate = useNavigate();
  return () => void navigate({ to: '/apps/$appId/buckets/$bucketName', params: { appId, bucketName } });
}

export function BucketRecordPage() {
  const { recordId, ...place } = oneRoute.useParams();
  const { appId, bucketName } = place;
  const { data: record, error } = useQuery(recordQuery(appId, bucketName, recordId));
  const { bucket } = useBucket(appId, bucketName);
  const mayWrite = useMayCall()('updateRecord');
  const [isDeleting, setDeleting] = useState(false);
  const open = useOpenBucket(place);
  const title = record && recordTitle(record.metadata, bucket?.columns ?? {}, 'Record');
  return (
    <>
      <BucketHeader
        {...place}
        title={title ?? 'Record'}
        action={record && mayWrite && <DeleteButton onClick={() => setDeleting(true)} />}
      />
      <FailureNote message={error?.message} />
      {!record && !error && <Skeleton h={260} />}
      {record && (
        <BucketRecordForm
          key={record.objectId}
          place={place}
          columns={bucket?.columns ?? {}}
          record={record}
          isLocked={!mayWrite}
          onCancel={open}
        />
      )}
      {record && <Stamps appId={appId} record={record} />}
      {record && (
        <Group justify="flex-end" mt="xs">
          <ShowRequest appId={appId} request={{ operation: 'getRecord', params: { bucketName, objectId: recordId } }} />
        </Group>
      )}
      {record && (
        <DeleteRecord
          place={place}
          record={record}
          title={title ?? ''}
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

function Stamps({ appId, record }: { readonly appId: string; readonly record: BucketRecord }) {
  const times = useTimes(appId);
  return (
    <div className={classes.stamps}>
      <span className={classes.id}>
        <span className="mono">{record.objectId}</span> <CopyButton text={record.objectId} label="objectId" />
      </span>
      <span>Created {times.dateTime(record.createdAt)}</span>
      <span>Changed {times.dateTime(record.updatedAt)}</span>
      <span>Times are in {times.zone}.</span>
    </div>
  );
}

interface DeleteProps {
  readonly place: BucketPlace;
  readonly record: BucketRecord;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteRecord({ place, record, title, isOpen, onClose }: DeleteProps) {
  const { appId, bucketName } = place;
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title="Delete the record"
      confirm="Delete permanently"
      run={() => dataOf(appId).bucket(bucketName).delete(record.objectId)}
      done="The record was deleted."
      refresh={recordKeys(appId)}
      leave={{
        to: '/apps/$appId/buckets/$bucketName',
        params: { appId, bucketName },
        forget: recordQuery(appId, bucketName, record.objectId).queryKey,
      }}
    >
      The record <b>{title}</b> of {bucketName} is deleted permanently. This cannot be undone.
    </ConfirmedAction>
  );
}
