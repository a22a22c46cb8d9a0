import { randomBytes } from 'node:crypto';
import { secretHash } from '../../../access/access.ts';
import type { AppContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import type { JobHandler, NewJob } from '../../../jobs/job.ts';
import { mailHandler } from '../../../jobs/mail-handler.ts';
import type { MailSender } from '../../../mail/mail-sender.ts';
import { type ChangePayload, changeMail } from '../../../sign-in/change-mail.ts';
import { emailKey } from '../../../sign-in/email.ts';
import type { Context } from '../../context.ts';
import { deleteSessionsOf } from './session-store.ts';
import * as store from './store.ts';

const resetMinutes = 60;
const resetMs = resetMinutes * 60_000;
/** Longer tokens are refused without hashing them; real ones have 43 characters. */
const maxToken = 128;

/** The parts of an app that a reset needs; undefined while it is disabled. */
export type FindApp = (appId: string) => Promise<AppContext | undefined>;

export type PasswordReset = ReturnType<typeof createPasswordReset>;

/** Forgotten passwords: a mail with a link whose token is valid once and for an hour, and the page behind the link. */
export function createPasswordReset(deps: Context) {
  const { db, cacheVersion, now, passwords, enqueue, canMail } = deps;
  const unusable = () =>
    fail('ObjectNotFound', 'This reset token is not valid, has expired or has been used. Ask for a new mail.');

  return {
    /**
     * Queues the mail. Only the job looks the account up, so known and unknown addresses take the same time.
     *
     * @throws Failure OperationForbidden when no mail server is configured
     */
    async request(app: AppContext, email: string): Promise<void> {
      if (!canMail)
        throw fail(
          'OperationForbidden',
          'Passwords cannot be reset by mail: no mail server is configured for this service (PHAROS_SMTP_URL).',
        );
      const job: NewJob = {
        appId: app.appId,
        kind: 'mail.send',
        payload: { purpose: 'password-reset', email: emailKey(email) },
        expiresAt: now() + resetMs,
      };
      await db.transaction((db) => enqueue(db, job));
    },

    async isUsable(appId: string, token: string): Promise<boolean> {
      if (token.length > maxToken) return false;
      return (await store.findReset(db, appId, secretHash(token), now())) !== undefined;
    },

    /** Sets the new password, ends all tokens, and notes that the address is verified. @throws Failure ObjectNotFound for a token that is not usable */
    async complete(app: AppContext, token: string, password: string): Promise<void> {
      if (token.length > maxToken) throw unusable();
      const tokenHash = secretHash(token);
      const userId = await store.findReset(db, app.appId, tokenHash, now());
      if (userId === undefined) throw unusable();
      const passwordHash = await passwords.hash(password, app.appId);
      const key = { appId: app.appId, userId };
      await cacheVersion.change(app.appId, async (db) => {
        // The account is locked before the token, as when its address is changed.
        const user = await store.lockUser(db, key);
        if (!user || !(await store.useReset(db, app.appId, tokenHash, now()))) throw unusable();
        // Identities may have been linked by somebody who signed up with this address without owning it.
        if (user.email_verified_at === null) await deps.forgetOtherWays(db, app.appId, userId);
        await store.setPassword(db, key, passwordHash, now());
        await deleteSessionsOf(db, key);
        await store.deleteResetsOf(db, key);
      });
    },
  };
}

export interface MailDeps extends Pick<Context, 'db' | 'now' | 'publicUrl'> {
  readonly mail: MailSender;
  readonly findApp: FindApp;
}

/**
 * Sends the mails to users. The token of a reset is made here and not with the job, so that the outbox never holds a secret. A
 * repeated try makes another one, and the first stays valid, because its mail may have arrived after all.
 */
export function createMailHandler({ db, now, mail, findApp, publicUrl }: MailDeps): JobHandler {
  return mailHandler(mail, async ({ appId, payload }) => {
    const asked = payload as ChangePayload | { readonly purpose: 'password-reset'; readonly email: string };
    const app = await findApp(appId);
    if (!app) return undefined;
    if (asked.purpose === 'account-change') return changeMail(app, asked);
    const token = randomBytes(32).toString('base64url');
    const to = await db.transaction(async (db) => {
      // A concurrent change of the address revokes all tokens, and must not miss this one.
      const user = await store.lockUserByEmail(db, appId, asked.email);
      if (!user || user.disabled_at !== null) return undefined;
      const key = { appId, userId: user.object_id };
      await store.insertReset(db, { ...key, tokenHash: secretHash(token), expiresAt: now() + resetMs });
      return user.email;
    });
    return to === undefined ? undefined : { to, ...resetMail(app, resetLink(app, token, publicUrl())) };
  });
}

/** The app's own page if it has one, else the page of this service. */
function resetLink(app: AppContext, token: string, publicUrl: string): string {
  const own = app.policy.passwordResetUrl;
  const url = new URL(URL.canParse(own) ? own : `${publicUrl}/password-reset`);
  if (!URL.canParse(own)) url.searchParams.set('app', app.appId);
  url.searchParams.set('token', token);
  return url.href;
}

/** The mail. It contains nothing that a stranger could have chosen at sign-up, so that it is useless for spam. */
function resetMail(app: AppContext, link: string): { subject: string; text: string } {
  const name = app.name.replace(/\p{C}/gu, ' ');
  const text = [
    'Hello,',
    `somebody, hopefully you, asked for a new password for your account at ${name}. Choose one here:`,
    link,
    `The link works once and for ${resetMinutes} minutes. If it was not you, do nothing: your password stays as it is.`,
  ];
  return { subject: `Your new password for ${name}`, text: `${text.join('\n\n')}\n` };
}
