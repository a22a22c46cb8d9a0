import { secretHash } from '../../../access/access.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import type { ProviderKind } from './provider-kinds.ts';
import { identities, identityProviders } from './tables.ts';

/** Identity providers and identities: only SQL. */

export type ProviderRow = RowOf<typeof identityProviders> & { readonly kind: ProviderKind };
export type IdentityRow = RowOf<typeof identities>;

const identityRows = rowsOf(identities);
const identityProviderRows = rowsOf<typeof identityProviders, ProviderRow>(identityProviders);
export const listProviders = identityProviderRows.list(['app_id'], ['name']);
export const findProvider = identityProviderRows.find('app_id', 'object_id');

/** In a transaction: the row cannot change until the end. */
export const lockProvider = identityProviderRows.lock('app_id', 'object_id');
export const findProviderByName = identityProviderRows.find('app_id', 'name');
export const findProviderByIssuer = identityProviderRows.find('app_id', 'issuer');

/** @throws UniqueViolation */
export const insertProvider = identityProviderRows.insert;

export const updateProvider = identityProviderRows.write;
export const deleteProvider = identityProviderRows.remove('app_id', 'object_id');

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
export const insertIdentity = identityRows.add;

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

export const deleteIdentity = identityRows.remove('app_id', 'object_id');
export const forgetIdentities = identityRows.remove('app_id', 'user_id');

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
