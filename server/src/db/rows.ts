import { joinSql, raw, Shapes, type Sql, type SqlParameter, type SqlValue, sql } from '../base/sql.ts';

/** Statements about many rows at once, for both databases: many rows inserted, looked up or changed in one round trip. */

/** Names that both databases know. */
export type ColumnType = 'text' | 'bigint' | 'double precision';
export type Cells = readonly SqlValue[];

export interface RowsDialect {
  /** How many rows a statement may take, the smallest number first. Undefined: any number. */
  readonly lengths: readonly number[] | undefined;
  /** Statements about so many rows have the same text. */
  shape(length: number): number;
  /** A table in brackets, to select from, with the columns column1, column2 …; each parameter is null. */
  table(types: readonly ColumnType[], length: number): Sql;
  /** The parameters of `table`. */
  parameters(rows: readonly Cells[]): SqlParameter[];
  /** The condition that columns of texts are as in one of so many rows; each parameter is null. */
  among(columns: readonly string[], length: number): Sql;
  /** The parameters of `among`. */
  wanted(rows: readonly Cells[]): SqlParameter[];
}

/** What a dialect says of itself here. */
interface TakesRows {
  readonly name: string;
  readonly rows: RowsDialect;
}

const rowOf = (cells: readonly Sql[]) => sql`(${joinSql(cells, ', ')})`;
const repeat = (length: number, one: Sql) =>
  joinSql(
    Array.from({ length }, () => one),
    ', ',
  );

/** The next power of two: few lengths, so that few texts are prepared. */
const filled = (length: number) => 2 ** Math.ceil(Math.log2(Math.max(1, length)));

const filledUp = (rows: readonly Cells[]) =>
  Array.from({ length: filled(rows.length) }, (_, index) => rows[index] ?? (rows[0] as Cells));

/**
 * One parameter for each column, so that one text is planned once for any number of rows. A single row is told by its
 * cells: the server keeps a buffer for each list that it unfolds, which costs a small transaction twice its time.
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
  parameters: (rows: readonly Cells[]) =>
    rows.length === 1
      ? [...(rows[0] ?? [])]
      : (rows[0] ?? []).map((_, column) => rows.map((cells) => cells[column] ?? null)),
  among: (columns: readonly string[], length: number) =>
    columns.length === 1
      ? sql`${raw(columns.join())} = any(${null}::text[])`
      : sql`(${raw(columns.join(', '))}) in (${repeat(filled(length), rowOf(columns.map(() => sql`${null}`)))})`,
  wanted: (rows: readonly Cells[]) =>
    rows[0]?.length === 1 ? [rows.map(([text]) => text ?? null)] : filledUp(rows).flat(),
});

/** One parameter for each cell; the lengths are few, so that few texts are prepared. */
export const rowsOneByOne: RowsDialect = Object.freeze({
  lengths: [1, 4, 16, 64],
  shape: (length: number) => length,
  table(types: readonly ColumnType[], length: number) {
    return sql`(values ${repeat(length, rowOf(types.map(() => sql`${null}`)))})`;
  },
  parameters: (rows: readonly Cells[]) => rows.flat(),
  among(columns: readonly string[], length: number) {
    const all = repeat(filled(length), rowOf(columns.map(() => sql`${null}`)));
    // As a list of rows in brackets SQLite would walk the whole app for each of them.
    return sql`(${raw(columns.join(', '))}) in (values ${all})`;
  },
  wanted: (rows: readonly Cells[]) => filledUp(rows).flat(),
});

/**
 * One statement for any number of rows. It is made from a table with the columns column1, column2 … and must hold no
 * parameter besides: everything that it needs is in the rows.
 */
export class RowsStatement {
  readonly #types: readonly ColumnType[];
  readonly #make: (rows: Sql) => Sql;
  readonly #shapes = new Shapes();

  constructor(types: readonly ColumnType[], make: (rows: Sql) => Sql) {
    this.#types = types;
    this.#make = make;
  }

  /** Each row is in exactly one of the statements. None for no rows. */
  each({ name, rows: how }: TakesRows, rows: readonly Cells[]): Sql[] {
    const statements: Sql[] = [];
    for (let start = 0; start < rows.length; ) {
      const left = rows.length - start;
      const length = how.lengths ? (how.lengths.findLast((one) => one <= left) ?? 1) : left;
      const parameters = how.parameters(rows.slice(start, start + length));
      const shape = `${name} ${how.shape(length)}`;
      statements.push(this.#shapes.of(shape, parameters, () => this.#make(how.table(this.#types, length))));
      start += length;
    }
    return statements;
  }
}

/** Inserts rows; `into` is the table with its columns, `conflict` what follows. */
export function insertRows(types: readonly ColumnType[], into: Sql, conflict: Sql): RowsStatement {
  // `where true` tells SQLite that ON CONFLICT does not belong to a join.
  return new RowsStatement(
    types,
    (rows) => sql`insert into ${into} select * from ${rows} as given where true ${conflict}`,
  );
}

/** More would be long texts, and many of them. */
const mostWanted = 64;

/**
 * Looks rows up by the texts in some of their columns, by one index: joined with a table of wanted rows, PostgreSQL may
 * take another one as long as it knows nothing of a new table. `make` is given the condition; parameters of its own come
 * before it and are null.
 */
export class Lookup {
  readonly #columns: readonly string[];
  readonly #make: (isWanted: Sql) => Sql;
  readonly #shapes = new Shapes();

  constructor(columns: readonly string[], make: (isWanted: Sql) => Sql) {
    this.#columns = columns;
    this.#make = make;
  }

  /** `own` are the statement's own parameters; of `rows` each is asked for once. */
  of({ name, rows: how }: TakesRows, own: Cells, rows: readonly Cells[]): Sql[] {
    const statements: Sql[] = [];
    for (let start = 0; start < rows.length; start += mostWanted) {
      const part = rows.slice(start, start + mostWanted);
      const parameters = how.wanted(part);
      statements.push(
        this.#shapes.of(`${name} ${parameters.length}`, [...own, ...parameters], () =>
          this.#make(how.among(this.#columns, part.length)),
        ),
      );
    }
    return statements;
  }
}
