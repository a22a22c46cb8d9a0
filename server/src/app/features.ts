import { join } from 'node:path';
import type { FindHeld } from '../access/caller.ts';
import { readPolicy } from '../access/policy.ts';
import { version } from '../config/version.ts';
import type { Db } from '../db/db.ts';
import { tokenFault } from '../delivery/token-fault.ts';
import { type AdminFeature, createAdminFeature } from '../features/admins/feature.ts';
import { appConsoleEndpoints } from '../features/apps/console-routes.ts';
import { findDemoMark } from '../features/apps/demo-mark.ts';
import { findAppAccess, listApps } from '../features/apps/store.ts';
import { usageConsoleEndpoints } from '../features/apps/usage-routes.ts';
import { backupConsoleEndpoints } from '../features/backups/console-routes.ts';
import { createBackupService } from '../features/backups/service.ts';
import { calibrationEndpoints } from '../features/beacons/calibration-routes.ts';
import { beaconEndpoints } from '../features/beacons/routes.ts';
import { findBeaconNames, findMissingBeacons } from '../features/beacons/store.ts';
import { createBucketFeature } from '../features/buckets/feature.ts';
import { deviceConsoleEndpoints } from '../features/devices/console-routes.ts';
import { deviceEndpoints } from '../features/devices/routes.ts';
import type { Feature } from '../features/feature.ts';
import { createFileFeature } from '../features/files/feature.ts';
import { installations as installationResource } from '../features/installations/resource.ts';
import { installationEndpoints } from '../features/installations/routes.ts';
import { createInstallationService } from '../features/installations/service.ts';
import { countTokens, findHeld, findHolder } from '../features/installations/store.ts';
import { liveEndpoints } from '../features/live/routes.ts';
import { logEndpoints } from '../features/logs/routes.ts';
import { logStore } from '../features/logs/store.ts';
import { notificationEndpoints } from '../features/notifications/routes.ts';
import { overviewConsoleEndpoints } from '../features/overview/console-routes.ts';
import { countFailures, countProximityStates } from '../features/push/delivery-counts.ts';
import { deliveryEndpoints } from '../features/push/delivery-routes.ts';
import { pushEndpoints } from '../features/push/routes.ts';
import { senderConsoleEndpoints } from '../features/senders/console-routes.ts';
import { createSightingFeature, type SightingFeature } from '../features/sightings/feature.ts';
import { noteClientLog } from '../features/sightings/intake/service.ts';
import { forgetInstallation } from '../features/sightings/record/erasure.ts';
import { findInstallationId } from '../features/sightings/site/site-store.ts';
import * as traceCounts from '../features/sightings/traces/counts.ts';
import { storylineEndpoints } from '../features/storylines/routes.ts';
import { systemConsoleEndpoints } from '../features/system/console-routes.ts';
import { createUserFeature } from '../features/users/feature.ts';
import { userExists } from '../features/users/store.ts';
import { webhookConsoleEndpoints } from '../features/webhooks/console-routes.ts';
import { countJobs } from '../jobs/store.ts';
import { ClientQuotas } from '../limits/client-quotas.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import { createSmtpSender } from '../mail/smtp.ts';
import type { Outgoing } from './outgoing.ts';
import type { Platform } from './platform.ts';
import { keptTables, traceTables } from './tables.ts';

export interface Composition {
  /** In the order of the OpenAPI document. */
  readonly features: readonly Feature[];
  /** The two that others ask. */
  readonly admins: AdminFeature;
  readonly sightings: SightingFeature;
}

