import { sql } from '../../../server/src/base/sql.ts';
import type { Db } from '../../../server/src/db/db.ts';
import { insertRows } from '../../../server/src/demo/rows.ts';
import { slotValues } from '../../../server/src/features/buckets/definition/slots.ts';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { people, type Row, stride, structure, Timeline, traces } from '../../rows.ts';

/** What the pages show, written as rows: through the interface it would take an hour. */

export interface Filled {
  readonly pushId: string;
  readonly bucketName: string;
}

const perTransaction = 2_000;
const species = ['Kestrel', 'Kite', 'Heron', 'Wren', 'Owl'];

/** Many pushes, the first of them to everybody. */
const pushes = (line: Timeline): Readonly<Record<string, Row>> => ({
  pushes: (n) => ({
    ...line.changed(n),
    data: '{"alertTitle":"Tonight","alertMessage":"Open until ten."}',
    state: 'done',
    send_at: line.at(n),
    expires_at: line.at(n),
    audience_count: n === 0 ? line.total : 1,
    sent_count: n === 0 ? line.total - Math.ceil(line.total / 20) : 1,
    failed_count: n === 0 ? Math.ceil(line.total / 20) : 0,
  }),
  deliveries: (n) => ({
    ...line.changed(n),
    object_id: `${line.id(0)}-${line.id(n)}`,
    push_id: line.id(0),
    installation_id: line.id(n),
    state: n % 20 === 0 ? 'failed' : 'sent',
    reason: n % 20 === 0 ? 'The push service refused it.' : null,
    sender: 'fcm',
    attempts: 1,
    run_at: line.at(n),
    expires_at: line.at(n),
    sent_at: line.at(n),
  }),
});

/** `total` rows in each table that a list shows. */
export async function fill(test: TestApp, total: number): Promise<Filled> {
  const line = new Timeline(test.appId, total, test.clock.now);
  const bucketName = 'birds';
  const tables = {
    ...structure(line),
    ...people(line),
    ...traces(line),
    ...pushes(line),
    records: await recordsOf(test, line, bucketName),
  };
  for (const [table, row] of Object.entries(tables)) await write(test.storage.db, table, { total, row });
  return { pushId: line.id(0), bucketName };
}

/** The records of a bucket with three declared columns. */
async function recordsOf({ app, storage, appId }: TestApp, line: Timeline, bucketName: string): Promise<Row> {
  const declared = { species: { type: 'String' }, weight: { type: 'Number' }, seenAt: { type: 'Date' } } as const;
  await app.buckets.addSchema(appId, bucketName, declared);
  const row = await storage.db.one<{ object_id: string; slots: string }>(
    sql`select object_id, slots from buckets where app_id = ${appId} and name = ${bucketName}`,
  );
  if (!row) throw new Error('the bucket is missing');
  const slots = JSON.parse(row.slots) as Parameters<typeof slotValues>[0];
  return (n) => {
    const document = {
      species: species[n % species.length] ?? '',
      weight: (n * stride) % 1000,
      seenAt: new Date(line.at(n)).toISOString(),
      note: `note ${n}`,
    };
    return {
      ...line.changed(n),
      bucket_id: row.object_id,
      doc: JSON.stringify(document),
      ...slotValues(slots, document).values,
    };
  };
}

interface Filling {
  readonly total: number;
  readonly row: Row;
}

/** A few thousand rows in a transaction. */
async function write(db: Pick<Db, 'run'> & { transaction: Db['transaction'] }, table: string, { total, row }: Filling) {
  const columns = Object.keys(row(0));
  for (let start = 0; start < total; start += perTransaction) {
    const length = Math.min(perTransaction, total - start);
    const rows = Array.from({ length }, (_, offset) => Object.values(row(start + offset)).map((cell) => cell ?? null));
    await db.transaction((db) => insertRows(db, { table, columns, rows }));
  }
}
