import type { AppAccess } from '../../access/access.ts';
import { type AppPolicy, readPolicy } from '../../access/policy.ts';
import { raw, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';

export interface AppRow {
  readonly app_id: string;
  readonly name: string;
  readonly policy: string;
  readonly disabled_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface KeyRow {
  readonly app_id: string;
  readonly key_id: string;
  readonly key_hash: string;
  readonly hint: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly disabled_at: number | null;
}

export function findApp(db: Db, appId: string): Promise<AppRow | undefined> {
  return db.one<AppRow>(sql`select * from apps where app_id = ${appId}`);
}

/** Inside a transaction: the row stays as it is until the transaction ends. */
export function lockApp(db: Db, appId: string): Promise<AppRow | undefined> {
  return db.one<AppRow>(sql`select * from apps where app_id = ${appId}${raw(db.dialect.lockRow)}`);
}

export function listApps(db: Db): Promise<AppRow[]> {
  return db.all<AppRow>(sql`select * from apps order by app_id`);
}

/** Keys of an app, newest first; disabled ones too. */
export function listKeys(db: Db, appId: string): Promise<KeyRow[]> {
  return db.all<KeyRow>(sql`select * from app_keys where app_id = ${appId} order by created_at desc, key_id desc`);
}

export async function findAppAccess(db: Db, appId: string): Promise<AppAccess | undefined> {
  const app = await findApp(db, appId);
  if (!app) return undefined;
  const keys = (await listKeys(db, appId)).filter((key) => key.disabled_at === null);
  return {
    appId,
    name: app.name,
    policy: readPolicy(app.policy),
    disabled: app.disabled_at !== null,
    keys: keys.map((key) => ({ keyId: key.key_id, keyHash: key.key_hash, lastUsedAt: key.last_used_at })),
  };
}

export async function insertApp(
  db: Db,
  app: { readonly appId: string; readonly name: string; readonly policy: Partial<AppPolicy>; readonly now: number },
) {
  await db.run(sql`insert into apps (app_id, name, policy, created_at, updated_at)
    values (${app.appId}, ${app.name}, ${JSON.stringify(app.policy)}, ${app.now}, ${app.now})`);
}

/** False when a first app was made before, by this node or another, even if it has been deleted since. */
export async function noteFirstApp(db: Db, appId: string): Promise<boolean> {
  return (
    (await db.run(
      sql`insert into settings (name, value) values ('first_app', ${appId}) on conflict (name) do nothing`,
    )) > 0
  );
}

export async function updateApp(
  db: Db,
  appId: string,
  change: { readonly name: string; readonly policy: string; readonly disabledAt: number | null; readonly now: number },
) {
  await db.run(sql`update apps set name = ${change.name}, policy = ${change.policy}, disabled_at = ${change.disabledAt}, updated_at = ${change.now}
    where app_id = ${appId}`);
}

export async function insertKey(
  db: Db,
  key: {
    readonly appId: string;
    readonly keyId: string;
    readonly keyHash: string;
    readonly hint: string;
    readonly now: number;
  },
) {
  await db.run(sql`insert into app_keys (app_id, key_id, key_hash, hint, created_at)
    values (${key.appId}, ${key.keyId}, ${key.keyHash}, ${key.hint}, ${key.now})`);
}

export async function disableKey(db: Db, appId: string, keyId: string, now: number): Promise<boolean> {
  return (
    (await db.run(
      sql`update app_keys set disabled_at = ${now} where app_id = ${appId} and key_id = ${keyId} and disabled_at is null`,
    )) > 0
  );
}

export async function noteKeyUse(db: Db, appId: string, keyId: string, now: number): Promise<void> {
  await db.run(sql`update app_keys set last_used_at = ${now} where app_id = ${appId} and key_id = ${keyId}`);
}

/** Every table with rows of an app besides `records`, and its id column; children before what they belong to. */
export const appTables = {
  verdicts: 'object_id',
  events: 'object_id',
  visits: 'object_id',
  firings: 'event_id',
  sighting_keys: 'sighting_key',
  presence: 'installation_id',
  tracks: 'installation_id',
  track_samples: 'installation_id',
  positions: 'object_id',
  beacon_radio: 'beacon_id',
  scenario_beacons: 'detail_id',
  webhook_deliveries: 'object_id',
  webhooks: 'object_id',
  device_credentials: 'device_id',
  live_events: 'object_id',
  live_apps: 'app_id',
  jobs: 'job_id',
  deliveries: 'object_id',
  senders: 'kind',
  pushes: 'object_id',
  schemas: 'object_id',
  buckets: 'object_id',
  files: 'object_id',
  installations: 'object_id',
  devices: 'object_id',
  logs: 'object_id',
  storyline_details: 'object_id',
  storylines: 'object_id',
  notifications: 'object_id',
  beacons: 'object_id',
  password_resets: 'token_hash',
  tokens: 'token_hash',
  users: 'object_id',
  app_keys: 'key_id',
  usage: 'app_id',
  apps: 'app_id',
} as const;
