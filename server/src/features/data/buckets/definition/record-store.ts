import { joinSql, listSql, raw, Shapes, type SqlValue, sql } from '../../../../base/sql.ts';
import { BulkStatement, bulkInsert, bulkUpdate, typesOf } from '../../../../db/bulk.ts';
import type { Db, Row } from '../../../../db/db.ts';
import { recordLists, records } from './tables.ts';

export async function isBucketEmpty(db: Db, appId: string, bucketId: string): Promise<boolean> {
  return !(await db.one(
    sql`select 1 as found from records where app_id = ${appId} and bucket_id = ${bucketId} limit 1`,
  ));
}

export interface RecordKey {
  readonly appId: string;
  readonly bucketId: string;
  readonly objectId: string;
}

export interface RecordWrite {
  readonly key: RecordKey;
  /** The bucket's version by which the document was checked and the slots were filled. */
  readonly version: number;
  readonly document: string;
  /** The user who creates the record, or to whom it is handed over; a change without it leaves it as it is. */
  readonly createdBy?: string | null;
  readonly slots: Readonly<Record<string, SqlValue>>;
  /** The texts of list members, by slot; undefined in a bucket without such slots. */
  readonly lists?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly now: number;
  /** When the record was made, if not now. */
  readonly createdAt?: number;
}

const hasVersion = ({ key, version }: RecordWrite) =>
  sql`exists (select 1 from buckets where app_id = ${key.appId} and object_id = ${key.bucketId} and version = ${version})`;

const inserts = { sqlite: new Shapes(), postgres: new Shapes() };

const recordColumns = ['app_id', 'bucket_id', 'object_id', 'doc', 'created_by', 'created_at', 'updated_at'] as const;
const recordNames = recordColumns.join(', ');
const namesOf = (slots: RecordWrite['slots']) => {
  let names = recordNames;
  for (const slot in slots) names += `, ${slot}`;
  return names;
};
const rowOf = ({ key, slots, document, createdBy = null, now, createdAt = now }: RecordWrite) => ({
  app_id: key.appId,
  bucket_id: key.bucketId,
  object_id: key.objectId,
  doc: document,
  created_by: createdBy,
  created_at: createdAt,
  updated_at: now,
  ...slots,
});

/** Whether the record has rows in `record_lists`, which are written in the same transaction. */
const hasTexts = ({ lists }: Pick<RecordWrite, 'lists'>) =>
  lists !== undefined && Object.values(lists).some((texts) => texts.length > 0);

const insertLists = bulkInsert(recordLists);

async function addTexts(db: Db, writes: readonly Pick<RecordWrite, 'key' | 'lists'>[]): Promise<void> {
  const rows = writes.flatMap(({ key, lists = {} }) =>
    Object.entries(lists).flatMap(([slot, texts]) =>
      texts.map((value) => ({
        app_id: key.appId,
        bucket_id: key.bucketId,
        slot,
        value,
        object_id: key.objectId,
      })),
    ),
  );
  await insertLists.run(db, rows);
}

async function writeTexts(db: Db, writes: readonly Pick<RecordWrite, 'key' | 'lists'>[]): Promise<void> {
  const [first] = writes;
  if (first?.lists === undefined) return;
  const ids = joinSql(
    writes.map(({ key }) => sql`${key.objectId}`),
    ', ',
  );
  await db.run(sql`delete from record_lists
    where app_id = ${first.key.appId} and bucket_id = ${first.key.bucketId} and object_id in (${ids})`);
  await addTexts(db, writes);
}

/** False if the bucket's definition has changed, or the bucket is gone. */
export function insertRecord(db: Db, write: RecordWrite): Promise<boolean> {
  if (!hasTexts(write)) return insertOne(db, write);
  return db.transaction(async (db) => {
    const isInserted = await insertOne(db, write);
    if (isInserted) await addTexts(db, [write]);
    return isInserted;
  });
}

