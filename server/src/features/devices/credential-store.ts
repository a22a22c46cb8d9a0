import { joinSql, raw, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';

/** Credentials of devices: only SQL. */

export interface CredentialRow {
  readonly app_id: string;
  readonly device_id: string;
  readonly password_hash: string;
  readonly issued_at: number;
  readonly topic: string;
}

const live = sql`select c.app_id, c.device_id, c.password_hash, c.issued_at, d.topic
  from device_credentials c
  join devices d on d.app_id = c.app_id and d.object_id = c.device_id
  join apps a on a.app_id = c.app_id`;

/** Also undefined if the device is gone or the app is switched off. */
export function findCredential(db: Db, appId: string, deviceId: string): Promise<CredentialRow | undefined> {
  return db.one<CredentialRow>(
    sql`${live} where c.app_id = ${appId} and c.device_id = ${deviceId} and a.disabled_at is null`,
  );
}

/** The credentials of some devices of one app. */
export function findCredentials(db: Db, appId: string, deviceIds: readonly string[]): Promise<CredentialRow[]> {
  const ids = joinSql(
    deviceIds.map((id) => sql`${id}`),
    ', ',
  );
  return db.all<CredentialRow>(
    sql`${live} where c.app_id = ${appId} and c.device_id in (${ids}) and a.disabled_at is null`,
  );
}

/** In a transaction: the device exists and is not deleted before the end. */
export async function holdDevice(db: Db, appId: string, deviceId: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from devices
    where app_id = ${appId} and object_id = ${deviceId}${raw(db.dialect.holdRow)}`);
  return row !== undefined;
}

export async function saveCredential(
  db: Db,
  row: { readonly appId: string; readonly deviceId: string; readonly passwordHash: string; readonly now: number },
): Promise<void> {
  await db.run(sql`insert into device_credentials (app_id, device_id, password_hash, issued_at)
    values (${row.appId}, ${row.deviceId}, ${row.passwordHash}, ${row.now})
    on conflict (app_id, device_id) do update set password_hash = excluded.password_hash, issued_at = excluded.issued_at`);
}

export async function deleteCredential(db: Db, appId: string, deviceId: string): Promise<boolean> {
  return (await db.run(sql`delete from device_credentials where app_id = ${appId} and device_id = ${deviceId}`)) > 0;
}
