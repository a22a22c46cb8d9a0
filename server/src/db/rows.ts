import { joinSql, raw, Shapes, type Sql, type SqlParameter, type SqlValue, sql } from '../sql.ts';
import type { Dialect } from './dialect.ts';

/** Statements about many rows at once, for both databases: many rows inserted, looked up or changed in one round trip. */

/** Names that both databases know. */
export type ColumnType = 'text' | 'bigint' | 'double precision';
export type Cells = readonly SqlValue[];

export interface RowsDialect {
  /** How many rows a statement may take, the smallest number first. Undefined: any number, with the same text. */
  readonly lengths: readonly number[] | undefined;
  /** A table in brackets, to select from, with the columns column1, column2 …; each parameter is null. */
  table(types: readonly ColumnType[], length: number): Sql;
  /** The parameters of `table`. */
  parameters(rows: readonly Cells[]): SqlParameter[];
}

/** One parameter for each column, so that one text is planned once for any number of rows. */
export const rowsByColumn: RowsDialect = Object.freeze({
  lengths: undefined,
  table(types: readonly ColumnType[]) {
    const lists = types.map((type) => sql`${null}::${raw(type)}[]`);
    const names = types.map((_, index) => raw(`column${index + 1}`));
    return sql`(select * from unnest(${joinSql(lists, ', ')}) as given (${joinSql(names, ', ')}))`;
  },
  parameters: (rows: readonly Cells[]) =>
    (rows[0] ?? []).map((_, column) => rows.map((cells) => cells[column] ?? null)),
});

/** One parameter for each cell; the lengths are few, so that few texts are prepared. */
export const rowsOneByOne: RowsDialect = Object.freeze({
  lengths: [1, 4, 16, 64],
  table(types: readonly ColumnType[], length: number) {
    const row = sql`(${joinSql(
      types.map(() => sql`${null}`),
      ', ',
    )})`;
    return sql`(values ${joinSql(
      Array.from({ length }, () => row),
      ', ',
    )})`;
  },
  parameters: (rows: readonly Cells[]) => rows.flat(),
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

  /** Each row exactly once, as an insert or an update needs it. None for no rows. */
  each(dialect: Dialect, rows: readonly Cells[]): Sql[] {
    const { lengths } = dialect.rows;
    const statements: Sql[] = [];
    for (let start = 0; start < rows.length; ) {
      const left = rows.length - start;
      const length = lengths ? (lengths.findLast((one) => one <= left) ?? 1) : left;
      statements.push(this.#of(dialect, rows.slice(start, start + length)));
      start += length;
    }
    return statements;
  }

  /** A row may be there more than once, which a look-up does not mind: so there are fewer statements. */
  lookUp(dialect: Dialect, rows: readonly Cells[]): Sql[] {
    const { lengths } = dialect.rows;
    if (!lengths) return this.each(dialect, rows);
    const most = lengths.at(-1) ?? 1;
    const statements: Sql[] = [];
    for (let start = 0; start < rows.length; start += most) {
      const part = rows.slice(start, start + most);
      const length = lengths.find((one) => one >= part.length) ?? most;
      const last = part.at(-1) as Cells;
      const filled = Array.from({ length }, (_, index) => part[index] ?? last);
      statements.push(this.#of(dialect, filled));
    }
    return statements;
  }

  #of(dialect: Dialect, rows: readonly Cells[]): Sql {
    const { name, rows: how } = dialect;
    const length = how.lengths ? rows.length : 0;
    return this.#shapes.of(`${name} ${length}`, how.parameters(rows), () => this.#make(how.table(this.#types, length)));
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
