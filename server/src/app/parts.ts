import type { FindHeld } from '../access/caller.ts';
import type { Db } from '../db/db.ts';
import type { ServiceCondition } from '../features/condition.ts';
import type { Rollups } from '../features/insights/analytics/rollups.ts';
import type { AppService } from '../features/operate/apps/service.ts';
import type { BackupService } from '../features/operate/backups/service.ts';
import type { ClientQuotas } from '../limits/client-quotas.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Key } from '../resources/table.ts';
import type { Integrations } from './integrations.ts';
import type { Platform } from './platform.ts';

/** What the features are made of. */
export interface Parts {
  readonly rollups: Rollups;
  readonly platform: Platform;
  readonly integrations: Integrations;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: AppService['get'];
  /** Notes a change of beacons or messages, in its transaction. */
  readonly noteChange: (db: Db, key: Key) => Promise<void>;
  readonly ownOf: FindHeld;
  /** Limits attempts to sign in. */
  readonly signInLimiter: RateLimiter;
  readonly quotas: ClientQuotas;
  readonly backupService: BackupService;
  /** The places of an app where there are more visitors than may be. */
  readonly crowded: (appId: string) => Promise<readonly ServiceCondition[]>;
  /** Reports by mail that did not reach everybody. */
  readonly unsentReports: (appId: string) => Promise<readonly ServiceCondition[]>;
  /** Writes what this process holds in memory of some installations. */
  readonly settleTracks: (of: { readonly appId: string; readonly installationIds: readonly string[] }) => Promise<void>;
}
