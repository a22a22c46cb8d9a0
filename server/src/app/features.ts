import { backupsFolder } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import type { AdminFeature } from '../features/admins/feature.ts';
import type { AlertFeature } from '../features/alerts/feature.ts';
import { forecastEndpoints } from '../features/analytics/forecast/routes.ts';
import { messageEndpoints } from '../features/analytics/messages/routes.ts';
import { noteReceiptOfShowing, noteShowings } from '../features/analytics/messages/showings.ts';
import type { Rollups } from '../features/analytics/rollups.ts';
import { analyticsEndpoints } from '../features/analytics/routes.ts';
import { wayEndpoints } from '../features/analytics/ways/routes.ts';
import { appConsoleEndpoints } from '../features/apps/console-routes.ts';
import { dryRunConsoleEndpoints } from '../features/apps/rules/dry-run-routes.ts';
import { DryRunService } from '../features/apps/rules/dry-runs.ts';
import { rulesConsoleEndpoints } from '../features/apps/rules/rules-routes.ts';
import { secretKeyConsoleEndpoints } from '../features/apps/secret-key-routes.ts';
import { findAppAccess, listApps, policyOf } from '../features/apps/store.ts';
import { usageConsoleEndpoints } from '../features/apps/usage-routes.ts';
import type { BackupFeature } from '../features/backups/feature.ts';
import { BackupService } from '../features/backups/service.ts';
import { listPlaced } from '../features/beacons/place.ts';
import { findMissingBeacons } from '../features/beacons/store.ts';
import { createBucketFeature } from '../features/buckets/feature.ts';
import { bulkConsoleEndpoints } from '../features/bulk/console-routes.ts';
import type { Feature } from '../features/feature.ts';
import { countInstallations, installationsAfter } from '../features/installations/opt-outs.ts';
import { listPhones } from '../features/installations/pairing/store.ts';
import { installations as installationResource } from '../features/installations/resource.ts';
import { countAudience, findHeld, findProvable } from '../features/installations/store.ts';
import { liveEndpoints } from '../features/live/routes.ts';
import { logEndpoints } from '../features/logs/routes.ts';
import type { OccupancyFeature } from '../features/occupancy/feature.ts';
import { pushConsoleEndpoints } from '../features/push/console-routes.ts';
import { deliveryEndpoints } from '../features/push/delivery-routes.ts';
import { pushEndpoints } from '../features/push/routes.ts';
import type { ReportFeature } from '../features/reports/feature.ts';
import { senderConsoleEndpoints } from '../features/senders/console-routes.ts';
import { createSightingFeature, type SightingFeature } from '../features/sightings/feature.ts';
import { mayBeNamed, noteClientLog } from '../features/sightings/intake/service.ts';
import { findInstallationId } from '../features/sightings/site/site-store.ts';
import { findLastVisit } from '../features/sightings/traces/counts.ts';
import { hasMoreVisitChanges } from '../features/sightings/traces/visit-changes.ts';
import { findStorylineOf } from '../features/storylines/store.ts';
import { userKind } from '../features/users/console-routes.ts';
import { addressHashes, findUser, userExists, venuesOf } from '../features/users/store.ts';
import { findDrawnFloor, isOnFloor } from '../features/venues/store.ts';
import { webhookConsoleEndpoints } from '../features/webhooks/console-routes.ts';
import { webhookKinds } from '../features/webhooks/many.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { ClientQuotas } from '../limits/client-quotas.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import { handOverEndpoints } from './hand-over.ts';
import { consoleApp, historyFeature } from './history.ts';
import type { Integrations } from './integrations.ts';
import { messageNames } from './messages.ts';
import { alertFeature, backupFeature, occupancyFeature, overview, system } from './operation.ts';
import type { Parts } from './parts.ts';
import { administrators, identities, installations, mailLinks, privacy, secondFactors, users } from './people.ts';
import { forgetPseudonyms, seeding } from './phones/pseudonyms.ts';
import { devices, files, sites } from './places.ts';
import type { Platform } from './platform.ts';
import { reportFeature } from './reports.ts';
import { createRollups, findDays } from './rollups.ts';
import { handedOver, keptTables, packedTables, ruledFields, tableOfRules, traceTables } from './tables.ts';

