import { joinSql, raw, Shapes, type Sql, type SqlValue, sql } from '../../../base/sql.ts';
import { BulkStatement, bulkInsert, bulkUpdate, typesOf } from '../../../db/bulk.ts';
import type { Db, Row } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import { timePrefix } from '../../../proximity/index.ts';
import { type buckets, recordLists, records } from './tables.ts';

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

/** A bucket as it was before it was deleted, whose records are still there. */
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
  /** The user who makes the record, or to whom it is handed over; a change without it leaves it as it is. */
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
  for (const statement of insertLists.each(db.dialect, rows)) await db.run(statement);
}

/** Replaces the texts of some records of one bucket. */
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
export async function insertRecord(db: Db, write: RecordWrite): Promise<boolean> {
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
    const values = joinSql(
      cells.map((cell) => sql`${cell}`),
      ', ',
    );
    return sql`${raw(db.dialect.insertOne)} records (${raw(names)}) select ${values} where ${hasVersion(write)}`;
  });
  return (await db.run(statement)) > 0;
}

/** The same for records of one bucket and one version: all of them or, if it is false, none. */
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
  for (const statement of known.each(db.dialect, rows)) inserted += await db.run(statement);
  return inserted === writes.length;
}

type Slot = Exclude<keyof typeof records.columns, (typeof recordColumns)[number]>;
const slotsOf = (slots: RecordWrite['slots']) => Object.keys(slots) as Slot[];

const insertsOfMany = new Map<string, ReturnType<typeof insertOfMany>>();

function insertOfMany(slots: RecordWrite['slots']) {
  const columns = [...recordColumns, ...slotsOf(slots)];
  const types = { ...typesOf(records, columns), version: 'bigint' } as const;
  return new BulkStatement(types, ({ rows, cell }) => {
    const own = joinSql(
      columns.map((name) => cell[name]),
      ', ',
    );
    return sql`insert into records (${raw(columns.join(', '))}) select ${own} from ${rows} as given
      where exists (select 1 from buckets
        where app_id = ${cell.app_id} and object_id = ${cell.bucket_id} and version = ${cell.version})`;
  });
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

/** In a transaction: the record, which cannot change until the transaction ends; undefined also if `condition` is not met. */
export function lockRecord(db: Db, key: RecordKey, condition?: Sql): Promise<StoredRecord | undefined> {
  const lock = () => {
    const also = condition ? sql` and ${condition}` : raw('');
    return sql`select object_id, doc, created_by, created_at, updated_at from records
    where app_id = ${key.appId} and bucket_id = ${key.bucketId} and object_id = ${key.objectId}${also}${raw(db.dialect.lockRow)}`;
  };
  return db.one(condition ? lock() : locks.of(db.dialect.name, [key.appId, key.bucketId, key.objectId], lock));
}

const locks = new Shapes();

/** A record that was deleted without being looked at. */
export interface Removed {
  /** Of its document. */
  readonly bytes: number;
  readonly created_by: string | null;
}

/** Deletes a record without looking at it. Undefined if there was none. */
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
  for (const statement of known.each(db.dialect, rows as never)) await db.run(statement);
}

const updateOfSlots = (set: readonly Slot[]) => bulkUpdate(records, { by: ['app_id', 'bucket_id', 'object_id'], set });

/** Those of some records that are there. */
export async function findRecords(
  db: Db,
  { appId, bucketId }: Pick<RecordKey, 'appId' | 'bucketId'>,
  ids: readonly string[],
): Promise<string[]> {
  const wanted = joinSql(
    ids.map((id) => sql`${id}`),
    ', ',
  );
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

export interface MadeRecord {
  /** What the document says: the objectId of an installation, or its own id. */
  readonly installationId: string | undefined;
  readonly userId: string | undefined;
  /** Epoch ms. */
  readonly at: number;
}

const madePage = 500;

/** Who made records of a bucket in a stretch of time (ms; the second is not included), a page at a time, oldest first. Ids begin with the time. */
export async function* recordsMade(
  db: Db,
  asked: { readonly appId: string; readonly bucket: string; readonly from: number; readonly until: number },
): AsyncGenerator<readonly MadeRecord[]> {
  const { appId, bucket, from, until } = asked;
  const found = await findBucket(db, appId, bucket);
  let after = timePrefix(from);
  while (found) {
    const rows = await db.all<{ object_id: string; doc: string; created_by: string | null; created_at: number }>(
      sql`select object_id, doc, created_by, created_at from records where app_id = ${appId}
        and bucket_id = ${found.object_id} and object_id > ${after} and object_id < ${timePrefix(until)}
        order by object_id limit ${madePage}`,
    );
    yield rows.map(({ doc, created_by, created_at }) => ({
      installationId: installationOf(doc),
      userId: created_by ?? undefined,
      at: created_at,
    }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < madePage) return;
    after = last.object_id;
  }
}

function installationOf(doc: string): string | undefined {
  const { installationId } = JSON.parse(doc) as { readonly installationId?: unknown };
  if (typeof installationId === 'string') return installationId;
  const { objectId } = (installationId ?? {}) as { readonly objectId?: unknown };
  return typeof objectId === 'string' ? objectId : undefined;
}
