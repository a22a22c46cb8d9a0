import { secretHash } from '../../../access/access.ts';
import type { AppContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import { sql } from '../../../base/sql.ts';
import { type Db, ifTaken } from '../../../db/db.ts';
import { deleteInSteps } from '../../../db/delete-in-steps.ts';
import type { Account, SessionClient, SignedIn } from '../../../sign-in/accounts.ts';
import { type LinkPurpose, linkMailJob } from '../../../sign-in/link-mail.ts';
import type { Context } from '../../context.ts';
import { canOpen } from './mails.ts';
import * as store from './store.ts';

export type MailLinkDeps = Pick<Context, 'db' | 'now' | 'accounts' | 'enqueue' | 'canMail' | 'forgetOtherWays'>;

/** Tokens have 43 characters. Longer ones are not worth a hash. */
const maxToken = 128;

const verifying: readonly LinkPurpose[] = ['verify', 'change'];

const unusable = () =>
  fail('UserInvalidLoginParams', 'This link is not valid, has expired or has been used. Ask for a new mail.');

/** Links in mails to users: single use, short-lived, and the same answer whether or not there is an account. */
export class MailLinks {
  readonly #deps: MailLinkDeps;

  constructor(deps: MailLinkDeps) {
    this.#deps = deps;
  }

  /**
   * Asks for a mail. Only the job looks for the account.
   *
   * @throws Failure OperationForbidden where no mail can be sent, or no link of this kind is wanted
   */
  async request(app: AppContext, purpose: 'sign-in' | 'verify', email: string): Promise<void> {
    const { db, now, enqueue, canMail } = this.#deps;
    if (purpose === 'sign-in' && !canOpen(app))
      throw fail('OperationForbidden', 'This app does not sign in by mail (policy signInLinkUrl).');
    if (!canMail) throw fail('OperationForbidden', 'No mail server is configured for this service (PHAROS_SMTP_URL).');
    await db.transaction((db) => enqueue(db, linkMailJob(app.appId, { purpose, email }, now())));
  }

  /** @throws Failure UserInvalidLoginParams, OperationForbidden */
  async signIn(app: AppContext, token: string, client: SessionClient): Promise<SignedIn> {
    if (!canOpen(app)) throw fail('OperationForbidden', 'This app does not sign in by mail (policy signInLinkUrl).');
    const { accounts } = this.#deps;
    return this.#open(app, ['sign-in'], token, async (db, user) => {
      if (user.isDisabled) throw fail('OperationForbidden', 'This account is disabled.');
      return accounts.beginSession(db, app, user.userId, { ...client, method: 'mailLink' });
    });
  }

  /** Also the address that an account gets by it. @throws Failure UserInvalidLoginParams, UserEmailTaken */
  async verify(app: AppContext, token: string): Promise<void> {
    await this.#open(app, verifying, token, async () => undefined).catch(
      ifTaken(() => fail('UserEmailTaken', { details: [{ field: 'email', problem: 'is already used' }] })),
    );
  }

  async isUsable(appId: string, token: string): Promise<boolean> {
    const { db, now } = this.#deps;
    if (token.length > maxToken) return false;
    const wanted = { appId, tokenHash: secretHash(token), purposes: verifying, now: now() };
    return (await store.findLink(db, wanted)) !== undefined;
  }

  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    await deleteInSteps(db, { table: 'mail_links', id: 'token_hash', scope: sql`expires_at <= ${now()}` });
  }

  async #open<T>(
    { appId }: AppContext,
    purposes: readonly LinkPurpose[],
    token: string,
    work: (db: Db, user: Account) => Promise<T>,
  ): Promise<T> {
    const { db, now, accounts, forgetOtherWays } = this.#deps;
    if (token.length > maxToken) throw unusable();
    const tokenHash = secretHash(token);
    return db.transaction(async (db) => {
      const link = await store.findLink(db, { appId, tokenHash, purposes, now: now() });
      if (link?.purpose === 'change') return this.#change(db, link, work);
      // The account before the link, as an erasure does.
      const user = link && (await accounts.lockByEmail(db, appId, link.email_key));
      if (!user || user.userId !== link.user_id || !(await store.takeLink(db, { appId, tokenHash }))) throw unusable();
      const key = { appId, userId: user.userId };
      if (link?.purpose === 'sign-in' && !user.hasVerifiedEmail) {
        // Whoever signed up with the address has not proven to read its mail, and must not lie in wait in the account.
        await forgetOtherWays(db, appId, user.userId);
        await accounts.dropPassword(db, key);
      }
      await accounts.noteVerified(db, key, link.email_key);
      // Older mails are as good as this one was.
      await store.deleteLinksOf(db, appId, user.userId);
      return work(db, user);
    });
  }

  /** Gives the account its new address, unless its password is another one since that was asked for. */
  async #change<T>(db: Db, link: store.LinkRow, work: (db: Db, user: Account) => Promise<T>): Promise<T> {
    const { accounts } = this.#deps;
    const key = { appId: link.app_id, userId: link.user_id };
    const user = await accounts.lock(db, key);
    const isAsked = user !== undefined && !user.isDisabled && user.passwordProof === link.proof;
    if (!isAsked || !(await store.takeLink(db, { appId: link.app_id, tokenHash: link.token_hash }))) throw unusable();
    await accounts.changeAddress(db, key, link.email ?? '');
    await store.deleteLinksOf(db, link.app_id, link.user_id);
    return work(db, user);
  }
}
