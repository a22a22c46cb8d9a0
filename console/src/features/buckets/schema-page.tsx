import { Box, Button, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Block } from '../../components/page/block.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import type { Bucket } from '../../lib/wire.ts';
import { BucketHeader } from './bucket-header.tsx';
import { schemasQuery, useBucket } from './queries.ts';
import { SchemaForm } from './schema-form.tsx';

const route = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName/schema');

/** What a bucket's records have to look like: the columns that its schema records declare. */
export function SchemaPage() {
  const { appId, bucketName } = route.useParams();
  const { data: schemas, error } = useQuery(schemasQuery(appId, bucketName));
  const { bucket } = useBucket(appId, bucketName);
  const [isAdding, setAdding] = useState(false);
  const mayWrite = useMayCall()('createSchema');
  const isEmpty = schemas?.length === 0 && !isAdding;
  const add = mayWrite && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      {schemas?.length ? 'Add a schema' : 'Declare columns'}
    </Button>
  );
  return (
    <>
      <BucketHeader appId={appId} bucketName={bucketName} action={!isEmpty && !isAdding && schemas && add} />
      <FailureNote message={error?.message} />
      {!schemas && !error && <Skeleton h={160} />}
      {isEmpty && (
        <EmptyState icon="rules" title="No column is declared" action={add}>
          Any member of a record may hold anything. Declare columns, and the service checks their types and finds
          records by them quickly.
        </EmptyState>
      )}
      {schemas?.map((schema, index) => (
        <SchemaForm
          key={`${schema.objectId} ${schema.updatedAt}`}
          appId={appId}
          bucketName={bucketName}
          schema={schema}
          title={schemas.length === 1 ? 'Columns' : `Schema ${index + 1}`}
        />
      ))}
      {isAdding && (
        <SchemaForm appId={appId} bucketName={bucketName} title="New columns" onClose={() => setAdding(false)} />
      )}
      {schemas && schemas.length > 0 && (
        <Text size="sm" c="dimmed" mt="md" maw="42rem">
          A change holds for what is written from now on; records that are there already are not judged again. Several
          schemas of one bucket add up, and may not contradict each other.
        </Text>
      )}
      {schemas && bucket && bucket.learned.length > 0 && (
        <Box mt="md">
          <LearnedMembers members={bucket.learned} />
        </Box>
      )}
    </>
  );
}

function LearnedMembers({ members }: { readonly members: Bucket['learned'] }) {
  return (
    <Block
      title="Found quickly without a schema"
      about="Lists ask for these often and all their values have one type, so the service keeps an index for each. A value of another type would end that, unless it is a column here."
    >
      <Facts>
        {members.map(({ path, type }) => (
          <Fact key={path} label={type}>
            <span className="mono">{path}</span>
          </Fact>
        ))}
      </Facts>
    </Block>
  );
}
