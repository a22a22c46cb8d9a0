import { raw, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import type { pairingCodes } from '../tables.ts';

export type CodeRow = RowOf<typeof pairingCodes>;

export interface PairingOwner {
  readonly appId: string;
  readonly adminId: string;
}

/** Stores a code; it replaces the previous one. */
export async function putCode(db: Db, row: Omit<CodeRow, 'claimed_by'>): Promise<void> {
  await db.run(sql`insert into pairing_codes (app_id, admin_id, code_hash, asked_by, name, expires_at)
    values (${row.app_id}, ${row.admin_id}, ${row.code_hash}, ${row.asked_by}, ${row.name}, ${row.expires_at})
    on conflict (app_id, admin_id) do update set code_hash = excluded.code_hash, asked_by = excluded.asked_by,
      name = excluded.name, expires_at = excluded.expires_at, claimed_by = null`);
}

export const findCode = (db: Db, { appId, adminId }: PairingOwner) =>
  db.one<CodeRow>(sql`select * from pairing_codes where app_id = ${appId} and admin_id = ${adminId}`);

/** Locks the code until the end of the transaction: only one of two phones can use it. */
export const lockCode = (db: Db, appId: string, codeHash: string) =>
  db.one<CodeRow>(
    sql`select * from pairing_codes where app_id = ${appId} and code_hash = ${codeHash}${raw(db.dialect.lockRow)}`,
  );

export async function deleteCode(db: Db, { appId, adminId }: PairingOwner): Promise<void> {
  await db.run(sql`delete from pairing_codes where app_id = ${appId} and admin_id = ${adminId}`);
}

export async function noteClaim(db: Db, { app_id, admin_id }: CodeRow, installationId: string): Promise<void> {
  await db.run(
    sql`update pairing_codes set claimed_by = ${installationId} where app_id = ${app_id} and admin_id = ${admin_id}`,
  );
}

export async function putPhone(db: Db, owner: PairingOwner, installationId: string, now: number): Promise<void> {
  await db.run(sql`insert into own_phones (app_id, admin_id, installation_id, paired_at)
    values (${owner.appId}, ${owner.adminId}, ${installationId}, ${now})
    on conflict (app_id, admin_id, installation_id) do update set paired_at = excluded.paired_at`);
}

/** The number of rows deleted, 0 or 1. */
export const deletePhone = (db: Db, { appId, adminId }: PairingOwner, installationId: string) =>
  db.run(
    sql`delete from own_phones where app_id = ${appId} and admin_id = ${adminId} and installation_id = ${installationId}`,
  );

export interface PhoneRow {
  readonly object_id: string;
  readonly device_type: 'ios' | 'android' | 'web' | 'embedded';
  readonly device_model: string | null;
  readonly app_version: string | null;
  readonly has_address: number;
  readonly paired_at: number;
}

/** The paired phones whose installations exist, newest first. */
export const listPhones = (db: Db, { appId, adminId }: PairingOwner) =>
  db.all<PhoneRow>(sql`select i.object_id, i.device_type, i.device_model, i.app_version, p.paired_at,
      case when i.device_token is not null and i.token_dead_at is null then 1 else 0 end as has_address
    from own_phones p join installations i on i.app_id = p.app_id and i.object_id = p.installation_id
    where p.app_id = ${appId} and p.admin_id = ${adminId} order by p.paired_at desc, i.object_id desc`);
