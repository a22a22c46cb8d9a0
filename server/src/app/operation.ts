import { standingIn, storedReach } from '../access/reach.ts';
import { serviceTimeZone } from '../base/clock.ts';
import { backupsFolder } from '../config/config.ts';
import { version } from '../config/version.ts';
import { buckets } from '../features/data/buckets/definition/tables.ts';
import { files } from '../features/data/files/resource.ts';
import { trash } from '../features/data/history/tables.ts';
import type { Feature } from '../features/feature.ts';
import { findBlur } from '../features/insights/analytics/numbers/store.ts';
import { createOccupancyFeature, type OccupancyFeature } from '../features/insights/occupancy/feature.ts';
import { conditionKey } from '../features/insights/occupancy/occupancy.ts';
import { crowdedPlaces } from '../features/insights/occupancy/tables.ts';
import { reportMails } from '../features/insights/reports/tables.ts';
import { countFailures, countProximityStates } from '../features/messages/push/delivery-counts.ts';
import { readReach } from '../features/messages/push/reach.ts';
import { deliveries, pushes } from '../features/messages/push/resource.ts';
import { listWaiting } from '../features/messages/push/store.ts';
import { senders } from '../features/messages/senders/tables.ts';
import { findStorylineOf } from '../features/messages/storylines/store.ts';
import { listAdmins } from '../features/operate/admins/accounts/store.ts';
import { type AlertFeature, createAlertFeature } from '../features/operate/alerts/feature.ts';
import { serviceScope } from '../features/operate/alerts/store.ts';
import { appConsoleEndpoints } from '../features/operate/apps/console-routes.ts';
import { dryRunConsoleEndpoints } from '../features/operate/apps/rules/dry-run-routes.ts';
import { DryRunService } from '../features/operate/apps/rules/dry-runs.ts';
import { rulesConsoleEndpoints } from '../features/operate/apps/rules/rules-routes.ts';
import { secretKeyConsoleEndpoints } from '../features/operate/apps/secret-key-routes.ts';
import { emptyAppJob } from '../features/operate/apps/service.ts';
import { asking, findAppAccess, listApps, policyOf } from '../features/operate/apps/store.ts';
import { secretKeys } from '../features/operate/apps/tables.ts';
import { usageConsoleEndpoints, usedQuotas } from '../features/operate/apps/usage-routes.ts';
import { type BackupFeature, createBackupFeature } from '../features/operate/backups/feature.ts';
import type { BackupService } from '../features/operate/backups/service.ts';
import { type AttentionDeps, readAppAttention } from '../features/operate/overview/attention.ts';
import { overviewConsoleEndpoints } from '../features/operate/overview/console-routes.ts';
import { systemConsoleEndpoints } from '../features/operate/system/console-routes.ts';
import { webhookConsoleEndpoints } from '../features/operate/webhooks/console-routes.ts';
import { listAppsWanting } from '../features/operate/webhooks/store.ts';
import { webhooks as webhookTable } from '../features/operate/webhooks/tables.ts';
import { listPhones } from '../features/people/installations/pairing/store.ts';
import { installations } from '../features/people/installations/resource.ts';
import { countTokens } from '../features/people/installations/store.ts';
import { findUser, venuesOf } from '../features/people/users/store.ts';
import { beaconsOfPlaces } from '../features/places/beacons/place.ts';
import { beacons } from '../features/places/beacons/resource.ts';
import { findBeaconNames } from '../features/places/beacons/store.ts';
import { listAppsWithLimits, listLimitedPlaces } from '../features/places/venues/store.ts';
import * as traceCounts from '../features/sightings/traces/reported.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { countJobs } from '../jobs/store.ts';
import type { Parts } from './parts.ts';
import { mailSender } from './people.ts';
import { forgetPseudonyms } from './phones/pseudonyms.ts';
import { pushNotice } from './phones/push-notice.ts';
import type { Platform } from './platform.ts';
import { findServiceConditions, node } from './service-conditions.ts';
import { ruledFields } from './tables.ts';

export function overview(parts: Parts): Feature {
  const { platform, assertApp } = parts;
  return {
    consoleEndpoints: overviewConsoleEndpoints({ db: platform.db, assertApp, counts, attention: attentionDeps(parts) }),
  };
}

