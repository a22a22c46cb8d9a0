import { operations, type Query } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { dataKey, dataOf, dataQuery } from '../../lib/data/api.ts';
import { bucketsQuery } from '../../lib/data/queries.ts';
import type { Bucket } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

export const missingBucket = (bucketName: string) => t('There is no bucket called {bucketName}.', { bucketName });

/** A bucket with its declared columns. `isMissing` when no bucket has this name. */
export function useBucket(appId: string, bucketName: string) {
  const { data, error } = useQuery(bucketsQuery(appId));
  const bucket: Bucket | undefined = data?.find(({ name }) => name === bucketName);
  return { bucket, error, isMissing: data !== undefined && bucket === undefined };
}

export const schemasQuery = (appId: string, bucketName: string) =>
  dataQuery(
    appId,
    'listSchemas',
    [bucketName],
    async (data) =>
      (await data.call(operations.listSchemas, { params: { bucketName }, query: { limit: 1_000 } })).results,
  );

export const recordQuery = (appId: string, bucketName: string, objectId: string) =>
  dataQuery(
    appId,
    'getRecord',
    [bucketName, objectId],
    async (data) => (await data.call(operations.getRecord, { params: { bucketName, objectId } })).result,
  );

/** What has to be read again when records of a bucket change. */
export const recordKeys = (appId: string) => [
  dataKey(appId, 'listRecords'),
  dataKey(appId, 'getRecord'),
  bucketsQuery(appId).queryKey,
];

export const listRecordsOf = (appId: string, bucketName: string) => (query: Query) =>
  dataOf(appId).bucket(bucketName).list(query);
