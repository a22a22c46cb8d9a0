import { readFileSync } from 'node:fs';
import { joinSql, raw, sql } from '../../../src/base/sql.ts';
import type { Database, Row } from '../../../src/db/db.ts';
import { migrate } from '../../../src/db/migrate.ts';

/**
 * What the last version that packed old rows left of two apps, and the first one of a third: chunks of each table, small ones and large ones,
 * one whose rows are stored again already, as `pharos unpack` left it when it was killed, and one of which a row was recorded again.
 */

interface Head {
  /** The newest one of that version. */
  readonly migration: number;
  /** The objectIds of the rows that are not packed, or also stored, by their table. */
  readonly stored: Readonly<Record<string, readonly string[]>>;
  /** In the order of the cells, by table. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
}

type Line = readonly [table: string, ...cells: (string | number | null)[]];

const written = new URL('./packed-database.jsonl', import.meta.url);
const [head, ...lines] = readFileSync(written, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line)) as [Head, ...Line[]];

export const { migration: packedMigration } = head;
export const packedTables = ['events', 'verdicts', 'logs', 'deliveries'] as const;

const rowsOf = (table: string): Row[] =>
  lines
    .filter(([name]) => name === table)
    .map(([, ...cells]) => Object.fromEntries((head.columns[table] ?? []).map((name, n) => [name, cells[n] ?? null])));

export const chunkCount = rowsOf('cold_chunks').length;

/** All rows of each table, as they were before they were packed. */
export const unpacked: readonly (readonly Row[])[] = packedTables.map(rowsOf);

/** Makes an empty database that of the version. On PostgreSQL its tables are in partitions, unless it `isOlder`. */
export async function makePacked(db: Database, { isOlder = false } = {}): Promise<void> {
  const now = Date.now();
  if (isOlder) await migrate(db, now, 98);
  await migrate(db, now, packedMigration);
  for (const name of ['cold_chunks', 'cold_summaries'] as const) await insert(db, name, rowsOf(name));
  for (const [n, name] of packedTables.entries()) {
    const isStored = new Set<unknown>(head.stored[name]);
    await insert(
      db,
      name,
      (unpacked[n] ?? []).filter(({ object_id }) => isStored.has(object_id)),
    );
  }
  await db.run(sql`insert into settings (name, value) values ('packed', '1')`);
}

async function insert(db: Database, table: string, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    const cells = Object.values(row).map((cell) => sql`${cell}`);
    await db.run(sql`insert into ${raw(table)} (${raw(Object.keys(row).join(', '))}) values (${joinSql(cells, ', ')})`);
  }
}
