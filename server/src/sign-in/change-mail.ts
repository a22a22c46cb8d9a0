import type { AppContext } from '../access/context.ts';
import type { Db } from '../db/db.ts';
import type { NewJob } from '../jobs/job.ts';
import type { Mail } from '../mail/mail-sender.ts';

export type AccountChange = 'password' | 'email' | 'new-email' | 'wanted' | 'secondFactor' | 'passkeys';

/** Notifies an address of a change, in the transaction of the change. */
export type NotifyOfChange = (
  db: Db,
  notice: {
    readonly appId: string;
    readonly userId: string;
    readonly email: string;
    readonly change: AccountChange;
    readonly at: number;
  },
) => Promise<void>;

/** How long a mail that cannot be sent is tried again. */
const worthwhileMs = 3 * 86_400_000;

export interface ChangePayload {
  readonly purpose: 'account-change';
  readonly email: string;
  readonly change: AccountChange;
  readonly at: number;
}

export const notifyByMail =
  (enqueue: (db: Db, job: NewJob) => Promise<void>): NotifyOfChange =>
  async (db, { appId, userId, email, change, at }) => {
    const payload: ChangePayload = { purpose: 'account-change', email, change, at };
    // By the subject an erasure finds it: the address must not wait for days after the account is gone.
    await enqueue(db, { appId, kind: 'mail.send', payload, subject: userId, expiresAt: at + worthwhileMs });
  };

const sentences: Readonly<Record<AccountChange, readonly [subject: string, what: string, otherwise: string]>> = {
  password: [
    'Your password for',
    'The password of your account at',
    'If it was not you, ask for a mail to choose a new password, in the app, and do it at once.',
  ],
  'new-email': [
    'A new e-mail address for',
    'Somebody asked for another e-mail address of your account at',
    'The account gets it when the mail to that address is answered. If it was not you, choose a new password at once: then nothing changes.',
  ],
  wanted: [
    'Your account at',
    'Somebody entered this address for a new account, or for another account, at',
    'You have an account with it already, and nothing has changed. If it was you, sign in; if you have forgotten the password, ask for a mail to choose a new one.',
  ],
  secondFactor: [
    'The second factor of your account at',
    'The second factor of your account at',
    'If it was not you, choose a new password in the app at once, and turn to those who run the app.',
  ],
  passkeys: [
    'The passkeys of your account at',
    'The list of passkeys of your account at',
    'If it was not you, remove the passkey that you do not know, in the app, and choose a new password.',
  ],
  email: [
    'Your e-mail address at',
    'The e-mail address of your account at',
    'Mails about the account no longer go to the address at which you read this. If it was not you, turn to those who run the app.',
  ],
};

/** Contains nothing that a stranger could have chosen, so that it is useless for spam. */
export function changeMail(app: AppContext, { email, change, at }: ChangePayload): Mail {
  const name = app.name.replace(/\p{C}/gu, ' ');
  const [subject, what, otherwise] = sentences[change];
  const { timeZone } = app.policy;
  const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(at);
  const isOnlyAsked = change === 'new-email' || change === 'wanted';
  const done = isOnlyAsked ? '' : ` ${change === 'passkeys' ? 'were' : 'was'} changed`;
  const happened = isOnlyAsked ? '' : ' was changed';
  const text = ['Hello,', `${what} ${name}${happened} on ${when} (${timeZone}).`, otherwise];
  return { to: email, subject: `${subject} ${name}${done}`, text: `${text.join('\n\n')}\n` };
}
