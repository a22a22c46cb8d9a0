import type { Clock } from '../base/clock.ts';
import { createPasswords, type Passwords } from '../base/passwords.ts';
import type { Database } from '../db/db.ts';
import { Revision } from '../db/revision.ts';
import { type AdminService, createAdminService } from '../features/admins/service.ts';
import { type AppService, createAppService } from '../features/apps/service.ts';
import { type BucketService, createBucketService } from '../features/buckets/service.ts';
import { forgetFiles } from '../features/files/erasure.ts';
import { unlinkUser } from '../features/installations/store.ts';
import { forgetUser } from '../features/sightings/record/erasure.ts';
import { createUserService, type UserService } from '../features/users/service.ts';
import { createOutbox, type Outbox } from '../jobs/outbox.ts';

export interface ServiceOptions {
  readonly db: Database;
  readonly now: Clock;
}

/** What the console and the command line both manage; a serving process has these too. */
export interface Services {
  readonly revision: Revision;
  readonly passwords: Passwords;
  readonly outbox: Outbox;
  readonly apps: AppService;
  readonly buckets: BucketService;
  readonly admins: AdminService;
  readonly users: UserService;
}

export function createServices({ db, now }: ServiceOptions): Services {
  const revision = new Revision(db);
  const passwords = createPasswords();
  const outbox = createOutbox(now);
  return {
    revision,
    passwords,
    outbox,
    apps: createAppService({ db, revision, now }),
    buckets: createBucketService({ db, revision, now, enqueue: outbox.enqueue }),
    admins: createAdminService({ db, now, passwords }),
    users: createUserService({
      db,
      revision,
      now,
      passwords,
      unlink: async (db, appId, userId) => {
        await forgetUser(db, appId, userId, { enqueue: outbox.enqueue, now: now() });
        await unlinkUser(db, appId, userId);
        await forgetFiles(db, { appId, userId }, outbox.enqueue);
      },
    }),
  };
}