async function insertOne(db: Db, write: RecordWrite): Promise<boolean> {
  const { key, version } = write;
  const names = namesOf(write.slots);
  const cells: SqlValue[] = Object.values(rowOf(write));
  const statement = inserts[db.dialect.name].of(names, [...cells, key.appId, key.bucketId, version], () => {
    return sql`${raw(db.dialect.insertOne)} records (${raw(names)}) select ${listSql(cells)} where ${hasVersion(write)}`;
  });
  return (await db.run(statement)) > 0;
}

/** Inserts records of one bucket and one version: all of them, or none and false. */
export async function insertRecords(db: Db, writes: readonly RecordWrite[]): Promise<boolean> {
  if (!writes.some(hasTexts)) return insertMany(db, writes);
  return db.transaction(async (db) => {
    const isInserted = await insertMany(db, writes);
    if (isInserted) await addTexts(db, writes);
    return isInserted;
  });
}

async function insertMany(db: Db, writes: readonly RecordWrite[]): Promise<boolean> {
  const slots = writes[0]?.slots ?? {};
  const names = namesOf(slots);
  const known = insertsOfMany.get(names) ?? insertOfMany(slots);
  insertsOfMany.set(names, known);
  const rows = writes.map((write) => ({ ...rowOf(write), version: write.version }));
  let inserted = 0;
  inserted += await known.run(db, rows);
  return inserted === writes.length;
}

type Slot = Exclude<keyof typeof records.columns, (typeof recordColumns)[number]>;
const slotsOf = (slots: RecordWrite['slots']) => Object.keys(slots) as Slot[];

const insertsOfMany = new Map<string, ReturnType<typeof insertOfMany>>();

function insertOfMany(slots: RecordWrite['slots']) {
  const columns = [...recordColumns, ...slotsOf(slots)];
  const types = { ...typesOf(records, columns), version: 'bigint' } as const;
  return new BulkStatement(
    types,
    ({ rows, cell }) => {
      const own = joinSql(
        columns.map((name) => cell[name]),
        ', ',
      );
      return sql`insert into records (${raw(columns.join(', '))}) select ${own} from ${rows} as given
        where exists (select 1 from buckets
          where app_id = ${cell.app_id} and object_id = ${cell.bucket_id} and version = ${cell.version})`;
    },
    { shared: ['bucket_id', 'version'] },
  );
}

const updates = new Shapes();

/** In a transaction. False if the record is gone or the bucket's definition has changed. */
export async function updateRecord(db: Db, write: RecordWrite): Promise<boolean> {
  const { key, version, document, now, createdBy, slots } = write;
  let names = 'updated_at doc';
  const values: SqlValue[] = [now, document];
  if (createdBy !== undefined) {
    names += ' created_by';
    values.push(createdBy);
  }
  for (const slot in slots) {
    names += ` ${slot}`;
    values.push(slots[slot] ?? null);
  }
  values.push(key.appId, key.bucketId, key.objectId, key.appId, key.bucketId, version);
  const statement = updates.of(names, values, () => {
    const cells = joinSql(
      names.split(' ').map((name, place) => sql`${raw(name)} = ${values[place] ?? null}`),
      ', ',
    );
    return sql`update records set ${cells}
      where app_id = ${key.appId} and bucket_id = ${key.bucketId} and object_id = ${key.objectId} and ${hasVersion(write)}`;
  });
  const isUpdated = (await db.run(statement)) > 0;
  if (isUpdated && write.lists !== undefined) await writeTexts(db, [write]);
  return isUpdated;
}

