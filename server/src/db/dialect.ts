import type { WhereDialect } from '@pharos/query';
import type { Sql } from '../base/sql.ts';
import type { RowsDialect } from './rows.ts';

/**
 * Everything in which the two databases' SQL differs. No other code tests a dialect's name, except for running migrations that
 * are for one of them.
 */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** How conditions of the where-language are written. */
  readonly where: WhereDialect;
  /** Chooses among indexes by how many rows each leads to, from statistics that it keeps by itself. */
  readonly knowsSizes: boolean;
  /** Begins an insert of a single row that is selected. */
  readonly insertOne: string;
  /** Appended to a select inside a transaction whose row is about to be updated. */
  readonly lockRow: string;
  /** Locks a row that may be changed, but not deleted, before the transaction ends. */
  readonly holdRow: string;
  /** Appended to a claiming sub-select, so that two workers do not wait for one another. */
  readonly skipLocked: string;
  /**
   * Locks names until the end of the transaction, in rows with the `name` of each that it has got: `all` waits for them,
   * `free` leaves out those that another transaction has. Null where transactions that write come one after the other.
   */
  readonly lockNames: {
    readonly all: (names: readonly string[]) => Sql;
    readonly free: (names: readonly string[]) => Sql;
  } | null;
  readonly findTable: (name: string) => Sql;
  /** Reads all pages of a long text to get to the columns stored after it. */
  readonly passesLongTexts: boolean;
  /** A row that shrinks frees its room only if it is deleted and inserted again. */
  readonly keepsRoomOfRows: boolean;
  /** How many rows travel with one statement. */
  readonly rows: RowsDialect;
}
