import type { MaybePromise } from '../base/maybe-promise.ts';
import { raw, type Sql, type SqlValue, sql } from '../base/sql.ts';
import { WorkSlices } from '../base/work-slices.ts';
import type { Db, Row } from '../db/db.ts';
import type { DbTable } from '../db/table.ts';
import type { Chunk } from './format/chunk.ts';

/**
 * Lets the database evaluate the conditions of stored rows on packed ones: the rows are passed with the statement, under the name of their
 * table. So a condition means the same for both.
 */

/** Begins a statement in which the name of the table refers to these rows. */
export function standIn({ dialect }: Pick<Db, 'dialect'>, table: DbTable, rows: readonly Row[]): Sql {
  const names = Object.keys(table.columns);
  return withColumns(
    dialect,
    table,
    names,
    names.map((name) => rows.map((row) => row[name] ?? null)),
  );
}

function withColumns(
  { rows }: Db['dialect'],
  { name, columns }: DbTable,
  names: readonly string[],
  cells: readonly (readonly SqlValue[])[],
): Sql {
  const selected = raw(names.map((column, n) => `column${n + 1} as ${column}`).join(', '));
  const types = names.map((column) => columns[column]?.type ?? 'bigint');
  return sql`with ${raw(name)} as (select ${selected} from ${rows.many(types, cells)} as packed_rows) `;
}

export interface Asked {
  readonly table: DbTable;
  /** The app. */
  readonly tenant: string;
  /** Of which rows. */
  readonly condition: Sql;
  /** The order and how many; all of them, in the order of their ids, without it. */
  readonly first?: { readonly orderBy: Sql; readonly limit: number };
}

const place = 'packed_place';

/** So many rows travel at once, in less time than a slice of work takes. */
const rowsAtOnce = 1_024;

/**
 * The places of those rows of a chunk that a condition is true of, or `among` some of them. A part at a time, each by itself in the order
 * asked for, or else in that of their ids.
 */
export async function* placesIn(
  db: Db,
  chunk: Chunk,
  asked: Asked,
  among: readonly number[] = chunk.places,
): AsyncGenerator<number[]> {
  for (let start = 0; start < among.length; start += rowsAtOnce) {
    const some = among.slice(start, start + rowsAtOnce);
    const found = await places(db, asked, { length: some.length, cellsOf: (name) => chunk.cells(name, some) });
    yield found.map((one) => some[one] ?? 0);
  }
}

/** Those of rows, in their order. */
export async function placesAmong(db: Db, rows: readonly Row[], asked: Asked): Promise<number[]> {
  const found: number[] = [];
  const slices = new WorkSlices();
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.slice(start, start + rowsAtOnce);
    const cellsOf = (name: string) => some.map((row) => row[name] ?? null);
    for (const one of await places(db, asked, { length: some.length, cellsOf })) found.push(start + one);
    await slices.rest();
  }
  return found;
}

interface Cells {
  readonly length: number;
  readonly cellsOf: (column: string) => MaybePromise<readonly SqlValue[]>;
}

async function places(
  db: Db,
  { table, tenant, condition, first }: Asked,
  { length, cellsOf }: Cells,
): Promise<number[]> {
  const end = first ? sql` order by ${first.orderBy} limit ${first.limit}` : sql` order by ${raw(place)}`;
  const question = sql`select ${raw(place)} from ${raw(table.name)} where ${condition}${end}`;
  // Only the columns that the query names are passed.
  const words = new Set(question.strings.join(' ').match(/\w+/g));
  const names = Object.keys(table.columns).filter((name) => words.has(name));
  const slices = new WorkSlices();
  const cells: (readonly SqlValue[])[] = [];
  for (const name of names) {
    cells.push(await cellsOf(name));
    await slices.rest();
  }
  cells.push(Array.from({ length }, (_, n) => n));
  const rows = await db.all(sql`${withColumns(db.dialect, table, [...names, place], cells)}${question}`, { tenant });
  return rows.map((row) => Number(row[place]));
}
