import { raw, sql } from '../../base/sql.ts';
import type { Database, Db } from '../db.ts';

/** What an update has to know of a database that may be of an earlier version. */

/** Rows that earlier versions have packed. */
export async function countPacked(db: Db): Promise<number> {
  if (!(await db.one(db.dialect.findTable('cold_chunks')))) return 0;
  const row = await db.one<{ n: number | null }>(raw('select sum(row_count) as n from cold_chunks'));
  return Number(row?.n ?? 0);
}

/** Services and workers that use a shared database now. */
export async function countRunning(db: Database): Promise<number> {
  if (db.readsAreLocal || !(await db.one(db.dialect.findTable('nodes')))) return 0;
  const now = (await db.time?.()) ?? Date.now();
  const row = await db.one<{ n: number }>(sql`select count(*) as n from nodes where alive_until > ${now}`);
  return Number(row?.n ?? 0);
}
