import type { Makers, Services } from '../services.ts';
import { BucketService } from './buckets/service.ts';
import { type ForgottenFile, forgetFileJob } from './files/trash.ts';
import { createPast, type ForgettablePast } from './history/past.ts';
import { deleteWithin } from './history/store.ts';

interface Made {
  readonly buckets: BucketService;
  readonly past: ForgettablePast;
}

type Offers = typeof import('./offers.ts');
declare module '../services.ts' {
  interface Services extends Made, Offers {}
}

export const makers: Makers<Services, keyof Made> = {
  buckets: (services) => new BucketService(services),
  past: ({ enqueue }) =>
    createPast({
      // In the transaction in which a file leaves the trash for good: its bytes go.
      async files(db, { app_id: appId, stored_name: storedName }) {
        if (storedName === null) return;
        const payload: ForgottenFile = { storedName };
        await enqueue(db, { appId, kind: forgetFileJob, payload });
      },
      // The same for a bucket: its records go, and what was kept of them.
      async buckets(db, { app_id: appId, record_id: bucketId }) {
        await deleteWithin(db, appId, bucketId);
        await enqueue(db, { appId, kind: 'bucket.purge', payload: { bucketId } });
      },
    }),
};
