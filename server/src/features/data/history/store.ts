import { listSql, raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import { trash, versions } from './tables.ts';

/** Versions and the trash: SQL and nothing else. */

export type VersionRow = RowOf<typeof versions>;
export type TrashRow = RowOf<typeof trash>;

export interface RecordOf {
  readonly appId: string;
  readonly kind: string;
  readonly recordId: string;
}

const ofRecord = ({ appId, kind, recordId }: RecordOf) =>
  sql`app_id = ${appId} and kind = ${kind} and record_id = ${recordId}`;

const versionRows = rowsOf(versions);
export const insertVersion = versionRows.insert;

export function sizesOf(db: Db, record: RecordOf): Promise<{ object_id: string; bytes: number }[]> {
  return db.all(
    sql`select object_id, bytes from versions where ${ofRecord(record)} order by object_id desc limit 1000`,
  );
}

export async function deleteVersionsUpTo(db: Db, record: RecordOf, versionId: string): Promise<void> {
  await db.run(sql`delete from versions where ${ofRecord(record)} and object_id <= ${versionId}`);
}

export async function deleteVersionsOf(db: Db, record: RecordOf): Promise<void> {
  await db.run(sql`delete from versions where ${ofRecord(record)}`);
}

/** Deletes the versions of a record that is not in the trash. */
export async function deleteOrphanedVersions(db: Db, { appId, kind, recordId }: RecordOf): Promise<void> {
  await db.run(sql`delete from versions where ${ofRecord({ appId, kind, recordId })} and not exists
    (select 1 from trash where app_id = ${appId} and kind = ${kind} and record_id = ${recordId})`);
}

export function listVersions(db: Db, record: RecordOf): Promise<VersionRow[]> {
  return db.all<VersionRow>(sql`select * from versions where ${ofRecord(record)} order by object_id desc limit 100`);
}

export function findVersion(db: Db, record: RecordOf, versionId: string): Promise<VersionRow | undefined> {
  return db.one<VersionRow>(sql`select * from versions where ${ofRecord(record)} and object_id = ${versionId}`);
}

const trashRows = rowsOf(trash);
export const insertTrash = trashRows.insert;

/** Without what the record held: a list of the trash shows names. */
export type TrashHead = Omit<TrashRow, 'children' | 'state'>;

const headColumns = raw(
  'app_id, object_id, kind, within_id, record_id, title, created_by, deleted_by, user_id, created_at, updated_at, deleted_at, bytes, stored_name, stored_bytes',
);

/** Newest first; `before` is the id at which the last page ended. */
export function listTrash(
  db: Db,
  {
    appId,
    kinds,
    before,
    limit,
  }: {
    readonly appId: string;
    readonly kinds: readonly string[];
    readonly before: string | undefined;
    readonly limit: number;
  },
): Promise<TrashHead[]> {
  if (kinds.length === 0) return Promise.resolve([]);
  const older = before === undefined ? raw('') : sql` and object_id < ${before}`;
  return db.all<TrashHead>(sql`select ${headColumns} from trash
    where app_id = ${appId} and kind in (${listSql(kinds)})${older} order by object_id desc limit ${limit}`);
}

export const findTrash = trashRows.find('app_id', 'object_id');

export function findLastDeleted(
  db: Db,
  { appId, kind, recordId }: RecordOf,
  withinId: string | undefined,
): Promise<TrashRow | undefined> {
  const within = withinId === undefined ? raw('') : sql` and within_id = ${withinId}`;
  return db.one<TrashRow>(sql`select * from trash where ${ofRecord({ appId, kind, recordId })}${within}
    order by object_id desc limit 1`);
}

/** False when somebody else has taken it. */
export const takeTrash = trashRows.take('app_id', 'object_id');

export async function measureTrash(
  db: Db,
  appId: string,
): Promise<{ readonly entries: number; readonly bytes: number }> {
  const row = await db.one<{ n: number; bytes: number | null }>(
    sql`select count(*) as n, sum(bytes) as bytes from trash where app_id = ${appId}`,
  );
  return { entries: Number(row?.n ?? 0), bytes: Number(row?.bytes ?? 0) };
}

export function listOldestTrash(db: Db, appId: string, limit: number): Promise<TrashHead[]> {
  return db.all<TrashHead>(
    sql`select ${headColumns} from trash where app_id = ${appId} order by object_id limit ${limit}`,
  );
}

/** Entries of an app that were deleted before a time. */
export function listExpiredTrash(db: Db, appId: string, before: number, limit: number): Promise<TrashHead[]> {
  return db.all<TrashHead>(sql`select ${headColumns} from trash
    where app_id = ${appId} and deleted_at < ${before} order by object_id limit ${limit}`);
}

export const deleteVersionsWithin = versionRows.remove('app_id', 'within_id');

/** Deletes what belonged to something that is gone, such as a bucket. */
export async function deleteWithin(db: Db, appId: string, withinId: string): Promise<void> {
  await db.run(sql`delete from trash where app_id = ${appId} and within_id = ${withinId}`);
  await deleteVersionsWithin(db, appId, withinId);
}

/** The bytes of all versions of an app. */
export async function measureVersions(db: Db, appId: string): Promise<number> {
  const rows = await db.all<{ bytes: number | null }>(
    sql`select sum(bytes) as bytes from versions where app_id = ${appId}`,
    { tenant: appId },
  );
  return Number(rows[0]?.bytes ?? 0);
}

export function listOldestVersions(
  db: Db,
  appId: string,
  limit: number,
): Promise<{ object_id: string; bytes: number }[]> {
  return db.all(sql`select object_id, bytes from versions where app_id = ${appId} order by object_id limit ${limit}`);
}

export async function deleteVersionsOfApp(db: Db, appId: string, upTo: string): Promise<void> {
  await db.run(sql`delete from versions where app_id = ${appId} and object_id <= ${upTo}`);
}

export function listRecordsWithVersions(
  db: Db,
  { appId, kind, after, limit }: { appId: string; kind: string; after: string; limit: number },
): Promise<{ record_id: string; within_id: string }[]> {
  return db.all(
    sql`select record_id, min(within_id) as within_id from versions
      where app_id = ${appId} and kind = ${kind} and record_id > ${after}
      group by record_id order by record_id limit ${limit}`,
    { tenant: appId },
  );
}

/** Those of some records that are in the trash. */
export async function findInTrash(
  db: Db,
  { appId, kind, ids }: { appId: string; kind: string; ids: readonly string[] },
): Promise<string[]> {
  const wanted = listSql(ids);
  const rows = await db.all<{ record_id: string }>(
    sql`select record_id from trash where app_id = ${appId} and kind = ${kind} and record_id in (${wanted})`,
  );
  return rows.map(({ record_id }) => record_id);
}

/** Deleted files of a user, some at a time. */
export function listFilesOf(db: Db, appId: string, userId: string, limit: number): Promise<TrashHead[]> {
  return db.all<TrashHead>(sql`select ${headColumns} from trash
    where app_id = ${appId} and created_by = ${userId} and stored_name is not null order by object_id limit ${limit}`);
}
