import { hash } from 'node:crypto';
import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import type { Entry, ErasureKind } from './ledger.ts';
import type { Person } from './person.ts';
import type { erasures } from './tables.ts';

/** Receipts of erasures: SQL and nothing else. */

export type ErasureRow = RowOf<typeof erasures>;

/**
 * Who asked. request: whoever may delete the installation, or its phone. restore: somebody before, of whose request a restored
 * backup did not know.
 */
export type AskedBy = 'person' | 'administrator' | 'request' | 'command line' | 'restore';

/** What stands for an id in a receipt. Ids have 70 random bits, so that nobody finds one by trying. */
export const hashOf = (appId: string, id: string) => hash('sha256', `${appId} ${id}`, 'hex');

export interface NewErasure extends Person {
  readonly erasureId: string;
  readonly kind: ErasureKind;
  readonly askedBy: AskedBy;
  readonly now: number;
}

export async function insertErasure(db: Db, erasure: NewErasure): Promise<void> {
  const { appId, erasureId, kind, userId, installationIds, askedBy, now } = erasure;
  const ids = [...(userId === undefined ? [] : [userId]), ...installationIds];
  const hashes = JSON.stringify(ids.map((id) => hashOf(appId, id)));
  await db.run(sql`insert into erasures (app_id, object_id, kind, hashes, asked_by, counts, requested_at)
    values (${appId}, ${erasureId}, ${kind}, ${hashes}, ${askedBy}, '{}', ${now})`);
}

/** An erasure that a restored database did not have; its counts are lost. */
export async function insertEarlier(db: Db, entry: Entry, now: number): Promise<void> {
  await db.run(sql`insert into erasures (app_id, object_id, kind, hashes, asked_by, counts, requested_at, completed_at)
    values (${entry.appId}, ${entry.erasureId}, ${entry.kind}, ${JSON.stringify(entry.subjects)}, 'restore', '{}',
      ${entry.requestedAt}, ${now})
    on conflict (app_id, object_id) do nothing`);
}

export interface ErasureKey {
  readonly appId: string;
  readonly erasureId: string;
}

const one = ({ appId, erasureId }: ErasureKey) => sql`app_id = ${appId} and object_id = ${erasureId}`;

export function findErasure(db: Db, key: ErasureKey): Promise<ErasureRow | undefined> {
  return db.one<ErasureRow>(sql`select * from erasures where ${one(key)}`);
}

export function listErasures(db: Db, appId: string, limit: number): Promise<ErasureRow[]> {
  return db.all<ErasureRow>(sql`select * from erasures where app_id = ${appId} order by object_id desc limit ${limit}`);
}

/** Adds to what was erased of a table, in the transaction that erases it. */
export async function addCount(db: Db, key: ErasureKey, table: string, count: number): Promise<void> {
  const row = await db.one<{ counts: string }>(
    sql`select counts from erasures where ${one(key)}${raw(db.dialect.lockRow)}`,
  );
  if (!row) return;
  const counts = JSON.parse(row.counts) as Record<string, number>;
  const next = JSON.stringify({ ...counts, [table]: (counts[table] ?? 0) + count });
  await db.run(sql`update erasures set counts = ${next} where ${one(key)}`);
}

/** Stored once, before the deliveries that it is taken from are deleted. */
export async function noteWebhooks(db: Db, key: ErasureKey, webhooks: readonly object[]): Promise<void> {
  await db.run(sql`update erasures set webhooks = ${JSON.stringify(webhooks)} where ${one(key)} and webhooks is null`);
}

export async function complete(db: Db, key: ErasureKey, backups: readonly object[], now: number): Promise<void> {
  await db.run(sql`update erasures set backups = ${JSON.stringify(backups)}, completed_at = ${now}
    where ${one(key)} and completed_at is null`);
}