export interface Composition {
  /** In the order of the OpenAPI document. */
  readonly features: readonly Feature[];
  /** The features that others depend on. */
  readonly admins: AdminFeature;
  readonly sightings: SightingFeature;
  /** What is counted of visits. */
  readonly rollups: Rollups;
  readonly alerts: AlertFeature;
  readonly occupancy: OccupancyFeature;
  readonly backups: BackupFeature;
  readonly reports: ReportFeature;
}

/** Every feature of the service. What one needs of another is passed in here, as a function. */
export function composeFeatures(platform: Platform, integrations: Integrations): Composition {
  const rollups = createRollups(platform);
  const parts: Parts = {
    rollups,
    platform,
    integrations,
    assertApp: (appId) => platform.apps.get(appId),
    noteChange: (db, key) => platform.siteRevision.note(db, String(key['app_id'])),
    ownOf: (appId, userId) => findHeld(platform.db, appId, userId),
    signInLimiter: new RateLimiter(undefined, platform.lasting),
    quotas: new ClientQuotas(new RateLimiter(undefined, platform.lasting)),
    backupService: new BackupService({
      ...platform,
      folder: backupsFolder(platform.config),
      keptDays: platform.config.backupDays,
      settle: () => sightings.flush({ isLast: true }),
      assertRoom: () => platform.assertRoom('create'),
    }),
    settleTracks: (of) => sightings.flushOf(of),
    crowded: (appId) => occupancy.conditions(appId),
    unsentReports: (appId) => reports.conditions(appId),
  };
  const admins = administrators(platform);
  const sightings = sightingFeature(parts);
  const uploads = files(parts);
  const places = sites(parts, uploads.intake);
  const gateways = devices(parts);
  const buckets = createBucketFeature({
    ...platform,
    service: platform.buckets,
    assertApp: parts.assertApp,
    userExists,
  });
  const allEndpoints = () => features.flatMap(({ endpoints = [] }) => endpoints);
  const backups = backupFeature(platform, parts.backupService);
  const alerts = alertFeature(parts, backups.conditions);
  const occupancy = occupancyFeature(parts, alerts.follow);
  const reports = reportFeature(parts, allEndpoints);
  const features: readonly Feature[] = [
    admins,
    users(parts),
    privacy(parts),
    identities(parts),
    mailLinks(parts),
    secondFactors(parts),
    installations(platform, allEndpoints),
    pushes(parts),
    ...places.features,
    buckets,
    {
      consoleEndpoints: bulkConsoleEndpoints({
        ...platform,
        findApp: consoleApp(platform),
        endpoints: allEndpoints,
        managed: {
          changeAppUser: userKind({ db: platform.db, service: platform.users }),
          ...webhookKinds(integrations.webhooks),
        },
      }),
    },
    historyFeature(platform, {
      putBack: { ...places.putBack, devices: gateways.putBack },
      buckets,
      files: uploads,
      endpoints: allEndpoints,
    }),
    gateways,
    { endpoints: handOverEndpoints(handedOver, { ...platform, userExists }) },
    uploads,
    sightings,
    analytics(parts),
    occupancy,
    reports,
    ...activity(parts, sightings),
    apps(parts, allEndpoints),
    {
      consoleEndpoints: senderConsoleEndpoints({ service: integrations.senders, assertApp: parts.assertApp }),
      sweeps: {
        'forgetting former credentials of senders': async () =>
          integrations.senders.sweep((await listApps(parts.platform.db)).map((app) => app.app_id)),
      },
    },
    webhooks(parts),
    overview(parts),
    system(platform),
    backups,
    alerts,
  ];
  return { features, admins, sightings, alerts, occupancy, backups, rollups, reports };
}

/** More visits than these are counted in more than some seconds. */
const mostWaiting = 1_000;
const isBehind = async (db: Db, appId: string, isCounted: boolean) =>
  isCounted ? hasMoreVisitChanges(db, appId, mostWaiting) : (await findLastVisit(db, appId)) !== undefined;

