import { secretHash } from '../../../access/access.ts';
import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import type { ProviderKind } from './provider-kinds.ts';
import type { identities, identityProviders } from './tables.ts';

/** Identity providers and identities: only SQL. */

export type ProviderRow = RowOf<typeof identityProviders> & { readonly kind: ProviderKind };
export type IdentityRow = RowOf<typeof identities>;

export function listProviders(db: Db, appId: string): Promise<ProviderRow[]> {
  return db.all<ProviderRow>(sql`select * from identity_providers where app_id = ${appId} order by name`);
}

export function findProvider(db: Db, appId: string, objectId: string): Promise<ProviderRow | undefined> {
  return db.one<ProviderRow>(sql`select * from identity_providers where app_id = ${appId} and object_id = ${objectId}`);
}

/** In a transaction: the row cannot change until the end. */
export function lockProvider(db: Db, appId: string, objectId: string): Promise<ProviderRow | undefined> {
  return db.one<ProviderRow>(
    sql`select * from identity_providers where app_id = ${appId} and object_id = ${objectId}${raw(db.dialect.lockRow)}`,
  );
}

export function findProviderByName(db: Db, appId: string, name: string): Promise<ProviderRow | undefined> {
  return db.one<ProviderRow>(sql`select * from identity_providers where app_id = ${appId} and name = ${name}`);
}

export function findProviderByIssuer(db: Db, appId: string, issuer: string): Promise<ProviderRow | undefined> {
  return db.one<ProviderRow>(sql`select * from identity_providers where app_id = ${appId} and issuer = ${issuer}`);
}

/** @throws UniqueViolation */
export async function insertProvider(db: Db, row: ProviderRow): Promise<void> {
  await db.run(sql`insert into identity_providers
      (app_id, object_id, name, kind, issuer, jwks_uri, audiences, roles, is_enabled, accepts_tokens, created_at, updated_at)
    values (${row.app_id}, ${row.object_id}, ${row.name}, ${row.kind}, ${row.issuer}, ${row.jwks_uri}, ${row.audiences},
      ${row.roles}, ${row.is_enabled}, ${row.accepts_tokens}, ${row.created_at}, ${row.updated_at})`);
}

/** Writes the members that can be changed. */
export async function updateProvider(db: Db, row: ProviderRow): Promise<void> {
  await db.run(sql`update identity_providers set jwks_uri = ${row.jwks_uri}, audiences = ${row.audiences},
      roles = ${row.roles}, is_enabled = ${row.is_enabled}, accepts_tokens = ${row.accepts_tokens},
      updated_at = ${row.updated_at}
    where app_id = ${row.app_id} and object_id = ${row.object_id}`);
}

export async function deleteProvider(db: Db, appId: string, objectId: string): Promise<void> {
  await db.run(sql`delete from identity_providers where app_id = ${appId} and object_id = ${objectId}`);
}

/** False if the token was used before. */
export async function useToken(
  db: Db,
  token: { readonly appId: string; readonly hash: string; readonly expiresAt: number },
): Promise<boolean> {
  const inserted = await db.run(sql`insert into used_id_tokens (app_id, token_hash, expires_at)
    values (${token.appId}, ${token.hash}, ${token.expiresAt}) on conflict (app_id, token_hash) do nothing`);
  return inserted > 0;
}

export interface IdentitySubject {
  readonly appId: string;
  readonly issuer: string;
  readonly subject: string;
}

export function findIdentity(db: Db, { appId, issuer, subject }: IdentitySubject): Promise<IdentityRow | undefined> {
  return db.one<IdentityRow>(
    sql`select * from identities where app_id = ${appId} and issuer = ${issuer} and subject = ${subject}`,
  );
}

/** False if somebody has it. */
export async function insertIdentity(db: Db, row: IdentityRow): Promise<boolean> {
  const inserted = await db.run(sql`insert into identities
      (app_id, object_id, user_id, issuer, subject, email, created_at, last_used_at)
    values (${row.app_id}, ${row.object_id}, ${row.user_id}, ${row.issuer}, ${row.subject}, ${row.email},
      ${row.created_at}, ${row.last_used_at})
    on conflict (app_id, issuer, subject) do nothing`);
  return inserted > 0;
}

export async function noteIdentityUse(
  db: Db,
  row: IdentityRow,
  use: { readonly email: string | null; readonly now: number },
): Promise<void> {
  await db.run(sql`update identities set last_used_at = ${use.now}, email = ${use.email}
    where app_id = ${row.app_id} and object_id = ${row.object_id}`);
}

/** With the name of the provider, null if the app has none of this issuer any more, and whether it is switched on. */
export interface ListedIdentity extends IdentityRow {
  readonly provider: string | null;
  readonly is_enabled: number | null;
}

export function listIdentities(db: Db, appId: string, userId: string): Promise<ListedIdentity[]> {
  return db.all<ListedIdentity>(sql`select identities.*, identity_providers.name as provider, identity_providers.is_enabled
    from identities
    left join identity_providers on identity_providers.app_id = identities.app_id
      and identity_providers.issuer = identities.issuer
    where identities.app_id = ${appId} and identities.user_id = ${userId} order by identities.object_id`);
}

export async function deleteIdentity(db: Db, appId: string, objectId: string): Promise<void> {
  await db.run(sql`delete from identities where app_id = ${appId} and object_id = ${objectId}`);
}

export async function forgetIdentities(db: Db, appId: string, userId: string): Promise<void> {
  await db.run(sql`delete from identities where app_id = ${appId} and user_id = ${userId}`);
}

/** How long (ms) an erased person's earlier tokens are refused: longer than such tokens live. */
export const refusedMs = 30 * 86_400_000;

const personHash = ({ issuer, subject }: Omit<IdentitySubject, 'appId'>) => secretHash(`${issuer} ${subject}`);

/** In the transaction of an erasure: only a hash of who the person is at issuers is kept, and for a while. */
export async function noteErased(
  db: Db,
  { appId, userId, now }: { readonly appId: string; readonly userId: string; readonly now: number },
): Promise<void> {
  const own = await db.all<Pick<IdentityRow, 'issuer' | 'subject'>>(
    sql`select issuer, subject from identities where app_id = ${appId} and user_id = ${userId}`,
  );
  for (const identity of own)
    await db.run(sql`insert into erased_identities (app_id, person_hash, erased_at)
      values (${appId}, ${personHash(identity)}, ${now})
      on conflict (app_id, person_hash) do update set erased_at = excluded.erased_at`);
}

/** When somebody was erased (ms); undefined: never, or long ago. */
export async function findErasedAt(db: Db, subject: IdentitySubject): Promise<number | undefined> {
  const row = await db.one<{ erased_at: number }>(sql`select erased_at from erased_identities
    where app_id = ${subject.appId} and person_hash = ${personHash(subject)}`);
  return row?.erased_at;
}
