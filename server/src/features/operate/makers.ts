import type { AppAccess } from '../../access/access.ts';
import type { AppPolicy } from '../../access/policy.ts';
import type { Db } from '../../db/db.ts';
import type { AppsWith } from '../feature.ts';
import type { Makers, Services } from '../services.ts';
import type { AfterAdminChange } from './admins/accounts/after-change.ts';
import { AdminService } from './admins/accounts/service.ts';
import { voidLinksOf } from './admins/links/void-links.ts';
import { SecretKeyService } from './apps/secret-keys.ts';
import { AppService } from './apps/service.ts';
import { asking, findApp, findAppAccess, policyOf } from './apps/store.ts';
import { leaveServiceAlerts } from './webhooks/service-alerts.ts';

interface Made {
  readonly admins: AdminService;
  readonly afterAdminChange: AfterAdminChange;
  readonly apps: AppService;
  readonly appsWith: AppsWith;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: AppService['get'];
  /** Undefined also for one that is switched off. */
  readonly findOpenApp: (appId: string) => Promise<AppAccess | undefined>;
  /** Undefined when the app is gone; read in a transaction, if one is given. */
  readonly findPolicy: (appId: string, within?: Db) => Promise<AppPolicy | undefined>;
  readonly secretKeys: SecretKeyService;
}

type Offers = typeof import('./offers.ts');
declare module '../services.ts' {
  interface Services extends Made, Offers {}
}

export const makers: Makers<Services, keyof Made> = {
  admins: ({ db, now, passwords, afterAdminChange: afterChange }) =>
    new AdminService({ db, now, passwords, afterChange }),
  afterAdminChange:
    ({ cacheVersion }) =>
    async (db, change, how) => {
      await voidLinksOf(db, change, how);
      await leaveServiceAlerts(db, change, { ...how, cacheVersion });
    },
  apps: (services) => new AppService(services),
  appsWith: ({ db }) => asking(db),
  assertApp: ({ apps }) => apps.get.bind(apps),
  findOpenApp:
    ({ db }) =>
    async (appId) => {
      const app = await findAppAccess(db, appId);
      return app?.disabled ? undefined : app;
    },
  findPolicy:
    ({ db }) =>
    async (appId, within = db) => {
      const app = await findApp(within, appId);
      return app && policyOf(app);
    },
  secretKeys: (services) => new SecretKeyService(services),
};
