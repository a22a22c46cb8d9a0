import { AttemptLimits } from '../../../sign-in/attempts.ts';
import { linkJob } from '../../../sign-in/link-mail.ts';
import type { Context } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { createLinkMailHandler } from './mails.ts';
import { mailLinkEndpoints } from './routes.ts';
import { MailLinks } from './service.ts';
import { registerVerifyPage } from './verify-page.ts';

/** Signing in by mail, and proving that an address belongs to the user. */
export function mailLinkFeature(context: Context): Feature {
  const { now, findOpenApp: findApp } = context;
  const mail = context.openMail();
  const links = new MailLinks(context);
  const limits = new AttemptLimits(context.signInLimiter);
  return {
    endpoints: mailLinkEndpoints({ links, limits }),
    register: (server) => registerVerifyPage(server, { findApp, links, limits, now }),
    jobs: mail ? { [linkJob]: createLinkMailHandler({ ...context, findApp, mail }) } : {},
    sweeps: { 'sweeping links in mails': () => links.sweep() },
    close: () => mail?.close(),
  };
}
