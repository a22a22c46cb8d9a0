import type { AppContext } from '../../../access/context.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Database, Db } from '../../../db/db.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import type { UsageMeter } from '../../../limits/usage.ts';
import type { Past, PastRecord } from '../../../resources/past.ts';
import type { AssertApp, Feature, InBackground } from '../../feature.ts';
import { bucketConsoleEndpoints } from './console-routes.ts';
import { BucketDirectory } from './definition/directory.ts';
import { AskedMembers } from './definition/learn.ts';
import { bucketJobHandlers } from './jobs.ts';
import type { RecordDeps } from './records/bucket-of.ts';
import { createRecordInserter } from './records/record-inserter.ts';
import { recordEndpoints } from './records/record-routes.ts';
import { putRecordBack } from './records/record-writing.ts';
import { schemaEndpoints } from './schema-routes.ts';
import type { BucketService } from './service.ts';

export interface BucketFeatureDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly cacheVersion: CacheVersion;
  readonly service: BucketService;
  readonly usage: UsageMeter;
  readonly inBackground: InBackground;
  readonly assertApp: AssertApp;
  readonly userExists: RecordDeps['userExists'];
  readonly past: Past;
}

export interface BucketFeature extends Feature {
  /** Puts a deleted record back. */
  readonly putBack: (
    app: AppContext,
    past: PastRecord,
    how: { readonly now: number; readonly take: (db: Db) => Promise<void> },
  ) => Promise<void>;
}

/** Data buckets: their schemas, their records, and the indexes that they learn from queries. */
export function createBucketFeature(deps: BucketFeatureDeps): BucketFeature {
  const { db, now, cacheVersion, service, usage, inBackground, assertApp, userExists, past } = deps;
  const directory = new BucketDirectory(db, cacheVersion);
  const asked = new AskedMembers((appId, bucketId, asked) =>
    inBackground('asking for an index', () => service.askToLearn(appId, bucketId, asked)),
  );
  const insert = createRecordInserter(db);
  const markInexact: RecordDeps['markInexact'] = (appId, bucketId, inexact) =>
    service.markInexact(appId, bucketId, inexact);
  return {
    endpoints: [
      ...schemaEndpoints({ db, directory, service }),
      ...recordEndpoints({
        db,
        directory,
        asked,
        insert,
        usage,
        userExists,
        markInexact,
        past,
      }),
    ],
    consoleEndpoints: bucketConsoleEndpoints({ db, service, assertApp }),
    putBack: (app, record, how) => putRecordBack({ db, directory, usage, markInexact }, app, record, how),
    jobs: bucketJobHandlers({ db, cacheVersion, now, countUsage: (appId) => usage.count(appId) }),
  };
}
