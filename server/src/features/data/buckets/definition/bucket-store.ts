import { raw, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import type { buckets } from './tables.ts';

/** `version` counts changes of the definition; a write made with an older one is refused and made again. */
export type BucketRow = RowOf<typeof buckets>;

export function findBucket(db: Db, appId: string, name: string): Promise<BucketRow | undefined> {
  return db.one<BucketRow>(sql`select * from buckets where app_id = ${appId} and name = ${name}`);
}

/** In a transaction: the row cannot change until the transaction ends. */
export function lockBucket(db: Db, appId: string, bucketId: string): Promise<BucketRow | undefined> {
  return db.one<BucketRow>(
    sql`select * from buckets where app_id = ${appId} and object_id = ${bucketId}${raw(db.dialect.lockRow)}`,
  );
}

export async function findBucketName(db: Db, appId: string, bucketId: string): Promise<string | undefined> {
  const row = await db.one<{ name: string }>(
    sql`select name from buckets where app_id = ${appId} and object_id = ${bucketId}`,
  );
  return row?.name;
}

export function listBuckets(db: Db, appId: string): Promise<BucketRow[]> {
  return db.all<BucketRow>(sql`select * from buckets where app_id = ${appId} order by name`);
}

export async function insertBucket(
  db: Db,
  bucket: { readonly appId: string; readonly bucketId: string; readonly name: string; readonly now: number },
) {
  await db.run(sql`insert into buckets (app_id, object_id, name, version, slots, created_at, updated_at)
    values (${bucket.appId}, ${bucket.bucketId}, ${bucket.name}, 1, '[]', ${bucket.now}, ${bucket.now})`);
}

/** Restores the row of a deleted bucket, whose records are still there. */
export async function insertBucketAgain(db: Db, row: BucketRow): Promise<void> {
  await db.run(sql`insert into buckets (app_id, object_id, name, version, slots, created_at, updated_at) values
    (${row.app_id}, ${row.object_id}, ${row.name}, ${row.version}, ${row.slots}, ${row.created_at}, ${row.updated_at})`);
}

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
