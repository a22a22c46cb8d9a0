import type { HeldInstallation } from '../../../access/caller.ts';
import type { Provable } from '../../../access/installation-proof.ts';
import { raw, type Sql, sql } from '../../../base/sql.ts';
import { bulkUpdate } from '../../../db/bulk.ts';
import type { Db } from '../../../db/db.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import type { Motion } from '../../motion.ts';
import { installations } from './resource.ts';

export type InstallationRow = RowOf<typeof installations.table>;

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

export async function takeToken(db: Db, appId: string, deviceToken: string, forId: string): Promise<void> {
  await db.run(sql`update installations set device_token = null, token_at = null, token_dead_at = null, token_dead_reason = null
    where app_id = ${appId} and device_token = ${deviceToken} and object_id <> ${forId}`);
}

/** Another installation that is reached under this topic, and is a user's or has a secret. */
export function findTopicHolder(
  db: Db,
  appId: string,
  topic: string,
  forId: string,
): Promise<{ readonly user_id: string | null } | undefined> {
  return db.one(sql`select user_id from installations
    where app_id = ${appId} and device_token = ${topic} and object_id <> ${forId}
      and (lower(push_type) = 'mqtt' or (push_type is null and device_type = 'embedded'))
      and (user_id is not null or secret_hash is not null)`);
}

/** A user with more installations than this is a machine. */
const maxHeld = 100;

/** The installations that are proven to belong to a user, the newest hundred, and since when. */
export async function findHeld(db: Db, appId: string, userId: string): Promise<HeldInstallation[]> {
  const rows = await db.all<{ object_id: string; held_since: number | null }>(
    sql`select object_id, held_since from installations
      where app_id = ${appId} and user_id = ${userId} and unproven = 0 order by object_id desc limit ${maxHeld}`,
  );
  return rows.map(({ object_id, held_since }) => ({ objectId: object_id, heldSince: held_since ?? 0 }));
}

/** Who speaks for an installation; undefined if there is none. */
export async function findProvable(db: Db, appId: string, objectId: string): Promise<Provable | undefined> {
  const row = await db.one<{ user_id: string | null; secret_hash: string | null }>(
    sql`select user_id, secret_hash from installations where app_id = ${appId} and object_id = ${objectId}`,
  );
  return row && { userId: row.user_id, secretHash: row.secret_hash };
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
      and (user_id is null or user_id <> ${own.userId ?? ''}) and unproven = 0 limit 1`);
  return row !== undefined;
}

/** From now on a tag stands for no other installation. */
export async function takeTag(db: Db, appId: string, advertisedKey: string, forId: string): Promise<void> {
  await db.run(sql`update installations set advertised_key = null
    where app_id = ${appId} and advertised_key = ${advertisedKey} and object_id <> ${forId}`);
}

/** Whether its present holder has proved nothing and only knows its id. */
export async function isUnproven(db: Db, appId: string, objectId: string): Promise<boolean> {
  const row = await db.one<{ unproven: number }>(
    sql`select unproven from installations where app_id = ${appId} and object_id = ${objectId}`,
  );
  return row !== undefined && row.unproven !== 0;
}

/** For an erased user: installations that she has taken by their id alone are others', and stay without what she has put there. */
export async function letGoOfPhones(db: Db, appId: string, userId: string): Promise<void> {
  await db.run(sql`update installations set user_id = null, device_token = null, token_at = null, token_dead_at = null,
      token_dead_reason = null, channels = '[]', metadata = '{}', advertised_key = null, time_zone = null,
      locale_identifier = null, sensing = null, sensing_at = null, sensing_cause = null
    where app_id = ${appId} and user_id = ${userId}`);
}

/**
 * For a user whose account somebody has taken over by proving to read the mails to its address: its phones may be those of whoever made
 * it. They stay without the user and proof of it, and come back, with what was recorded, when the user registers them.
 */
export async function releasePhones(db: Db, appId: string, userId: string, now: number): Promise<void> {
  await db.run(sql`update installations set user_id = null, handed_over_at = ${now}, unproven = 1,
      claim_user_id = case when unproven = 0 then user_id else claim_user_id end,
      claim_since = case when unproven = 0 then held_since else claim_since end,
      claim_token = case when unproven = 0 then null else claim_token end,
      secret_hash = case when unproven = 0 then null else secret_hash end
    where app_id = ${appId} and user_id = ${userId}`);
  // By its token it would be the user's again.
  await db.run(sql`update installations set claim_token = null where app_id = ${appId} and claim_user_id = ${userId}`);
}

const installationRows = rowsOf(installations.table);
export const deleteInstallation = installationRows.remove('app_id', 'object_id');

/** Installations after `after`, in the order of their ids, at most `limit` of them; the walk of an audience. */
export async function walkInstallations(db: Db, appId: string, after: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ object_id: string }>(sql`select object_id from installations
    where app_id = ${appId} and object_id > ${after} order by object_id limit ${limit}`);
  return rows.map(({ object_id }) => object_id);
}

/** Those of a stretch of the walk that match, off the main thread: a condition may be costly. */
export async function matchInstallations(
  db: Db,
  appId: string,
  stretch: { readonly after: string; readonly upTo: string; readonly condition: Sql },
): Promise<string[]> {
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from installations
      where app_id = ${appId} and object_id > ${stretch.after} and object_id <= ${stretch.upTo} and ${stretch.condition}
      order by object_id`,
    { tenant: appId },
  );
  return rows.map(({ object_id }) => object_id);
}