export interface StoredRecord extends Row {
  readonly object_id: string;
  readonly doc: string;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** In a transaction: the record, which cannot change until the transaction ends. */
export function lockRecord(db: Db, { appId, bucketId, objectId }: RecordKey): Promise<StoredRecord | undefined> {
  const lock = () => sql`select object_id, doc, created_by, created_at, updated_at from records
    where app_id = ${appId} and bucket_id = ${bucketId} and object_id = ${objectId}${raw(db.dialect.lockRow)}`;
  return db.one(locks.of(db.dialect.name, [appId, bucketId, objectId], lock));
}

const locks = new Shapes();

/** What is known of a record that was deleted without being read. */
export interface Removed {
  /** Bytes of its document. */
  readonly bytes: number;
  readonly created_by: string | null;
}

/** Deletes a record without reading it. Undefined if there was none. */
export async function removeUnseen(db: Db, { appId, bucketId, objectId }: RecordKey): Promise<Removed | undefined> {
  const removed = await db.one<Removed>(sql`select octet_length(doc) as bytes, created_by from records
    where app_id = ${appId} and bucket_id = ${bucketId} and object_id = ${objectId}`);
  if (!removed) return undefined;
  const count = await db.run(
    sql`delete from records where app_id = ${appId} and bucket_id = ${bucketId} and object_id = ${objectId}`,
  );
  return count === 1 ? removed : undefined;
}

/** In a transaction: the next records of a bucket by objectId, which cannot change until the transaction ends. */
export function lockRecordsAfter(
  db: Db,
  where: { readonly appId: string; readonly bucketId: string; readonly after: string; readonly limit: number },
) {
  return db.all<{ object_id: string; doc: string }>(sql`select object_id, doc from records
    where app_id = ${where.appId} and bucket_id = ${where.bucketId} and object_id > ${where.after}
    order by object_id limit ${where.limit}${raw(db.dialect.lockRow)}`);
}

/** The newest documents of a bucket, read beside other requests. */
export function sampleDocuments(
  db: Db,
  where: { readonly appId: string; readonly bucketId: string; readonly limit: number },
) {
  return db.all<{ doc: string }>(
    sql`select doc from records
    where app_id = ${where.appId} and bucket_id = ${where.bucketId} order by object_id desc limit ${where.limit}`,
    { tenant: where.appId },
  );
}

export interface SlotsOfRecord {
  readonly key: RecordKey;
  readonly slots: RecordWrite['slots'];
  readonly lists: RecordWrite['lists'];
}

const slotUpdates = new Map<string, ReturnType<typeof updateOfSlots>>();

/** In a transaction: writes the same slots of several records of a bucket. */
export async function writeSlots(db: Db, writes: readonly SlotsOfRecord[]): Promise<void> {
  await writeTexts(db, writes);
  const names = slotsOf(writes[0]?.slots ?? {});
  if (names.length === 0) return;
  const known = slotUpdates.get(names.join()) ?? updateOfSlots(names);
  slotUpdates.set(names.join(), known);
  const rows = writes.map(({ key, slots }) => ({
    app_id: key.appId,
    bucket_id: key.bucketId,
    object_id: key.objectId,
    ...slots,
  }));
  await known.run(db, rows as never);
}

const updateOfSlots = (set: readonly Slot[]) => bulkUpdate(records, { by: ['app_id', 'bucket_id', 'object_id'], set });

export async function findRecords(
  db: Db,
  { appId, bucketId }: Pick<RecordKey, 'appId' | 'bucketId'>,
  ids: readonly string[],
): Promise<string[]> {
  const wanted = listSql(ids);
  const rows = await db.all<{ object_id: string }>(sql`select object_id from records
    where app_id = ${appId} and bucket_id = ${bucketId} and object_id in (${wanted})`);
  return rows.map(({ object_id }) => object_id);
}

export async function hasRecord(db: Db, { appId, bucketId, objectId }: RecordKey): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from records
    where app_id = ${appId} and bucket_id = ${bucketId} and object_id = ${objectId}`);
  return row !== undefined;
}

/** The number of records, counted up to `limit`. */
export async function countRecords(
  db: Db,
  what: { readonly appId: string; readonly bucketId: string; readonly limit: number },
): Promise<number> {
  const row = await db.one<{ n: number }>(sql`select count(*) as n from
    (select 1 from records where app_id = ${what.appId} and bucket_id = ${what.bucketId} limit ${what.limit}) as counted`);
  return row?.n ?? 0;
}
