import { joinSql, raw, type Sql, type SqlParameter, type SqlValue, sql } from '../base/sql.ts';
import type { ColumnType } from './table.ts';

/** How the rows of one statement travel to each of the databases; see `bulk.ts`. */

export type NamedCells = Readonly<Record<string, SqlValue>>;

/** What belongs to a given row: what is looked for in an index, from its first column on. Cells are the given row's. */
export interface Belonging {
  readonly table: string;
  readonly columns: readonly string[];
  /** Columns that are as in the row, with their cells. */
  readonly same: readonly (readonly [column: string, cell: Sql])[];
  /** The column that follows them in the index. */
  readonly range?: readonly [column: string, comparison: '<=' | '>=', cell: Sql];
  /** Of these, those. */
  readonly only?: Sql;
}

const all = (conditions: readonly Sql[]) => joinSql(conditions, ' and ');
const isSame = ({ same }: Belonging) => same.map(([column, cell]) => sql`${raw(column)} = ${cell}`);
const list = (names: readonly string[]) => raw(names.join(', '));

export interface RowsDialect {
  /** How many rows a statement may take, the smallest number first. Undefined: any number. */
  readonly lengths: readonly number[] | undefined;
  /** Statements about numbers of rows with the same shape have the same text. */
  shape(length: number): number;
  /** A table in brackets, to select from, with the columns column1, column2 …; each parameter is null. */
  table(types: readonly ColumnType[], length: number): Sql;
  /** The parameters of `table`: the cells of these names, in their order. */
  parameters(rows: readonly NamedCells[], names: readonly string[]): SqlParameter[];
  /** Selects what belongs to each row of a `table`; the answers begin with the row's first cell, as `asked`. */
  belonging(rows: Sql, belonging: Belonging): Sql;
  /** The condition that text columns are as in one of `length` rows; each parameter is null. */
  among(columns: readonly string[], length: number): Sql;
  /** The parameters of `among`. */
  wanted(rows: readonly NamedCells[], names: readonly string[]): SqlParameter[];
}

const rowOf = (cells: readonly Sql[]) => sql`(${joinSql(cells, ', ')})`;
const repeat = (length: number, one: Sql) =>
  joinSql(
    Array.from({ length }, () => one),
    ', ',
  );

/** The next power of two: few lengths, so that few texts are prepared. */
const filled = (length: number) => 2 ** Math.ceil(Math.log2(Math.max(1, length)));

const filledUp = (rows: readonly NamedCells[]) =>
  Array.from({ length: filled(rows.length) }, (_, index) => rows[index] ?? (rows[0] as NamedCells));

/**
 * Hands over the cells of a row in the order of the names. On the path of every sighting: a row that was written down in
 * that order, with others between them or not, is walked along, which costs a third of looking each cell up.
 */
function eachCell(row: NamedCells, names: readonly string[], take: (value: SqlValue, place: number) => void): void {
  let place = 0;
  for (const name in row) {
    if (name === names[place]) take(row[name] ?? null, place++);
  }
  for (; place < names.length; place++) take(row[names[place] as string] ?? null, place);
}

function cellsOf(rows: readonly NamedCells[], names: readonly string[]): SqlValue[] {
  const cells: SqlValue[] = [];
  const take = (value: SqlValue) => void cells.push(value);
  for (const row of rows) eachCell(row, names, take);
  return cells;
}

/** All cells, a list for each name. */
function columnsOf(rows: readonly NamedCells[], names: readonly string[]): SqlValue[][] {
  const columns = names.map((): SqlValue[] => []);
  const take = (value: SqlValue, place: number) => void columns[place]?.push(value);
  for (const row of rows) eachCell(row, names, take);
  return columns;
}

/**
 * One parameter for each column, so that one text is planned once for any number of rows. A single row is passed as its cells:
 * the server keeps a buffer for each list that it unfolds, which doubles the time of a small transaction.
 */
export const rowsByColumn: RowsDialect = Object.freeze({
  lengths: undefined,
  shape: (length: number) => Math.min(length, 2),
  table(types: readonly ColumnType[], length: number) {
    if (length === 1) return sql`(values ${rowOf(types.map((type) => sql`${null}::${raw(type)}`))})`;
    const lists = types.map((type) => sql`${null}::${raw(type)}[]`);
    const names = types.map((_, index) => raw(`column${index + 1}`));
    return sql`(select * from unnest(${joinSql(lists, ', ')}) as given ${rowOf(names)})`;
  },
  parameters: (rows: readonly NamedCells[], names: readonly string[]) =>
    rows.length === 1 ? cellsOf(rows, names) : columnsOf(rows, names),
  belonging(rows: Sql, belonging: Belonging) {
    const { table, columns, same, range, only } = belonging;
    const conditions = isSame(belonging);
    if (range !== undefined) {
      // Compared as a row it fits one index alone. Of a new table the server knows nothing, and takes any that fits.
      const [column, comparison, cell] = range;
      const names = list([...same.map(([name]) => name), column]);
      const cells = joinSql([...same.map(([, own]) => own), cell], ', ');
      conditions.push(sql`(${names}) ${raw(comparison)} (${cells})`);
    }
    if (only !== undefined) conditions.push(only);
    // Without `offset 0` it would become a join, and a new table would be scanned from end to end.
    return sql`select given.column1 as asked, found.* from ${rows} as given
      cross join lateral (select ${list(columns)} from ${raw(table)} where ${all(conditions)} offset 0) as found`;
  },
  among: (columns: readonly string[], length: number) =>
    columns.length === 1
      ? sql`${raw(columns.join())} = any(${null}::text[])`
      : sql`(${raw(columns.join(', '))}) in (${repeat(filled(length), rowOf(columns.map(() => sql`${null}`)))})`,
  wanted: (rows: readonly NamedCells[], names: readonly string[]) =>
    names.length === 1 ? columnsOf(rows, names) : cellsOf(filledUp(rows), names),
});

/** One parameter for each cell; the lengths are few, so that few texts are prepared. */
export const rowsOneByOne: RowsDialect = Object.freeze({
  lengths: [1, 4, 16, 64],
  shape: (length: number) => length,
  table(types: readonly ColumnType[], length: number) {
    return sql`(values ${repeat(length, rowOf(types.map(() => sql`${null}`)))})`;
  },
  parameters: cellsOf,
  belonging(rows: Sql, belonging: Belonging) {
    const { table, columns, range, only } = belonging;
    const conditions = isSame(belonging);
    if (range !== undefined) conditions.push(sql`${raw(range[0])} ${raw(range[1])} ${range[2]}`);
    if (only !== undefined) conditions.push(only);
    // Of the two sides of a cross join SQLite takes the first one first.
    return sql`select given.column1 as asked, ${list(columns)} from ${rows} as given cross join ${raw(table)}
      where ${all(conditions)}`;
  },
  among(columns: readonly string[], length: number) {
    const all = repeat(filled(length), rowOf(columns.map(() => sql`${null}`)));
    // As a list of rows in brackets SQLite would walk the whole app for each of them.
    return sql`(${raw(columns.join(', '))}) in (values ${all})`;
  },
  wanted: (rows: readonly NamedCells[], names: readonly string[]) => cellsOf(filledUp(rows), names),
});
