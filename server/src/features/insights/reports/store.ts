import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import type { Every, ReportPeriod } from './content/periods.ts';
import { reportAddresses, type reportMails, reports } from './tables.ts';

/** Reports, their addresses and their mails: only SQL. */

export type ReportRow = Omit<RowOf<typeof reports>, 'every'> & { readonly every: Every };
export type AddressRow = RowOf<typeof reportAddresses>;

/** `waits` for its turn or another try; `sending`: it is being handed over, or the service ended meanwhile. */
export type MailState = 'made' | 'waits' | 'sending' | 'sent' | 'failed' | 'unsure' | 'withheld' | 'missed';
export type MailRow = Omit<RowOf<typeof reportMails>, 'state'> & { readonly state: MailState };

export interface ReportKey {
  readonly appId: string;
  readonly reportId: string;
}

const reportRows = rowsOf<typeof reports, ReportRow>(reports);
export const listReports = reportRows.list(['app_id'], ['created_at', 'report_id']);

export function listWanted(db: Db): Promise<ReportRow[]> {
  return db.all(sql`select * from reports where is_on = 1 order by app_id, report_id`);
}

export function findReport(db: Db, { appId, reportId }: ReportKey): Promise<ReportRow | undefined> {
  return db.one(sql`select * from reports where app_id = ${appId} and report_id = ${reportId}`);
}

/** In a transaction: it cannot change until the end. */
export function lockReport(db: Db, { appId, reportId }: ReportKey): Promise<ReportRow | undefined> {
  return db.one(
    sql`select * from reports where app_id = ${appId} and report_id = ${reportId}${raw(db.dialect.lockRow)}`,
  );
}

export async function countReports(db: Db, appId: string): Promise<number> {
  const row = await db.one<{ n: number }>(sql`select count(*) as n from reports where app_id = ${appId}`);
  return Number(row?.n ?? 0);
}

export const insertReport = reportRows.insert;
export const saveReport = reportRows.write;

export async function deleteReport(db: Db, { appId, reportId }: ReportKey): Promise<void> {
  await db.run(sql`delete from report_mails where app_id = ${appId} and report_id = ${reportId}`);
  await db.run(sql`delete from report_addresses where app_id = ${appId} and report_id = ${reportId}`);
  await db.run(sql`delete from reports where app_id = ${appId} and report_id = ${reportId}`);
}

/** The addresses of one report, or of all reports of an app. */
export function listAddresses(db: Db, appId: string, reportId?: string): Promise<AddressRow[]> {
  const of = reportId === undefined ? sql`` : sql` and report_id = ${reportId}`;
  return db.all(
    sql`select * from report_addresses where app_id = ${appId}${of} order by report_id, created_at, address_id`,
  );
}

const reportAddressRows = rowsOf(reportAddresses);
export const insertAddress = reportAddressRows.insert;

export interface AddressKey extends ReportKey {
  readonly addressId: string;
}

const ofAddress = ({ appId, reportId, addressId }: AddressKey) =>
  sql`app_id = ${appId} and report_id = ${reportId} and address_id = ${addressId}`;

export function findAddress(db: Db, key: AddressKey): Promise<AddressRow | undefined> {
  return db.one(sql`select * from report_addresses where ${ofAddress(key)}`);
}

export async function deleteAddress(db: Db, key: AddressKey): Promise<boolean> {
  return (await db.run(sql`delete from report_addresses where ${ofAddress(key)}`)) > 0;
}

export async function setVoucher(db: Db, key: AddressKey, adminId: string): Promise<void> {
  await db.run(sql`update report_addresses set added_by = ${adminId} where ${ofAddress(key)}`);
}

/** The link in the mail; the one before it no longer opens anything. */
export async function setToken(db: Db, key: AddressKey, tokenHash: string, expiresAt: number): Promise<boolean> {
  const changed =
    await db.run(sql`update report_addresses set token_hash = ${tokenHash}, token_expires_at = ${expiresAt}
    where ${ofAddress(key)} and confirmed_at is null`);
  return changed > 0;
}

