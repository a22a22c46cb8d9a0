import { joinSql, listSql, raw, type Sql, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import type { Cells } from '../../db/table.ts';
import type { passkeyColumns, totpColumns } from './factor-tables.ts';

/** The columns that say whose a row is, with their values. */
export type OwnerColumns = Readonly<Record<string, string>>;

/** The authenticator app of somebody. */
export type TotpRow = Cells<typeof totpColumns>;
export type PasskeyRow = Cells<typeof passkeyColumns>;

export interface Challenge {
  readonly challenge: string;
  /** What the signature is for, and whose it has to be. */
  readonly purpose: string;
  readonly expiresAt: number;
}

const is = ([name, value]: readonly [string, string | number]) => sql`${raw(name)} = ${value}`;
const where = (columns: OwnerColumns, ...more: readonly Sql[]) =>
  sql`where ${joinSql([...Object.entries(columns).map(is), ...more], ' and ')}`;

function insertInto(table: Sql, cells: Readonly<Record<string, string | number | null>>): Sql {
  return sql`insert into ${table} (${raw(Object.keys(cells).join(', '))}) values (${listSql(Object.values(cells))})`;
}

/**
 * What people prove in addition to a password or instead of it, in the tables of their kind: `admin_totp` and `user_totp` are the
 * same except for the columns that name the person. SQL only.
 */
export class FactorStore<Owner extends OwnerColumns> {
  readonly #totp: Sql;
  readonly #codes: Sql;
  readonly #passkeys: Sql;
  readonly #challenges: Sql;

  /** `kind` is what the names of the tables begin with. */
  constructor(kind: 'admin' | 'user') {
    this.#totp = raw(`${kind}_totp`);
    this.#codes = raw(`${kind}_recovery_codes`);
    this.#passkeys = raw(`${kind}_passkeys`);
    this.#challenges = raw(`${kind}_challenges`);
  }

  findTotp(db: Db, owner: Owner): Promise<TotpRow | undefined> {
    return db.one<TotpRow>(sql`select * from ${this.#totp} ${where(owner)}`);
  }

  /** Beside a secret in use, which stays until a code of the new one was given. */
  async savePendingTotp(db: Db, owner: Owner, pending: string): Promise<void> {
    const key = raw(Object.keys(owner).join(', '));
    await db.run(sql`${insertInto(this.#totp, { ...owner, pending, last_step: 0 })}
      on conflict (${key}) do update set pending = excluded.pending`);
  }

  /** False if another secret has been asked for since, or this one is in use already. */
  async enableTotp(
    db: Db,
    owner: Owner,
    { pending, step, now }: { readonly pending: string; readonly step: number; readonly now: number },
  ): Promise<boolean> {
    const changed = await db.run(sql`update ${this.#totp} set secret = pending, pending = null, last_step = ${step},
      enabled_at = ${now} ${where(owner, sql`pending = ${pending}`)}`);
    return changed > 0;
  }

  /** False if a code of this step or a later one was used before. */
  async useTotpStep(
    db: Db,
    owner: Owner,
    { secret, step, network }: { readonly secret: string; readonly step: number; readonly network: string },
  ): Promise<boolean> {
    const changed = await db.run(sql`update ${this.#totp} set last_step = ${step}, known_network = ${network}
      ${where(owner, sql`secret = ${secret}`, sql`last_step < ${step}`)}`);
    return changed > 0;
  }

  /** Whether one was in use. */
  async deleteTotp(db: Db, owner: Owner): Promise<boolean> {
    const row = await this.findTotp(db, owner);
    await db.run(sql`delete from ${this.#totp} ${where(owner)}`);
    return row !== undefined && row.enabled_at !== null;
  }

  async countRecoveryCodes(db: Db, owner: Owner): Promise<number> {
    const row = await db.one<{ n: number }>(sql`select count(*) as n from ${this.#codes} ${where(owner)}`);
    return Number(row?.n ?? 0);
  }

  async replaceRecoveryCodes(db: Db, owner: Owner, hashes: readonly string[]): Promise<void> {
    await db.run(sql`delete from ${this.#codes} ${where(owner)}`);
    for (const hash of hashes) await db.run(insertInto(this.#codes, { ...owner, code_hash: hash }));
  }

  /** False if it is none of the codes that are left. */
  async useRecoveryCode(db: Db, owner: Owner, hash: string): Promise<boolean> {
    return (await db.run(sql`delete from ${this.#codes} ${where(owner, sql`code_hash = ${hash}`)}`)) > 0;
  }

  listPasskeys(db: Db, owner: Owner): Promise<(PasskeyRow & Owner)[]> {
    return db.all<PasskeyRow & Owner>(sql`select * from ${this.#passkeys} ${where(owner)} order by passkey_id`);
  }

  /** `realm`: among whose passkeys. */
  findPasskeyByCredential(
    db: Db,
    realm: OwnerColumns,
    credentialId: string,
  ): Promise<(PasskeyRow & Owner) | undefined> {
    return db.one<PasskeyRow & Owner>(
      sql`select * from ${this.#passkeys} ${where(realm, sql`credential_id = ${credentialId}`)}`,
    );
  }

  /** @throws UniqueViolation for a credential that is known already */
  async insertPasskey(db: Db, owner: Owner, row: Omit<PasskeyRow, 'last_used_at'>): Promise<void> {
    const { passkey_id, name, credential_id, public_key, counter, transports, rp_id, is_synced, created_at } = row;
    const given = { passkey_id, name, credential_id, public_key, counter, transports, rp_id, is_synced, created_at };
    await db.run(insertInto(this.#passkeys, { ...owner, ...given }));
  }

  /** False if a signature with this count or a later one was used in the meantime. Most passkeys always count 0. */
  async notePasskeyUse(
    db: Db,
    realm: OwnerColumns,
    { row, next, now }: { readonly row: PasskeyRow; readonly next: number; readonly now: number },
  ): Promise<boolean> {
    const changed = await db.run(sql`update ${this.#passkeys} set counter = ${next}, last_used_at = ${now}
      ${where(realm, sql`passkey_id = ${row.passkey_id}`, sql`counter = ${row.counter}`)}`);
    return changed > 0;
  }

  async renamePasskey(db: Db, owner: Owner, passkeyId: string, name: string): Promise<boolean> {
    const changed = await db.run(
      sql`update ${this.#passkeys} set name = ${name} ${where(owner, sql`passkey_id = ${passkeyId}`)}`,
    );
    return changed > 0;
  }

  async deletePasskey(db: Db, owner: Owner, passkeyId: string): Promise<void> {
    await db.run(sql`delete from ${this.#passkeys} ${where(owner, sql`passkey_id = ${passkeyId}`)}`);
  }

  /** Everything with which somebody proves more than a password. */
  async deleteFactors(db: Db, owner: Owner): Promise<void> {
    for (const table of [this.#totp, this.#codes, this.#passkeys])
      await db.run(sql`delete from ${table} ${where(owner)}`);
  }

  async insertChallenge(db: Db, realm: OwnerColumns, { challenge, purpose, expiresAt }: Challenge): Promise<void> {
    await db.run(insertInto(this.#challenges, { ...realm, challenge, purpose, expires_at: expiresAt }));
  }

  /** Whether it was asked for this purpose, has not expired, and was not used before. */
  async takeChallenge(
    db: Db,
    realm: OwnerColumns,
    { challenge, purpose, now }: Omit<Challenge, 'expiresAt'> & { readonly now: number },
  ): Promise<boolean> {
    const changed = await db.run(sql`delete from ${this.#challenges}
      ${where(realm, sql`challenge = ${challenge}`, sql`purpose = ${purpose}`, sql`expires_at > ${now}`)}`);
    return changed > 0;
  }

  async deleteExpiredChallenges(db: Db, now: number): Promise<void> {
    await db.run(sql`delete from ${this.#challenges} where expires_at <= ${now}`);
  }
}
