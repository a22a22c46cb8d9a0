import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import { mailLinks } from './tables.ts';

/** SQL and nothing else. */

export type LinkRow = RowOf<typeof mailLinks>;

const mailLinkRows = rowsOf(mailLinks);
export const insertLink = mailLinkRows.insert;

/**
 * An account is given one new address, the one that was asked for last: a mistyped one must not be able to take it. Takes back
 * the links to other addresses, in a transaction that holds the account; false if another one was asked for since.
 */
export async function replaceChanges(db: Db, row: LinkRow): Promise<boolean> {
  const others = sql`app_id = ${row.app_id} and user_id = ${row.user_id} and purpose = 'change'
    and email_key <> ${row.email_key}`;
  if (await db.one(sql`select 1 as found from mail_links where ${others} and expires_at > ${row.expires_at}`))
    return false;
  await db.run(sql`delete from mail_links where ${others}`);
  return true;
}

interface Wanted {
  readonly appId: string;
  readonly tokenHash: string;
  readonly purposes: readonly string[];
  readonly now: number;
}

export function findLink(db: Db, { appId, tokenHash, purposes, now }: Wanted): Promise<LinkRow | undefined> {
  return db.one<LinkRow>(sql`select * from mail_links
    where app_id = ${appId} and token_hash = ${tokenHash} and expires_at > ${now}
      and purpose in (${purposes[0] ?? ''}, ${purposes[1] ?? purposes[0] ?? ''})`);
}

/** In a transaction. False if it was used in the meantime. */
export async function takeLink(db: Db, { appId, tokenHash }: Pick<Wanted, 'appId' | 'tokenHash'>): Promise<boolean> {
  return (await db.run(sql`delete from mail_links where app_id = ${appId} and token_hash = ${tokenHash}`)) > 0;
}

export const deleteLinksOf = mailLinkRows.remove('app_id', 'user_id');
