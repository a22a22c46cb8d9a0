import { commandLine } from '../access/audit.ts';
import type { Clock } from '../base/clock.ts';
import { createPasswords, type Passwords } from '../base/passwords.ts';
import { CacheVersion } from '../db/cache-version.ts';
import type { Database, Db } from '../db/db.ts';
import { AdminService } from '../features/admins/accounts/service.ts';
import { AppService } from '../features/apps/service.ts';
import { BucketService } from '../features/buckets/service.ts';
import { findInstallationsOf, unlinkUser } from '../features/installations/store.ts';
import { type Asked, beginErasure } from '../features/privacy/erase.ts';
import { lockForDecision } from '../features/sightings/decide/installation-locks.ts';
import { UserService } from '../features/users/service.ts';
import { createOutbox, type Outbox } from '../jobs/outbox.ts';
import { emptyApp, personParts, ruledFields } from './tables.ts';

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
  readonly buckets: BucketService;
  readonly admins: AdminService;
  readonly users: UserService;
  /** Begins to erase a person, in the transaction that `db` is; answers the id of the receipt. */
  readonly beginErasure: (db: Db, asked: Asked) => Promise<string>;
}

export function createServices({ db, now }: ServiceOptions): Services {
  const cacheVersion = new CacheVersion(db);
  const passwords = createPasswords();
  const outbox = createOutbox(now);
  const erasing = { parts: personParts, enqueue: outbox.enqueue, now, lockInstallation: lockForDecision };
  const begin = (db: Db, asked: Asked) => beginErasure(db, asked, erasing);
  return {
    cacheVersion,
    passwords,
    outbox,
    apps: new AppService({ db, cacheVersion, now, emptyApp, ruledFields }),
    buckets: new BucketService({ db, cacheVersion, now, enqueue: outbox.enqueue }),
    admins: new AdminService({ db, now, passwords }),
    users: new UserService({
      db,
      cacheVersion,
      now,
      passwords,
      forget: async (db, { appId, userId, isManager, by }) => {
        // Also one that somebody has taken by its id since, but not one that she has taken so herself.
        const installationIds = await findInstallationsOf(db, appId, userId);
        const askedBy = by === undefined ? 'person' : by === commandLine ? 'command line' : 'administrator';
        const erasureId = await begin(db, { kind: 'user', appId, userId, isManager, installationIds, askedBy });
        await unlinkUser(db, appId, userId);
        return erasureId;
      },
    }),
    beginErasure: begin,
  };
}
