import { RateLimiter } from '../../../limits/rate-limit.ts';
import { AttemptLimits } from '../../../sign-in/attempts.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { registerAddressPages } from './address-page.ts';
import { addressMailJob } from './addresses.ts';
import { askAs, findSubject, listPeople } from './asking.ts';
import type { ComposeDeps } from './compose.ts';
import { reportConditions } from './findings.ts';
import { createAddressMailHandler, createReportMailHandler, reportMailJob } from './mails.ts';
import { reportEndpoints } from './routes.ts';
import { type ReportDeps, ReportService } from './service.ts';
import { findReport } from './store.ts';
import { name, ReportWatch } from './watch.ts';

declare module '../../context.ts' {
  interface Context {
    /** Reports that did not reach everybody. */
    readonly findReportConditions: (appId: string) => Promise<readonly ServiceCondition[]>;
    readonly reportWatch: ReportWatch;
  }
}

export const makers: Makers<Context, 'findReportConditions' | 'reportWatch'> = {
  findReportConditions: (context) => (appId) =>
    reportConditions(context.db, appId, context.now(), (venueId) => nameIn(reportDeps(context), appId, venueId)),
  reportWatch: (context) => new ReportWatch({ ...reportDeps(context), onError: context.onError }),
};

function reportDeps(context: Context): ReportDeps & ComposeDeps {
  const { db, now, canMail, enqueue, persistentLimits, publicUrl, listVenuesForReports } = context;
  return {
    ...{ db, now, canMail, enqueue, publicUrl },
    limiter: new RateLimiter(undefined, persistentLimits),
    async findApp(appId) {
      const app = await context.findAppAccess(db, appId);
      return app && { appId, name: app.name, timeZone: app.policy.timeZone, isDisabled: app.disabled };
    },
    async findVenue(appId, venueId) {
      const [venue] = await listVenuesForReports(db, appId, venueId);
      return venue && { name: venue.name, timeZone: venue.time_zone };
    },
    listAdmins: listPeople(context),
    askAs: async (appId, venues) => askAs(context, appId, venues),
    findSubject: (appId, venueId) => findSubject(context, appId, venueId),
  };
}

const nameIn = async ({ findApp, findVenue }: ReportDeps, appId: string, venueId: string | null) =>
  (venueId === null ? await findApp(appId) : await findVenue(appId, venueId))?.name;

/**
 * Figures of a venue or an app by mail, each week or month: what the endpoints of `/api/v2/analytics` answer in the console to whoever
 * gets them.
 */
export function reportFeature(context: Context): Feature {
  const { db, now, config, inBackground, owns, reportWatch: watch } = context;
  const mail = context.openMail();
  const deps = { ...reportDeps(context), mail };
  const service = new ReportService(deps);
  const check = async () => {
    if (config.worker && owns('reports')) await watch.check();
  };
  return {
    consoleEndpoints: reportEndpoints({ ...deps, service }),
    register: (server) =>
      registerAddressPages(server, {
        addresses: service.addresses,
        limits: new AttemptLimits(deps.limiter),
        now,
        async nameOf(appId, reportId) {
          const venueId = (await findReport(db, { appId, reportId }))?.venue_id ?? null;
          return (await nameIn(deps, appId, venueId)) ?? 'a deleted venue';
        },
      }),
    jobs: mail
      ? {
          [reportMailJob]: createReportMailHandler({ ...deps, mail }),
          [addressMailJob]: createAddressMailHandler({ ...deps, mail }),
        }
      : {},
    sweeps: { 'forgetting old reports': () => watch.sweep() },
    // What was due while the service was off is sent now.
    start: () => inBackground(name, check),
    repeats: { [name]: { everyMs: 60_000, work: check } },
    close: () => mail?.close(),
  };
}
