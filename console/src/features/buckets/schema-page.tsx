import { Box, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Block, EmptyState, Icon, Loading } from '../../components/page/blocks.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import type { Bucket } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { BucketHeader } from './bucket-header.tsx';
import { schemasQuery, useBucket } from './queries.ts';
import { SchemaForm } from './schema-form.tsx';

const route = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName/schema');

export function SchemaPage() {
  const { appId, bucketName } = route.useParams();
  const { data: schemas, error } = useQuery(schemasQuery(appId, bucketName));
  const { bucket } = useBucket(appId, bucketName);
  const [isAdding, setAdding] = useState(false);
  const mayWrite = useMayCall()('createSchema');
  const isEmpty = schemas?.length === 0 && !isAdding;
  const add = mayWrite && (
    <Button variant="filled" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      {schemas?.length ? t('Add a schema') : t('Declare columns')}
    </Button>
  );
  return (
    <>
      <BucketHeader
        appId={appId}
        bucketName={bucketName}
        part={t('Schema')}
        action={!isEmpty && !isAdding && schemas && add}
      />
      <Loading data={schemas} error={error} height={160} />
      {isEmpty && (
        <EmptyState
          icon="rules"
          title={t('No columns declared')}
          text={t(
            'Members of a record may hold any value. If you declare columns, the service checks their types and finds records by them quickly.',
          )}
          action={add}
        />
      )}
      {schemas?.map((schema, index) => (
        <SchemaForm
          key={schema.objectId}
          appId={appId}
          bucketName={bucketName}
          schema={schema}
          title={t('{count, plural, one {Columns} other {Schema {index}}}', {
            count: schemas.length,
            index: index + 1,
          })}
        />
      ))}
      {isAdding && (
        <SchemaForm appId={appId} bucketName={bucketName} title={t('New columns')} onClose={() => setAdding(false)} />
      )}
      {schemas && schemas.length > 0 && (
        <Text c="dimmed" mt="md" maw="42rem">
          {t(
            'A change applies to records that are written from now on; existing records are not checked again. Several schemas of one bucket are combined and must not contradict each other.',
          )}
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
      title={t('Indexed without a schema')}
      about={t(
        'Lists often filter by these members and all their values have one type, so the service keeps an index for each. The first value of another type removes the index, unless the member is declared as a column.',
      )}
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
