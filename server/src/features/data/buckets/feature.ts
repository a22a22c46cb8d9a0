import type { AppContext } from '../../../access/context.ts';
import type { Db } from '../../../db/db.ts';
import type { PastRecord } from '../../../resources/past.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { bucketConsoleEndpoints } from './console-routes.ts';
import { BucketDirectory } from './definition/directory.ts';
import { AskedMembers } from './definition/learn.ts';
import { documentEndpoint } from './document.ts';
import { bucketJobHandlers } from './jobs.ts';
import type { RecordDeps } from './records/bucket-of.ts';
import { createRecordInserter } from './records/record-inserter.ts';
import { recordEndpoints } from './records/record-routes.ts';
import { putRecordBack } from './records/record-writing.ts';
import { schemaEndpoints } from './schema-routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly bucketDirectory: BucketDirectory;
    readonly markInexact: RecordDeps['markInexact'];
    /** Puts a deleted record back. */
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
  const { db, buckets: service, bucketDirectory: directory, usage, inBackground } = context;
  const asked = new AskedMembers((appId, bucketId, asked) =>
    inBackground('asking for an index', () => service.askToLearn(appId, bucketId, asked)),
  );
  return {
    endpoints: [
      ...schemaEndpoints({ db, directory, service }),
      documentEndpoint(context),
      ...recordEndpoints({ ...context, directory, asked, insert: createRecordInserter(db) }),
    ],
    consoleEndpoints: bucketConsoleEndpoints({ db, service }),
    jobs: bucketJobHandlers({ ...context, countUsage: (appId) => usage.count(appId) }),
  };
}
