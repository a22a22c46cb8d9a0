import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { createAlertMailHandler } from './mails.ts';
import { alertEndpoints } from './routes.ts';
import { alertMailJob } from './service.ts';
import { AlertWatch, everyMs } from './watch.ts';

declare module '../../context.ts' {
  interface Context {
    readonly alerts: AlertWatch;
  }
}

export const makers: Makers<Context, 'alerts'> = { alerts: (context) => new AlertWatch(context) };

/** Notifies administrators and webhooks of what needs a person, before they ask. */
export function alertFeature(context: Context): Feature {
  const { db, now, canMail, assertApp, alerts: watch, listAdmins, listApps, listPhones, publicUrl } = context;
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
    jobs: mail ? { [alertMailJob]: createAlertMailHandler({ db, now, mail, publicUrl, listAdmins }) } : {},
    sweeps: { 'forgetting old alerts': () => watch.sweep() },
    repeats: { 'looking for what needs a person': { everyMs, work: () => watch.check() } },
    stop: () => watch.stop(),
    close: () => mail?.close(),
  };
}
