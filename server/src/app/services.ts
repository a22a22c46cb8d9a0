import type { Clock } from '../base/clock.ts';
import { createPasswords, type Passwords } from '../base/passwords.ts';
import { CacheVersion } from '../db/cache-version.ts';
import type { Database } from '../db/db.ts';
import { AdminService } from '../features/admins/accounts/service.ts';
import { SecretKeyService } from '../features/apps/secret-keys.ts';
import { AppService } from '../features/apps/service.ts';
import { BucketService } from '../features/buckets/service.ts';
import { forgetFiles } from '../features/files/erasure.ts';
import { findInstallationsOf, unlinkUser } from '../features/installations/store.ts';
import { forgetInstallation } from '../features/sightings/record/erasure.ts';
import { UserService } from '../features/users/service.ts';
import { createOutbox, type Outbox } from '../jobs/outbox.ts';
import { emptyApp, ruledFields } from './tables.ts';

export interface ServiceOptions {
  readonly db: Database;
  readonly now: Clock;
}

/** What the console and the command line both manage; a serving process has these too. */
export interface Services {
  readonly cacheVersion: CacheVersion;
  readonly passwords: Passwords;
  readonly outbox: Outbox;
  readonly apps: AppService;
  readonly secretKeys: SecretKeyService;
  readonly buckets: BucketService;
  readonly admins: AdminService;
  readonly users: UserService;
}

export function createServices({ db, now }: ServiceOptions): Services {
  const cacheVersion = new CacheVersion(db);
  const passwords = createPasswords();
  const outbox = createOutbox(now);
  return {
    cacheVersion,
    passwords,
    outbox,
    apps: new AppService({ db, cacheVersion, now, emptyApp, ruledFields }),
    secretKeys: new SecretKeyService({ db, cacheVersion, now }),
    buckets: new BucketService({ db, cacheVersion, now, enqueue: outbox.enqueue }),
    admins: new AdminService({ db, now, passwords }),
    users: new UserService({
      db,
      cacheVersion,
      now,
      passwords,
      unlink: async (db, appId, userId) => {
        // Also one that somebody has taken by its id since, but not one that she has taken so herself.
        for (const id of await findInstallationsOf(db, appId, userId))
          await forgetInstallation(db, appId, id, { enqueue: outbox.enqueue, now: now() });
        await unlinkUser(db, appId, userId);
        await forgetFiles(db, { appId, userId }, outbox.enqueue);
      },
    }),
  };
}
