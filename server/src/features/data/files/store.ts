import { raw, sql } from '../../../base/sql.ts';
import type { Database, Db, Row } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RecordTable } from '../../../resources/table.ts';
import { fileUrl } from './place/file-name.ts';
import { files } from './resource.ts';

const columns = files.records;

/** Files as lists and records show them: with the address, which is not stored, since the public address may change. */
export function fileTable(publicUrl: () => string): RecordTable {
  const render = (row: Row): string => {
    const url = fileUrl(publicUrl(), String(row['app_id']), String(row['stored_name']));
    return `${columns.render(row).slice(0, -1)},"url":${JSON.stringify(url)}}`;
  };
  return {
    ...columns,
    selection: sql`${columns.selection}, app_id`,
    render,
    decode: (row) => JSON.parse(render(row)) as Record<string, unknown>,
    match: (key) => sql`${columns.match(key)} and bytes_missing_at is null`,
    find: (db, key) =>
      db.one(
        sql`select ${columns.selection}, app_id from files where ${columns.match(key)} and bytes_missing_at is null`,
      ),
    remove: (db, key) => columns.remove(db, key),
  };
}

export const insertFile = rowsOf(files.table).insert;

/** The record's information on its bytes, also if it is hidden because they are missing. */
export interface StoredFile {
  readonly app_id: string;
  readonly object_id: string;
  readonly stored_name: string;
  /** Bytes. */
  readonly size: number;
  /** Epoch milliseconds at which they were found to be missing. */
  readonly bytes_missing_at: number | null;
  readonly created_by: string | null;
}

const stored = raw('app_id, object_id, stored_name, size, bytes_missing_at, created_by');

/** The files of all apps in the order of their keys; without `all`, the hidden ones. */
export function findFilesAfter(
  db: Db,
  last: StoredFile | undefined,
  { limit, all }: { readonly limit: number; readonly all: boolean },
): Promise<StoredFile[]> {
  const behind = last ? sql`(app_id, object_id) > (${last.app_id}, ${last.object_id})` : raw('true');
  const which = all ? raw('true') : raw('bytes_missing_at is not null');
  return db.all<StoredFile>(
    sql`select ${stored} from files where ${which} and ${behind} order by app_id, object_id limit ${limit}`,
  );
}

export async function markBytes(db: Db, file: StoredFile, missingAt: number | null): Promise<boolean> {
  const changed = await db.run(sql`update files set bytes_missing_at = ${missingAt}
    where app_id = ${file.app_id} and object_id = ${file.object_id}`);
  return changed > 0;
}

export function findStoredFile(db: Db, appId: string, objectId: string): Promise<StoredFile | undefined> {
  return db.one<StoredFile>(sql`select ${stored} from files where app_id = ${appId} and object_id = ${objectId}`);
}

export interface ServedFile {
  readonly name: string;
  readonly content_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly created_at: number;
}

/** A file that may be served: one that is not hidden, of an app that is not disabled. */
export function findServedFile(db: Db, appId: string, storedName: string): Promise<ServedFile | undefined> {
  return db.one<ServedFile>(sql`select f.name, f.content_type, f.size, f.sha256, f.created_at
    from files f join apps a on a.app_id = f.app_id
    where f.app_id = ${appId} and f.stored_name = ${storedName} and f.bytes_missing_at is null and a.disabled_at is null`);
}

/**
 * The stored names of an app between two prefixes of 32 digits, both included, also of files in the trash: in one statement, so that
 * none is missed that moves between the two.
 */
export async function findStoredNames(db: Db, appId: string, first: string, last: string): Promise<string[]> {
  // An underscore follows the digits; the next character in ASCII is the grave accent.
  const end = `${last}\u0060`;
  const rows = await db.all<{ stored_name: string }>(sql`select stored_name from files
      where app_id = ${appId} and stored_name >= ${first} and stored_name < ${end}
    union all select stored_name from trash
      where app_id = ${appId} and stored_name >= ${first} and stored_name < ${end}`);
  return rows.map((row) => row.stored_name);
}

export async function measureFiles(db: Db, appId: string): Promise<{ files: number; bytes: number }> {
  const [sum] = await db.all<{ files: number; bytes: number }>(
    sql`select count(*) as files, coalesce(sum(size), 0) as bytes from files
      where app_id = ${appId} and bytes_missing_at is null`,
    { tenant: appId },
  );
  return { files: Number(sum?.files ?? 0), bytes: Number(sum?.bytes ?? 0) };
}

/** Epoch milliseconds at which this database was created. */
export async function databaseBirth(db: Db): Promise<number> {
  const row = await db.one<{ at: number | null }>(raw('select min(applied_at) as at from migrations'));
  return row?.at ?? Number.POSITIVE_INFINITY;
}

export async function countFilesOf(db: Database, appId: string, userId: string) {
  const [row] = await db.all<{ n: number; bytes: number }>(
    sql`select count(*) as n, coalesce(sum(size), 0) as bytes from files where app_id = ${appId} and created_by = ${userId}`,
    { tenant: appId },
  );
  return { files: Number(row?.n ?? 0), fileBytes: Number(row?.bytes ?? 0) };
}
