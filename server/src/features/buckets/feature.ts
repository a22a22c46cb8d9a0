import type { Clock } from '../../base/clock.ts';
import type { CacheVersion } from '../../db/cache-version.ts';
import type { Database } from '../../db/db.ts';
import type { UsageMeter } from '../../limits/usage.ts';
import type { AssertApp, Feature, InBackground } from '../feature.ts';
import { bucketConsoleEndpoints } from './console-routes.ts';
import { BucketDirectory } from './directory.ts';
import { bucketJobHandlers } from './jobs.ts';
import { AskedMembers } from './learn.ts';
import { createRecordInserter } from './record-inserter.ts';
import { type RecordDeps, recordEndpoints } from './record-routes.ts';
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
}

/** Data buckets: their schemas, their records, and the indexes that they learn from queries. */
export function createBucketFeature(deps: BucketFeatureDeps): Feature {
  const { db, now, cacheVersion, service, usage, inBackground, assertApp, userExists } = deps;
  const directory = new BucketDirectory(db, cacheVersion);
  const asked = new AskedMembers((appId, bucketId, members) =>
    inBackground('asking for an index', () => service.askToLearn(appId, bucketId, members)),
  );
  const insert = createRecordInserter(db);
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
        markInexact: (appId, bucketId, inexact) => service.markInexact(appId, bucketId, inexact),
      }),
    ],
    consoleEndpoints: bucketConsoleEndpoints({ db, service, assertApp }),
    jobs: bucketJobHandlers({ db, cacheVersion, now }),
  };
}
