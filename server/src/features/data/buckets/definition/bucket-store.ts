import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../../db/table.ts';
import { buckets } from './tables.ts';

/** `version` counts changes of the definition; a write made with an older one is refused and made again. */
export type BucketRow = RowOf<typeof buckets>;

const bucketRows = rowsOf(buckets);
export const findBucket = bucketRows.find('app_id', 'name');

/** In a transaction: the row cannot change until the transaction ends. */
export const lockBucket = bucketRows.lock('app_id', 'object_id');

export async function findBucketName(db: Db, appId: string, bucketId: string): Promise<string | undefined> {
  const row = await db.one<{ name: string }>(
    sql`select name from buckets where app_id = ${appId} and object_id = ${bucketId}`,
  );
  return row?.name;
}

export const listBuckets = bucketRows.list(['app_id'], ['name']);

export async function insertBucket(
  db: Db,
  bucket: { readonly appId: string; readonly bucketId: string; readonly name: string; readonly now: number },
) {
  await db.run(sql`insert into buckets (app_id, object_id, name, version, slots, created_at, updated_at)
    values (${bucket.appId}, ${bucket.bucketId}, ${bucket.name}, 1, '[]', ${bucket.now}, ${bucket.now})`);
}

/** Restores the row of a deleted bucket, whose records are still there. */
export const insertBucketAgain = bucketRows.insert;

export async function updateSlots(db: Db, bucket: BucketRow, slots: string, now: number): Promise<void> {
  await db.run(sql`update buckets set slots = ${slots}, version = version + 1, updated_at = ${now}
    where app_id = ${bucket.app_id} and object_id = ${bucket.object_id}`);
}

export async function deleteBucketRow(db: Db, appId: string, bucketId: string): Promise<void> {
  await db.run(sql`delete from schemas where app_id = ${appId} and bucket_id = ${bucketId}`);
  await db.run(sql`delete from buckets where app_id = ${appId} and object_id = ${bucketId}`);
}

export function listSchemas(
  db: Db,
  appId: string,
  bucketId: string,
): Promise<{ object_id: string; metadata: string; created_at: number; updated_at: number }[]> {
  return db.all(
    sql`select object_id, metadata, created_at, updated_at from schemas where app_id = ${appId} and bucket_id = ${bucketId} order by object_id`,
  );
}

export function listAllSchemas(db: Db, appId: string): Promise<{ bucket_id: string; metadata: string }[]> {
  return db.all(sql`select bucket_id, metadata from schemas where app_id = ${appId} order by object_id`);
}
