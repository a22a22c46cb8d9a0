import { randomBytes } from 'node:crypto';
import { secretHash } from '../../../access/access.ts';
import type { AppContext } from '../../../access/context.ts';
import type { JobHandler } from '../../../jobs/job.ts';
import { mailHandler } from '../../../jobs/mail-handler.ts';
import type { Mail, MailSender } from '../../../mail/mail-sender.ts';
import { emailKey } from '../../../sign-in/email.ts';
import { type LinkPayload, type LinkPurpose, linkMinutes } from '../../../sign-in/link-mail.ts';
import type { Context } from '../../context.ts';
import { insertLink, replaceChanges } from './store.ts';

export interface LinkMailDeps extends Pick<Context, 'db' | 'now' | 'accounts' | 'publicUrl'> {
  readonly mail: MailSender;
  /** Undefined while it is switched off. */
  readonly findApp: (appId: string) => Promise<AppContext | undefined>;
}

/**
 * Sends links. Nothing is sent to an address without an account, and the requester does not learn that. A repeated try makes
 * another link, and the first stays valid, because its mail may have arrived after all.
 */
export function createLinkMailHandler({ db, now, mail, accounts, findApp, publicUrl }: LinkMailDeps): JobHandler {
  return mailHandler(mail, async (job) => {
    const { purpose, email, change } = job.payload as LinkPayload;
    const app = await findApp(job.appId);
    if (!app || (purpose === 'sign-in' && !canOpen(app))) return undefined;
    const token = randomBytes(32).toString('base64url');
    const isFor = await db.transaction(async (db) => {
      const user = change
        ? await accounts.lock(db, { appId: app.appId, userId: change.userId })
        : await accounts.lockByEmail(db, app.appId, email);
      if (!user || user.isDisabled || (purpose === 'verify' && user.hasVerifiedEmail)) return false;
      // By when it was asked for, not by when it is tried.
      const expiresAt = (change ? job.expiresAt : null) ?? now() + linkMinutes[purpose] * 60_000;
      const row = {
        app_id: app.appId,
        token_hash: secretHash(token),
        user_id: user.userId,
        purpose,
        email_key: emailKey(email),
        email: change ? email : null,
        proof: change?.proof ?? null,
        expires_at: expiresAt,
      };
      if (change && !(await replaceChanges(db, row))) return false;
      await insertLink(db, row);
      return true;
    });
    if (!isFor) return undefined;
    return { to: emailKey(email), ...letter(app, purpose, addressOf(app, purpose, token, publicUrl())) };
  });
}

/** A link that signs in has to open the app, so that the app has to say how. */
export const canOpen = ({ policy }: Pick<AppContext, 'policy'>) => URL.canParse(policy.signInLinkUrl);

function addressOf(app: AppContext, purpose: LinkPurpose, token: string, publicUrl: string): string {
  const { signInLinkUrl, verificationUrl } = app.policy;
  const own = purpose === 'sign-in' ? signInLinkUrl : verificationUrl;
  const url = new URL(URL.canParse(own) ? own : `${publicUrl}/verify-email`);
  if (!URL.canParse(own)) url.searchParams.set('app', app.appId);
  url.searchParams.set('token', token);
  return url.href;
}

/** Contains nothing that a stranger could have chosen at sign-up, so that it is useless for spam. */
function letter(app: AppContext, purpose: LinkPurpose, link: string): Pick<Mail, 'subject' | 'text'> {
  const name = app.name.replace(/\p{C}/gu, ' ');
  const [subject, ...lines] =
    purpose === 'sign-in'
      ? [
          `Sign in to ${name}`,
          `somebody, hopefully you, wants to sign in to ${name} with this address. Open this link on the device on which you want to be signed in:`,
          link,
          `It works once and for ${linkMinutes['sign-in']} minutes. If it was not you, do nothing, and give the link to nobody.`,
        ]
      : purpose === 'change'
        ? [
            `Your e-mail address at ${name}`,
            `somebody, hopefully you, wants to have this address for an account at ${name}. Confirm that the address is yours:`,
            link,
            'The link works once and for a day. If it was not you, do nothing: without it the account keeps the address that it has.',
          ]
        : [
            `Your e-mail address at ${name}`,
            `somebody, hopefully you, has an account at ${name} with this address. Confirm that the address is yours:`,
            link,
            'The link works once and for a day. If it was not you, do nothing: without it the address counts as nobody’s.',
          ];
  return { subject, text: `${['Hello,', ...lines].join('\n\n')}\n` };
}
