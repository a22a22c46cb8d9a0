import type { SqlValue } from '../base/sql.ts';

/**
 * Tables as data: a table's name, its columns with their types, its key and indexes, and whom its rows belong to. Each table is
 * declared once, beside the feature that owns it; code that deletes, exports or fills tables follows the declarations, and a test
 * compares them with what the migrations created.
 */

/** Names that both databases know. */
export type ColumnType = 'text' | 'bigint' | 'double precision';

export interface Column<T extends SqlValue = SqlValue, D extends boolean = boolean> {
  readonly type: ColumnType;
  readonly isNullable: boolean;
  /** The database fills it in where an insert leaves it out. */
  readonly hasDefault: D;
  /** Never present: it carries the type of a cell. */
  readonly cell?: T;
}

const column = <T extends SqlValue>(type: ColumnType): Column<T, false> => ({
  type,
  isNullable: false,
  hasDefault: false,
});

export const text = column<string>('text');
/** Whole numbers, epoch milliseconds, and 0 or 1 for a boolean. */
export const bigint = column<number>('bigint');
export const double = column<number>('double precision');

export const nullable = <T extends SqlValue, D extends boolean>(of: Column<T, D>): Column<T | null, D> => ({
  ...of,
  isNullable: true,
});

export const withDefault = <T extends SqlValue>(of: Column<T>): Column<T, true> => ({ ...of, hasDefault: true });

export type Columns = Readonly<Record<string, Column>>;

type CellOf<C> = C extends Column<infer T> ? T : never;

/** A whole row: a cell for each column. */
export type Cells<C extends Columns> = { readonly [N in keyof C]: CellOf<C[N]> };

type MayLack<C extends Columns> = {
  [N in keyof C]: C[N] extends Column<SqlValue, true> ? N : null extends CellOf<C[N]> ? N : never;
}[keyof C];

/** A new row: what may be null or has a default may be left out. */
export type NewCells<C extends Columns> = Omit<Cells<C>, MayLack<C>> & Partial<Pick<Cells<C>, MayLack<C>>>;

export interface Index<N extends string = string> {
  readonly on: readonly N[];
  readonly isUnique?: true;
  /** It has only some of the rows (`where … is not null`), so lists must not rely on it. */
  readonly isPartial?: true;
  /** The other database needs no such index. */
  readonly only?: 'sqlite';
  /** Few rows have the same value, so that sorting them costs nothing: it need not end with object_id. */
  readonly hasFew?: true;
}

/** Rows that say where somebody was or what they were sent, and are erased with their installation. */
interface Trail<N extends string = string> {
  readonly installation: N;
  /**
   * When a row was recorded (ms), so that rows from after an erasure was requested stay. Without it a row is the current state,
   * which is deleted at once.
   */
  readonly at?: N;
}

export interface RetentionRule<N extends string = string> {
  /** A number of days, or what an app's policy calls them. */
  readonly days: number | string;
  /** The column with their time (ms); without it the objectId begins with it. */
  readonly by?: N;
  /** Of these alone; a condition in SQL. */
  readonly only?: string;
  /** Rows are needed for this long (ms), even with zero retention. */
  readonly atLeastMs?: number;
}

/** Texts that may name a person by an id, such as what a webhook was sent. */
export interface Mentions<N extends string = string> {
  readonly in: readonly N[];
  /**
   * When the person is erased, such rows are deleted, `erased` replaces the ids in the texts, or these columns get these
   * values.
   */
  readonly erased: 'delete' | 'unname' | Readonly<Partial<Record<N, string | null>>>;
  /** Of these rows alone; a condition in SQL. */
  readonly only?: string;
}

/**
 * What becomes of rows that name an erased user. delete: they are deleted. own: so are those that the first column says belong to
 * the user, but what a manager created for the organisation stays without the name. unname: they stay without the name.
 */
export type Fate = 'delete' | 'own' | 'unname';

interface Facts<N extends string> {
  readonly name: string;
  /** The folder that may name the table in SQL: of a feature, or a room such as `jobs`. */
  readonly owner: string;
  readonly key: readonly N[];
  /** By the index's name. */
  readonly indexes?: Readonly<Record<string, Index<N>>>;
  /** The tables whose records its rows belong to: they are deleted first when an app is. */
  readonly childOf?: readonly string[];
  /** The column by which many rows are deleted in steps; the last one of the key without it. */
  readonly stepBy?: N;
  /** A column of the key by whose values rows are deleted one value after the other, because a key begins with it. */
  readonly within?: N;
  readonly trail?: Trail<N>;
  /** Without it rows stay until somebody deletes them. Rows without an objectId need the column with their time. */
  readonly kept?: RetentionRule<N> & ('object_id' extends N ? unknown : { readonly by: N });
  readonly users?: readonly N[];
  /** Without it, rows that name a creator (`created_by`) stay without the name, and others are deleted. */
  readonly erased?: Fate;
  /** Several where rows differ in what becomes of them; `only` says which. */
  readonly mentions?: Mentions<N> | readonly Mentions<N>[];
  /** Columns that no export shows. */
  readonly secrets?: readonly N[];
  /** Why its rows stay when their app is deleted. */
  readonly staysBecause?: string;
}

export interface DbTable<C extends Columns = Columns> extends Facts<string> {
  readonly columns: C;
}

export type RowOf<T extends DbTable> = Cells<T['columns']>;
export type NewRowOf<T extends DbTable> = NewCells<T['columns']>;

export function defineTable<const C extends Columns>(
  table: Facts<keyof C & string> & { readonly columns: C },
): DbTable<C> {
  return table;
}

export function stepColumn({ key, stepBy }: DbTable): string {
  const step = stepBy ?? key.at(-1);
  if (step === undefined) throw new Error('A table without a key cannot be deleted in steps.');
  return step;
}
