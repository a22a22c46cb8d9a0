import type { BucketRecord, JsonObject } from '@pharos/sdk';
import { where } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { call, dataKey, dataOf } from '../../../lib/data/api.ts';
import { bucketsQuery } from '../../../lib/data/queries.ts';
import type { Bucket } from '../../../lib/wire.ts';
import { type Columns, recordTitle } from '../record-cells.ts';

/** Pointers between records, by the names of what they point to. */

export interface Named {
  readonly objectId: string;
  readonly name: string;
}

const sampleSize = 20;

/** What an app writes into a bucket: its newest records. They only say which fields to offer, so that they need not be fresh. */
export const sampleQuery = (appId: string, bucketName: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'sample', bucketName],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<readonly BucketRecord[]> =>
      (await dataOf(appId).bucket(bucketName).list({ order: '-createdAt', limit: sampleSize })).results,
  });

/** The member that names the records of a bucket: a declared text, or the first text that they have. */
function nameMember(columns: Columns, sample: readonly BucketRecord[]): string | undefined {
  const declared = Object.keys(columns).find((name) => columns[name] === 'String');
  const [first] = sample;
  return declared ?? Object.keys(first?.metadata ?? {}).find((name) => typeof first?.metadata[name] === 'string');
}

/** The records of a class whose name contains a text, at most `limit`. Undefined: there is no such class to choose from. */
export async function findNamed(
  appId: string,
  className: string,
  { text, limit, buckets, sample }: Search,
): Promise<readonly Named[] | undefined> {
  const data = dataOf(appId);
  if (className === 'Beacon') {
    const query = { ...(text ? { where: where().contains('name', text) } : {}), order: 'name', limit };
    return (await data.beacons.list(query)).results;
  }
  if (className === '_User') return findUsers(appId, text, limit);
  const bucket = buckets.find(({ name }) => name === className);
  if (!bucket) return undefined;
  const member = nameMember(bucket.columns, sample);
  const { results } = await data.bucket(className).list({
    ...(text && member ? { where: where().contains(`metadata.${member}`, text) } : {}),
    order: '-createdAt',
    limit,
  });
  return results.map((record) => named(record, bucket.columns));
}

interface Search {
  readonly text: string;
  readonly limit: number;
  readonly buckets: readonly Bucket[];
  /** Of the bucket in question. */
  readonly sample: readonly BucketRecord[];
}

async function findUsers(appId: string, text: string, limit: number): Promise<readonly Named[]> {
  const query = { limit, ...(text ? { where: where().contains('email', text) } : {}) };
  const { results } = await call('listAppUsers', { params: { appId }, query });
  return results.map(({ objectId, email }) => ({ objectId, name: email || objectId }));
}

const named = ({ objectId, metadata }: BucketRecord, columns: Columns): Named => ({
  objectId,
  name: recordTitle(metadata, columns, objectId),
});

/** The name of a record that something points to; null when it is gone. */
export const linkedNameQuery = (appId: string, className: string, objectId: string, buckets: readonly Bucket[]) =>
  queryOptions({
    queryKey: dataKey(appId, 'getRecord', 'name', className, objectId),
    queryFn: async (): Promise<string | null> => {
      const byId = { where: { objectId }, limit: 1 };
      if (className === 'Beacon') return (await dataOf(appId).beacons.list(byId)).results[0]?.name ?? null;
      const bucket = buckets.find(({ name }) => name === className);
      if (!bucket) return objectId;
      const [record] = (await dataOf(appId).bucket(className).list(byId)).results;
      return record ? named(record, bucket.columns).name : null;
    },
  });

/** Records of a bucket that point to something, by one member. */
export interface Pointing {
  readonly bucketName: string;
  readonly member: string;
  readonly count: number;
  readonly records: readonly Named[];
}

const maxBuckets = 20;
const maxShown = 5;

/** The records that point to one. Which members do, the newest records of each bucket tell. */
export const pointingQuery = (appId: string, className: string, objectId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listRecords', 'pointing', className, objectId),
    queryFn: async ({ client }): Promise<readonly Pointing[]> => {
      const buckets = (await client.ensureQueryData(bucketsQuery(appId))).slice(0, maxBuckets);
      const found = await Promise.all(
        buckets.map(async (bucket) => {
          const sample = await client.ensureQueryData(sampleQuery(appId, bucket.name));
          const members = membersPointingTo(className, sample);
          return Promise.all(members.map((member) => readPointing(appId, bucket, { member, className, objectId })));
        }),
      );
      return found.flat().filter(({ count }) => count > 0);
    },
  });

function membersPointingTo(className: string, sample: readonly BucketRecord[]): readonly string[] {
  const names = sample.flatMap(({ metadata }) =>
    Object.entries(metadata).flatMap(([name, value]) =>
      (value as JsonObject | null)?.['__type'] === 'Pointer' && (value as JsonObject)['className'] === className
        ? [name]
        : [],
    ),
  );
  return [...new Set(names)];
}

async function readPointing(
  appId: string,
  bucket: Bucket,
  { member, className, objectId }: { member: string; className: string; objectId: string },
): Promise<Pointing> {
  const pointer = { __type: 'Pointer', className, objectId };
  const { results, count = 0 } = await dataOf(appId)
    .bucket(bucket.name)
    .list({ where: { [`metadata.${member}`]: pointer } as never, order: '-createdAt', limit: maxShown, count: 1 });
  return { bucketName: bucket.name, member, count, records: results.map((one) => named(one, bucket.columns)) };
}
