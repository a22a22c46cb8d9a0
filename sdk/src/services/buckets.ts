import type { Call, Query } from '../call.ts';
import type { BucketRecord, JsonObject } from '../wire.ts';

/** The records of one data bucket. The bucket itself is made in the management console. */
export const bucketService = (call: Call) => (bucketName: string) => ({
  /** A filter on a member names it with dots: `{ 'metadata.count': { $gte: 2 } }`. */
  list: (query: Query = {}) => call('listRecords', { params: { bucketName }, query }),
  get: async (objectId: string): Promise<BucketRecord> =>
    (await call('getRecord', { params: { bucketName, objectId } })).result,
  create: async (metadata: JsonObject) =>
    (await call('createRecord', { params: { bucketName }, body: { metadata } })).result,
  /** Replaces the members that are sent and keeps the others. */
  update: async (objectId: string, members: JsonObject) =>
    (await call('updateRecord', { params: { bucketName, objectId }, body: members })).result[0],
  delete: async (objectId: string): Promise<void> => {
    await call('deleteRecord', { params: { bucketName, objectId } });
  },
});
