import type { Clock } from '../../../base/clock.ts';
import type { Passwords } from '../../../base/passwords.ts';
import type { SecretBox } from '../../../base/secrets.ts';
import type { Database } from '../../../db/db.ts';
import type { TargetRules } from '../../../delivery/provider/target-rules.ts';
import { findConsoleCookies } from '../../../http/console/console-cookies.ts';
import type { Outbox } from '../../../jobs/outbox.ts';
import type { RateLimiter } from '../../../limits/rate-limit.ts';
import type { MailSender } from '../../../mail/mail-sender.ts';
import type { IssuerKeys } from '../../../sign-in/oidc/issuer-keys.ts';
import type { Feature, InBackground } from '../../feature.ts';
import type { AfterAdminChange } from './accounts/after-change.ts';
import type { AdminService } from './accounts/service.ts';
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

export interface AdminFeatureDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly passwords: Passwords;
  readonly secrets: SecretBox;
  readonly service: AdminService;
  /** Limits attempts to sign in. */
  readonly limiter: RateLimiter;
  readonly inBackground: InBackground;
  readonly enqueue: Outbox['enqueue'];
  /** Undefined while no mail server is configured; then links are handed over. */
  readonly mail: MailSender | undefined;
  readonly publicUrl: () => string;
  /** Undefined: the address that a request names. */
  readonly configuredUrl: string | undefined;
  readonly targets: TargetRules;
  readonly keys: IssuerKeys;
  readonly warn: (message: string) => void;
  readonly afterChange: AfterAdminChange;
  /** Whether the service shows the demo museum, whose password is public. */
  readonly isDemo: () => Promise<boolean>;
}

export interface AdminFeature extends Feature {
  readonly findSession: AdminSessions['find'];
}

/** The users of the console: their accounts, their sessions, and the audit of their changes. */
export function createAdminFeature(deps: AdminFeatureDeps): AdminFeature {
  const { db, service, mail, isDemo } = deps;
  const factors = new SecondFactors(deps);
  const passkeys = new Passkeys({ ...deps, factors });
  const sessions = new AdminSessions({ ...deps, factors });
  const providers = new SsoProviders(deps);
  const singleSignOn = new SingleSignOn({ ...deps, sessions, providers, party: new RelyingParty(deps) });
  const links = new AdminLinks({ ...deps, canMail: mail !== undefined });
  return {
    findSession: (token) => sessions.find(token),
    consoleEndpoints: [
      ...sessionEndpoints({ admins: service, passkeys, sessions, isDemo }),
      ...passkeyEndpoints({ passkeys, sessions, isDemo }),
      ...factorEndpoints(factors),
      ...ownSessionEndpoints(sessions),
      ...invitationEndpoints({ links, now: deps.now }),
      ...linkEndpoints({ ...deps, links, passkeys, sessions }),
      ...adminEndpoints(service, factors),
      ...singleSignOnEndpoints({ singleSignOn, sessions }),
      ...ssoProviderEndpoints(providers),
      ...auditEndpoints(db),
    ],
    jobs: mail ? { [mailJob]: createAdminMailHandler({ ...deps, mail }) } : {},
    sweeps: {
      'sweeping challenges of passkeys': () => passkeys.sweep(),
      'sweeping links of administrators': () => links.sweep(),
      'sweeping attempts of single sign-on': () => singleSignOn.sweep(),
    },
    register: async (server) =>
      registerCallback(server, {
        singleSignOn,
        now: deps.now,
        cookies: await findConsoleCookies(db, deps.configuredUrl),
      }),
    close: () => mail?.close(),
  };
}
