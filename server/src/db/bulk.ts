import { joinSql, raw, Shapes, type Sql, type SqlValue, sql } from '../base/sql.ts';
import type { Db } from './db.ts';
import type { Belonging, NamedCells, RowsDialect } from './rows.ts';
import type { Cells, Columns, ColumnType, DbTable } from './table.ts';

/**
 * Statements about many rows at once, for both databases: many rows inserted, looked up, changed or deleted in one round
 * trip. Rows are given with named cells; their order in the statement is worked out once for each statement.
 */

/** What a dialect says of itself here. */
interface TakesRows {
  readonly name: string;
  readonly rows: RowsDialect;
}

/** The given rows as a statement names them: `from ${given.rows} as given`, and `${given.cell.left_at}`. */
export interface Given<N extends string> {
  readonly rows: Sql;
  readonly how: RowsDialect;
  readonly cell: Readonly<Record<N, Sql>>;
}

/**
 * One statement for any number of rows. It must hold no parameter besides: everything that it needs is in the rows.
 */
export class BulkStatement<N extends string, Row extends { readonly [name in N]?: SqlValue }> {
  readonly #names: readonly N[];
  readonly #types: readonly ColumnType[];
  readonly #cell: Readonly<Record<N, Sql>>;
  readonly #make: (given: Given<N>) => Sql;
  readonly #shapes = new Shapes();

  constructor(types: Readonly<Record<N, ColumnType>>, make: (given: Given<N>) => Sql) {
    this.#names = Object.keys(types) as N[];
    this.#types = Object.values(types);
    const cells = this.#names.map((name, index) => [name, raw(`given.column${index + 1}`)]);
    this.#cell = Object.fromEntries(cells);
    this.#make = make;
  }

  /** Each row is in exactly one of the statements. None for no rows. */
  each({ name, rows: how }: TakesRows, rows: readonly Row[]): Sql[] {
    const given = rows as unknown as readonly NamedCells[];
    const statements: Sql[] = [];
    for (let start = 0; start < given.length; ) {
      const left = given.length - start;
      const length = how.lengths ? (how.lengths.findLast((one) => one <= left) ?? 1) : left;
      const part = length === given.length ? given : given.slice(start, start + length);
      const shape = `${name} ${how.shape(length)}`;
      const make = () => this.#make({ rows: how.table(this.#types, length), how, cell: this.#cell });
      statements.push(this.#shapes.of(shape, how.parameters(part, this.#names), make));
      start += length;
    }
    return statements;
  }
}

/** The rows of one call are made in one place: what is wrong with the first is wrong with all. */
class BulkInsert<N extends string, Row extends { readonly [name in N]?: SqlValue }> extends BulkStatement<N, Row> {
  readonly #table: string;
  readonly #known: ReadonlySet<string>;

  constructor(table: string, types: Readonly<Record<N, ColumnType>>, make: (given: Given<N>) => Sql) {
    super(types, make);
    this.#table = table;
    this.#known = new Set(Object.keys(types));
  }

