import { Badge, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { Row, RowButton } from '../../components/list/row-list.tsx';
import { SectionRows } from '../../components/list/section-rows.tsx';
import { Icon } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useAppId, useMay } from '../../lib/data/access.ts';
import { call, dataOf } from '../../lib/data/api.ts';
import { restoreFromTrash, trashKey } from '../../lib/data/history.ts';
import { bucketsQuery } from '../../lib/data/queries.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Bucket } from '../../lib/wire.ts';
import { pageLanguage, rich, t } from '../../lib/words/words.ts';
import classes from './buckets.module.css';
import { typeLabels } from './record-cells.ts';

/** The data buckets of an app. They are created only here; apps write into them. */
export function BucketsSection() {
  const appId = useAppId();
  const { data: buckets, error } = useQuery(bucketsQuery(appId));
  const [creating, setCreating] = useState<'new' | Bucket>();
  const [going, setGoing] = useState<Bucket>();
  const mayWrite = useMay()('buckets.write');
  const create = mayWrite ? (
    <Button variant="filled" leftSection={<Icon name="plus" />} onClick={() => setCreating('new')}>
      {t('Create a bucket')}
    </Button>
  ) : undefined;
  return (
    <>
      <SectionRows
        title={t('Data')}
        about={t('Buckets of records that the app writes and reads.')}
        action={create}
        rows={buckets}
        error={error}
        empty={{
          icon: 'bucket',
          title: t('No buckets yet'),
          text: t(
            'A bucket holds records of one kind that your app writes and reads, such as the answers to a quiz. Create it here first; then the app can send records to it.',
          ),
        }}
      >
        {(bucket) => (
          <BucketRow
            key={bucket.objectId}
            appId={appId}
            bucket={bucket}
            {...(mayWrite ? { onCopy: () => setCreating(bucket), onDelete: () => setGoing(bucket) } : {})}
          />
        )}
      </SectionRows>
      <NewBucketDialog
        // The form begins as the one that is copied.
        key={typeof creating === 'object' ? creating.objectId : ''}
        appId={appId}
        buckets={buckets ?? []}
        model={typeof creating === 'object' ? creating : undefined}
        isOpen={creating !== undefined}
        onClose={() => setCreating(undefined)}
      />
      <DeleteBucketDialog appId={appId} bucket={going} onClose={() => setGoing(undefined)} />
    </>
  );
}

function recordCount({ records, hasMoreRecords }: Bucket): string {
  const count = records.toLocaleString(pageLanguage());
  if (hasMoreRecords) return t('more than {count} records', { count });
  return t('{records, plural, one {1 record} other {{count} records}}', { records, count });
}

interface RowProps {
  readonly appId: string;
  readonly bucket: Bucket;
  readonly onCopy?: () => void;
  readonly onDelete?: () => void;
}

function BucketRow({ appId, bucket, onCopy, onDelete }: RowProps) {
  const times = useTimes(appId);
  const columns = Object.entries(bucket.columns);
  return (
    <Row
      title={
        <Link
          to="/apps/$appId/buckets/$bucketName"
          params={{ appId, bucketName: bucket.name }}
          className={classes.name}
        >
          {bucket.name}
        </Link>
      }
      facts={[recordCount(bucket), t('since {date}', { date: times.date(bucket.createdAt) })]}
      tools={
        onCopy &&
        onDelete && (
          <>
            <RowButton label={t('Duplicate')} of={t('Duplicate {name}', { name: bucket.name })} onClick={onCopy} />
            <RowButton label={t('Delete')} of={t('Delete {name}', { name: bucket.name })} onClick={onDelete} />
          </>
        )
      }
    >
      {columns.length > 0 && (
        <Group gap={6} mt={6}>
          {columns.map(([name, type]) => (
            <Badge key={name} color="gray" fw={500}>
              {name}: {typeLabels[type] ?? type}
            </Badge>
          ))}
        </Group>
      )}
    </Row>
  );
}

