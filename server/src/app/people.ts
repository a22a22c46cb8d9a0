import type { Clock } from '../base/clock.ts';
import type { Db } from '../db/db.ts';
import { tokenFault } from '../delivery/token-fault.ts';
import type { Feature } from '../features/feature.ts';
import { type AdminFeature, createAdminFeature } from '../features/operate/admins/feature.ts';
import { findDemoMark } from '../features/operate/apps/demo-mark.ts';
import { findAppAccess } from '../features/operate/apps/store.ts';
import { createIdentityFeature } from '../features/people/identities/feature.ts';
import { forgetIdentities } from '../features/people/identities/store.ts';
import { installationConsoleEndpoints } from '../features/people/installations/console-routes.ts';
import { pairingConsoleEndpoints } from '../features/people/installations/pairing/console-routes.ts';
import { pairingEndpoints } from '../features/people/installations/pairing/routes.ts';
import { PairingService } from '../features/people/installations/pairing/service.ts';
import { ownPhoneTestEndpoints } from '../features/people/installations/pairing/test-routes.ts';
import { installationEndpoints } from '../features/people/installations/routes.ts';
import { InstallationService } from '../features/people/installations/service.ts';
import { releasePhones } from '../features/people/installations/store.ts';
import { createMailLinkFeature } from '../features/people/mail-links/feature.ts';
import { createPrivacyFeature } from '../features/people/privacy/feature.ts';
import { createSecondFactorFeature } from '../features/people/second-factors/feature.ts';
import { forgetFactors } from '../features/people/second-factors/store.ts';
import { createUserFeature } from '../features/people/users/feature.ts';
import { userExists } from '../features/people/users/store.ts';
import { endPresence } from '../features/sightings/record/record.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import type { MailSender } from '../mail/mail-sender.ts';
import { createSmtpSender } from '../mail/smtp.ts';
import { tellByMail } from '../sign-in/change-mail.ts';
import { consoleApp } from './history.ts';
import type { Parts } from './parts.ts';
import { ownPhoneTests } from './phones/own-phone-tests.ts';
import type { Platform } from './platform.ts';
import { privacyDeps } from './privacy.ts';
import { privacyFacts } from './privacy-facts.ts';

export function administrators(platform: Platform): AdminFeature {
  return createAdminFeature({
    ...platform,
    service: platform.admins,
    afterChange: platform.afterAdminChange,
    enqueue: platform.outbox.enqueue,
    mail: mailSender(platform),
    limiter: new RateLimiter(10_000, platform.lasting),
    keys: platform.issuerKeys,
    configuredUrl: platform.config.publicUrl,
    warn: (message) => platform.server.log.warn(message),
    isDemo: async () => (await findDemoMark(platform.db)) !== undefined,
  });
}

export function mailSender({ config: { smtpUrl, mailFrom } }: Pick<Platform, 'config'>): MailSender | undefined {
  return smtpUrl ? createSmtpSender({ url: smtpUrl, from: mailFrom }) : undefined;
}

export function users({ platform, signInLimiter, assertApp }: Parts): Feature {
  const { db } = platform;
  return createUserFeature({
    ...platform,
    service: platform.users,
    enqueue: platform.outbox.enqueue,
    mail: mailSender(platform),
    limiter: signInLimiter,
    forgetOtherWays: forgettingOtherWays(platform.now),
    listIdentities: (key) => platform.identities.list(key),
    findApp: async (appId) => {
      const app = await findAppAccess(db, appId);
      return app?.disabled ? undefined : app;
    },
    assertApp,
  });
}

/** What signs in to an account beside a password, or gets what is for its user. */
const forgettingOtherWays =
  (now: Clock) =>
  async (db: Db, appId: string, userId: string): Promise<void> => {
    await forgetIdentities(db, appId, userId);
    await forgetFactors(db, appId, userId);
    await releasePhones(db, appId, userId, now());
  };

/** Second factors and passkeys of users. */
export function secondFactors({ platform, signInLimiter, assertApp }: Parts): Feature {
  const { db, now, secrets, accounts, outbox, config } = platform;
  return createSecondFactorFeature({
    db,
    now,
    secrets,
    accounts,
    limiter: signInLimiter,
    assertApp,
    tell: config.smtpUrl ? tellByMail(outbox.enqueue) : undefined,
  });
}

/** Links in mails to users. */
export function mailLinks({ platform, signInLimiter }: Parts): Feature {
  const { db, now, accounts, outbox, publicUrl } = platform;
  return createMailLinkFeature({
    db,
    now,
    accounts,
    enqueue: outbox.enqueue,
    mail: mailSender(platform),
    limiter: signInLimiter,
    publicUrl,
    forgetOtherWays: forgettingOtherWays(now),
    findApp: async (appId) => {
      const app = await findAppAccess(db, appId);
      return app?.disabled ? undefined : app;
    },
  });
}

export function identities({ platform, signInLimiter, assertApp }: Parts): Feature {
  return createIdentityFeature({
    service: platform.identities,
    providers: platform.identityProviders,
    keys: platform.issuerKeys,
    limiter: signInLimiter,
    assertApp,
  });
}

export function installations(platform: Platform, endpoints: () => readonly Endpoint[]): Feature {
  const { config, db, now, beginErasure, apps, lasting } = platform;
  const forget = (kind: 'installation' | 'traces') => async (db: Db, appId: string, id: string) => {
    await beginErasure(db, { kind, appId, userId: undefined, installationIds: [id], askedBy: 'request' });
  };
  const service = new InstallationService({
    db,
    now,
    userExists,
    tokenFault: (registered) => tokenFault(registered, config.pushUrl),
    endPresence: (db, appId, installationId) => endPresence(db, { appId, installationId, now: now() }),
    forget: forget('traces'),
  });
  const pairing = new PairingService({ db, now, limiter: new RateLimiter(undefined, lasting) });
  return {
    endpoints: [
      ...installationEndpoints({ db, service, forget: forget('installation') }),
      ...pairingEndpoints({ db, service: pairing }),
    ],
    consoleEndpoints: [
      ...installationConsoleEndpoints({ db, assertApp: (appId) => apps.get(appId) }),
      ...pairingConsoleEndpoints({ service: pairing, getApp: (appId) => apps.get(appId) }),
      ...ownPhoneTestEndpoints({
        service: pairing,
        ...ownPhoneTests({ db, findApp: consoleApp(platform) }, endpoints),
      }),
    ],
  };
}

export function privacy({ platform, backupService, assertApp, settleTracks }: Parts): Feature {
  const { config, publicUrl } = platform;
  const listBackups = () => backupService.kept();
  return createPrivacyFeature({
    ...privacyDeps({ ...platform, dataFolder: config.dataFolder, publicUrl, listBackups }),
    assertApp,
    settle: settleTracks,
    factsOf: (appId) => privacyFacts(platform.db, platform, appId),
  });
}
