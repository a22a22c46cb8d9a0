import type { HeldInstallation } from '../../access/caller.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Db, Row } from '../../db/db.ts';
import { defineTable, json, pointer, text, time } from '../../resources/table.ts';

const optional = { omitNull: true } as const;

/** What answers, lists and audiences may show: all but the token. */
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
  readonly user_id: string | null;
  readonly held_since: number | null;
  readonly unproven: number;
  readonly claim_user_id: string | null;
  readonly claim_token: string | null;
  readonly claim_since: number | null;
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

/** Takes a token from any other installation that has it. */
export async function takeToken(db: Db, appId: string, deviceToken: string, forId: string): Promise<void> {
  await db.run(sql`update installations set device_token = null, token_at = null, token_dead_at = null, token_dead_reason = null
    where app_id = ${appId} and device_token = ${deviceToken} and object_id <> ${forId}`);
}

/** A user with more installations than this is a machine. */
const mostHeld = 100;

/** The installations that are proven to belong to a user, the newest hundred, and since when. */
export async function findHeld(db: Db, appId: string, userId: string): Promise<HeldInstallation[]> {
  const rows = await db.all<{ object_id: string; held_since: number | null }>(
    sql`select object_id, held_since from installations
      where app_id = ${appId} and user_id = ${userId} and unproven = 0 order by object_id desc limit ${mostHeld}`,
  );
  return rows.map(({ object_id, held_since }) => ({ objectId: object_id, heldSince: held_since ?? 0 }));
}

/** The user of an installation, null if it has none; undefined if there is no such installation. */
export async function findHolder(db: Db, appId: string, objectId: string): Promise<string | null | undefined> {
  const row = await db.one<{ user_id: string | null }>(
    sql`select user_id from installations where app_id = ${appId} and object_id = ${objectId}`,
  );
  return row?.user_id;
}

/** Whether a tag already stands for an installation of another user. */
export async function isTagOfAnother(
  db: Db,
  appId: string,
  advertisedKey: string,
  own: { readonly objectId: string; readonly userId: string | undefined },
): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from installations
    where app_id = ${appId} and advertised_key = ${advertisedKey} and object_id <> ${own.objectId}
      and user_id is not null and user_id <> ${own.userId ?? ''} and unproven = 0 limit 1`);
  return row !== undefined;
}

/** Whether its present holder has proved nothing and only knows its id. */
export async function isUnproven(db: Db, appId: string, objectId: string): Promise<boolean> {
  const row = await db.one<{ unproven: number }>(
    sql`select unproven from installations where app_id = ${appId} and object_id = ${objectId}`,
  );
  return row !== undefined && row.unproven !== 0;
}

/**
 * For an erased user: the installations stay without a user, and without what reaches or describes that user. The phone
 * itself may continue with its installationId; its traces are erased elsewhere.
 */
export async function unlinkUser(db: Db, appId: string, userId: string): Promise<void> {
  await db.run(sql`update installations set user_id = null, device_token = null, token_at = null, token_dead_at = null,
      token_dead_reason = null, channels = '[]', metadata = '{}', advertised_key = null, time_zone = null,
      locale_identifier = null
    where app_id = ${appId} and user_id = ${userId}`);
  await db.run(sql`update installations set claim_user_id = null, claim_token = null, claim_since = null
    where app_id = ${appId} and claim_user_id = ${userId}`);
}