function analytics({ platform: { db, inBackground }, rollups }: Parts): Feature {
  return {
    endpoints: [
      ...analyticsEndpoints(db, isBehind),
      ...wayEndpoints(db, isBehind),
      ...forecastEndpoints(db, isBehind, findDays),
      ...messageEndpoints({ db, namesOf: messageNames }),
    ],
    sweeps: { 'counting visits': () => rollups.settleAll() },
    start: () => inBackground('counting visits', () => rollups.settleAll()),
    stop: () => rollups.stop(),
  };
}

function sightingFeature({ platform, integrations, ownOf, assertApp, rollups }: Parts): SightingFeature {
  const { db } = platform;
  return createSightingFeature({
    ...platform,
    ...integrations,
    ...(db.readsAreLocal ? {} : { owns: (appId: string) => platform.shares.owns(appId) }),
    findPolicy: async (appId) => (await findAppAccess(db, appId))?.policy,
    findHeld: ownOf,
    assertApp,
    logs: platform.engineLogs,
    traceTables,
    keptTables,
    packedTables,
    coldAfterDays: platform.config.coldAfterDays,
    enqueue: platform.outbox.enqueue,
    installations: { next: installationsAfter, count: countInstallations },
    stage: { findFloor: findDrawnFloor, listBeacons: listPlaced, isOnFloor },
    noteShowings,
    ownPhones: async (owner) => (await listPhones(db, owner)).map(({ object_id }) => object_id),
    seedsFor: seeding(platform.pseudonymsOf),
    countVisits: (appId) => rollups.note(appId),
    beforePurge: (appId, since) => rollups.closeBefore(appId, since),
    letGo: (appId, before) => rollups.letGo(appId, before),
    listApps: async () => (await listApps(db)).map((app) => ({ appId: app.app_id, policy: policyOf(app) })),
  });
}

function pushes({ platform, integrations, ownOf, quotas, assertApp, rollups }: Parts): Feature {
  const { db, now, outbox } = platform;
  return {
    endpoints: [
      ...pushEndpoints({
        db,
        enqueue: outbox.enqueue,
        quotas,
        audienceFields: installationResource.records.lookup,
        countAudience,
        addressesOf: async (db, appId, userId) => {
          const user = await findUser(db, { appId, userId });
          return user ? addressHashes(user) : [];
        },
      }),
      ...deliveryEndpoints({
        db,
        findInstallationId,
        findProvable,
        findHeld: ownOf,
        noteReceipt: async (db, appId, receipt) => {
          await noteReceiptOfShowing(db, appId, receipt);
          db.afterCommit(() => rollups.note(appId));
        },
      }),
    ],
    consoleEndpoints: pushConsoleEndpoints({
      ...integrations.reach,
      now,
      enqueue: outbox.enqueue,
      assertApp,
      hidden: installationResource.tag.hides,
      findApp: consoleApp(platform),
    }),
    jobs: integrations.pushJobs,
  };
}

/** What the sightings have led to. */
function activity(
  { platform: { db, engineLogs, pseudonymsOf }, integrations, ownOf, rollups }: Parts,
  { held }: SightingFeature,
): readonly Feature[] {
  return [
    {
      endpoints: liveEndpoints(integrations.feed, {
        db,
        findHeld: ownOf,
        fieldsOf: ruledFields.of,
        tableOf: tableOfRules,
        pseudonymsOf,
      }),
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
        noteVisit: (db, log) =>
          noteClientLog(db, log, {
            announce: integrations.announce,
            logs: engineLogs,
            held,
            seedsFor: seeding(pseudonymsOf),
            countVisits: (appId) => rollups.note(appId),
          }),
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
          return user && { userId, role: user.role, venueIds: venuesOf(user) };
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
    ownSweeps: { 'counting what is stored': () => usage.sweep() },
    sweeps: { 'forgetting pseudonyms of days that are gone': () => forgetPseudonyms(db, platform.now()) },
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
