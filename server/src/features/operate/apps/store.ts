import type { AppAccess } from '../../../access/access.ts';
import { type AppPolicy, readPolicy } from '../../../access/policy.ts';
import { closedRules } from '../../../access/rules/closing.ts';
import { DryRun, type DryRunMeter } from '../../../access/rules/dry-run.ts';
import type { StoredAppRules } from '../../../access/rules/rule-types.ts';
import { type AppRules, compileRules } from '../../../access/rules/rules.ts';
import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { insertSetting } from '../../../db/settings.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { DbTable, RowOf } from '../../../db/table.ts';
import { Pace, sweepRest } from '../../../jobs/pace.ts';
import type { AppsWith } from '../../feature.ts';
import { listSecretKeys, secretKeyOf } from './secret-key-store.ts';
import { appKeys, apps } from './tables.ts';

export type AppRow = RowOf<typeof apps>;
export type KeyRow = RowOf<typeof appKeys>;

const appRows = rowsOf(apps);
export const findApp = appRows.find('app_id');

/** Inside a transaction: the row stays as it is until the transaction ends. */
export const lockApp = appRows.lock('app_id');
export const listApps = appRows.list([], ['app_id']);

/**
 * The apps of which there is a row in a table, by a walk along its index from one app to the next: a statement for each that has some, and
 * none for the others. One statement for all of them would read the whole table where PostgreSQL knows that few apps fill it.
 */
export async function appsWith(db: Db, { name }: Pick<DbTable, 'name'>): Promise<string[]> {
  const found: string[] = [];
  const pace = new Pace({ rest: sweepRest });
  for (let last = ''; ; ) {
    const next = await db.one<{ app_id: string }>(
      sql`select app_id from ${raw(name)} where app_id > ${last} order by app_id limit 1`,
    );
    if (next === undefined) return found;
    last = next.app_id;
    found.push(last);
    await pace.rest();
  }
}

/** For sweeps, which go on with the apps that have something. */
export const asking =
  (db: Db): AppsWith =>
  (table) =>
    appsWith(db, table);

const appKeyRows = rowsOf(appKeys);

/** Keys of an app, newest first; disabled ones and those of pretend phones too. */
export const listKeys = appKeyRows.list(['app_id'], ['created_at desc', 'key_id desc']);

/** @param meter counts what the app's dry run would refuse; without it there is none */
export async function findAppAccess(db: Db, appId: string, meter?: DryRunMeter): Promise<AppAccess | undefined> {
  const app = await findApp(db, appId);
  if (!app) return undefined;
  const keys = (await listKeys(db, appId)).filter((key) => key.disabled_at === null);
  const secretKeys = await listSecretKeys(db, appId);
  const stored = readRules(app);
  const policy = policyOf(app);
  const rules = compileRules(stored, policy);
  const dryRun = meter && dryRunOf(app, rules, meter);
  return {
    appId,
    name: app.name,
    policy,
    rules,
    ...(dryRun?.isOther ? { dryRun } : {}),
    disabled: app.disabled_at !== null,
    keys: keys.map((key) => ({
      keyId: key.key_id,
      keyHash: key.key_hash,
      lastUsedAt: key.last_used_at,
      expiresAt: key.expires_at,
    })),
    secretKeys: secretKeys.map(secretKeyOf),
  };
}

export const readRules = ({ rules }: Pick<AppRow, 'rules'>) => JSON.parse(rules) as StoredAppRules;

export const closedRulesOf = (app: Pick<AppRow, 'policy' | 'rules'>): StoredAppRules =>
  closedRules(readRules(app), readPolicy(app.policy, 'visitors'));

/** The rules of the dry run: those that were chosen, or else those that would close an app with the open preset. */
export function dryRunRulesOf(app: Pick<AppRow, 'policy' | 'rules' | 'dry_run'>): StoredAppRules | undefined {
  if (app.dry_run !== null) return JSON.parse(app.dry_run) as StoredAppRules;
  return (readRules(app).preset ?? 'specification') === 'specification' ? closedRulesOf(app) : undefined;
}

export function dryRunOf(
  app: Pick<AppRow, 'app_id' | 'policy' | 'rules' | 'dry_run'>,
  now: AppRules,
  meter: DryRunMeter,
): DryRun | undefined {
  const stored = dryRunRulesOf(app);
  const then = stored && compileRules(stored, readPolicy(app.policy, stored.preset));
  return then && new DryRun(app.app_id, { now, then }, meter);
}

/** The complete policy; the preset of the rules says what some members are where nothing is stored. */
export const policyOf = (app: Pick<AppRow, 'policy' | 'rules'>): AppPolicy =>
  readPolicy(app.policy, readRules(app).preset);

export interface NewApp {
  readonly appId: string;
  readonly name: string;
  readonly policy: Partial<AppPolicy>;
  readonly rules: StoredAppRules;
  readonly now: number;
}

export async function insertApp(db: Db, { appId, name, policy, rules, now }: NewApp) {
  await db.run(sql`insert into apps (app_id, name, policy, rules, created_at, updated_at)
    values (${appId}, ${name}, ${JSON.stringify(policy)}, ${JSON.stringify(rules)}, ${now}, ${now})`);
}

/** False when a first app was made before, by this node or another, even if it has been deleted since. */
export function noteFirstApp(db: Db, appId: string): Promise<boolean> {
  return insertSetting(db, 'first_app', appId);
}

export async function updateApp(
  db: Db,
  appId: string,
  change: { readonly name: string; readonly policy: string; readonly disabledAt: number | null; readonly now: number },
) {
  await db.run(sql`update apps set name = ${change.name}, policy = ${change.policy}, disabled_at = ${change.disabledAt}, updated_at = ${change.now}
    where app_id = ${appId}`);
}

export async function updateRules(db: Db, appId: string, rules: StoredAppRules, now: number): Promise<void> {
  await db.run(sql`update apps set rules = ${JSON.stringify(rules)}, updated_at = ${now} where app_id = ${appId}`);
}

export async function updateDryRun(db: Db, appId: string, rules: StoredAppRules | undefined): Promise<void> {
  await db.run(sql`update apps set dry_run = ${rules ? JSON.stringify(rules) : null} where app_id = ${appId}`);
}

export const insertKey = appKeyRows.insert;

/** Those of pretend phones that have ended, and of the others all but the newest. */
export async function deleteTrialKeys(
  db: Db,
  appId: string,
  { now, kept }: { readonly now: number; readonly kept: number },
) {
  await db.run(sql`delete from app_keys where app_id = ${appId} and expires_at is not null and (expires_at <= ${now}
    or key_id not in (select key_id from app_keys where app_id = ${appId} and expires_at is not null
      order by created_at desc, key_id desc limit ${kept}))`);
}

export async function disableKey(db: Db, appId: string, keyId: string, now: number): Promise<boolean> {
  return (
    (await db.run(
      sql`update app_keys set disabled_at = ${now} where app_id = ${appId} and key_id = ${keyId} and disabled_at is null`,
    )) > 0
  );
}

/** Switches a key on again that was switched off after `since`. */
export async function enableKey(db: Db, appId: string, keyId: string, since: number): Promise<boolean> {
  return (
    (await db.run(
      sql`update app_keys set disabled_at = null where app_id = ${appId} and key_id = ${keyId} and disabled_at > ${since}`,
    )) > 0
  );
}

export async function noteKeyUse(db: Db, appId: string, keyId: string, now: number): Promise<void> {
  await db.run(sql`update app_keys set last_used_at = ${now} where app_id = ${appId} and key_id = ${keyId}`);
}
