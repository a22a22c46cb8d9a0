import type { Db } from '../../../db/db.ts';
import type { PastRecord } from '../../../resources/past.ts';
import * as store from './definition/bucket-store.ts';
import { readSlots } from './definition/directory.ts';
import type { ColumnMap } from './definition/schemas.ts';
import type { Slot } from './definition/slots.ts';
import { schemaTable } from './definition/tables.ts';

/**
 * Buckets and schemas in the trash. The records of a deleted bucket stay where they are: without the bucket nothing finds or writes
 * them. They go when it leaves the trash for good.
 */

const bucketKind = 'buckets';
const schemaKind = 'schemas';

interface BucketState {
  readonly name: string;
  readonly version: number;
  readonly slots: readonly Slot[];
}

export interface DeletedSchema {
  readonly objectId: string;
  readonly state: object;
  readonly createdAt: number;
}

type SchemaRow = Awaited<ReturnType<typeof store.listSchemas>>[number];

export const pastBucket = (row: store.BucketRow): PastRecord => ({
  appId: row.app_id,
  kind: bucketKind,
  withinId: '',
  objectId: row.object_id,
  title: row.name,
  state: { name: row.name, version: row.version, slots: readSlots(row) } satisfies BucketState,
  createdBy: null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const maxColumnsNamed = 5;

export function pastSchema({ app_id: appId, object_id: bucketId, name }: store.BucketRow, row: SchemaRow): PastRecord {
  const column = JSON.parse(row.metadata) as ColumnMap;
  const names = Object.keys(column);
  const more = names.length > maxColumnsNamed ? ', …' : '';
  return {
    appId,
    kind: schemaKind,
    withinId: bucketId,
    objectId: row.object_id,
    title: `${name}: ${names.slice(0, maxColumnsNamed).join(', ')}${more}`,
    state: { column },
    createdBy: null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** In a transaction: makes a deleted bucket again, with its schemas. Its records have waited. */
export async function insertBucketBack(
  db: Db,
  { appId, objectId, state, createdAt }: PastRecord,
  { schemas, now }: { readonly schemas: readonly DeletedSchema[]; readonly now: number },
): Promise<store.BucketRow> {
  const { name, version, slots } = state as BucketState;
  const row = {
    app_id: appId,
    object_id: objectId,
    name,
    // Another version than nodes may still have in memory.
    version: version + 1,
    slots: JSON.stringify(slots),
    created_at: createdAt,
    updated_at: now,
  };
  await store.insertBucketAgain(db, row);
  for (const schema of schemas) await insertSchema(db, row, schema, now);
  return row;
}

/** @throws UniqueViolation when there is such a schema again */
export function insertSchema(
  db: Db,
  bucket: Pick<store.BucketRow, 'app_id' | 'object_id'>,
  { objectId, state, createdAt }: DeletedSchema,
  now: number,
): Promise<void> {
  const key = { app_id: bucket.app_id, object_id: objectId, bucket_id: bucket.object_id };
  const { column } = state as { readonly column: ColumnMap };
  return schemaTable.insert(db, key, { metadata: column, createdAt, updatedAt: now });
}
