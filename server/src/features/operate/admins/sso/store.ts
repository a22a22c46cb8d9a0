import type { AdminRole } from '../../../../access/roles.ts';
import { raw, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { deleteSetting, findSetting, saveSetting } from '../../../../db/settings.ts';
import type { RowOf } from '../../../../db/table.ts';
import type { adminIdentities, ssoAttempts, ssoProviders } from './tables.ts';

export type ProviderRow = RowOf<typeof ssoProviders> & { readonly default_role: AdminRole | null };
export type IdentityRow = RowOf<typeof adminIdentities>;

/** `confirm`: the session that is there already is confirmed. `connect`: its administrator signs in this way as well. */
export type SignInPurpose = 'sign in' | 'confirm' | 'connect';
export type AttemptRow = RowOf<typeof ssoAttempts> & { readonly purpose: SignInPurpose };

export function listProviders(db: Db): Promise<ProviderRow[]> {
  return db.all(sql`select * from sso_providers order by provider_id`);
}

export function findProvider(db: Db, providerId: string): Promise<ProviderRow | undefined> {
  return db.one(sql`select * from sso_providers where provider_id = ${providerId}`);
}

/** Locks all providers until the end of the transaction. */
export function lockProviders(db: Db): Promise<ProviderRow[]> {
  return db.all(sql`select * from sso_providers order by provider_id${raw(db.dialect.lockRow)}`);
}

/** In a transaction: none is changed, and whether they are the only way stays, until the transaction ends. */
export async function holdProviders(db: Db): Promise<void> {
  await db.all(sql`select provider_id from sso_providers order by provider_id${raw(db.dialect.holdRow)}`);
}

/** @throws UniqueViolation when the name or the issuer is taken */
export async function insertProvider(db: Db, row: ProviderRow): Promise<void> {
  await db.run(sql`insert into sso_providers (provider_id, name, issuer, client_id, client_secret, scopes, groups_claim,
      roles, app_roles, default_role, factor_values, trusts_email, join_apps, is_enabled, created_at, updated_at)
    values (${row.provider_id}, ${row.name}, ${row.issuer}, ${row.client_id}, ${row.client_secret}, ${row.scopes},
      ${row.groups_claim}, ${row.roles}, ${row.app_roles}, ${row.default_role}, ${row.factor_values}, ${row.trusts_email},
      ${row.join_apps}, ${row.is_enabled}, ${row.created_at}, ${row.updated_at})`);
}

/** The issuer stays: the identities of administrators belong to it. */
export async function updateProvider(db: Db, row: ProviderRow): Promise<void> {
  await db.run(sql`update sso_providers set name = ${row.name}, client_id = ${row.client_id},
      client_secret = ${row.client_secret}, scopes = ${row.scopes}, groups_claim = ${row.groups_claim},
      roles = ${row.roles}, app_roles = ${row.app_roles}, default_role = ${row.default_role}, factor_values = ${row.factor_values},
      trusts_email = ${row.trusts_email}, join_apps = ${row.join_apps}, is_enabled = ${row.is_enabled}, updated_at = ${row.updated_at}
    where provider_id = ${row.provider_id}`);
}

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

export function findIdentity(db: Db, issuer: string, subject: string): Promise<IdentityRow | undefined> {
  return db.one(sql`select * from admin_identities where issuer = ${issuer} and subject = ${subject}`);
}

export async function listIssuersOf(db: Db, adminId: string): Promise<readonly string[]> {
  const rows = await db.all<{ issuer: string }>(
    sql`select issuer from admin_identities where admin_id = ${adminId} order by created_at, issuer`,
  );
  return rows.map(({ issuer }) => issuer);
}

/** @throws UniqueViolation when it is somebody's already */
export async function insertIdentity(db: Db, row: IdentityRow): Promise<void> {
  await db.run(sql`insert into admin_identities (issuer, subject, admin_id, created_at, last_used_at)
    values (${row.issuer}, ${row.subject}, ${row.admin_id}, ${row.created_at}, ${row.last_used_at})`);
}

export async function noteIdentityUse(db: Db, { issuer, subject }: IdentityRow, now: number): Promise<void> {
  await db.run(
    sql`update admin_identities set last_used_at = ${now} where issuer = ${issuer} and subject = ${subject}`,
  );
}

/** How many were forgotten. */
export function deleteIdentities(db: Db, adminId: string, issuer: string): Promise<number> {
  return db.run(sql`delete from admin_identities where admin_id = ${adminId} and issuer = ${issuer}`);
}

export async function insertAttempt(db: Db, row: AttemptRow): Promise<void> {
  await db.run(sql`insert into sso_attempts (state_hash, browser_hash, provider_id, purpose, session_hash, nonce, verifier,
      redirect_uri, next, created_at, expires_at)
    values (${row.state_hash}, ${row.browser_hash}, ${row.provider_id}, ${row.purpose}, ${row.session_hash}, ${row.nonce},
      ${row.verifier}, ${row.redirect_uri}, ${row.next}, ${row.created_at}, ${row.expires_at})`);
}

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