/** Every feature of the service. What one needs of another is handed in here, as a function. */
export function composeFeatures(platform: Platform, outgoing: Outgoing): Composition {
  const { config, db, usage, apps, outbox, siteRevision } = platform;
  const assertApp = (appId: string) => apps.get(appId);
  const noteChange = (db: Db) => siteRevision.note(db);
  const ownOf: FindHeld = (appId, userId) => findHeld(db, appId, userId);
  const quotas = new ClientQuotas(new RateLimiter(undefined, platform.lasting));
  const admins = createAdminFeature({
    ...platform,
    service: platform.admins,
    limiter: new RateLimiter(10_000, platform.lasting),
    isDemo: async () => (await findDemoMark(db)) !== undefined,
  });
  const sightings = createSightingFeature({
    ...platform,
    ...outgoing,
    findPolicy: async (appId) => (await findAppAccess(db, appId))?.policy,
    findHeld: ownOf,
    logs: logStore,
    traceTables,
    keptTables,
    listApps: async () => (await listApps(db)).map((app) => ({ appId: app.app_id, policy: readPolicy(app.policy) })),
  });
  const files = createFileFeature({
    ...platform,
    quotas,
    maxFileBytes: config.maxFileBytes,
    claimRoom: (bytes) => platform.room.claim(bytes),
    log: (level, message) => platform.server.log[level](message),
    assertApp,
  });
  const logs = logEndpoints({
    db,
    findMissingBeacons,
    findHolder,
    findHeld: ownOf,
    noteVisit: (db, log) => noteClientLog(db, log, { announce: outgoing.announce, logs: logStore }),
  });
  const features: readonly Feature[] = [
    admins,
    users(platform),
    installations(platform),
    {
      endpoints: [
        ...pushEndpoints({ db, enqueue: outbox.enqueue, quotas, audienceFields: installationResource.records.lookup }),
        ...deliveryEndpoints({ db, findInstallationId, findHeld: ownOf }),
      ],
      jobs: outgoing.pushJobs,
    },
    { endpoints: [...beaconEndpoints({ db, noteChange }), ...calibrationEndpoints(db, noteChange)] },
    { endpoints: notificationEndpoints({ db, findMissingBeacons, noteChange }) },
    { endpoints: storylineEndpoints({ db, findMissingBeacons, noteChange }) },
    createBucketFeature({ ...platform, service: platform.buckets, assertApp }),
    {
      endpoints: deviceEndpoints(db),
      consoleEndpoints: deviceConsoleEndpoints({ credentials: outgoing.deviceCredentials, assertApp }),
    },
    files,
    sightings,
    {
      endpoints: liveEndpoints(outgoing.feed, ownOf),
      sweeps: { 'forgetting old live events': () => outgoing.feed.sweep() },
      close: () => outgoing.feed.stop(),
    },
    { endpoints: logs },
    {
      consoleEndpoints: [...appConsoleEndpoints(apps), ...usageConsoleEndpoints({ usage, getApp: assertApp })],
      sweeps: { 'counting what is stored': () => usage.sweep() },
    },
    { consoleEndpoints: senderConsoleEndpoints({ service: outgoing.senders, assertApp }) },
    {
      consoleEndpoints: webhookConsoleEndpoints({ service: outgoing.webhooks, assertApp }),
      jobs: outgoing.webhookJobs,
      sweeps: {
        'purging old webhook deliveries': async () =>
          outgoing.webhooks.sweep((await listApps(db)).map((app) => app.app_id)),
      },
    },
    {
      consoleEndpoints: overviewConsoleEndpoints({
        db,
        assertApp,
        counts,
        countWebhookTrouble: outgoing.webhooks.countTrouble,
      }),
    },
    system(platform),
    backups(platform),
  ];
  return { features, admins, sightings };
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

function users({ users: service, ...platform }: Platform): Feature {
  const { config, db, apps } = platform;
  return createUserFeature({
    ...platform,
    service,
    enqueue: platform.outbox.enqueue,
    mail: config.smtpUrl ? createSmtpSender({ url: config.smtpUrl, from: config.mailFrom }) : undefined,
    limiter: new RateLimiter(undefined, platform.lasting),
    findApp: async (appId) => {
      const app = await findAppAccess(db, appId);
      return app?.disabled ? undefined : app;
    },
    assertApp: (appId) => apps.get(appId),
  });
}

function installations({ config, db, now, outbox }: Platform): Feature {
  const service = createInstallationService({
    db,
    now,
    userExists,
    tokenFault: (registered) => tokenFault(registered, config.pushUrl),
  });
  const forget = (db: Db, appId: string, id: string) =>
    forgetInstallation(db, appId, id, { enqueue: outbox.enqueue, now: now() });
  return { endpoints: installationEndpoints({ db, service, forget }) };
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

function backups(platform: Platform): Feature {
  const service = createBackupService({
    ...platform,
    folder: join(platform.config.dataFolder, 'backups'),
    assertRoom: () => platform.assertRoom('create'),
  });
  return { consoleEndpoints: backupConsoleEndpoints(service), stop: () => service.stop() };
}
