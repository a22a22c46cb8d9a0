import { isObject } from '@pharos/query';
import { Type } from 'typebox';
import type { Database } from '../../../db/db.ts';
import {
  createdRecordAnswer,
  deletedAnswer,
  listAnswer,
  objectIdSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import { countRecords } from './definition/record-store.ts';
import type { BucketService } from './service.ts';

/** Counting stops here: an exact count of millions would only slow the list down. */
const countLimit = 10_000;

const created = { objectId: objectIdSchema, name: Type.String(), createdAt: timestampSchema };
const bucketSchema = Type.Object({
  ...created,
  columns: Type.Record(Type.String(), Type.String(), { description: 'Declared columns and their types' }),
  learned: Type.Array(Type.Object({ path: Type.String(), type: Type.String() }), {
    description: 'Undeclared members that have an index, because lists often query them',
  }),
  records: Type.Integer({ description: `The number of records, counted up to ${countLimit}` }),
  hasMoreRecords: Type.Boolean({ description: 'Whether there are more than were counted' }),
});
interface Deps {
  readonly db: Database;
  readonly service: Pick<BucketService, 'createBucket' | 'listBuckets' | 'deleteBucket'>;
}

/** Buckets are created, listed and deleted in the management console. */
export function bucketConsoleEndpoints({ db, service }: Deps): readonly ConsoleEndpoint[] {
  async function withCount<T extends { readonly objectId: string }>(appId: string, bucket: T) {
    const counted = await countRecords(db, { appId, bucketId: bucket.objectId, limit: countLimit + 1 });
    return { ...bucket, records: Math.min(counted, countLimit), hasMoreRecords: counted > countLimit };
  }

  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/buckets',
      operationId: 'listBuckets',
      summary: 'List the buckets of an app',
      permission: 'buckets.read',
      answer: listAnswer(bucketSchema),
      async handle({ params: { appId = '' } }) {
        const buckets = await service.listBuckets(appId);
        return { results: await Promise.all(buckets.map((bucket) => withCount(appId, bucket))) };
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/apps/:appId/buckets',
      operationId: 'createBucket',
      summary: 'Create a bucket',
      permission: 'buckets.write',
      body: {
        schema: Type.Object({ name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,29}$' }) }),
        example: { name: 'visits' },
        // A name of any other type is invalid too; the service reports it.
        read: (body) => ({ name: isObject(body) && typeof body['name'] === 'string' ? body['name'] : '' }),
      },
      answer: createdRecordAnswer(Type.Object(created)),
      handle: async ({ params, body, by }) => ({
        result: await service.createBucket(params['appId'] ?? '', body.name, by),
      }),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/apps/:appId/buckets/:bucketName',
      operationId: 'deleteBucket',
      summary: 'Delete a bucket with its records and schemas',
      description: 'It is kept in the trash for 30 days.',
      permission: 'buckets.write',
      answer: deletedAnswer,
      handle: ({ params, by }) => service.deleteBucket(params['appId'] ?? '', params['bucketName'] ?? '', by),
    }),
  ];
}
