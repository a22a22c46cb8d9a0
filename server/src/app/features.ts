import { join } from 'node:path';
import type { FindHeld } from '../access/caller.ts';
import { version } from '../config/version.ts';
import type { Db } from '../db/db.ts';
import { tokenFault } from '../delivery/token-fault.ts';
import { type AdminFeature, createAdminFeature } from '../features/admins/feature.ts';
import { appConsoleEndpoints } from '../features/apps/console-routes.ts';
import { findDemoMark } from '../features/apps/demo-mark.ts';
import { dryRunConsoleEndpoints } from '../features/apps/rules/dry-run-routes.ts';
import { DryRunService } from '../features/apps/rules/dry-runs.ts';
import { rulesConsoleEndpoints } from '../features/apps/rules/rules-routes.ts';
import { secretKeyConsoleEndpoints } from '../features/apps/secret-key-routes.ts';
import type { AppService } from '../features/apps/service.ts';
import { findAppAccess, listApps, policyOf } from '../features/apps/store.ts';
import { usageConsoleEndpoints } from '../features/apps/usage-routes.ts';
import { backupConsoleEndpoints } from '../features/backups/console-routes.ts';
import { BackupService } from '../features/backups/service.ts';
import { calibrationEndpoints } from '../features/beacons/calibration-routes.ts';
import { beaconEndpoints } from '../features/beacons/routes.ts';
import { findBeaconNames, findMissingBeacons, findUnreadableBeacons } from '../features/beacons/store.ts';
import { createBucketFeature } from '../features/buckets/feature.ts';
import { deviceConsoleEndpoints } from '../features/devices/console-routes.ts';
import { deviceEndpoints } from '../features/devices/routes.ts';
import type { Feature } from '../features/feature.ts';
import { createFileFeature } from '../features/files/feature.ts';
import { createIdentityFeature } from '../features/identities/feature.ts';
import { forgetIdentities } from '../features/identities/store.ts';
import { consentConsoleEndpoints } from '../features/installations/console-routes.ts';
import { installations as installationResource } from '../features/installations/resource.ts';
import { installationEndpoints } from '../features/installations/routes.ts';
import { InstallationService } from '../features/installations/service.ts';
import { countTokens, findHeld, findProvable } from '../features/installations/store.ts';
import { liveEndpoints } from '../features/live/routes.ts';
import { logEndpoints } from '../features/logs/routes.ts';
import { logStore } from '../features/logs/store.ts';
import { notificationEndpoints } from '../features/notifications/routes.ts';
import { overviewConsoleEndpoints } from '../features/overview/console-routes.ts';
import { createPrivacyFeature } from '../features/privacy/feature.ts';
import { pushConsoleEndpoints } from '../features/push/console-routes.ts';
import { countFailures, countProximityStates } from '../features/push/delivery-counts.ts';
import { deliveryEndpoints } from '../features/push/delivery-routes.ts';
import { readReach } from '../features/push/reach.ts';
import { pushEndpoints } from '../features/push/routes.ts';
import { senderConsoleEndpoints } from '../features/senders/console-routes.ts';
import { createSightingFeature, type SightingFeature } from '../features/sightings/feature.ts';
import { mayBeNamed, noteClientLog } from '../features/sightings/intake/service.ts';
import { endPresence } from '../features/sightings/record/end-presence.ts';
import { findInstallationId } from '../features/sightings/site/site-store.ts';
import * as traceCounts from '../features/sightings/traces/counts.ts';
import { storylineEndpoints } from '../features/storylines/routes.ts';
import { findStorylineOf } from '../features/storylines/store.ts';
import { systemConsoleEndpoints } from '../features/system/console-routes.ts';
import { createUserFeature } from '../features/users/feature.ts';
import { findUser, userExists } from '../features/users/store.ts';
import { webhookConsoleEndpoints } from '../features/webhooks/console-routes.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { countJobs } from '../jobs/store.ts';
import { ClientQuotas } from '../limits/client-quotas.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import type { MailSender } from '../mail/mail-sender.ts';
import { createSmtpSender } from '../mail/smtp.ts';
import type { Integrations } from './integrations.ts';
import type { Platform } from './platform.ts';
import { privacyDeps } from './privacy.ts';
import { privacyFacts } from './privacy-facts.ts';
import { keptTables, ruledFields, traceTables } from './tables.ts';

export interface Composition {
  /** In the order of the OpenAPI document. */
  readonly features: readonly Feature[];
  /** The two features that others depend on. */
  readonly admins: AdminFeature;
  readonly sightings: SightingFeature;
}

