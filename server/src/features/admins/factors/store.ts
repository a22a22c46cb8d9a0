import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import type { adminPasskeys, adminTotp } from '../accounts/tables.ts';

export type TotpRow = RowOf<typeof adminTotp>;
export type PasskeyRow = RowOf<typeof adminPasskeys>;

export function findTotp(db: Db, adminId: string): Promise<TotpRow | undefined> {
  return db.one(sql`select * from admin_totp where admin_id = ${adminId}`);
}

/** Beside a secret in use, which stays until a code of the new one was given. */
export async function savePendingTotp(db: Db, adminId: string, pending: string): Promise<void> {
  await db.run(sql`insert into admin_totp (admin_id, pending, last_step) values (${adminId}, ${pending}, ${0})
    on conflict (admin_id) do update set pending = excluded.pending`);
}

/** False if another secret has been asked for since, or this one is in use already. */
export async function enableTotp(
  db: Db,
  { adminId, pending, step, now }: { adminId: string; pending: string; step: number; now: number },
): Promise<boolean> {
  const changed = await db.run(sql`update admin_totp set secret = pending, pending = null, last_step = ${step},
    enabled_at = ${now} where admin_id = ${adminId} and pending = ${pending}`);
  return changed > 0;
}

/** False if a code of this step or a later one was used before. */
export async function useTotpStep(db: Db, adminId: string, secret: string, step: number): Promise<boolean> {
  const changed = await db.run(sql`update admin_totp set last_step = ${step}
    where admin_id = ${adminId} and secret = ${secret} and last_step < ${step}`);
  return changed > 0;
}

/** Whether one was in use. */
export async function deleteTotp(db: Db, adminId: string): Promise<boolean> {
  const row = await findTotp(db, adminId);
  await db.run(sql`delete from admin_totp where admin_id = ${adminId}`);
  return row !== undefined && row.enabled_at !== null;
}

export async function countRecoveryCodes(db: Db, adminId: string): Promise<number> {
  const row = await db.one<{ n: number }>(
    sql`select count(*) as n from admin_recovery_codes where admin_id = ${adminId}`,
  );
  return Number(row?.n ?? 0);
}

export async function replaceRecoveryCodes(db: Db, adminId: string, hashes: readonly string[]): Promise<void> {
  await db.run(sql`delete from admin_recovery_codes where admin_id = ${adminId}`);
  for (const hash of hashes)
    await db.run(sql`insert into admin_recovery_codes (admin_id, code_hash) values (${adminId}, ${hash})`);
}

/** False if it is none of the codes that are left. */
export async function useRecoveryCode(db: Db, adminId: string, hash: string): Promise<boolean> {
  return (await db.run(sql`delete from admin_recovery_codes where admin_id = ${adminId} and code_hash = ${hash}`)) > 0;
}

export function listPasskeys(db: Db, adminId: string): Promise<PasskeyRow[]> {
  return db.all(sql`select * from admin_passkeys where admin_id = ${adminId} order by passkey_id`);
}

export function findPasskeyByCredential(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.one(sql`select * from admin_passkeys where credential_id = ${credentialId}`);
}

/** @throws UniqueViolation for a credential that is known already */
export async function insertPasskey(db: Db, row: Omit<PasskeyRow, 'last_used_at'>): Promise<void> {
  await db.run(sql`insert into admin_passkeys (passkey_id, admin_id, name, credential_id, public_key, counter, transports,
      rp_id, is_synced, created_at)
    values (${row.passkey_id}, ${row.admin_id}, ${row.name}, ${row.credential_id}, ${row.public_key}, ${row.counter},
      ${row.transports}, ${row.rp_id}, ${row.is_synced}, ${row.created_at})`);
}

/** False if a signature with this count or a later one was used in the meantime. Most passkeys always count 0. */
export async function notePasskeyUse(db: Db, { passkey_id: id, counter }: PasskeyRow, next: number, now: number) {
  const changed = await db.run(sql`update admin_passkeys set counter = ${next}, last_used_at = ${now}
    where passkey_id = ${id} and counter = ${counter}`);
  return changed > 0;
}

export async function renamePasskey(db: Db, adminId: string, passkeyId: string, name: string): Promise<boolean> {
  const changed = await db.run(
    sql`update admin_passkeys set name = ${name} where passkey_id = ${passkeyId} and admin_id = ${adminId}`,
  );
  return changed > 0;
}

export async function deletePasskey(db: Db, adminId: string, passkeyId: string): Promise<void> {
  await db.run(sql`delete from admin_passkeys where passkey_id = ${passkeyId} and admin_id = ${adminId}`);
}

/** Everything with which the administrator proves more than a password. */
export async function deleteFactors(db: Db, adminId: string): Promise<void> {
  await db.run(sql`delete from admin_totp where admin_id = ${adminId}`);
  await db.run(sql`delete from admin_recovery_codes where admin_id = ${adminId}`);
  await db.run(sql`delete from admin_passkeys where admin_id = ${adminId}`);
}

export interface Challenge {
  readonly challenge: string;
  /** What the signature is for, and whose it has to be. */
  readonly purpose: string;
  readonly expiresAt: number;
}

export async function insertChallenge(db: Db, { challenge, purpose, expiresAt }: Challenge): Promise<void> {
  await db.run(sql`insert into admin_challenges (challenge, purpose, expires_at)
    values (${challenge}, ${purpose}, ${expiresAt})`);
}

/** Whether it was asked for this purpose, has not expired, and was not used before. */
export async function takeChallenge(db: Db, challenge: string, purpose: string, now: number): Promise<boolean> {
  const changed = await db.run(sql`delete from admin_challenges
    where challenge = ${challenge} and purpose = ${purpose} and expires_at > ${now}`);
  return changed > 0;
}

export async function deleteExpiredChallenges(db: Db, now: number): Promise<void> {
  await db.run(sql`delete from admin_challenges where expires_at <= ${now}`);
}
