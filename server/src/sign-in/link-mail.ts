import { secretHash } from '../access/access.ts';
import type { AppContext } from '../access/context.ts';
import type { Db } from '../db/db.ts';
import type { NewJob } from '../jobs/job.ts';
import { emailKey } from './email.ts';

/** What a link in a mail is for: to sign in, or to show that somebody reads the mails to the address that an account has or is to get. */
export type LinkPurpose = 'sign-in' | 'verify' | 'change';

export const linkJob = 'mail.link';
/** How long a link works. A mail that comes later opens nothing. */
export const linkMinutes: Readonly<Record<LinkPurpose, number>> = {
  'sign-in': 15,
  verify: 24 * 60,
  change: 24 * 60,
};

/** The token is made when the mail is sent, so that the outbox never holds one; and only then anybody looks for the account. */
export interface LinkPayload {
  readonly purpose: LinkPurpose;
  /** Of a change, as it was written. */
  readonly email: string;
  readonly change?: { readonly userId: string; readonly proof: string };
}

/**
 * Asks an address to confirm that its mail is read, in the transaction that gives an account the address. With `proof` (see
 * `passwordProof`) the account gets it only after that.
 */
export type AskToVerify = (
  db: Db,
  asked: {
    readonly appId: string;
    readonly userId: string;
    readonly email: string;
    readonly at: number;
    readonly proof?: string;
  },
) => Promise<void>;

export const askByMail =
  (enqueue: (db: Db, job: NewJob) => Promise<void>): AskToVerify =>
  (db, { appId, userId, email, at, proof }) => {
    const asked: LinkPayload =
      proof === undefined ? { purpose: 'verify', email } : { purpose: 'change', email, change: { userId, proof } };
    // By the subject an erasure finds it.
    return enqueue(db, { ...linkMailJob(appId, asked, at), subject: userId });
  };

export function linkMailJob(appId: string, { purpose, email, change }: LinkPayload, now: number): NewJob {
  const payload: LinkPayload = change ? { purpose, email: email.trim(), change } : { purpose, email: emailKey(email) };
  return { appId, kind: linkJob, payload, expiresAt: now + linkMinutes[purpose] * 60_000 };
}

/** A text that changes with the account's password: taking the account back with a new password also revokes earlier requests. */
export const passwordProof = (passwordHash: string | null): string => secretHash(`password ${passwordHash ?? ''}`);

/** Whether the app wants to know of an address that somebody reads its mails. */
export const wantsVerified = ({ policy }: Pick<AppContext, 'policy'>) => policy.emailVerification !== 'off';
