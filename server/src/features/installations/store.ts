import type { Db, Row } from '../../db/db.ts';
import { defineTable, json, pointer, text, time } from '../../db/table.ts';
import { raw, type Sql, sql } from '../../sql.ts';

const optional = { omitNull: true } as const;

/** What answers, lists and audiences may see: all but the token. */
export const installationTable = defineTable('installations', {
  objectId: text('object_id'),
  installationId: text('installation_id', { ...optional, indexed: 'unique' }),
  deviceType: text('device_type'),
  pushType: text('push_type', optional),
  channels: json('channels', { empty: '[]' }),
  timeZone: text('time_zone', optional),
  localeIdentifier: text('locale_identifier', optional),
  appIdentifier: text('app_identifier', optional),
  appName: text('app_name', optional),
  appVersion: text('app_version', optional),
  userId: pointer('user_id', '_User', { ...optional, indexed: true }),
  metadata: json('metadata', { empty: '{}' }),
  tokenAt: time('token_at', optional),
  tokenDeadAt: time('token_dead_at', optional),
  tokenDeadReason: text('token_dead_reason', optional),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});

export interface InstallationRow extends Row {
  readonly object_id: string;
  readonly installation_id: string | null;
  readonly device_type: string;
  readonly device_token: string | null;
  readonly push_type: string | null;
  readonly metadata: string;
  readonly created_at: number;
  readonly updated_at: number;
}

function lock(db: Db, condition: Sql): Promise<InstallationRow | undefined> {
  return db.one<InstallationRow>(sql`select * from installations where ${condition}${raw(db.dialect.lockRow)}`);
}

/** Each of these locks the row until the end of the transaction. */
export const lockInstallation = (db: Db, appId: string, objectId: string) =>
  lock(db, sql`app_id = ${appId} and object_id = ${objectId}`);

export const lockByInstallationId = (db: Db, appId: string, installationId: string) =>
  lock(db, sql`app_id = ${appId} and installation_id = ${installationId}`);

export const lockByToken = (db: Db, appId: string, deviceToken: string) =>
  lock(db, sql`app_id = ${appId} and device_token = ${deviceToken}`);

/** Takes a token from whichever other installation has it. */
export async function takeToken(db: Db, appId: string, deviceToken: string, forId: string): Promise<void> {
  await db.run(sql`update installations set device_token = null, token_at = null, token_dead_at = null, token_dead_reason = null
    where app_id = ${appId} and device_token = ${deviceToken} and object_id <> ${forId}`);
}

/** A user was erased: its installations stay and belong to nobody. */
export async function unlinkUser(db: Db, appId: string, userId: string): Promise<void> {
  await db.run(sql`update installations set user_id = null where app_id = ${appId} and user_id = ${userId}`);
}
