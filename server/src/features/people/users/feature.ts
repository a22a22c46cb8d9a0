import type { Clock } from '../../../base/clock.ts';
import type { Passwords } from '../../../base/passwords.ts';
import type { Database, Db } from '../../../db/db.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import type { Outbox } from '../../../jobs/outbox.ts';
import type { RateLimiter } from '../../../limits/rate-limit.ts';
import type { MailSender } from '../../../mail/mail-sender.ts';
import { AttemptLimits } from '../../../sign-in/attempts.ts';
import type { AssertApp, Feature } from '../../feature.ts';
import { userConsoleEndpoints } from './console-routes.ts';
import { createMailHandler, createPasswordReset, type FindApp } from './password-reset.ts';
import { registerResetPage } from './reset-page.ts';
import { userEndpoints } from './routes.ts';
import type { UserService } from './service.ts';
import { SessionService } from './sessions.ts';

export interface UserFeatureDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly cacheVersion: CacheVersion;
  readonly passwords: Passwords;
  readonly service: UserService;
  readonly enqueue: Outbox['enqueue'];
  /** Undefined while no mail server is configured. */
  readonly mail: MailSender | undefined;
  /** Limits attempts to sign in. */
  readonly limiter: RateLimiter;
  readonly findApp: FindApp;
  readonly assertApp: AssertApp;
  readonly listIdentities: (key: { readonly appId: string; readonly userId: string }) => Promise<readonly object[]>;
  readonly forgetOtherWays: (db: Db, appId: string, userId: string) => Promise<void>;
  readonly publicUrl: () => string;
}

/** People with an account in an app: signing up and in, their own account, forgotten passwords. */
export function createUserFeature(deps: UserFeatureDeps): Feature {
  const { db, now, service, mail, findApp } = deps;
  const reset = createPasswordReset({ ...deps, canMail: mail !== undefined });
  const limits = new AttemptLimits(deps.limiter);
  const sessions = new SessionService(deps);
  return {
    endpoints: userEndpoints({ db, service, sessions, reset, limits }),
    consoleEndpoints: userConsoleEndpoints({ ...deps, db, now, service, sessions }),
    register: (server) => registerResetPage(server, { findApp, reset, limits, now }),
    jobs: mail ? { 'mail.send': createMailHandler({ ...deps, mail }) } : {},
    sweeps: { 'sweeping expired tokens': () => service.sweep() },
    close: () => mail?.close(),
  };
}