interface DialogProps {
  readonly appId: string;
  /** The existing buckets: a new one can copy the columns of one of them. */
  readonly buckets: readonly Bucket[];
  /** The one to copy. */
  readonly model: Bucket | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A name that is free, within what the service takes. */
function freeName({ name }: Bucket, buckets: readonly Bucket[]): string {
  const base = `${name.slice(0, 22)}_copy`;
  const isTaken = (wanted: string) => buckets.some((bucket) => bucket.name === wanted);
  let free = base;
  for (let number = 2; isTaken(free); number++) free = `${base}${number}`;
  return free;
}

function NewBucketDialog({ appId, buckets, model, isOpen, onClose }: DialogProps) {
  const fields = useFields({ name: model ? freeName(model, buckets) : '', like: model?.name ?? '' });
  const models = buckets.filter(({ columns }) => Object.keys(columns).length > 0);
  const create = useAction({
    run: async () => {
      const { name, like } = fields.values;
      const made = await call('createBucket', { params: { appId }, body: { name } });
      const columns = Object.entries(buckets.find((bucket) => bucket.name === like)?.columns ?? {});
      if (columns.length > 0)
        await dataOf(appId).call(operations.createSchema, {
          params: { bucketName: name },
          body: { column: Object.fromEntries(columns.map(([column, type]) => [column, { type }])) } as never,
        });
      return made;
    },
    done: ({ result }) => t('The bucket {name} was created.', { name: result.name }),
    refresh: [bucketsQuery(appId).queryKey],
    showsError: true,
    after: onClose,
  });
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={model ? t('Duplicate {name}', { name: model.name }) : t('Create a bucket')}
      form={fields}
      submit={t('Create')}
      isBusy={create.isPending}
      onSubmit={() => create.mutate(undefined, { onError: fields.setFailure })}
    >
      <TextInput
        label={t('Name')}
        description={t(
          '1 to 30 characters: a letter, then letters, digits or underscores. It cannot be changed later.',
        )}
        placeholder="quiz_answers"
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus
        {...fields.text('name')}
      />
      {models.length > 0 && (
        <NativeSelect
          label={t('Columns')}
          description={t('Copies the declared columns of another bucket; its records stay where they are.')}
          data={[
            { value: '', label: t('None to begin with') },
            ...models.map(({ name }) => ({ value: name, label: t('As in {name}', { name }) })),
          ]}
          {...fields.text('like')}
        />
      )}
    </DialogForm>
  );
}

interface DeleteProps {
  readonly appId: string;
  readonly bucket: Bucket | undefined;
  readonly onClose: () => void;
}

function DeleteBucketDialog({ appId, bucket, onClose }: DeleteProps) {
  const remove = useAction({
    run: ({ name: bucketName }: Bucket) => call('deleteBucket', { params: { appId, bucketName } }),
    done: (_, { name: bucketName }) => t('The bucket {bucketName} was deleted.', { bucketName }),
    undo: (_, { objectId }) => restoreFromTrash(appId, 'buckets', objectId),
    refresh: [bucketsQuery(appId).queryKey, trashKey(appId)],
    showsError: true,
    after: onClose,
  });
  return (
    <DeleteDialog
      isOpen={bucket !== undefined}
      onClose={onClose}
      title={t('Delete the bucket')}
      name={bucket?.name ?? ''}
      isBusy={remove.isPending}
      failure={remove.error?.message}
      confirm={t('Delete the bucket')}
      onConfirm={() => bucket && remove.mutate(bucket)}
    >
      {bucket &&
        rich(
          '<b>{name}</b> is deleted with its schemas and {recordCount}: apps find nothing in it any more. It stays in the trash for 30 days, from where all of it can be put back.',
          { name: bucket.name, recordCount: recordCount(bucket) },
        )}
    </DeleteDialog>
  );
}