/** Every feature of the service. What one needs of another is passed in here, as a function. */
export function composeFeatures(platform: Platform, integrations: Integrations): Composition {
  const parts: Parts = {
    platform,
    integrations,
    assertApp: (appId) => platform.apps.get(appId),
    noteChange: (db) => platform.siteRevision.note(db),
    ownOf: (appId, userId) => findHeld(platform.db, appId, userId),
    signInLimiter: new RateLimiter(undefined, platform.lasting),
    quotas: new ClientQuotas(new RateLimiter(undefined, platform.lasting)),
    backupService: new BackupService({
      ...platform,
      folder: join(platform.config.dataFolder, 'backups'),
      keptDays: platform.config.backupDays,
      assertRoom: () => platform.assertRoom('create'),
    }),
  };
  const admins = administrators(platform);
  const sightings = sightingFeature(parts);
  const features: readonly Feature[] = [
    admins,
    users(parts),
    privacy(parts),
    identities(parts),
    installations(platform),
    pushes(parts),
    ...sites(parts),
    createBucketFeature({ ...platform, service: platform.buckets, assertApp: parts.assertApp, userExists }),
    devices(parts),
    files(parts),
    sightings,
    ...activity(parts),
    apps(parts, () => features.flatMap(({ endpoints = [] }) => endpoints)),
    { consoleEndpoints: senderConsoleEndpoints({ service: integrations.senders, assertApp: parts.assertApp }) },
    webhooks(parts),
    overview(parts),
    system(platform),
    backups(parts),
  ];
  return { features, admins, sightings };
}

/** What the features below are made of. */
interface Parts {
  readonly platform: Platform;
  readonly integrations: Integrations;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: AppService['get'];
  /** Notes a change of beacons or messages, in its transaction. */
  readonly noteChange: (db: Db) => Promise<void>;
  readonly ownOf: FindHeld;
  /** Limits attempts to sign in. */
  readonly signInLimiter: RateLimiter;
  readonly quotas: ClientQuotas;
  readonly backupService: BackupService;
}

function administrators(platform: Platform): AdminFeature {
  return createAdminFeature({
    ...platform,
    service: platform.admins,
    enqueue: platform.outbox.enqueue,
    mail: mailSender(platform),
    limiter: new RateLimiter(10_000, platform.lasting),
    keys: platform.issuerKeys,
    configuredUrl: platform.config.publicUrl,
    warn: (message) => platform.server.log.warn(message),
    isDemo: async () => (await findDemoMark(platform.db)) !== undefined,
  });
}

function mailSender({ config: { smtpUrl, mailFrom } }: Pick<Platform, 'config'>): MailSender | undefined {
  return smtpUrl ? createSmtpSender({ url: smtpUrl, from: mailFrom }) : undefined;
}

function sightingFeature({ platform, integrations, ownOf, assertApp }: Parts): SightingFeature {
  const { db } = platform;
  return createSightingFeature({
    ...platform,
    ...integrations,
    findPolicy: async (appId) => (await findAppAccess(db, appId))?.policy,
    findHeld: ownOf,
    assertApp,
    logs: logStore,
    traceTables,
    keptTables,
    listApps: async () => (await listApps(db)).map((app) => ({ appId: app.app_id, policy: policyOf(app) })),
  });
}

function pushes({ platform: { db, outbox }, integrations, ownOf, quotas, assertApp }: Parts): Feature {
  return {
    endpoints: [
      ...pushEndpoints({ db, enqueue: outbox.enqueue, quotas, audienceFields: installationResource.records.lookup }),
      ...deliveryEndpoints({ db, findInstallationId, findProvable, findHeld: ownOf }),
    ],
    consoleEndpoints: pushConsoleEndpoints({
      ...integrations.reach,
      assertApp,
      hidden: installationResource.tag.hides,
    }),
    jobs: integrations.pushJobs,
  };
}

/** Beacons, and what is told at them. */
function sites({ platform: { db }, noteChange }: Parts): readonly Feature[] {
  return [
    { endpoints: [...beaconEndpoints({ db, noteChange }), ...calibrationEndpoints(db, noteChange)] },
    { endpoints: notificationEndpoints({ db, findUnreadableBeacons, noteChange }) },
    { endpoints: storylineEndpoints({ db, findUnreadableBeacons, noteChange }) },
  ];
}

function devices({ platform: { db }, integrations, assertApp }: Parts): Feature {
  return {
    endpoints: deviceEndpoints(db),
    consoleEndpoints: deviceConsoleEndpoints({ credentials: integrations.deviceCredentials, assertApp }),
  };
}

function files({ platform, quotas, assertApp }: Parts): Feature {
  return createFileFeature({
    ...platform,
    quotas,
    maxFileBytes: platform.config.maxFileBytes,
    claimRoom: (bytes) => platform.room.claim(bytes),
    log: (level, message) => platform.server.log[level](message),
    assertApp,
  });
}

/** What the sightings have led to. */
function activity({ platform: { db }, integrations, ownOf }: Parts): readonly Feature[] {
  return [
    {
      endpoints: liveEndpoints(integrations.feed, ownOf, ruledFields.of),
      sweeps: { 'forgetting old live events': () => integrations.feed.sweep() },
      close: () => integrations.feed.stop(),
    },
    {
      endpoints: logEndpoints({
        db,
        findMissingBeacons,
        findProvable,
        findHeld: ownOf,
        mayBeNamed,
        noteVisit: (db, log) => noteClientLog(db, log, { announce: integrations.announce, logs: logStore }),
      }),
    },
  ];
}

