import { findConsoleCookies } from '../../../http/console/console-cookies.ts';
import { RateLimiter } from '../../../limits/rate-limit.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { AdminAgents } from './agents/agents.ts';
import { agentEndpoints } from './agents/routes.ts';
import { auditEndpoints } from './audit-routes.ts';
import { factorEndpoints } from './factor-routes.ts';
import { Passkeys } from './factors/passkeys.ts';
import { SecondFactors } from './factors/second-factors.ts';
import { invitationEndpoints } from './invitation-routes.ts';
import { linkEndpoints } from './link-routes.ts';
import { AdminLinks, mailJob } from './links/links.ts';
import { createAdminMailHandler } from './links/mails.ts';
import { ownSessionEndpoints } from './own-sessions-routes.ts';
import { passkeyEndpoints } from './passkey-routes.ts';
import { adminEndpoints } from './routes.ts';
import { sessionEndpoints } from './session-routes.ts';
import { AdminSessions } from './sessions.ts';
import { registerCallback } from './sso/callback.ts';
import { ssoProviderEndpoints } from './sso/provider-routes.ts';
import { SsoProviders } from './sso/providers.ts';
import { RelyingParty } from './sso/relying-party.ts';
import { singleSignOnEndpoints } from './sso/routes.ts';
import { SingleSignOn } from './sso/single-sign-on.ts';

declare module '../../context.ts' {
  interface Context {
    readonly adminAgents: AdminAgents;
    readonly adminFactors: SecondFactors;
    readonly adminLimiter: RateLimiter;
    readonly adminSessions: AdminSessions;
  }
}

export const makers: Makers<Context, 'adminAgents' | 'adminFactors' | 'adminLimiter' | 'adminSessions'> = {
  adminAgents: ({ db, now, adminLimiter: limiter, adminSessions: sessions, findConsoleApp: findApp, inBackground }) =>
    new AdminAgents({ db, now, limiter, sessions, findApp, inBackground }),
  adminFactors: ({ db, now, secrets, adminLimiter: limiter }) => new SecondFactors({ db, now, secrets, limiter }),
  adminLimiter: ({ persistentLimits }) => new RateLimiter(10_000, persistentLimits),
  adminSessions: ({ db, now, passwords, inBackground, adminLimiter: limiter, adminFactors: factors }) =>
    new AdminSessions({ db, now, passwords, inBackground, limiter, factors }),
};

/** The users of the console: their accounts, their sessions, and the audit of their changes. */
export function adminFeature(context: Context): Feature {
  const { db, now, config, admins, adminFactors: factors, adminLimiter: limiter, adminSessions: sessions } = context;
  // Whether the service shows the demo museum, whose password is public.
  const isDemo = async () => (await context.findDemoMark(db)) !== undefined;
  const mail = context.openMail();
  const passkeys = new Passkeys({ db, now, factors });
  const { secrets, targets, issuerKeys: keys, afterAdminChange: afterChange } = context;
  const providers = new SsoProviders({ db, now, secrets, targets, keys });
  const party = new RelyingParty({ targets, keys, now });
  const warn = (message: string) => context.log('warn', message);
  const singleSignOn = new SingleSignOn({ db, now, sessions, providers, party, afterChange, warn });
  const links = new AdminLinks(context);
  return {
    consoleEndpoints: [
      ...sessionEndpoints({ admins, passkeys, sessions, isDemo }),
      ...passkeyEndpoints({ passkeys, sessions, isDemo }),
      ...factorEndpoints(factors),
      ...ownSessionEndpoints(sessions),
      ...agentEndpoints(context.adminAgents),
      ...invitationEndpoints({ links, now }),
      ...linkEndpoints({ now, isDemo, limiter, links, passkeys, sessions }),
      ...adminEndpoints(admins, factors),
      ...singleSignOnEndpoints({ singleSignOn, sessions }),
      ...ssoProviderEndpoints(providers),
      ...auditEndpoints(db),
    ],
    jobs: mail ? { [mailJob]: createAdminMailHandler({ ...context, mail }) } : {},
    sweeps: {
      'sweeping agents of administrators': () => context.adminAgents.sweep(),
      'sweeping challenges of passkeys': () => passkeys.sweep(),
      'sweeping links of administrators': () => links.sweep(),
      'sweeping attempts of single sign-on': () => singleSignOn.sweep(),
    },
    register: async (server) =>
      registerCallback(server, { singleSignOn, now, cookies: await findConsoleCookies(db, config.publicUrl) }),
    close: () => mail?.close(),
  };
}