/** How many installations match, at most `most`. */
export async function countAudience(db: Db, appId: string, condition: Sql | undefined, most: number): Promise<number> {
  const rows = await db.all<{ n: number }>(
    sql`select count(*) as n from (select 1 as one from installations where app_id = ${appId} and ${condition ?? raw('1 = 1')} limit ${most}) x`,
    { tenant: appId },
  );
  return Number(rows[0]?.n ?? 0);
}

interface RouteRow {
  readonly device_type: 'ios' | 'android' | 'web' | 'embedded';
  readonly push_type: string | null;
  readonly token: 'none' | 'dead' | 'alive';
  readonly n: number;
}

/** Counts the installations that match, by the members that decide how a push reaches them. */
export async function countRoutes(db: Db, appId: string, condition: Sql = raw('1 = 1')) {
  const token = sql`case when device_token is null then 'none' when token_dead_at is not null then 'dead' else 'alive' end`;
  const rows = await db.all<RouteRow>(
    sql`select device_type, push_type, token, count(*) as n
      from (select device_type, push_type, ${token} as token from installations where app_id = ${appId} and ${condition}) x
      group by device_type, push_type, token`,
    { tenant: appId },
  );
  return rows.map((row) => ({
    deviceType: row.device_type,
    pushType: row.push_type,
    token: row.token,
    count: Number(row.n),
  }));
}

/** How many installations have reported each locale, the commonest first. */
export async function countLocales(
  db: Db,
  appId: string,
): Promise<readonly { readonly locale: string | null; readonly count: number }[]> {
  const rows = await db.all<{ locale_identifier: string | null; n: number }>(
    sql`select locale_identifier, count(*) as n from installations where app_id = ${appId}
      group by locale_identifier order by n desc, locale_identifier limit ${maxLocales}`,
    { tenant: appId },
  );
  return rows.map((row) => ({ locale: row.locale_identifier, count: Number(row.n) }));
}

/** Far more than there are; phones can report what they like. */
const maxLocales = 5_000;

/** A token that reaches nobody. `since`: what was registered later is alive. */
export async function markTokenDead(
  db: Db,
  appId: string,
  dead: {
    readonly installationId: string;
    readonly token: string;
    readonly reason: string;
    readonly since: number | undefined;
    readonly now: number;
  },
): Promise<void> {
  const isOlder = dead.since === undefined ? raw('1 = 1') : sql`(token_at is null or token_at <= ${dead.since})`;
  await db.run(sql`update installations set token_dead_at = ${dead.now}, token_dead_reason = ${dead.reason}
    where app_id = ${appId} and object_id = ${dead.installationId} and device_token = ${dead.token}
      and token_dead_at is null and ${isOlder}`);
}

/** The installations that a user has, and those that she could prove to be hers. */
export async function findInstallationsOf(db: Db, appId: string, userId: string): Promise<string[]> {
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from installations where app_id = ${appId} and
      ((user_id = ${userId} and (unproven = 0 or claim_user_id is null)) or claim_user_id = ${userId}) order by object_id`,
  );
  return rows.map(({ object_id }) => object_id);
}

export interface TokenCounts {
  readonly installations: number;
  /** Why tokens are dead, the five commonest reasons. */
  readonly dead: readonly { readonly reason: string; readonly count: number }[];
}

/** Runs beside other requests. */
export async function countTokens(db: Db, appId: string): Promise<TokenCounts> {
  const slow = { tenant: appId };
  const [all] = await db.all<{ n: number }>(sql`select count(*) as n from installations where app_id = ${appId}`, slow);
  const dead = await db.all<{ reason: string; n: number }>(
    sql`select token_dead_reason as reason, count(*) as n from installations
      where app_id = ${appId} and token_dead_reason is not null
      group by token_dead_reason order by n desc, token_dead_reason limit 5`,
    slow,
  );
  return { installations: all?.n ?? 0, dead: dead.map(({ reason, n }) => ({ reason, count: n })) };
}

const moved = bulkUpdate(installations.table, { by: ['app_id', 'object_id'], set: ['motion', 'motion_at'] });

/** Statements that write how phones move, whose rows the caller has locked. */
export function saveMotions(
  dialect: Dialect,
  moving: readonly {
    readonly appId: string;
    readonly installationId: string;
    readonly motion: Motion;
    readonly at: number;
  }[],
): Sql[] {
  const rows = moving.map(({ appId, installationId, motion, at }) => ({
    ...{ app_id: appId, object_id: installationId, motion, motion_at: at },
  }));
  return moved.each(dialect, rows);
}