/** What of an app may need a person, by those who know it. */
function attentionDeps({ platform, integrations, assertApp, crowded, unsentReports }: Parts): AttentionDeps {
  const { db, usage, secretKeys } = platform;
  return {
    db,
    counts,
    countWebhookTrouble: (appId) => integrations.webhooks.countTrouble(appId),
    readReach: (appId) => readReach(integrations.reach, appId, undefined),
    listSenders: (appId) => integrations.senders.list(appId),
    listWaiting: (appId) => listWaiting(db, appId),
    listSecretKeys: (appId) => secretKeys.list(appId),
    listCrowded: crowded,
    listReports: unsentReports,
    timeZoneOf: async (appId) => (await assertApp(appId)).policy.timeZone,
    readQuotas: async (appId) => usedQuotas(await usage.of(appId), (await assertApp(appId)).policy),
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

/**
 * The apps in which anything may need a person; the others are not asked. Whatever `findingsOf` finds has its row in one of these tables, unless
 * it is of a quota, which may be nothing at all.
 */
async function appsToLookAt({ db }: Platform): Promise<ReadonlySet<string>> {
  const appsWith = asking(db);
  const found = new Set<string>();
  const resources = [beacons.table, installations.table, files.table, deliveries.table, pushes.table];
  const tables = [senders, webhookTable, crowdedPlaces, reportMails, secretKeys, trash, buckets];
  for (const table of [...resources, ...tables]) for (const appId of await appsWith(table)) found.add(appId);
  return found;
}

/** After half an hour, an alarm that calls somebody to a room is outdated. */
const noticeMs = 30 * 60_000;

export function alertFeature(parts: Parts, findBackupConditions: BackupFeature['conditions']): AlertFeature {
  const { platform, integrations, assertApp } = parts;
  const { db, now } = platform;
  const attention = attentionDeps(parts);
  return createAlertFeature({
    ...platform,
    assertApp,
    enqueue: platform.outbox.enqueue,
    mail: mailSender(platform),
    tellWebhooks: integrations.tellWebhooks,
    listServiceListeners: listAppsWanting,
    listRecipients: async (db, { appId }, venueId) =>
      (await listAdmins(db)).flatMap((row) => {
        const { admin_id: adminId, email, role, language, disabled_at } = row;
        const apps = storedReach(row);
        const standing =
          appId === serviceScope ? apps === null && { role, venues: undefined } : standingIn({ role, apps }, appId);
        if (disabled_at !== null || !standing) return [];
        const isWithin = standing.venues === undefined || (venueId !== undefined && standing.venues.includes(venueId));
        return isWithin ? [{ adminId, email, language, role: standing.role }] : [];
      }),
    async countPhones(db, adminId) {
      let count = 0;
      for (const { app_id: appId } of await listApps(db)) count += (await listPhones(db, { appId, adminId })).length;
      return count;
    },
    async tellPhones(db, appId, { title, people }) {
      const texts = new Map<string, string>();
      for (const { adminId, text } of people)
        for (const { object_id } of await listPhones(db, { appId, adminId }))
          if (!texts.has(object_id)) texts.set(object_id, text);
      for (const [text, found] of Map.groupBy(texts, ([, text]) => text)) {
        const data = { title, alert: text, sound: 'default' };
        const phones = found.map(([phone]) => phone);
        const notice = { appId, phones, data, expiresAt: now() + noticeMs, now: now() };
        await pushNotice(db, { enqueue: platform.outbox.enqueue, announce: integrations.announce }, notice);
      }
    },
    node,
    timeZone: serviceTimeZone(),
    findServiceConditions: async () => [...(await findServiceConditions(platform)), ...(await findBackupConditions())],
    listApps: async () =>
      (await listApps(db)).map((app) => ({
        appId: app.app_id,
        name: app.name,
        timeZone: policyOf(app).timeZone,
        isDisabled: app.disabled_at !== null,
      })),
    async listAppsToLookAt() {
      const found = new Set(await appsToLookAt(platform));
      for (const app of await listApps(db)) if (Object.values(policyOf(app).quotas).includes(0)) found.add(app.app_id);
      return found;
    },
    findAppConditions: async (appId) => (await readAppAttention(attention, appId, now())).findings,
  });
}

/** Limits of people in zones and venues; beacons say which places they are in, and the engine who is at them. */
export function occupancyFeature({ platform, integrations }: Parts, follow: AlertFeature['follow']): OccupancyFeature {
  const { db, now, shares } = platform;
  const feature: OccupancyFeature = createOccupancyFeature({
    ...platform,
    announce: integrations.announce,
    owns: (appId) => shares.owns(appId),
    listAppsWithLimits: () => listAppsWithLimits(db),
    listPlaces: listLimitedPlaces,
    async count(appId, places, oneZone) {
      const idsOf = (kind: 'zone' | 'venue') =>
        places.filter(({ place }) => place === kind).map(({ placeId }) => placeId);
      const limited = new Set(places.map(({ placeId }) => placeId));
      const beacons = await beaconsOfPlaces(db, appId, { zones: idsOf('zone'), venues: idsOf('venue') });
      const of = beacons.flatMap(({ beaconId, zoneId, venueId }) =>
        [zoneId, venueId].flatMap((placeId) =>
          placeId !== null && limited.has(placeId) ? [{ beaconId, placeId }] : [],
        ),
      );
      return traceCounts.countInPlaces(db, appId, { of, byPosition: oneZone, now: now() });
    },
    async findCounting(appId) {
      const app = await findAppAccess(db, appId);
      if (!app || app.disabled) return undefined;
      return { oneZone: app.policy.oneZone, isProtected: app.policy.smallGroups === 'protected' };
    },
    findBlur: (appId) => findBlur(db, appId),
    onTold: async (appId) => follow(appId, await feature.conditions(appId), (key) => key.startsWith(conditionKey)),
  });
  return feature;
}

export function system({ config, db, now, room }: Platform): Feature {
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

export function backupFeature(platform: Platform, backups: BackupService): BackupFeature {
  const { config } = platform;
  return createBackupFeature({
    ...platform,
    backups,
    dataFolder: config.dataFolder,
    folder: backupsFolder(config),
    isEmbedded: config.databaseUrl === undefined,
    isWorker: config.worker,
  });
}

export function apps({ platform, ownOf, assertApp }: Parts, endpoints: () => readonly Endpoint[]): Feature {
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
    jobs: {
      [emptyAppJob]: {
        concurrency: 1,
        maxAttempts: 50,
        baseDelayMs: 5_000,
        maxDelayMs: 300_000,
        run: ({ payload }) => apps.finishRemoval((payload as { readonly appId: string }).appId),
      },
    },
    ownSweeps: { 'counting what is stored': () => usage.sweep() },
    sweeps: { 'forgetting pseudonyms of days that are gone': () => forgetPseudonyms(db, platform.now()) },
    close: () => counter.write(),
  };
}

export function webhooks({ platform: { db }, integrations, assertApp }: Parts): Feature {
  return {
    consoleEndpoints: webhookConsoleEndpoints({ service: integrations.webhooks, assertApp }),
    jobs: integrations.webhookJobs,
    sweeps: {
      'purging old webhook deliveries': () => integrations.webhooks.sweep(asking(db)),
    },
  };
}
