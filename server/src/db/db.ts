import type { Failure } from '../base/errors.ts';
import { raw, type Sql, type SqlValue } from '../base/sql.ts';
import type { Dialect } from './dialect.ts';

export type Row = Record<string, SqlValue>;

/**
 * How a long query is treated: it runs beside the others, never before them.
 *
 * `tenant` is the app's id: waiting queries of several apps take turns, so that one app's slow queries
 * cannot fill the queue. A query that runs longer than the deadline ends as a Timeout.
 */
export interface SlowQuery {
  readonly tenant: string;
  /**
   * It reads few records, so it need not queue behind those that read all. An embedded database answers it on the
   * main thread, a little in each tick of the event loop.
   */
  readonly isBrief?: true;
  readonly within?: RowBudget;
}

/**
 * How much a statement may bring into memory: it is not read on once the texts of its rows have more than `characters`
 * (the row that goes beyond is still answered). `rows` is how many rows the statement can answer at most.
 */
export interface RowBudget {
  readonly characters: number;
  readonly rows: number;
}

/** The characters of all texts of a row. */
export function charactersOf(row: object): number {
  let characters = 0;
  for (const name in row) {
    const value = (row as Row)[name];
    if (typeof value === 'string') characters += value.length;
  }
  return characters;
}

export function fillPage(rows: readonly object[], limit: number, within: RowBudget): boolean {
  return rows.length === limit || rows.reduce((sum, row) => sum + charactersOf(row), 0) > within.characters;
}

/**
 * The port to the database. A transaction is a `Db` too; its callback only awaits this `Db` (no network, no timers), has no other
 * effects, and may be called again when the database asks for a retry.
 *
 * Errors: `Failure` Timeout when the storage cannot take the statement now, `UniqueViolation` for a taken unique value.
 */
export interface Db {
  readonly dialect: Dialect;
  /** Rows in the order of the statement. With `slow`, off the main thread and under the deadline; see `isBrief`. */
  all<T extends object = Row>(statement: Sql, slow?: SlowQuery): Promise<T[]>;
  one<T extends object = Row>(statement: Sql): Promise<T | undefined>;
  /** The number of rows that the statement changed. Resolves only after the change is durable. */
  run(statement: Sql): Promise<number>;
  /**
   * Runs statements one after the other and, over the network, in one round trip, as a transaction does with whatever is asked of
   * it at the same time. Only inside of a transaction; what a statement answers is lost.
   */
  runTogether(statements: readonly Sql[]): Promise<void>;
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Calls `effect` once what this handle has written is durable: after the commit of a transaction, at once outside of
   * one, and not at all when the transaction is rolled back. For wake-ups only: a crash in between loses it.
   */
  afterCommit(effect: () => void): void;
}

interface DatabaseStats {
  /** Bytes of the write-ahead log on disk; 0 where the database keeps that to itself. */
  readonly walBytes: number;
  /** Writes accepted and not yet committed. */
  readonly queuedWrites: number;
  readonly queuedSlowQueries: number;
}

/**
 * What a database reports about its disk to the code that manages the disk's space, and asks of it; each may be called at any
 * time.
 */
export interface StorageListener {
  /** The disk has failed: from now on every write is refused before it begins, until a new start. */
  failed(failure: Failure): void;
  /** A write found no space. Space freed by the time this returns is used for another try. */
  full(): void;
  /** An error that no caller sees: the work is tried again later. */
  troubled(error: unknown): void;
}

/** An open database: the port and what only its owner does. */
export interface Database extends Db {
  /** Why nothing more is written until the next start; undefined as long as the disk confirms what it is given. */
  readonly diskFailure: Failure | undefined;
  /** Sets the only listener. */
  listen(listener: StorageListener): void;
  /**
   * Tells the database how many bytes are free on its disk, so that it keeps its own files short when there are few. Answers
   * how many of them it needs for what it has accepted already, and how many it can reuse within its files.
   */
  fitInto(freeBytes: number): { readonly needed: number; readonly reusable: number };
  /**
   * At the start of a service, before it writes anything: what an earlier process may have left unconfirmed is written to
   * the disk once more, so that whatever is read from here on stays.
   *
   * @throws Failure Timeout when the disk refuses
   */
  settle(): Promise<void>;
  /** True when a read costs microseconds and no round trip, so that it may stand on the path of every request. */
  readonly readsAreLocal: boolean;
  /** Like `one`, also where reads that follow one another see one state: what is committed by now is seen. */
  latest<T extends object = Row>(statement: Sql): Promise<T | undefined>;
  /**
   * Bulk work that writes in steps waits for this between them: SQLite checkpoints its log from time to time, and what is written
   * during a checkpoint has to be copied while every write waits.
   */
  caughtUp(): Promise<void>;
  /**
   * What has been deleted is no longer in the database's files once this resolves, or soon afterwards where a backup or a long query still
   * reads it. PostgreSQL does that in its own time (`VACUUM`).
   */
  forgetDeleted(): Promise<void>;
  /** @throws Error with what to do when this database cannot hold the data faithfully (its collation, its version). */
  assertUsable(): Promise<void>;
  stats(): DatabaseStats;
  /** Product and version, such as `SQLite 3.53.2`. */
  describe(): Promise<string>;
  /** Looks for damage, without holding up others, and tries a write. Returns sentences; none means that all is well. */
  check(): Promise<string[]>;
  /**
   * Runs `work` on one snapshot of the data, for a backup. `work` may take long; others are not held up.
   * Each call of `read` returns all rows of the statement.
   */
  snapshot<T>(work: (read: (statement: Sql) => Promise<Row[]>) => Promise<T>): Promise<T>;
  /** A transaction that may take and wait as long as it needs: for migrations, never for a request. */
  longTransaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs a statement that cannot run in a transaction, such as building an index concurrently; it may take as long as it
   * needs.
   */
  alone?(statement: Sql): Promise<void>;
  /**
   * For databases that may take long to answer: proves within two seconds that a write would be accepted and confirmed. For
   * `/readyz`.
   *
   * @throws Failure Timeout otherwise
   */
  probe?(): Promise<void>;
  /** Tells when the database is lost, and when it is back (undefined), where it is not part of this process. */
  onTrouble?(listener: (trouble: { readonly failure: Failure } | undefined) => void): void;
  /** Its own time (epoch milliseconds), where several nodes share it. */
  time?(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Proves that a write would be accepted. It changes a row of its own: SQLite writes nothing when a row is given the values that
 * it has.
 */
export async function tryWrite(db: Db): Promise<void> {
  await db.run(
    raw(`insert into revisions (name, n) values ('probe', 1)
    on conflict (name) do update set n = revisions.n + 1`),
  );
}

/** Proves that a read is answered. */
export async function tryRead(db: Db): Promise<void> {
  await db.one(raw('select n from revisions'));
}

/** A unique index refused the row. `constraint` is the index's name or its columns, as far as the database tells. */
export class UniqueViolation extends Error {
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`unique value taken: ${constraint}`, { cause });
    this.name = 'UniqueViolation';
    this.constraint = constraint;
  }
}

/** For `catch`: refuses what a unique index has refused. */
export const ifTaken =
  (refusal: () => Error) =>
  (error: unknown): never => {
    throw error instanceof UniqueViolation ? refusal() : error;
  };
