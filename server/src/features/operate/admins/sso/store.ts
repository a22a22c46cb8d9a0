import type { AdminRole } from '../../../../access/roles.ts';
import { raw, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { deleteSetting, findSetting, saveSetting } from '../../../../db/settings.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../../db/table.ts';
import { adminIdentities, ssoAttempts, ssoProviders } from './tables.ts';

export type ProviderRow = RowOf<typeof ssoProviders> & { readonly default_role: AdminRole | null };
export type IdentityRow = RowOf<typeof adminIdentities>;

/** `confirm`: the session that is there already is confirmed. `connect`: its administrator signs in this way as well. */
export type SignInPurpose = 'sign in' | 'confirm' | 'connect';
export type AttemptRow = RowOf<typeof ssoAttempts> & { readonly purpose: SignInPurpose };

const ssoProviderRows = rowsOf<typeof ssoProviders, ProviderRow>(ssoProviders);
export const listProviders = ssoProviderRows.list([], ['provider_id']);
export const findProvider = ssoProviderRows.find('provider_id');

/** Locks all providers until the end of the transaction. */
export function lockProviders(db: Db): Promise<ProviderRow[]> {
  return db.all(sql`select * from sso_providers order by provider_id${raw(db.dialect.lockRow)}`);
}

/** In a transaction: none is changed, and whether they are the only way stays, until the transaction ends. */
export async function holdProviders(db: Db): Promise<void> {
  await db.all(sql`select provider_id from sso_providers order by provider_id${raw(db.dialect.holdRow)}`);
}

/** @throws UniqueViolation when the name or the issuer is taken */
export const insertProvider = ssoProviderRows.insert;

/** The issuer stays: the identities of administrators belong to it. */
export const updateProvider = ssoProviderRows.write;

export async function deleteProvider(db: Db, providerId: string): Promise<void> {
  await db.run(sql`delete from sso_attempts where provider_id = ${providerId}`);
  await db.run(sql`delete from sso_providers where provider_id = ${providerId}`);
}

/** With the agents that were made in them, as below. */
export async function deleteSessionsThrough(db: Db, providerId: string): Promise<number> {
  await db.run(sql`delete from admin_agents where provider_id = ${providerId}`);
  return db.run(sql`delete from admin_sessions where provider_id = ${providerId}`);
}

/** Of one administrator, those that began with single sign-on. */
export async function deleteSingleSignOnSessions(db: Db, adminId: string): Promise<void> {
  await db.run(sql`delete from admin_sessions where admin_id = ${adminId} and provider_id is not null`);
  await db.run(sql`delete from admin_agents where admin_id = ${adminId} and provider_id is not null`);
}

/** Those that began with a password or a passkey. */
export async function deleteLocalSessions(db: Db): Promise<number> {
  await db.run(sql`delete from admin_agents where provider_id is null`);
  return db.run(sql`delete from admin_sessions where provider_id is null`);
}

const adminIdentityRows = rowsOf(adminIdentities);
export const findIdentity = adminIdentityRows.find('issuer', 'subject');

export async function listIssuersOf(db: Db, adminId: string): Promise<readonly string[]> {
  const rows = await db.all<{ issuer: string }>(
    sql`select issuer from admin_identities where admin_id = ${adminId} order by created_at, issuer`,
  );
  return rows.map(({ issuer }) => issuer);
}

/** @throws UniqueViolation when it is somebody's already */
export const insertIdentity = adminIdentityRows.insert;

export async function noteIdentityUse(db: Db, { issuer, subject }: IdentityRow, now: number): Promise<void> {
  await db.run(
    sql`update admin_identities set last_used_at = ${now} where issuer = ${issuer} and subject = ${subject}`,
  );
}

/** How many were forgotten. */
export const deleteIdentities = adminIdentityRows.remove('admin_id', 'issuer');
const ssoAttemptRows = rowsOf<typeof ssoAttempts, AttemptRow>(ssoAttempts);
export const insertAttempt = ssoAttemptRows.insert;

/** Of the browser that began it, once. */
export async function takeAttempt(
  db: Db,
  { stateHash, browserHash, now }: { readonly stateHash: string; readonly browserHash: string; readonly now: number },
): Promise<AttemptRow | undefined> {
  const row = await db.one<AttemptRow>(
    sql`select * from sso_attempts where state_hash = ${stateHash} and browser_hash = ${browserHash}`,
  );
  if (!row) return undefined;
  const taken = await db.run(sql`delete from sso_attempts where state_hash = ${stateHash}`);
  return taken > 0 && row.expires_at > now ? row : undefined;
}

export async function deleteExpiredAttempts(db: Db, now: number): Promise<void> {
  await db.run(sql`delete from sso_attempts where expires_at <= ${now}`);
}

const policyName = 'single_sign_on';

/** Whether nobody may sign in with a password or a passkey. */
export async function isOnlyWay(db: Db): Promise<boolean> {
  return (await findSetting(db, policyName)) === 'only';
}

export async function setOnlyWay(db: Db, isOnly: boolean): Promise<void> {
  if (isOnly) await saveSetting(db, policyName, 'only');
  else await deleteSetting(db, policyName);
}

const hoursName = 'single_sign_on_hours';
/** A working day: whoever has left a group is asked for it on the next one at the latest. */
export const usualSessionHours = 12;
const hourMs = 3_600_000;

/** How long a session lasts that a provider has begun. */
export async function findSessionHours(db: Db): Promise<number> {
  return Number((await findSetting(db, hoursName)) ?? usualSessionHours);
}

/** In a transaction. Sessions that have lasted longer already end now. */
export async function setSessionHours(db: Db, hours: number): Promise<void> {
  await saveSetting(db, hoursName, String(hours));
  const until = sql`created_at + ${hours * hourMs}`;
  await db.run(sql`update admin_sessions set expires_at = ${until}
    where provider_id is not null and expires_at > ${until}`);
  await db.run(sql`update admin_agents set expires_at = ${until}
    where provider_id is not null and expires_at > ${until}`);
}
