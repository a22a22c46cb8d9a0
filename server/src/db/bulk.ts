import { asLiteral, joinSql, raw, Shapes, Sql, type SqlParameter, type SqlValue, sql } from '../base/sql.ts';
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

/** A cell that all rows of a statement share: its parameter, with the cell's name in the place of the value. */
const sharedCell = (name: string) => new Sql(['', ''], [name]);

/**
 * One statement for any number of rows of one app. It must hold no parameter besides: everything that it needs is in the rows. The app,
 * and other cells that are `shared`, are parameters of the statement instead of cells of its rows: so a distributed database knows which
 * node has all that the statement is about. Rows that differ in them are in different statements.
 */
export class BulkStatement<N extends string, Row extends { readonly [name in N]?: SqlValue }> {
  /** The names of the rows' own cells, and of those that all of them share. */
  readonly #names: readonly N[];
  readonly #shared: readonly N[];
  readonly #types: readonly ColumnType[];
  readonly #cell: Readonly<Record<N, Sql>>;
  readonly #make: (given: Given<N>) => Sql;
  /** By their shape. A value is the name of a shared cell, or else null: the next parameter of the rows. */
  readonly #texts = new Map<string, Sql>();

  constructor(
    types: Readonly<Record<N, ColumnType>>,
    make: (given: Given<N>) => Sql,
    { shared = [] }: { readonly shared?: readonly NoInfer<N>[] } = {},
  ) {
    const names = Object.keys(types) as N[];
    const isShared = (name: N) => name === 'app_id' || shared.includes(name);
    this.#shared = names.filter(isShared);
    this.#names = names.filter((name) => !isShared(name));
    this.#types = this.#names.map((name) => types[name]);
    this.#cell = Object.fromEntries([
      ...this.#shared.map((name) => [name, sharedCell(name)]),
      ...this.#names.map((name, index) => [name, raw(`given.column${index + 1}`)]),
    ]);
    this.#make = make;
  }

  /** Each row is in exactly one of the statements. None for no rows. */
  each(dialect: TakesRows, rows: readonly Row[]): Sql[] {
    return this.#groups(rows as unknown as readonly NamedCells[]).flatMap((group) => this.#eachOf(dialect, group));
  }

  /** Runs these statements one after the other; answers how many rows they wrote. */
  async run(db: Db, rows: readonly Row[]): Promise<number> {
    let written = 0;
    for (const statement of this.each(db.dialect, rows)) written += await db.run(statement);
    return written;
  }

  #eachOf({ name, rows: how }: TakesRows, rows: readonly NamedCells[]): Sql[] {
    const statements: Sql[] = [];
    for (let start = 0; start < rows.length; ) {
      const left = rows.length - start;
      const length = how.lengths ? (how.lengths.findLast((one) => one <= left) ?? 1) : left;
      const part = length === rows.length ? rows : rows.slice(start, start + length);
      const own = how.parameters(part, this.#names);
      const make = () => this.#make({ rows: how.table(this.#types, length), how, cell: this.#cell });
      const { strings, values } = this.#text(`${name} ${how.shape(length)}`, own.length, make);
      statements.push(new Sql(strings, this.#filled(values, own, rows[0] ?? {})));
      start += length;
    }
    return statements;
  }

  /** @throws Error for a statement that has other parameters than these `own` ones of its rows and the shared cells */
  #text(shape: string, own: number, make: () => Sql): Sql {
    const known = this.#texts.get(shape);
    if (known) return known;
    const made = asLiteral(make());
    const others = made.values.filter((name) => name !== null);
    if (made.values.length - others.length !== own || others.some((name) => !this.#shared.includes(name as N)))
      throw new Error(`The values of a statement do not follow its text: ${made.strings.join('?')}`);
    this.#texts.set(shape, made);
    return made;
  }

  #filled(places: readonly SqlParameter[], own: readonly SqlParameter[], shared: NamedCells): readonly SqlParameter[] {
    if (this.#shared.length === 0) return own;
    let next = 0;
    return places.map((name) => (name === null ? (own[next++] ?? null) : (shared[name as string] ?? null)));
  }

  #groups(rows: readonly NamedCells[]): (readonly NamedCells[])[] {
    const [first] = rows;
    if (first === undefined) return [];
    if (this.#shared.every((name) => rows.every((row) => row[name] === first[name]))) return [rows];
    return [...Map.groupBy(rows, (row) => JSON.stringify(this.#shared.map((name) => row[name]))).values()];
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
const cellsOf = <N extends string>(names: readonly N[], cell: Given<N>['cell']) =>
  joined(names.map((name) => cell[name]));
const joined = (cells: readonly Sql[]) => joinSql(cells, ', ');

/** Skips a row if its value of a unique key exists already. */
const keepKnown = (...key: readonly string[]) => sql`on conflict (${list(key)}) do nothing`;

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
    ({ rows, cell }) =>
      sql`insert into ${raw(table.name)} (${list(names)}) select ${cellsOf(names, cell)} from ${rows} as given where true ${conflict}`,
  );
}

const matches = <N extends string>(table: string, by: readonly N[], cell: Given<N>['cell']) =>
  joinSql(
    by.map((name) => sql`${raw(`${table}.${name}`)} = ${cell[name]}`),
    ' and ',
  );

export function bulkUpdate<C extends Columns, B extends NameOf<C>, S extends NameOf<C>>(
  table: DbTable<C>,
  { by, set }: { readonly by: readonly B[]; readonly set: readonly S[] },
): BulkStatement<B | S, Pick<Cells<C>, B | S>> {
  return new BulkStatement(typesOf(table, [...by, ...set]), ({ rows, cell }) => {
    const changes = set.map((name) => sql`${raw(name)} = ${cell[name]}`);
    return sql`update ${raw(table.name)} set ${joined(changes)} from ${rows} as given where ${matches(table.name, by, cell)}`;
  });
}

/** Deletes the rows that `by` finds: an app's, and by something else too. */
export function bulkDelete<C extends Columns, B extends NameOf<C>>(
  table: DbTable<C>,
  by: readonly B[],
): BulkStatement<B, Pick<Cells<C>, B>> {
  const others = by.filter((name) => name !== 'app_id');
  return new BulkStatement(typesOf(table, by), ({ rows, cell }) => {
    const isOfApp = others.length === by.length ? sql`` : sql`app_id = ${cell['app_id' as B]} and `;
    return sql`delete from ${raw(table.name)}
      where ${isOfApp}(${list(others)}) in (select ${cellsOf(others, cell)} from ${rows} as given)`;
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
    const read = async (statement: Sql) => {
      for (const row of await db.all<Found & { readonly asked: number }>(statement)) found[row.asked]?.push(row);
    };
    await Promise.all(this.#read.each(db.dialect, asked).map(read));
    return found;
  }
}

/**
 * Reads `columns` of the rows that have the same `by` as each of the given ones; these may have other cells (`given`), by which `narrow`
 * leaves rows out.
 */
export function bulkRead<C extends Columns, B extends NameOf<C>, S extends NameOf<C>, G extends string = never>(
  table: DbTable<C>,
  how: {
    readonly by: readonly B[];
    readonly columns: readonly S[];
    readonly given?: Readonly<Record<G, ColumnType>>;
    readonly narrow?: (cell: Given<B | G>['cell']) => Pick<Belonging, 'range' | 'only'>;
  },
): BulkRead<B | G, Pick<Cells<C>, S>> {
  const { by, columns, given, narrow } = how;
  const types = { ...typesOf(table, by), ...given } as Readonly<Record<B | G, ColumnType>>;
  return new BulkRead(types, (cell) => {
    const same = by.map((name) => [name, cell[name]] as const);
    return { table: table.name, columns, same, ...narrow?.(cell) };
  });
}

/** More would make long statement texts, and many different ones. */
const maxWanted = 64;

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

  /** The rows that are found. `own` are the statement's own parameters; of `rows` each is asked for once. */
  async read<Row extends object>(
    db: Db,
    own: readonly SqlValue[],
    rows: readonly { readonly [name in N]: string | null }[],
  ): Promise<Row[]> {
    const { name, rows: how } = db.dialect;
    const found: Row[] = [];
    for (let start = 0; start < rows.length; start += maxWanted) {
      const part = rows.slice(start, start + maxWanted) as readonly NamedCells[];
      const parameters = how.wanted(part, this.#columns);
      const statement = this.#shapes.of(`${name} ${parameters.length}`, [...own, ...parameters], () =>
        this.#make(how.among(this.#columns, part.length)),
      );
      found.push(...(await db.all<Row>(statement)));
    }
    return found;
  }
}
