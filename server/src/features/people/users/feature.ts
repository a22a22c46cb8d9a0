import { AttemptLimits } from '../../../sign-in/attempts.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import type { ManagedKind } from '../../managed-kind.ts';
import { userConsoleEndpoints, userKind } from './console-routes.ts';
import { createMailHandler, createPasswordReset } from './password-reset.ts';
import { registerResetPage } from './reset-page.ts';
import { userEndpoints } from './routes.ts';
import { SessionService } from './sessions.ts';

declare module '../../context.ts' {
  interface Context {
    readonly userKind: ManagedKind;
  }
}

export const makers: Makers<Context, 'userKind'> = {
  userKind: ({ db, users: service }) => userKind({ db, service }),
};

/** People with an account in an app: signing up and in, their own account, forgotten passwords. */
export function userFeature(context: Context): Feature {
  const { db, now, users: service, identities, findOpenApp: findApp, openMail, signInLimiter } = context;
  const mail = openMail();
  const reset = createPasswordReset(context);
  const limits = new AttemptLimits(signInLimiter);
  const sessions = new SessionService(context);
  return {
    endpoints: userEndpoints({ db, service, sessions, reset, limits }),
    consoleEndpoints: userConsoleEndpoints({
      ...context,
      service,
      sessions,
      listIdentities: (key) => identities.list(key),
    }),
    register: (server) => registerResetPage(server, { findApp, reset, limits, now }),
    jobs: mail ? { 'mail.send': createMailHandler({ ...context, findApp, mail }) } : {},
    sweeps: { 'sweeping expired tokens': () => service.sweep() },
    close: () => mail?.close(),
  };
}
