import { listSql, raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';

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
  join apps a on a.app_id = c.app_id and (c.topic is null or c.topic = d.topic)`;

/** Also undefined if they are revoked or were issued for another topic, the device is gone or the app is switched off. */
export function findCredential(db: Db, appId: string, deviceId: string): Promise<CredentialRow | undefined> {
  return db.one<CredentialRow>(
    sql`${live} where c.app_id = ${appId} and c.device_id = ${deviceId} and c.password_hash <> '' and a.disabled_at is null`,
  );
}

export function findCredentials(db: Db, appId: string, deviceIds: readonly string[]): Promise<CredentialRow[]> {
  return db.all<CredentialRow>(
    sql`${live} where c.app_id = ${appId} and c.device_id in (${listSql(deviceIds)}) and c.password_hash <> '' and a.disabled_at is null`,
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
  row: OfDevice & { readonly passwordHash: string; readonly topic: string },
): Promise<void> {
  await db.run(sql`insert into device_credentials (app_id, device_id, password_hash, issued_at, topic)
    values (${row.appId}, ${row.deviceId}, ${row.passwordHash}, ${row.now}, ${row.topic})
    on conflict (app_id, device_id) do update set password_hash = excluded.password_hash, issued_at = excluded.issued_at,
      topic = excluded.topic,
      former_hash = nullif(device_credentials.password_hash, ''),
      former_issued_at = case when device_credentials.password_hash = '' then null else device_credentials.issued_at end,
      former_at = case when device_credentials.password_hash = '' then null else excluded.issued_at end`);
}

interface OfDevice {
  readonly appId: string;
  readonly deviceId: string;
  readonly now: number;
}

/** Leaves an empty row behind, with what can be brought back. */
export async function revokeCredential(db: Db, { appId, deviceId, now }: OfDevice): Promise<boolean> {
  const changed = await db.run(sql`update device_credentials set former_hash = password_hash,
      former_issued_at = issued_at, former_at = ${now}, password_hash = ''
    where app_id = ${appId} and device_id = ${deviceId} and password_hash <> ''`);
  return changed > 0;
}

/** Keeps the credentials of a device that is deleted for its restoration; what was revoked before is gone. */
export async function leaveCredential(db: Db, device: OfDevice): Promise<void> {
  if (await revokeCredential(db, device)) return;
  await db.run(sql`delete from device_credentials where app_id = ${device.appId} and device_id = ${device.deviceId}`);
}

export interface FormerCredential {
  readonly password_hash: string;
  readonly issued_at: number;
  readonly former_at: number;
}

/** What is there now, if there is something to bring back. */
export function findFormer(db: Db, appId: string, deviceId: string): Promise<FormerCredential | undefined> {
  return db.one<FormerCredential>(sql`select password_hash, issued_at, former_at from device_credentials
    where app_id = ${appId} and device_id = ${deviceId} and former_hash is not null`);
}

export async function followTopic(db: Db, appId: string, deviceId: string): Promise<void> {
  await db.run(sql`update device_credentials set topic = (select topic from devices
      where app_id = ${appId} and object_id = ${deviceId})
    where app_id = ${appId} and device_id = ${deviceId}`);
}

/** Makes what was revoked or replaced the present one again, for the topic for which it was issued or that somebody has confirmed since. */
export async function restoreCredential(db: Db, appId: string, deviceId: string): Promise<void> {
  await db.run(sql`update device_credentials set password_hash = former_hash, issued_at = former_issued_at,
      former_hash = null, former_issued_at = null, former_at = null
    where app_id = ${appId} and device_id = ${deviceId} and former_hash is not null`);
}

export async function forgetFormer(db: Db, appId: string, before: number): Promise<void> {
  const old = sql`app_id = ${appId} and former_at <= ${before}`;
  await db.run(sql`delete from device_credentials where ${old} and password_hash = ''`);
  await db.run(sql`update device_credentials set former_hash = null, former_issued_at = null, former_at = null
    where ${old}`);
}