export function findByToken(db: Db, tokenHash: string, now: number): Promise<AddressRow | undefined> {
  return db.one(sql`select * from report_addresses where token_hash = ${tokenHash} and token_expires_at > ${now}`);
}

export const findByStop = reportAddressRows.find('stop_token');

export async function confirmAddress(db: Db, tokenHash: string, now: number): Promise<boolean> {
  const changed =
    await db.run(sql`update report_addresses set confirmed_at = ${now}, token_hash = null, token_expires_at = null
    where token_hash = ${tokenHash} and token_expires_at > ${now}`);
  return changed > 0;
}

/** False where this period has been made. */
export async function beginPeriod(
  db: Db,
  { appId, reportId }: ReportKey,
  {
    from,
    until,
    state,
    message,
    now,
  }: ReportPeriod & { readonly state: MailState; readonly message: string; readonly now: number },
): Promise<boolean> {
  const changed = await db.run(sql`insert into report_mails
      (app_id, report_id, period_from, recipient, period_until, email, state, message, made_at, ended_at)
    values (${appId}, ${reportId}, ${from}, '', ${until}, '', ${state}, ${message}, ${now}, ${now})
    on conflict (app_id, report_id, period_from, recipient) do nothing`);
  return changed > 0;
}

export async function hasPeriod(db: Db, { appId, reportId }: ReportKey, from: string): Promise<boolean> {
  const found = await db.one(sql`select 1 as found from report_mails where app_id = ${appId} and report_id = ${reportId}
    and period_from = ${from} and recipient = ''`);
  return found !== undefined;
}

export interface MailKey extends ReportKey {
  readonly from: string;
  readonly recipient: string;
}

const ofMail = ({ appId, reportId, from, recipient }: MailKey) =>
  sql`app_id = ${appId} and report_id = ${reportId} and period_from = ${from} and recipient = ${recipient}`;

export async function insertMail(
  db: Db,
  { appId, reportId, from, recipient }: MailKey,
  { until, email, now }: { readonly until: string; readonly email: string; readonly now: number },
): Promise<void> {
  await db.run(sql`insert into report_mails
      (app_id, report_id, period_from, recipient, period_until, email, state, message, made_at)
    values (${appId}, ${reportId}, ${from}, ${recipient}, ${until}, ${email}, 'waits', '', ${now})
    on conflict (app_id, report_id, period_from, recipient) do nothing`);
}

export function findMail(db: Db, key: MailKey): Promise<MailRow | undefined> {
  return db.one(sql`select * from report_mails where ${ofMail(key)}`);
}

/** Only where the mail is in one of the states that are named. */
export async function noteMail(
  db: Db,
  key: MailKey,
  {
    within,
    state,
    message = '',
    now,
  }: {
    readonly within: readonly MailState[];
    readonly state: MailState;
    readonly message?: string;
    readonly now: number;
  },
): Promise<boolean> {
  const row = await db.one<MailRow>(sql`select * from report_mails where ${ofMail(key)}${raw(db.dialect.lockRow)}`);
  if (!row || !within.includes(row.state)) return false;
  const endedAt = state === 'waits' || state === 'sending' ? null : now;
  await db.run(
    sql`update report_mails set state = ${state}, message = ${message}, ended_at = ${endedAt} where ${ofMail(key)}`,
  );
  return true;
}

/** The mails of an app since a time, the last period first. */
export function listMails(db: Db, appId: string, since: number): Promise<MailRow[]> {
  return db.all(sql`select * from report_mails where app_id = ${appId} and made_at >= ${since}
    order by made_at desc, report_id, recipient limit 2000`);
}

export async function deleteOldMails(db: Db, before: number): Promise<void> {
  await db.run(sql`delete from report_mails where made_at < ${before}`);
}
