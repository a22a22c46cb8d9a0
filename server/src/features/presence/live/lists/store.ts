import { listSql, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';

/** Which lists are followed on any node, and what was written to their tables. SQL and nothing else. */

export interface FollowedTable {
  readonly app_id: string;
  readonly name: string;
  readonly wanted_until: number;
}

export interface ListChange {
  readonly app_id: string;
  readonly object_id: string;
  readonly name: string;
  readonly node: string;
  /** The ids of the records, as a JSON array; null: some. */
  readonly records: string | null;
}

export async function wantTable(db: Db, { app_id, name, wanted_until }: FollowedTable): Promise<void> {
  await db.run(sql`insert into followed_tables (app_id, name, wanted_until) values (${app_id}, ${name}, ${wanted_until})
    on conflict (app_id, name) do update set wanted_until = excluded.wanted_until
    where excluded.wanted_until > followed_tables.wanted_until`);
}

export function listFollowedTables(db: Db, now: number): Promise<FollowedTable[]> {
  return db.all<FollowedTable>(sql`select app_id, name, wanted_until from followed_tables where wanted_until > ${now}`);
}

export async function appendChange(db: Db, row: ListChange): Promise<void> {
  await db.run(sql`insert into list_changes (app_id, object_id, name, node, records)
    values (${row.app_id}, ${row.object_id}, ${row.name}, ${row.node}, ${row.records})`);
}

/** Selects 1 if another node has written something of these apps since an id. */
export const changesOf = (appIds: readonly string[], since: string, node: string) =>
  sql`select 1 where exists (select 1 from list_changes
    where app_id in (${listSql(appIds)}) and object_id >= ${since} and node <> ${node})`;

export function listChanges(db: Db, appIds: readonly string[], since: string, node: string): Promise<ListChange[]> {
  return db.all<ListChange>(sql`select app_id, object_id, name, node, records from list_changes
    where app_id in (${listSql(appIds)}) and object_id >= ${since} and node <> ${node} order by object_id`);
}

export async function forgetChanges(db: Db, appId: string, before: string): Promise<void> {
  await db.run(sql`delete from list_changes where app_id = ${appId} and object_id < ${before}`);
}

export async function forgetFollowed(db: Db, appId: string, now: number): Promise<void> {
  await db.run(sql`delete from followed_tables where app_id = ${appId} and wanted_until <= ${now}`);
}

export function listFollowedApps(db: Db): Promise<{ app_id: string }[]> {
  return db.all<{ app_id: string }>(
    sql`select app_id from followed_tables union select app_id from list_changes order by app_id`,
  );
}