  /** @throws Error for a cell that is not inserted */
  override each(dialect: TakesRows, rows: readonly Row[]): Sql[] {
    for (const name in rows[0])
      if (!this.#known.has(name)) throw new Error(`Rows of ${this.#table} are inserted without a cell ${name}.`);
    return super.each(dialect, rows);
  }
}

type NameOf<C extends Columns> = keyof C & string;

/** The types of some columns, in the order of their names. */
export function typesOf<C extends Columns, N extends NameOf<C>>(
  { name, columns }: DbTable<C>,
  names: readonly N[],
): Readonly<Record<N, ColumnType>> {
  const types = names.map((each) => {
    const column = columns[each];
    if (!column) throw new Error(`The table ${name} has no column ${each}.`);
    return [each, column.type];
  });
  return Object.fromEntries(types);
}

const list = (names: readonly string[]) => raw(names.join(', '));
const joined = (cells: readonly Sql[]) => joinSql(cells, ', ');

/** Skips a row if its value of a unique key exists already. */
export const keepKnown = (...key: readonly string[]) => sql`on conflict (${list(key)}) do nothing`;

/**
 * Inserts whole rows, or of each row the `columns`. `conflict` is the SQL that follows and decides about a row that exists
 * already; without it, that row stays as it is.
 */
export function bulkInsert<C extends Columns, N extends NameOf<C> = NameOf<C>>(
  table: DbTable<C>,
  { columns, conflict = keepKnown(...table.key) }: { readonly columns?: readonly N[]; readonly conflict?: Sql } = {},
): BulkStatement<N, Pick<Cells<C>, N>> {
  const names = columns ?? (Object.keys(table.columns) as N[]);
  // `where true` tells SQLite that ON CONFLICT does not belong to a join.
  return new BulkInsert(
    table.name,
    typesOf(table, names),
    ({ rows }) =>
      sql`insert into ${raw(table.name)} (${list(names)}) select * from ${rows} as given where true ${conflict}`,
  );
}

const matches = <N extends string>(table: string, by: readonly N[], cell: Given<N>['cell']) =>
  joinSql(
    by.map((name) => sql`${raw(`${table}.${name}`)} = ${cell[name]}`),
    ' and ',
  );

/** Sets the columns `set` of the rows that `by` finds. */
export function bulkUpdate<C extends Columns, B extends NameOf<C>, S extends NameOf<C>>(
  table: DbTable<C>,
  { by, set }: { readonly by: readonly B[]; readonly set: readonly S[] },
): BulkStatement<B | S, Pick<Cells<C>, B | S>> {
  return new BulkStatement(typesOf(table, [...by, ...set]), ({ rows, cell }) => {
    const changes = set.map((name) => sql`${raw(name)} = ${cell[name]}`);
    return sql`update ${raw(table.name)} set ${joined(changes)} from ${rows} as given where ${matches(table.name, by, cell)}`;
  });
}

/** Deletes the rows that `by` finds. */
export function bulkDelete<C extends Columns, B extends NameOf<C>>(
  table: DbTable<C>,
  by: readonly B[],
): BulkStatement<B, Pick<Cells<C>, B>> {
  return new BulkStatement(typesOf(table, by), ({ rows, cell }) => {
    const cells = joined(by.map((name) => cell[name]));
    return sql`delete from ${raw(table.name)} where (${list(by)}) in (select ${cells} from ${rows} as given)`;
  });
}

/**
 * Reads what belongs to each of many rows with one statement, as if each was looked up by itself: by the condition's index.
 */
export class BulkRead<N extends string, Found extends object> {
  readonly #read: BulkStatement<N | 'asked', Readonly<Record<N, SqlValue>> & { readonly asked: number }>;

  constructor(types: Readonly<Record<N, ColumnType>>, make: (cell: Given<N>['cell']) => Belonging) {
    const all: Readonly<Record<N | 'asked', ColumnType>> = { asked: 'bigint', ...types };
    this.#read = new BulkStatement(all, ({ rows, how, cell }) => how.belonging(rows, make(cell)));
  }

  /** What belongs to each row, in the order of the rows; that of one row in any order. */
  async of(db: Db, rows: readonly Readonly<Record<N, SqlValue>>[]): Promise<Found[][]> {
    const found = rows.map((): Found[] => []);
    const asked = rows.map((row, place) => ({ asked: place, ...row }));
    for (const statement of this.#read.each(db.dialect, asked))
      for (const row of await db.all<Found & { readonly asked: number }>(statement)) found[row.asked]?.push(row);
    return found;
  }
}

/** More would make long statement texts, and many different ones. */
const mostWanted = 64;

/**
 * Looks rows up by the texts in some of their columns, by one index: joined with a table of wanted rows, PostgreSQL may
 * take another one as long as it knows nothing of a new table. `make` is given the condition; parameters of its own come
 * before it and are null.
 */
export class Lookup<N extends string> {
  readonly #columns: readonly N[];
  readonly #make: (isWanted: Sql) => Sql;
  readonly #shapes = new Shapes();

  constructor(columns: readonly N[], make: (isWanted: Sql) => Sql) {
    this.#columns = columns;
    this.#make = make;
  }

  /** `own` are the statement's own parameters; of `rows` each is asked for once. */
  of(
    { name, rows: how }: TakesRows,
    own: readonly SqlValue[],
    rows: readonly { readonly [name in N]: string | null }[],
  ): Sql[] {
    const statements: Sql[] = [];
    for (let start = 0; start < rows.length; start += mostWanted) {
      const part = rows.slice(start, start + mostWanted) as readonly NamedCells[];
      const parameters = how.wanted(part, this.#columns);
      statements.push(
        this.#shapes.of(`${name} ${parameters.length}`, [...own, ...parameters], () =>
          this.#make(how.among(this.#columns, part.length)),
        ),
      );
    }
    return statements;
  }
}
