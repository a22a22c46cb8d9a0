import Sqlite from 'better-sqlite3';
import { createPasswords } from '../../server/src/base/passwords.ts';
import { raw, type SqlValue } from '../../server/src/base/sql.ts';
import { openPostgres } from '../../server/src/db/postgres/postgres.ts';
import { insertRows } from '../../server/src/demo/rows.ts';
import { type Slot, slotValues } from '../../server/src/features/data/buckets/definition/slots.ts';
import { documentOf } from '../compare/documents.ts';
import { own, type Row, Timeline, traces } from './rows.ts';

/** Written beside the service that runs on the same database. */

export interface Sizes {
  /** Bucket records, installations, users, files and beacons. */
  readonly records: number;
  /** Log records, events and visits. */
  readonly traces: number;
}

export interface Filled {
  readonly records: Timeline;
  readonly traces: Timeline;
  /** Of every user. */
  readonly password: string;
}

/** Takes many rows at once. */
interface Sink {
  bucket(appId: string): Promise<{ readonly id: string; readonly slots: readonly Slot[] }>;
  write(table: string, columns: readonly string[], rows: readonly (readonly SqlValue[])[]): Promise<void>;
  close(): Promise<void>;
}

const bucketOf = "select object_id, slots from buckets where name = 'Sightings'";
const perTransaction = 10_000;

/** With more memory than the service uses, and without waiting for the disk: this writes indexes of a million rows. */
function openSqliteSink(file: string): Sink {
  const db = new Sqlite(file, { timeout: 30_000 });
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -2000000');
  return {
    bucket: async () => bucketFrom(db.prepare(bucketOf).get()),
    async write(table, columns, rows) {
      const places = columns.map(() => '?').join(', ');
      const insert = db.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`);
      db.transaction(() => {
        for (const row of rows) insert.run(...row);
      })();
    },
    async close() {
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
}

function openPostgresSink(url: string): Sink {
  const db = openPostgres({ url, poolSize: 2, queryDeadlineMs: 3_600_000 });
  return {
    bucket: async () => bucketFrom(await db.one(raw(bucketOf))),
    write: async (table, columns, rows) =>
      db.transaction(async (db) => {
        await insertRows(db, { table, columns, rows });
      }),
    async close() {
      await db.run(raw('analyze'));
      await db.close();
    },
  };
}

function bucketFrom(row: unknown) {
  const { object_id, slots } = row as { object_id: string; slots: string };
  return { id: object_id, slots: JSON.parse(slots) as readonly Slot[] };
}

export const openSink = (place: { readonly file: string } | { readonly url: string }): Sink =>
  'url' in place ? openPostgresSink(place.url) : openSqliteSink(place.file);

export async function fill(sink: Sink, appId: string, { records, traces: traceCount }: Sizes): Promise<Filled> {
  const [line, traceLine] = [new Timeline(appId, records, Date.now()), new Timeline(appId, traceCount, Date.now())];
  const { id, slots } = await sink.bucket(appId);
  const password = 'correct horse';
  const rows: Readonly<Record<string, Row>> = {
    ...own(line, await createPasswords().hash(password, appId)),
    records: (n) => {
      const document = documentOf(n);
      const { values } = slotValues(slots, document);
      return { ...line.changed(n), bucket_id: id, doc: JSON.stringify(document), ...values };
    },
  };
  for (const [table, row] of Object.entries(rows)) await write(sink, table, { total: records, row });
  for (const [table, row] of Object.entries(traces(traceLine, line)))
    await write(sink, table, { total: traceCount, row });
  return { records: line, traces: traceLine, password };
}

async function write(sink: Sink, table: string, { total, row }: { readonly total: number; readonly row: Row }) {
  const columns = Object.keys(row(0));
  for (let start = 0; start < total; start += perTransaction) {
    const length = Math.min(perTransaction, total - start);
    const rows = Array.from({ length }, (_, offset) => Object.values(row(start + offset)).map((cell) => cell ?? null));
    await sink.write(table, columns, rows);
  }
}
