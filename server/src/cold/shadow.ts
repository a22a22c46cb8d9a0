import type { MaybePromise } from '../base/maybe-promise.ts';
import { raw, type Sql, type SqlValue, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import type { DbTable } from '../db/table.ts';
import type { Chunk } from './chunk.ts';

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

/** The positions of the matching rows of a chunk, in the requested order. */
export const placesIn = (db: Db, chunk: Chunk, asked: Asked): Promise<number[]> =>
  places(db, asked, { length: chunk.length, cellsOf: (name) => chunk.column(name) });

/** The same of rows. */
export const placesAmong = (db: Db, rows: readonly Row[], asked: Asked): Promise<number[]> =>
  places(db, asked, { length: rows.length, cellsOf: (name) => rows.map((row) => row[name] ?? null) });

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
  const cells: (readonly SqlValue[])[] = [];
  for (const name of names) cells.push(await cellsOf(name));
  cells.push(Array.from({ length }, (_, n) => n));
  const rows = await db.all(sql`${withColumns(db.dialect, table, [...names, place], cells)}${question}`, { tenant });
  return rows.map((row) => Number(row[place]));
}
