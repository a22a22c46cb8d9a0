import { commandLine } from '../access/audit.ts';
import type { Clock } from '../base/clock.ts';
import { createPasswords, type PasswordCost, type Passwords } from '../base/passwords.ts';
import type { Database, Db } from '../db/db.ts';
import { CacheVersion } from '../db/nodes/cache-version.ts';
import { createTargetRules, type TargetRules } from '../delivery/provider/target-rules.ts';
import { BucketService } from '../features/data/buckets/service.ts';
import { type ForgottenFile, forgetFileJob } from '../features/data/files/trash.ts';
import { createPast, type ForgettablePast } from '../features/data/history/past.ts';
import { deleteWithin, type TrashHead } from '../features/data/history/store.ts';
import type { AfterAdminChange } from '../features/operate/admins/accounts/after-change.ts';
import { AdminService } from '../features/operate/admins/accounts/service.ts';
import { voidLinksOf } from '../features/operate/admins/links/void-links.ts';
import { SecretKeyService } from '../features/operate/apps/secret-keys.ts';
import { AppService } from '../features/operate/apps/service.ts';
import { leaveServiceAlerts } from '../features/operate/webhooks/service-alerts.ts';
import { ProviderService } from '../features/people/identities/provider-service.ts';
import { IdentityService } from '../features/people/identities/service.ts';
import { noteErased } from '../features/people/identities/store.ts';
import { findInstallationsOf, letGoOfPhones } from '../features/people/installations/store.ts';
import { beginErasure, type ErasureRequest } from '../features/people/privacy/erase.ts';
import { findMissing } from '../features/people/second-factors/store.ts';
import { createAccounts } from '../features/people/users/accounts.ts';
import { UserService } from '../features/people/users/service.ts';
import { holdVenue } from '../features/places/venues/store.ts';
import { lockForDecision } from '../features/sightings/lock/lock.ts';
import { createOutbox, type Outbox } from '../jobs/outbox.ts';
import type { Accounts } from '../sign-in/accounts.ts';
import { tellByMail } from '../sign-in/change-mail.ts';
import { askByMail } from '../sign-in/link-mail.ts';
import { IssuerKeys } from '../sign-in/oidc/issuer-keys.ts';
import { emptyApp, personParts, ruledFields } from './tables.ts';

export interface ServiceOptions {
  readonly db: Database;
  readonly now: Clock;
  /** Whether a mail server is configured. */
  readonly canMail?: boolean;
  /** Hosts of the operator's own network that may be called. */
  readonly privateTargets?: readonly string[];
  /** What hashing a password costs; only tests make it cheaper. */
  readonly passwordCost?: PasswordCost | undefined;
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
  readonly afterAdminChange: AfterAdminChange;
  readonly past: ForgettablePast;
  readonly users: UserService;
  /** Begins to erase a person, in the transaction that `db` is; answers the id of the receipt. */
  readonly beginErasure: (db: Db, asked: ErasureRequest) => Promise<string>;
  /** What may be called at the wish of an administrator. */
  readonly targets: TargetRules;
  readonly issuerKeys: IssuerKeys;
  readonly accounts: Accounts;
  readonly identityProviders: ProviderService;
  readonly identities: IdentityService;
}

export function createServices(options: ServiceOptions): Services {
  const { db, now, canMail = false, privateTargets = [], passwordCost } = options;
  const cacheVersion = new CacheVersion(db);
  const passwords = createPasswords(passwordCost ? { cost: passwordCost } : {});
  const outbox = createOutbox(now);
  const erasing = { parts: personParts, enqueue: outbox.enqueue, now, lockInstallation: lockForDecision };
  const begin = (db: Db, asked: ErasureRequest) => beginErasure(db, asked, erasing);
  const targets = createTargetRules(privateTargets);
  const issuerKeys = new IssuerKeys({ targets, now });
  const past = createPast({ files: forgetFile(outbox), buckets: forgetBucket(outbox) });
  const tell = canMail ? tellByMail(outbox.enqueue) : undefined;
  const afterChange: AfterAdminChange = async (db, change, how) => {
    await voidLinksOf(db, change, how);
    await leaveServiceAlerts(db, change, { ...how, cacheVersion });
  };
  const accounts = createAccounts({ db, cacheVersion, now, passwords, tell, findMissing });
  return {
    cacheVersion,
    passwords,
    outbox,
    past,
    apps: new AppService({ db, cacheVersion, now, emptyApp, enqueue: outbox.enqueue, ruledFields, past }),
    secretKeys: new SecretKeyService({ db, cacheVersion, now }),
    buckets: new BucketService({ db, cacheVersion, now, enqueue: outbox.enqueue, past }),
    admins: new AdminService({ db, now, passwords, afterChange }),
    afterAdminChange: afterChange,
    users: new UserService({
      db,
      cacheVersion,
      now,
      passwords,
      findMissing,
      holdVenue,
      tell,
      askToVerify: canMail ? askByMail(outbox.enqueue) : undefined,
      forget: async (db, { appId, userId, isManager, by }) => {
        // Also one that somebody has taken by its id since, but not one that she has taken so herself.
        const installationIds = await findInstallationsOf(db, appId, userId);
        const askedBy = by === undefined ? 'person' : by === commandLine ? 'command line' : 'administrator';
        await noteErased(db, { appId, userId, now: now() });
        const erasureId = await begin(db, { kind: 'user', appId, userId, isManager, installationIds, askedBy });
        await letGoOfPhones(db, appId, userId);
        return erasureId;
      },
    }),
    beginErasure: begin,
    targets,
    issuerKeys,
    accounts,
    identityProviders: new ProviderService({ db, cacheVersion, now, targets }),
    identities: new IdentityService({ db, cacheVersion, now, accounts, keys: issuerKeys }),
  };
}

/** In the transaction in which a file leaves the trash for good: its bytes go. */
const forgetFile =
  ({ enqueue }: Outbox) =>
  async (db: Db, { app_id: appId, stored_name: storedName }: TrashHead) => {
    if (storedName === null) return;
    const payload: ForgottenFile = { storedName };
    await enqueue(db, { appId, kind: forgetFileJob, payload });
  };

/** The same for a bucket: its records go, and what was kept of them. */
const forgetBucket =
  ({ enqueue }: Outbox) =>
  async (db: Db, { app_id: appId, record_id: bucketId }: TrashHead) => {
    await deleteWithin(db, appId, bucketId);
    await enqueue(db, { appId, kind: 'bucket.purge', payload: { bucketId } });
  };
