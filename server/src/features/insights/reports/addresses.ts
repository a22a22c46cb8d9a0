import { randomBytes } from 'node:crypto';
import { secretHash } from '../../../access/access.ts';
import { type Actor, recordChange } from '../../../access/audit.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import type { RateLimiter, RateRule } from '../../../limits/rate-limit.ts';
import { emailKey } from '../../../sign-in/email.ts';
import type { Context } from '../../context.ts';
import { type Admin, sightOf } from './people.ts';
import * as store from './store.ts';

export interface AddressDeps extends Pick<Context, 'db' | 'now' | 'canMail' | 'enqueue'> {
  readonly limiter: RateLimiter;
  readonly listAdmins: (db: Db) => Promise<readonly Admin[]>;
}

export const addressMailJob = 'mail.report-address';
/** How long a confirmation link is valid. */
export const confirmDays = 7;
const dayMs = 86_400_000;

/** How often mails go to one address. */
const mailsToOne: RateRule = { perSecond: 1 / 600, burst: 3 };
const mailsOfApp: RateRule = { perSecond: 1 / 60, burst: 40 };

export interface AddressMail {
  readonly reportId: string;
  readonly addressId: string;
}

/** The addresses of people without an account to which reports are sent, once they have confirmed them. */
export class ReportAddresses {
  readonly #deps: AddressDeps;

  constructor(deps: AddressDeps) {
    this.#deps = deps;
  }

  /** In a transaction: makes the addresses of a report those that are wanted, and asks new ones to confirm. */
  async set(db: Db, key: store.ReportKey, wanted: readonly string[], adminId: string): Promise<void> {
    const { now, listAdmins } = this.#deps;
    const rows = await store.listAddresses(db, key.appId, key.reportId);
    const report = await store.findReport(db, key);
    const keys = new Map(wanted.map((email) => [emailKey(email), email.trim()]));
    const admins = new Map((await listAdmins(db)).map((admin) => [admin.adminId, admin]));
    for (const row of rows) {
      const own = { ...key, addressId: row.address_id };
      if (!keys.delete(row.email_key)) await store.deleteAddress(db, own);
      // The administrator who saves it takes responsibility for addresses that nobody is responsible for any more.
      else if (
        !sightOf(admins.get(row.added_by), { appId: key.appId, venueId: report?.venue_id ?? null }, 'reports.write')
      )
        await store.setVoucher(db, own, adminId);
    }
    for (const [email_key, email] of keys) {
      const addressId = newObjectId(now());
      await store.insertAddress(db, {
        app_id: key.appId,
        report_id: key.reportId,
        address_id: addressId,
        email,
        email_key,
        added_by: adminId,
        token_hash: null,
        token_expires_at: null,
        confirmed_at: null,
        stop_token: randomBytes(24).toString('base64url'),
        created_at: now(),
      });
      await this.#ask(db, { ...key, addressId });
    }
  }

  /** Counts mails before they are asked for. @throws Failure OperationForbidden, APICallLimit */
  takeMails(appId: string, emails: readonly string[], now: number): void {
    const { limiter, canMail } = this.#deps;
    if (emails.length === 0) return;
    if (!canMail)
      throw fail(
        'OperationForbidden',
        'No mail server is configured for this service (PHAROS_SMTP_URL), so that no address can be confirmed.',
      );
    for (const email of emails) {
      limiter.take(`report mails ${appId}`, mailsOfApp, now);
      limiter.take(`report mail ${secretHash(emailKey(email))}`, mailsToOne, now);
    }
  }

  /** Sends another mail with a link to confirm. @throws Failure ObjectNotFound, OperationForbidden, APICallLimit */
  async askAgain(key: store.AddressKey, by: Actor): Promise<void> {
    const { db, now } = this.#deps;
    const row = await store.findAddress(db, key);
    if (!row || row.confirmed_at !== null)
      throw fail('ObjectNotFound', 'There is no address here that waits to be confirmed.');
    this.takeMails(key.appId, [row.email], now());
    await db.transaction(async (db) => {
      await this.#ask(db, key);
      await recordChange(db, { by, action: 'report.askAgain', subject: key.reportId, appId: key.appId, now: now() });
    });
  }

  /** Whether a link of a mail is good: to confirm, or to get no more mails. */
  async open(kind: 'confirm' | 'stop', token: string): Promise<store.AddressRow | undefined> {
    const { db, now } = this.#deps;
    if (token === '' || token.length > 128) return undefined;
    return kind === 'stop' ? store.findByStop(db, token) : store.findByToken(db, secretHash(token), now());
  }

  /** @throws Failure ObjectNotFound */
  async confirm(token: string, address: string): Promise<void> {
    await this.#answer('confirm', token, address, async (db) =>
      store.confirmAddress(db, secretHash(token), this.#deps.now()),
    );
  }

  /** @throws Failure ObjectNotFound */
  async stop(token: string, address: string): Promise<void> {
    await this.#answer('stop', token, address, (db, row) =>
      store.deleteAddress(db, { appId: row.app_id, reportId: row.report_id, addressId: row.address_id }),
    );
  }

  async #answer(
    kind: 'confirm' | 'stop',
    token: string,
    address: string,
    work: (db: Db, row: store.AddressRow) => Promise<boolean>,
  ): Promise<void> {
    const { db, now } = this.#deps;
    const row = await this.open(kind, token);
    if (!row) throw noLink();
    await db.transaction(async (db) => {
      if (!(await work(db, row))) throw noLink();
      const said = { by: { name: row.email, address }, subject: row.report_id, appId: row.app_id, now: now() };
      if (kind === 'confirm') await recordChange(db, { ...said, action: 'report.confirm' });
      else await recordChange(db, { ...said, action: 'report.stop' });
    });
  }

  async #ask(db: Db, { appId, reportId, addressId }: store.AddressKey): Promise<void> {
    const { canMail, enqueue, now } = this.#deps;
    if (!canMail) return;
    const payload: AddressMail = { reportId, addressId };
    await enqueue(db, { appId, kind: addressMailJob, payload, expiresAt: now() + dayMs });
  }
}

const noLink = () =>
  fail(
    'ObjectNotFound',
    'This link is not valid, has expired or has been used. Ask whoever sends you the report for a new mail.',
  );
