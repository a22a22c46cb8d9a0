import type { JobHandler } from '../../../jobs/job.ts';
import { type FillDeps, fillBucket, purgeBucket } from './definition/fill.ts';
import { learnMembers } from './definition/learn.ts';
import type { BucketJob } from './service.ts';

/** All may be repeated, and are retried for as long as it takes: a slot that is never filled is never used. */
const common = { concurrency: 1, maxAttempts: 50, baseDelayMs: 1_000, maxDelayMs: 300_000 };

export interface BucketJobDeps extends FillDeps {
  /** Counts again what an app stores. */
  readonly countUsage: (appId: string) => Promise<void>;
}

/** The background jobs of buckets. */
export function bucketJobHandlers(deps: BucketJobDeps): Record<BucketJob, JobHandler> {
  const bucketOf = (payload: unknown) => (payload as { readonly bucketId: string }).bucketId;
  return {
    'bucket.fill': { ...common, run: (job) => fillBucket(deps, job.appId, bucketOf(job.payload)) },
    'bucket.learn': {
      ...common,
      run: (job) => learnMembers(deps, job.appId, job.payload as Parameters<typeof learnMembers>[2]),
    },
    'bucket.purge': {
      ...common,
      run: async (job) => {
        await purgeBucket(deps.db, job.appId, bucketOf(job.payload));
        await deps.countUsage(job.appId);
      },
    },
  };
}
