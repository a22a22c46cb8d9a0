import { backupsFolder } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import { createBucketFeature } from '../features/data/buckets/feature.ts';
import { createFileFeature, type FileFeature } from '../features/data/files/feature.ts';
import { findFileType, readFileHead } from '../features/data/files/read-head.ts';
import type { Feature } from '../features/feature.ts';
import { forecastEndpoints } from '../features/insights/analytics/forecast/routes.ts';
import { messageEndpoints } from '../features/insights/analytics/messages/routes.ts';
import { noteReceiptOfShowing, noteShowings } from '../features/insights/analytics/messages/showings.ts';
import { findBlur } from '../features/insights/analytics/numbers/store.ts';
import { goneVisits } from '../features/insights/analytics/numbers/tables.ts';
import type { Rollups } from '../features/insights/analytics/rollups.ts';
import { analyticsEndpoints } from '../features/insights/analytics/routes.ts';
import { wayEndpoints } from '../features/insights/analytics/ways/routes.ts';
import type { OccupancyFeature } from '../features/insights/occupancy/feature.ts';
import type { ReportFeature } from '../features/insights/reports/feature.ts';
import { notificationParts } from '../features/messages/notifications/routes.ts';
import { pushConsoleEndpoints } from '../features/messages/push/console-routes.ts';
import { deliveryEndpoints } from '../features/messages/push/delivery-routes.ts';
import { pushEndpoints } from '../features/messages/push/routes.ts';
import { senderConsoleEndpoints } from '../features/messages/senders/console-routes.ts';
import { storylineParts } from '../features/messages/storylines/routes.ts';
import type { AdminFeature } from '../features/operate/admins/feature.ts';
import type { AlertFeature } from '../features/operate/alerts/feature.ts';
import { knownSecretKeys } from '../features/operate/apps/secret-key-store.ts';
import { asking, findAppAccess, listApps, policyOf } from '../features/operate/apps/store.ts';
import type { BackupFeature } from '../features/operate/backups/feature.ts';
import { BackupService } from '../features/operate/backups/service.ts';
import { webhookKinds } from '../features/operate/webhooks/many.ts';
import { countInstallations, installationsAfter } from '../features/people/installations/opt-outs.ts';
import { listPhones } from '../features/people/installations/pairing/store.ts';
import { installations as installationResource } from '../features/people/installations/resource.ts';
import { countAudience, findHeld, findProvable } from '../features/people/installations/store.ts';
import { userKind } from '../features/people/users/console-routes.ts';
import { addressHashes, findUser, userExists } from '../features/people/users/store.ts';
import { calibrationEndpoints } from '../features/places/beacons/calibration-routes.ts';
import { listPlaced, setZone } from '../features/places/beacons/place.ts';
import { placementEndpoints } from '../features/places/beacons/placement-routes.ts';
import { beacons } from '../features/places/beacons/resource.ts';
import { beaconParts } from '../features/places/beacons/routes.ts';
import { findMissingBeacons, findUnreadableBeacons } from '../features/places/beacons/store.ts';
import { deviceConsoleEndpoints } from '../features/places/devices/console-routes.ts';
import { deviceParts } from '../features/places/devices/routes.ts';
import { headBytes } from '../features/places/venues/plan.ts';
import { assertPlaceReadable } from '../features/places/venues/readable.ts';
import { venueParts } from '../features/places/venues/routes.ts';
import { findDrawnFloor, findZoneAt, holdVenue, holdZone, isOnFloor } from '../features/places/venues/store.ts';
import { liveEndpoints } from '../features/presence/live/routes.ts';
import { logEndpoints } from '../features/presence/logs/routes.ts';
import { createSightingFeature, type SightingFeature } from '../features/sightings/feature.ts';
import { mayBeNamed, noteClientLog } from '../features/sightings/service.ts';
import { findInstallationId } from '../features/sightings/site/site.ts';
import { findLastVisit } from '../features/sightings/traces/reported.ts';
import { hasMoreVisitChanges } from '../features/sightings/traces/visits.ts';
import { ClientQuotas } from '../limits/client-quotas.ts';
import { IdempotencyKeys } from '../limits/idempotency.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import type { Restorable } from '../resources/restore.ts';
import { handOverEndpoints } from './hand-over.ts';
import { consoleApp, historyFeature } from './history.ts';
import type { Integrations } from './integrations.ts';
import { assertGoal, messageNames, readableTriggers } from './messages.ts';
import { alertFeature, apps, backupFeature, occupancyFeature, overview, system, webhooks } from './operation.ts';
import type { Parts } from './parts.ts';
import { administrators, identities, installations, mailLinks, privacy, secondFactors, users } from './people.ts';
import { seeding } from './phones/pseudonyms.ts';
import type { Platform } from './platform.ts';
import { reportFeature } from './reports.ts';
import { createRollups, findDays } from './rollups.ts';
import { handedOver, keptTables, ruledFields, tableOfRules, traceTables } from './tables.ts';

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
    historyFeature(platform, {
      putBack: { ...places.putBack, devices: gateways.putBack },
      buckets,
      files: uploads,
      endpoints: allEndpoints,
      managed: {
        changeAppUser: userKind({ db: platform.db, service: platform.users }),
        ...webhookKinds(integrations.webhooks),
      },
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
        'forgetting former credentials of senders': () => integrations.senders.sweep(asking(platform.db)),
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
    enqueue: platform.outbox.enqueue,
    installations: { next: installationsAfter, count: countInstallations },
    readableTriggers: (caller, triggers) => readableTriggers(db, caller, triggers),
    findBlur: (appId) => findBlur(db, appId),
    stage: { findFloor: findDrawnFloor, listBeacons: listPlaced, isOnFloor },
    noteShowings,
    ownPhones: async (owner) => (await listPhones(db, owner)).map(({ object_id }) => object_id),
    seedsFor: seeding(platform.pseudonymsOf),
    countVisits: (appId) => rollups.note(appId),
    beforePurge: (appId, since) => rollups.closeBefore(appId, since),
    letGo: (appId, before) => rollups.letGo(appId, before),
    listApps: async () => (await listApps(db)).map((app) => ({ appId: app.app_id, policy: policyOf(app) })),
    appsWith: asking(db),
    countedTables: [beacons.table, goneVisits],
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
        hidden: installationResource.tag.hides,
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

/** Beacons, and what is told at them. */
function sites({ platform: { db, blobs, now, past }, noteChange }: Parts, photos: FileFeature['intake']) {
  const venues = { holdVenue, holdZone, findZoneAt, assertReadable: assertPlaceReadable };
  const beacons = beaconParts({ db, noteChange, past, ...venues });
  const notifications = notificationParts({ db, findUnreadableBeacons, noteChange, past, assertGoal });
  const storylines = storylineParts({ db, findUnreadableBeacons, noteChange, past, assertGoal });
  const plans = venueParts({
    db,
    past,
    noteChange,
    listBeacons: listPlaced,
    setZone: (db, appId, objectId, zoneId) => setZone(db, { appId, objectId, zoneId, now: now() }),
    knownKeys: knownSecretKeys,
    readPlan: (caller, objectId) => readFileHead({ db, blobs }, caller, { objectId, bytes: headBytes }),
  });
  const features: readonly Feature[] = [
    {
      endpoints: [
        ...beacons.endpoints,
        ...calibrationEndpoints(db, noteChange),
        ...placementEndpoints({ db, photos, findFileType: (caller, objectId) => findFileType(db, caller, objectId) }),
      ],
    },
    { endpoints: plans.endpoints },
    { endpoints: notifications.endpoints },
    { endpoints: storylines.endpoints },
  ];
  const putBack = {
    beacons: beacons.putBack,
    zones: plans.putBack,
    notifications: notifications.putBack,
    storylines: storylines.storylines,
    scenarios: storylines.scenarios,
  };
  return { features, putBack };
}

function devices({
  platform: { db, now, past },
  integrations,
  assertApp,
}: Parts): Feature & Pick<Restorable, 'putBack'> {
  const { deviceRouter } = integrations;
  const { endpoints, putBack } = deviceParts({ db, now, past });
  return {
    putBack,
    endpoints,
    consoleEndpoints: deviceConsoleEndpoints({ credentials: integrations.deviceCredentials, assertApp }),
    sweeps: {
      'forgetting former credentials of devices': () => integrations.deviceCredentials.sweep(asking(db)),
      ...(deviceRouter ? { 'forgetting where devices listened': () => deviceRouter.sweep() } : {}),
    },
  };
}

function files({ platform, quotas, assertApp }: Parts): FileFeature {
  return createFileFeature({
    ...platform,
    quotas,
    keys: new IdempotencyKeys(platform.db),
    maxFileBytes: platform.config.maxFileBytes,
    redirects: platform.config.filesRedirect,
    claimRoom: (bytes) => platform.room.claim(platform.blobs.needsOnDisk(bytes)),
    userExists,
    log: (level, message) => platform.server.log[level](message),
    assertApp,
  });
}

/** What the sightings have led to. */
function activity(
  { platform: { db, engineLogs, pseudonymsOf }, integrations, ownOf, rollups }: Parts,
  { trackCache }: SightingFeature,
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
            trackCache,
            seedsFor: seeding(pseudonymsOf),
            countVisits: (appId) => rollups.note(appId),
          }),
      }),
    },
  ];
}
