import type { MailSender } from '../../../mail/mail-sender.ts';
import type { AssertApp, Feature } from '../../feature.ts';
import { type AlertMailDeps, createAlertMailHandler } from './mails.ts';
import { alertEndpoints, type CountPhones } from './routes.ts';
import { type AlertDeps, AlertService, alertMailJob } from './service.ts';
import { AlertWatch, type AlertWatchDeps } from './watch.ts';

export type AlertFeatureDeps = Omit<AlertDeps, 'canMail'> &
  Omit<AlertWatchDeps, 'service'> &
  Omit<AlertMailDeps, 'mail'> & {
    readonly mail: MailSender | undefined;
    readonly assertApp: AssertApp;
    readonly countPhones: CountPhones;
  };

export interface AlertFeature extends Feature {
  /** Checks at once for what may need a person. */
  readonly look: () => Promise<void>;
  /** Follows at once what has been found in an app, instead of at the next check. */
  readonly follow: AlertWatch['follow'];
}

/** Notifies administrators and webhooks of what needs a person, before they ask. */
export function createAlertFeature(deps: AlertFeatureDeps): AlertFeature {
  const { db, mail, assertApp, countPhones } = deps;
  const canMail = mail !== undefined;
  const watch = new AlertWatch({ ...deps, service: new AlertService({ ...deps, canMail }) });
  return {
    consoleEndpoints: alertEndpoints({ db, canMail, assertApp, countPhones }),
    jobs: mail ? { [alertMailJob]: createAlertMailHandler({ ...deps, mail }) } : {},
    sweeps: { 'forgetting old alerts': () => watch.sweep() },
    start: () => watch.start(),
    stop: () => watch.stop(),
    look: () => watch.look(),
    follow: (appId, found, covers) => watch.follow(appId, found, covers),
    close: () => mail?.close(),
  };
}
