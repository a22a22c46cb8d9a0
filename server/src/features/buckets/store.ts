import { joinSql, raw, Shapes, type SqlValue, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { type ColumnType, RowsStatement } from '../../db/rows.ts';
import { defineTable, json, type Key, type Table, text, time } from '../../resources/table.ts';
import { slotPairs, slotsHeld } from './slots.ts';

export interface BucketRow {
  readonly app_id: string;
  readonly object_id: string;
  readonly name: string;
  /** Counts changes of the definition; a write made with an older one is refused and made again. */
  readonly version: number;
  readonly slots: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const schemas = defineTable('schemas', {
  objectId: text('object_id'),
  metadata: json('metadata'),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});

/** As with records, only paths below `metadata` can be queried. */
export const schemaTable: Table = {
  ...schemas,
  lookup: (name) => (name === 'metadata' ? undefined : schemas.lookup(name)),
};

/** The members of a record that are not in its document. */
export const recordTable = defineTable(
  'records',
  {
    objectId: text('object_id'),
    metadata: json('doc'),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  { held: slotsHeld, pairs: slotPairs },
);

export function findBucket(db: Db, appId: string, name: string): Promise<BucketRow | undefined> {
  return db.one<BucketRow>(sql`select * from buckets where app_id = ${appId} and name = ${name}`);
}

/** In a transaction: the row cannot change until the transaction ends. */
export function lockBucket(db: Db, appId: string, bucketId: string): Promise<BucketRow | undefined> {
  return db.one<BucketRow>(
    sql`select * from buckets where app_id = ${appId} and object_id = ${bucketId}${raw(db.dialect.lockRow)}`,
  );
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
): Promise<{ object_id: string; metadata: string }[]> {
  return db.all(
    sql`select object_id, metadata from schemas where app_id = ${appId} and bucket_id = ${bucketId} order by object_id`,
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
  readonly slots: Readonly<Record<string, SqlValue>>;
  readonly now: number;
}

const hasVersion = ({ key, version }: RecordWrite) =>
  sql`exists (select 1 from buckets where app_id = ${key.appId} and object_id = ${key.bucketId} and version = ${version})`;

const inserts = { sqlite: new Shapes(), postgres: new Shapes() };
const insertsOfMany = new Map<string, RowsStatement>();

const recordColumns: readonly (readonly [string, ColumnType])[] = [
  ['app_id', 'text'],
  ['bucket_id', 'text'],
  ['object_id', 'text'],
  ['doc', 'text'],
  ['created_at', 'bigint'],
  ['updated_at', 'bigint'],
];
const recordNames = recordColumns.map(([name]) => name).join(', ');
const namesOf = (slots: RecordWrite['slots']) => {
  let names = recordNames;
  for (const slot in slots) names += `, ${slot}`;
  return names;
};
const cellsOf = ({ key, slots, document, now }: RecordWrite): SqlValue[] => [
  key.appId,
  key.bucketId,
  key.objectId,
  document,
  now,
  now,
  ...Object.values(slots),
];

/** False if the bucket's definition has changed, or the bucket is gone. */
export async function insertRecord(db: Db, write: RecordWrite): Promise<boolean> {
  const { key, version } = write;
  const names = namesOf(write.slots);
  const cells = cellsOf(write);
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
  const slots = writes[0]?.slots ?? {};
  const names = namesOf(slots);
  const known = insertsOfMany.get(names) ?? insertOfMany(slots);
  insertsOfMany.set(names, known);
  const rows = writes.map((write) => [...cellsOf(write), write.version]);
  let inserted = 0;
  for (const statement of known.each(db.dialect, rows)) inserted += await db.run(statement);
  return inserted === writes.length;
}

function insertOfMany(slots: RecordWrite['slots']): RowsStatement {
  const types = [...recordColumns.map(([, type]) => type), ...Object.keys(slots).map(typeOfSlot)];
  const own = raw(types.map((_, index) => `column${index + 1}`).join(', '));
  const version = raw(`column${types.length + 1}`);
  return new RowsStatement(
    [...types, 'bigint'],
    (rows) => sql`insert into records (${raw(namesOf(slots))}) select ${own} from ${rows} as given
      where exists (select 1 from buckets where app_id = column1 and object_id = column2 and version = ${version})`,
  );
}

/** False if the record is gone or the bucket's definition has changed. */
export async function updateRecord(db: Db, write: RecordWrite): Promise<boolean> {
  const { key, now } = write;
  const cells = Object.entries({ doc: write.document, ...write.slots }).map(
    ([column, value]) => sql`${raw(column)} = ${value}`,
  );
  const stamp = sql`updated_at = case when updated_at > ${now} then updated_at else ${now} end`;
  return (
    (await db.run(sql`update records set ${joinSql([...cells, stamp], ', ')}
      where app_id = ${key.appId} and bucket_id = ${key.bucketId} and object_id = ${key.objectId} and ${hasVersion(write)}`)) >
    0
  );
}

/** Bytes of a record's document; 0 if there is none. */
export async function measureRecord(db: Db, key: Key): Promise<number> {
  const row = await db.one<{ n: number }>(
    sql`select octet_length(doc) as n from records where ${recordTable.match(key)}`,
  );
  return row?.n ?? 0;
}

/** In a transaction: the record, which cannot change until the transaction ends. */
export function lockRecord(db: Db, key: RecordKey): Promise<{ doc: string; updated_at: number } | undefined> {
  return db.one(sql`select doc, updated_at from records
    where app_id = ${key.appId} and bucket_id = ${key.bucketId} and object_id = ${key.objectId}${raw(db.dialect.lockRow)}`);
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
    { share: where.appId },
  );
}

export interface SlotsOfRecord {
  readonly key: RecordKey;
  readonly slots: RecordWrite['slots'];
}

const slotUpdates = new Map<string, RowsStatement>();

/** Writes the same slots of several records. */
export async function writeSlots(db: Db, writes: readonly SlotsOfRecord[]): Promise<void> {
  const names = Object.keys(writes[0]?.slots ?? {});
  const known = slotUpdates.get(names.join()) ?? updateOfSlots(names);
  slotUpdates.set(names.join(), known);
  const rows = writes.map(({ key, slots }) => [key.appId, key.bucketId, key.objectId, ...Object.values(slots)]);
  for (const statement of known.each(db.dialect, rows)) await db.run(statement);
}

function updateOfSlots(names: readonly string[]): RowsStatement {
  const cells = raw(names.map((name, index) => `${name} = given.column${index + 4}`).join(', '));
  return new RowsStatement(
    ['text', 'text', 'text', ...names.map(typeOfSlot)],
    (rows) => sql`update records set ${cells} from ${rows} as given
      where app_id = given.column1 and bucket_id = given.column2 and object_id = given.column3`,
  );
}

const typeOfSlot = (name: string): ColumnType => (name.startsWith('n') ? 'double precision' : 'text');

/** The number of records, counted up to `limit`. */
export async function countRecords(
  db: Db,
  what: { readonly appId: string; readonly bucketId: string; readonly limit: number },
): Promise<number> {
  const row = await db.one<{ n: number }>(sql`select count(*) as n from
    (select 1 from records where app_id = ${what.appId} and bucket_id = ${what.bucketId} limit ${what.limit}) as counted`);
  return row?.n ?? 0;
}
