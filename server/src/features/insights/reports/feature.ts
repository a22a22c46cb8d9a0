import type { MailSender } from '../../../mail/mail-sender.ts';
import { AttemptLimits } from '../../../sign-in/attempts.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { AssertApp, Feature } from '../../feature.ts';
import { registerAddressPages } from './address-page.ts';
import { addressMailJob } from './addresses.ts';
import type { ComposeDeps } from './compose.ts';
import { reportConditions } from './findings.ts';
import { createAddressMailHandler, createReportMailHandler, reportMailJob } from './mails.ts';
import { reportEndpoints } from './routes.ts';
import { type ReportDeps, ReportService } from './service.ts';
import { findReport } from './store.ts';
import { ReportWatch, type ReportWatchDeps } from './watch.ts';

export type ReportFeatureDeps = Omit<ReportDeps, 'canMail'> &
  Pick<ReportWatchDeps, 'inBackground' | 'owns' | 'onError'> &
  ComposeDeps & {
    readonly mail: MailSender | undefined;
    readonly assertApp: AssertApp;
    /** Whether this process does background work. */
    readonly isWorker: boolean;
  };

export interface ReportFeature extends Feature {
  /** Looks at once for reports that are due. */
  readonly look: () => Promise<void>;
  /** Reports that did not reach everybody. */
  readonly conditions: (appId: string) => Promise<readonly ServiceCondition[]>;
}

/** Figures of a venue or an app by mail, each week or month. */
export function createReportFeature(deps: ReportFeatureDeps): ReportFeature {
  const { db, now, mail, limiter, findApp, findVenue, isWorker } = deps;
  const canMail = mail !== undefined;
  const service = new ReportService({ ...deps, canMail });
  const watch = new ReportWatch({ ...deps, canMail });
  const nameIn = async (appId: string, venueId: string | null) =>
    (venueId === null ? await findApp(appId) : await findVenue(appId, venueId))?.name;
  const nameOf = async (appId: string, venueId: string | null) => (await nameIn(appId, venueId)) ?? 'a deleted venue';
  return {
    consoleEndpoints: reportEndpoints({ ...deps, canMail, service }),
    register: (server) =>
      registerAddressPages(server, {
        addresses: service.addresses,
        limits: new AttemptLimits(limiter),
        now,
        nameOf: async (appId, reportId) => nameOf(appId, (await findReport(db, { appId, reportId }))?.venue_id ?? null),
      }),
    jobs: mail
      ? {
          [reportMailJob]: createReportMailHandler({ ...deps, mail }),
          [addressMailJob]: createAddressMailHandler({ ...deps, mail }),
        }
      : {},
    sweeps: { 'forgetting old reports': () => watch.sweep() },
    start() {
      if (isWorker) watch.start();
    },
    stop: () => watch.stop(),
    close: () => mail?.close(),
    look: () => watch.look(),
    conditions: (appId) => reportConditions(db, appId, now(), (venueId) => nameIn(appId, venueId)),
  };
}
