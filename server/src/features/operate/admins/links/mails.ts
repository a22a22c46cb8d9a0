import type { JobHandler } from '../../../../jobs/job.ts';
import { mailHandler } from '../../../../jobs/mail-handler.ts';
import type { Mail, MailSender } from '../../../../mail/mail-sender.ts';
import { mailWords } from '../../../../mail/words/mail-words.ts';
import type { Context } from '../../../context.ts';
import { adminEmailKey, findAdminByEmail } from '../accounts/store.ts';
import { invitationDays, linkAddress, type MailPayload, makeLink, resetHours } from './links.ts';
import { findInvitation } from './store.ts';

export interface AdminMailDeps extends Pick<Context, 'db' | 'now' | 'publicUrl'> {
  readonly mail: MailSender;
}

/**
 * Sends invitations and links to new passwords. A repeated try makes another link, and the first stays valid, because
 * its mail may have arrived after all.
 */
export function createAdminMailHandler({ db, now, mail, publicUrl }: AdminMailDeps): JobHandler {
  const write = { invitation: writeInvitation, reset: writeReset };
  return mailHandler(mail, ({ payload }) => {
    const { purpose, subject } = payload as MailPayload;
    return write[purpose](subject);
  });

  async function writeInvitation(invitationId: string): Promise<Mail | undefined> {
    const invitation = await findInvitation(db, invitationId);
    if (!invitation || invitation.expires_at <= now()) return undefined;
    const link = { kind: 'invitation', subject: invitationId, expires_at: invitation.expires_at } as const;
    const token = await makeLink(db, link);
    const { host } = new URL(publicUrl());
    const { invited_by: who, role } = invitation;
    // In the language of the administrator who invites.
    const words = mailWords((await findAdminByEmail(db, adminEmailKey(who)))?.language);
    return {
      to: invitation.email,
      subject: words.t('Your invitation to the console of Pharos at {host}', { host }),
      text: paragraphs(
        words.t('Hello,'),
        words.t(
          '{who} has invited you to the management console of Pharos at {host}, with the role {role, select, owner {owner} manager {manager} editor {editor} installer {installer} other {analyst}}. Accept here:',
          { who, host, role },
        ),
        linkAddress(publicUrl(), token),
        words.t(
          'The link works once and for {days, plural, one {# day} other {# days}}. If you did not expect this, do nothing.',
          { days: invitationDays },
        ),
      ),
    };
  }

  async function writeReset(emailKey: string): Promise<Mail | undefined> {
    const admin = await findAdminByEmail(db, emailKey);
    if (!admin || admin.disabled_at !== null) return undefined;
    const link = { kind: 'reset', subject: admin.admin_id, expires_at: now() + resetHours * 3_600_000 } as const;
    const token = await makeLink(db, link);
    const { host } = new URL(publicUrl());
    const words = mailWords(admin.language);
    return {
      to: admin.email,
      subject: words.t('Your new password for the console of Pharos at {host}', { host }),
      text: paragraphs(
        words.t('Hello,'),
        words.t(
          'somebody, hopefully you, asked for a new password for your account in the management console of Pharos at {host}. Choose one here:',
          { host },
        ),
        linkAddress(publicUrl(), token),
        words.t('The link works once and for an hour. If it was not you, do nothing: your password stays as it is.'),
      ),
    };
  }
}

const paragraphs = (...texts: readonly string[]) => `${texts.join('\n\n')}\n`;
