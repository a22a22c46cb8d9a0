import type { Call, CallOptions, Query } from '../call.ts';
import * as operations from '../operations.ts';
import type { BucketRecord, JsonInput } from '../wire.ts';

/** A record whose members are known, such as those that `pharos types` writes. */
export type RecordOf<M extends object> = Omit<BucketRecord, 'metadata'> & { readonly metadata: M };

/** The buckets of an app, by name, of which nothing is known. */
export type AnyBuckets = Readonly<Record<string, JsonInput>>;

/** A record of one of these buckets. */
export type KnownRecord<Buckets, Name extends keyof Buckets> = RecordOf<
  string extends keyof Buckets ? BucketRecord['metadata'] : Buckets[Name] & object
>;

/** The records of one data bucket. The bucket itself is created in the management console. */
export const bucketService =
  <Buckets extends object>(call: Call) =>
  <N extends keyof Buckets & string>(bucketName: N) => {
    type Members = Buckets[N] & object;
    type Known = KnownRecord<Buckets, N>;
    return {
      /** A filter names members with dots: `{ 'metadata.count': { $gte: 2 } }`. */
      list: async (query: Query = {}, options: CallOptions = {}) => {
        const answer = await call(operations.listRecords, { params: { bucketName }, query, ...options });
        return answer as Omit<typeof answer, 'results'> & { readonly results: readonly Known[] };
      },
      get: async (objectId: string, options: CallOptions = {}): Promise<Known> =>
        (await call(operations.getRecord, { params: { bucketName, objectId }, ...options })).result as unknown as Known,
      create: async (members: Members, options: CallOptions = {}) => {
        const metadata = members as JsonInput;
        return (await call(operations.createRecord, { params: { bucketName }, body: { metadata }, ...options })).result;
      },
      /** Replaces the members that are sent and keeps the others. */
      update: async (
        objectId: string,
        members: { readonly [K in keyof Members]?: Members[K] | null },
        options: CallOptions = {},
      ) => {
        const body = members as JsonInput;
        return (await call(operations.updateRecord, { params: { bucketName, objectId }, body, ...options })).result[0];
      },
      delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
        await call(operations.deleteRecord, { params: { bucketName, objectId }, ...options });
      },
    };
  };
