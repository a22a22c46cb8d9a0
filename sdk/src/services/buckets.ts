import type { Call, CallOptions, Query } from '../call.ts';
import type { BucketRecord, JsonInput } from '../wire.ts';

/** The records of one data bucket. The bucket itself is created in the management console. */
export const bucketService = (call: Call) => (bucketName: string) => ({
  /** A filter names members with dots: `{ 'metadata.count': { $gte: 2 } }`. */
  list: (query: Query = {}, options: CallOptions = {}) =>
    call('listRecords', { params: { bucketName }, query, ...options }),
  get: async (objectId: string, options: CallOptions = {}): Promise<BucketRecord> =>
    (await call('getRecord', { params: { bucketName, objectId }, ...options })).result,
  create: async (metadata: JsonInput, options: CallOptions = {}) =>
    (await call('createRecord', { params: { bucketName }, body: { metadata }, ...options })).result,
  /** Replaces the members that are sent and keeps the others. */
  update: async (objectId: string, members: JsonInput, options: CallOptions = {}) =>
    (await call('updateRecord', { params: { bucketName, objectId }, body: members, ...options })).result[0],
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call('deleteRecord', { params: { bucketName, objectId }, ...options });
  },
});