function apps({ platform, ownOf, assertApp }: Parts, endpoints: () => readonly Endpoint[]): Feature {
  const { db, apps, secretKeys, buckets, usage, dryRuns: counter } = platform;
  const dryRuns = new DryRunService({ ...platform, counter, ruledFields });
  return {
    consoleEndpoints: [
      ...appConsoleEndpoints(apps),
      ...secretKeyConsoleEndpoints({ service: secretKeys, assertApp }),
      ...rulesConsoleEndpoints({
        apps,
        listBuckets: (appId) => buckets.listBuckets(appId),
        findUser: async (appId, userId) => {
          const user = await findUser(db, { appId, userId });
          return user && { userId, role: user.role };
        },
        endpoints,
        findHeld: ownOf,
        findParents: async (name, appId, objectId) => {
          const storylineId = name === 'scenarios' ? await findStorylineOf(db, appId, objectId) : undefined;
          return storylineId === undefined ? undefined : { objectId: storylineId };
        },
      }),
      ...dryRunConsoleEndpoints({ apps, dryRuns }),
      ...usageConsoleEndpoints({ usage, getApp: assertApp }),
    ],
    sweeps: { 'counting what is stored': () => usage.sweep() },
    close: () => counter.write(),
  };
}

function webhooks({ platform: { db }, integrations, assertApp }: Parts): Feature {
  return {
    consoleEndpoints: webhookConsoleEndpoints({ service: integrations.webhooks, assertApp }),
    jobs: integrations.webhookJobs,
    sweeps: {
      'purging old webhook deliveries': async () =>
        integrations.webhooks.sweep((await listApps(db)).map((app) => app.app_id)),
    },
  };
}

function overview({ platform: { db }, integrations, assertApp }: Parts): Feature {
  return {
    consoleEndpoints: overviewConsoleEndpoints({
      db,
      assertApp,
      counts,
      countWebhookTrouble: (appId) => integrations.webhooks.countTrouble(appId),
      readReach: (appId) => readReach(integrations.reach, appId, undefined),
    }),
  };
}

/** What the first page of an app counts, by those who own it. */
const counts = {
  openVisits: traceCounts.countOpenVisits,
  occupied: traceCounts.listOccupied,
  lastVisit: traceCounts.findLastVisit,
  beaconNames: findBeaconNames,
  events: traceCounts.countEvents,
  verdicts: traceCounts.countVerdicts,
  proximityStates: countProximityStates,
  failures: countFailures,
  tokens: countTokens,
};

function users({ platform, signInLimiter, assertApp }: Parts): Feature {
  const { db } = platform;
  return createUserFeature({
    ...platform,
    service: platform.users,
    enqueue: platform.outbox.enqueue,
    mail: mailSender(platform),
    limiter: signInLimiter,
    forgetIdentities,
    listIdentities: (key) => platform.identities.list(key),
    findApp: async (appId) => {
      const app = await findAppAccess(db, appId);
      return app?.disabled ? undefined : app;
    },
    assertApp,
  });
}

function identities({ platform, signInLimiter, assertApp }: Parts): Feature {
  return createIdentityFeature({
    service: platform.identities,
    providers: platform.identityProviders,
    keys: platform.issuerKeys,
    limiter: signInLimiter,
    assertApp,
  });
}

function installations({ config, db, now, beginErasure, apps }: Platform): Feature {
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
  return {
    endpoints: installationEndpoints({ db, service, forget: forget('installation') }),
    consoleEndpoints: consentConsoleEndpoints({ db, assertApp: (appId) => apps.get(appId) }),
  };
}

function system({ config, db, now, room }: Platform): Feature {
  const storage = async () => {
    await room.look();
    const { minFreeBytes, reserveBytes } = room.report();
    const problem = db.diskFailure?.message ?? room.problem();
    return { problem, warning: room.warning(), minFreeBytes, reserveBytes };
  };
  return {
    consoleEndpoints: systemConsoleEndpoints({
      db,
      now,
      version,
      dataFolder: config.dataFolder,
      storage,
      countJobs: () => countJobs(db, now()),
    }),
  };
}

function backups({ backupService: service }: Parts): Feature {
  return {
    consoleEndpoints: backupConsoleEndpoints(service),
    sweeps: { 'deleting old backups': () => service.sweep() },
    stop: () => service.stop(),
  };
}

function privacy({ platform, backupService, assertApp }: Parts): Feature {
  const { config, publicUrl } = platform;
  const listBackups = () => backupService.kept();
  return createPrivacyFeature({
    ...privacyDeps({ ...platform, dataFolder: config.dataFolder, publicUrl, listBackups }),
    assertApp,
    factsOf: (appId) => privacyFacts(platform.db, platform, appId),
  });
}
