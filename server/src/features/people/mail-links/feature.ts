import type { RateLimiter } from '../../../limits/rate-limit.ts';
import type { MailSender } from '../../../mail/mail-sender.ts';
import { AttemptLimits } from '../../../sign-in/attempts.ts';
import { linkJob } from '../../../sign-in/link-mail.ts';
import type { Feature } from '../../feature.ts';
import { createLinkMailHandler, type LinkMailDeps } from './mails.ts';
import { mailLinkEndpoints } from './routes.ts';
import { type MailLinkDeps, MailLinks } from './service.ts';
import { registerVerifyPage } from './verify-page.ts';

export type MailLinkFeatureDeps = Omit<MailLinkDeps, 'canMail'> &
  Omit<LinkMailDeps, 'mail'> & {
    /** Undefined while no mail server is configured. */
    readonly mail: MailSender | undefined;
    /** Limits attempts to sign in. */
    readonly limiter: RateLimiter;
  };

/** Signing in by mail, and proving that an address belongs to the user. */
export function createMailLinkFeature(deps: MailLinkFeatureDeps): Feature {
  const { mail, now, findApp } = deps;
  const links = new MailLinks({ ...deps, canMail: mail !== undefined });
  const limits = new AttemptLimits(deps.limiter);
  return {
    endpoints: mailLinkEndpoints({ links, limits }),
    register: (server) => registerVerifyPage(server, { findApp, links, limits, now }),
    jobs: mail ? { [linkJob]: createLinkMailHandler({ ...deps, mail }) } : {},
    sweeps: { 'sweeping links in mails': () => links.sweep() },
    close: () => mail?.close(),
  };
}
