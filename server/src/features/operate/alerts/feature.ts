import { standingIn, storedReach } from '../../../access/reach.ts';
import { serviceTimeZone } from '../../../base/clock.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { createAlertMailHandler } from './mails.ts';
import { alertEndpoints } from './routes.ts';
import { type AlertDeps, AlertService, alertMailJob } from './service.ts';
import { serviceScope } from './store.ts';
import { AlertWatch } from './watch.ts';

declare module '../../context.ts' {
  interface Context {
    /** Watches what may need a person. */
    readonly alerts: AlertWatch;
  }
}

/** After half an hour, an alarm that calls somebody to a room is outdated. */
const noticeMs = 30 * 60_000;

export const makers: Makers<Context, 'alerts'> = {
  alerts(context) {
    const { db, now, canMail, enqueue, inBackground, listApps, policyOf, node, onError } = context;
    const service = new AlertService({
      ...{ db, now, canMail, enqueue },
      tellWebhooks: context.webhookPublisher.tellRare,
      listServiceListeners: context.listAppsWanting,
      listRecipients: recipientsOf(context),
      tellPhones: tellingPhones(context),
    });
    return new AlertWatch({
      ...{ db, now, inBackground, onError, service, node, timeZone: serviceTimeZone() },
      findServiceConditions: async () => [
        ...(await context.findServiceConditions()),
        ...(await context.backupSchedule.conditions()),
      ],
      listApps: async () =>
        (await listApps(db)).map((app) => ({
          appId: app.app_id,
          name: app.name,
          timeZone: policyOf(app).timeZone,
          isDisabled: app.disabled_at !== null,
        })),
      listAppsToLookAt: () => appsToLookAt(context),
      findAppConditions: async (appId) => (await context.readAttention(appId)).findings,
    });
  },
};

/**
 * The apps in which anything may need a person; the others are not asked. What is found in an app has its row in one of these tables, unless
 * it is of a quota, which may be nothing at all.
 */
async function appsToLookAt(context: Context): Promise<ReadonlySet<string>> {
  const { db, appsWith, listApps, policyOf, dataTables, insightTables, messageTables, operateTables } = context;
  const { buckets, files, trash } = dataTables;
  const { crowdedPlaces, reportMails } = insightTables;
  const tables = [context.beaconTable, context.installationTable, files, ...Object.values(messageTables)];
  const others = [...Object.values(operateTables), crowdedPlaces, reportMails, trash, buckets];
  const found = new Set<string>();
  for (const table of [...tables, ...others]) for (const appId of await appsWith(table)) found.add(appId);
  for (const app of await listApps(db)) if (Object.values(policyOf(app).quotas).includes(0)) found.add(app.app_id);
  return found;
}

const recipientsOf =
  ({ listAdmins }: Context): AlertDeps['listRecipients'] =>
  async (db, { appId }, venueId) =>
    (await listAdmins(db)).flatMap((row) => {
      const { admin_id: adminId, email, role, language, disabled_at } = row;
      const apps = storedReach(row);
      const standing =
        appId === serviceScope ? apps === null && { role, venues: undefined } : standingIn({ role, apps }, appId);
      if (disabled_at !== null || !standing) return [];
      const isWithin = standing.venues === undefined || (venueId !== undefined && standing.venues.includes(venueId));
      return isWithin ? [{ adminId, email, language, role: standing.role }] : [];
    });

const tellingPhones =
  ({ now, enqueue, announce, listPhones, pushNotice }: Context): AlertDeps['tellPhones'] =>
  async (db, appId, { title, people }) => {
    const texts = new Map<string, string>();
    for (const { adminId, text } of people)
      for (const { object_id } of await listPhones(db, { appId, adminId }))
        if (!texts.has(object_id)) texts.set(object_id, text);
    for (const [text, found] of Map.groupBy(texts, ([, text]) => text)) {
      const data = { title, alert: text, sound: 'default' };
      const phones = found.map(([phone]) => phone);
      await pushNotice(db, { enqueue, announce }, { appId, phones, data, expiresAt: now() + noticeMs, now: now() });
    }
  };

/** Notifies administrators and webhooks of what needs a person, before they ask. */
export function alertFeature(context: Context): Feature {
  const { db, now, canMail, assertApp, alerts: watch, listApps, listPhones, publicUrl } = context;
  const mail = context.openMail();
  return {
    consoleEndpoints: alertEndpoints({
      ...{ db, canMail, assertApp },
      async countPhones(db, adminId) {
        let count = 0;
        for (const { app_id: appId } of await listApps(db)) count += (await listPhones(db, { appId, adminId })).length;
        return count;
      },
    }),
    jobs: mail
      ? { [alertMailJob]: createAlertMailHandler({ db, now, mail, publicUrl, listRecipients: recipientsOf(context) }) }
      : {},
    sweeps: { 'forgetting old alerts': () => watch.sweep() },
    start: () => watch.start(),
    stop: () => watch.stop(),
    close: () => mail?.close(),
  };
}
