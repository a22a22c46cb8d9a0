import { Badge, Button, Group, Modal, Skeleton, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import blocks from '../../components/page/blocks.module.css';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { bucketsQuery } from '../../lib/data/queries.ts';
import { showDate } from '../../lib/time/time.ts';
import type { Bucket } from '../../lib/wire.ts';
import classes from './buckets.module.css';
import { typeLabels } from './record-cells.ts';

const route = getRouteApi('/signed-in/apps/$appId');

/** The data buckets of an app. They are made here and nowhere else; apps only write into them. */
export function BucketsSection() {
  const { appId } = route.useParams();
  const { data: buckets, error } = useQuery(bucketsQuery(appId));
  const [isCreating, setCreating] = useState(false);
  const [going, setGoing] = useState<Bucket>();
  const mayWrite = useMay()('buckets.write');
  const create = mayWrite ? (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      Create a bucket
    </Button>
  ) : undefined;
  return (
    <>
      <SectionHeader title="Data" action={buckets && buckets.length > 0 && create}>
        Buckets of records that the app writes and reads.
      </SectionHeader>
      <FailureNote message={error?.message} />
      {!buckets && !error && <Skeleton h={64} />}
      {buckets?.length === 0 && (
        <EmptyState icon="bucket" title="No bucket yet" action={create}>
          A bucket holds records of one kind that your app writes and reads, such as the answers of a quiz. Create it
          here first; then the app can send records to it.
        </EmptyState>
      )}
      {buckets && buckets.length > 0 && (
        <ul className={blocks.rows}>
          {buckets.map((bucket) => (
            <BucketRow
              key={bucket.objectId}
              appId={appId}
              bucket={bucket}
              {...(mayWrite ? { onDelete: () => setGoing(bucket) } : {})}
            />
          ))}
        </ul>
      )}
      <NewBucketDialog appId={appId} isOpen={isCreating} onClose={() => setCreating(false)} />
      <DeleteBucketDialog appId={appId} bucket={going} onClose={() => setGoing(undefined)} />
    </>
  );
}

function countText({ records, hasMoreRecords }: Bucket): string {
  const count = records.toLocaleString('en');
  if (hasMoreRecords) return `more than ${count} records`;
  return records === 1 ? '1 record' : `${count} records`;
}

interface RowProps {
  readonly appId: string;
  readonly bucket: Bucket;
  readonly onDelete?: () => void;
}

function BucketRow({ appId, bucket, onDelete }: RowProps) {
  const columns = Object.entries(bucket.columns);
  return (
    <li className={`${blocks.row} ${blocks.stacking}`}>
      <div className={blocks.grow}>
        <Link
          to="/apps/$appId/buckets/$bucketName"
          params={{ appId, bucketName: bucket.name }}
          className={classes.name}
        >
          <span className={blocks.title}>{bucket.name}</span>
        </Link>
        <div className={blocks.meta}>
          <span>{countText(bucket)}</span>
          <span>since {showDate(bucket.createdAt)}</span>
        </div>
        {columns.length > 0 && (
          <Group gap={6} mt={6}>
            {columns.map(([name, type]) => (
              <Badge key={name} color="gray" variant="light" tt="none" fw={500}>
                {name}: {typeLabels[type] ?? type}
              </Badge>
            ))}
          </Group>
        )}
      </div>
      {onDelete && (
        <Button variant="default" size="xs" aria-label={`Delete ${bucket.name}`} onClick={onDelete}>
          Delete
        </Button>
      )}
    </li>
  );
}

interface DialogProps {
  readonly appId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function NewBucketDialog({ appId, isOpen, onClose }: DialogProps) {
  const fields = useFields({ name: '' });
  const create = useAction({
    run: () => call('createBucket', { params: { appId }, body: fields.values }),
    done: ({ result }) => `The bucket ${result.name} is there.`,
    refresh: [bucketsQuery(appId).queryKey],
    showsError: true,
    after: onClose,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate(undefined, { onError: fields.setFailure });
  }
  return (
    <Modal opened={isOpen} onClose={onClose} onExitTransitionEnd={() => fields.reset()} title="Create a bucket">
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label="Name"
            description="1 to 30 characters: a letter, then letters, digits or underscores. It cannot be changed later."
            placeholder="quiz_answers"
            autoComplete="off"
            spellCheck={false}
            required
            data-autofocus
            {...fields.text('name')}
            error={fields.rest([]) ?? fields.problem('name')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface DeleteProps {
  readonly appId: string;
  readonly bucket: Bucket | undefined;
  readonly onClose: () => void;
}

function DeleteBucketDialog({ appId, bucket, onClose }: DeleteProps) {
  const remove = useAction({
    run: (bucketName: string) => call('deleteBucket', { params: { appId, bucketName } }),
    done: (_, bucketName) => `The bucket ${bucketName} is deleted.`,
    refresh: [bucketsQuery(appId).queryKey],
    showsError: true,
    after: onClose,
  });
  return (
    <DeleteDialog
      isOpen={bucket !== undefined}
      onClose={onClose}
      title="Delete the bucket"
      name={bucket?.name ?? ''}
      isBusy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => bucket && remove.mutate(bucket.name)}
    >
      {bucket && (
        <>
          <b>{bucket.name}</b> goes with its schemas and {countText(bucket)}. There is no way back.
        </>
      )}
    </DeleteDialog>
  );
}
