import type { AppContext } from '../../../access/context.ts';
import type { Db } from '../../../db/db.ts';
import type { JobHandler } from '../../../jobs/job.ts';
import type { PastRecord } from '../../../resources/past.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { bucketConsoleEndpoints } from './console-routes.ts';
import { BucketDirectory } from './definition/directory.ts';
import { fillBucket, purgeBucket } from './definition/fill.ts';
import { AskedMembers, learnMembers } from './definition/learn.ts';
import { documentEndpoint } from './document.ts';
import type { RecordDeps } from './records/bucket-of.ts';
import { patch, put } from './records/change-routes.ts';
import { create } from './records/create-route.ts';
import { remove } from './records/delete-route.ts';
import { get, list } from './records/read-routes.ts';
import { createRecordInserter } from './records/record-inserter.ts';
import { putRecordBack } from './records/record-writing.ts';
import { schemaEndpoints } from './schema-routes.ts';
import type { BucketJob } from './service.ts';

/** All may be repeated, and are retried for as long as it takes: a slot that is never filled is never used. */
const common = { concurrency: 1, maxAttempts: 50, baseDelayMs: 1_000, maxDelayMs: 300_000 };

function bucketJobHandlers(context: Context): Record<BucketJob, JobHandler> {
  const bucketOf = (payload: unknown) => (payload as { readonly bucketId: string }).bucketId;
  return {
    'bucket.fill': { ...common, run: (job) => fillBucket(context, job.appId, bucketOf(job.payload)) },
    'bucket.learn': {
      ...common,
      run: (job) => learnMembers(context, job.appId, job.payload as Parameters<typeof learnMembers>[2]),
    },
    'bucket.purge': {
      ...common,
      run: async (job) => {
        await purgeBucket(context.db, job.appId, bucketOf(job.payload));
        await context.usage.count(job.appId);
      },
    },
  };
}

declare module '../../context.ts' {
  interface Context {
    readonly bucketDirectory: BucketDirectory;
    readonly markInexact: RecordDeps['markInexact'];
    readonly putRecordBack: (
      app: AppContext,
      past: PastRecord,
      how: { readonly now: number; readonly take: (db: Db) => Promise<void> },
    ) => Promise<void>;
  }
}

export const makers: Makers<Context, 'bucketDirectory' | 'markInexact' | 'putRecordBack'> = {
  bucketDirectory: ({ db, cacheVersion }) => new BucketDirectory(db, cacheVersion),
  markInexact: ({ buckets }) => buckets.markInexact.bind(buckets),
  putRecordBack:
    ({ db, bucketDirectory: directory, usage, markInexact }) =>
    (app, record, how) =>
      putRecordBack({ db, directory, usage, markInexact }, app, record, how),
};

/** Data buckets: their schemas, their records, and the indexes that they learn from queries. */
export function bucketFeature(context: Context): Feature {
  const { db, buckets: service, bucketDirectory: directory, inBackground } = context;
  const asked = new AskedMembers((appId, bucketId, asked) =>
    inBackground('asking for an index', () => service.askToLearn(appId, bucketId, asked)),
  );
  const deps: RecordDeps = { ...context, directory, asked, insert: createRecordInserter(db) };
  return {
    endpoints: [
      ...schemaEndpoints({ db, directory, service }),
      documentEndpoint(context),
      ...[list(deps), create(deps), get(deps), put(deps), patch(deps), remove(deps)],
    ],
    consoleEndpoints: bucketConsoleEndpoints({ db, service }),
    jobs: bucketJobHandlers(context),
  };
}
