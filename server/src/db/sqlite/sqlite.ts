import { Failure } from '../../base/errors.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import { type Database, type Row, type RowBudget, type SlowQuery, type StorageListener, tryWrite } from '../db.ts';
import type { Dialect } from '../dialect.ts';
import { rowsOneByOne } from '../rows.ts';
import { storageTrouble } from '../storage-error.ts';
import { LogCheckpoints } from './log-checkpoints.ts';
import { openSqliteConnection, type SqliteConnection, type SqliteReader } from './sqlite-connection.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { SqliteThread } from './sqlite-threads.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { TimeSlicedReads } from './time-sliced-reads.ts';
import { DatabaseFile, diskFailed, type FlushFile, WalFile } from './wal-file.ts';
import { sqliteWhere } from './where-sqlite.ts';
import { WriteConnection } from './write-connection.ts';

export interface SqliteOptions {
  readonly file: string;
  /** How long a query may run off the main thread. */
  readonly queryDeadlineMs: number;
  /** The log is checkpointed at this many frames, each of a page of 4 kB; 16,384 by default. */
  readonly checkpointFrames?: number;
  /** How long a backup or a long query is waited for before the log is tried to be cut off again; 10 s by default. */
  readonly cutAgainMs?: number;
  /** Replaces the system's flush of a file's data, for tests. */
  readonly flushFile?: FlushFile;
}

export const sqliteDialect: Dialect = Object.freeze({
  name: 'sqlite',
  where: sqliteWhere,
  knowsSizes: false,
  // Otherwise SQLite copies each page that it changes, to undo the rows before a refused one.
  insertOne: 'insert or fail into',
  // There is one writer at a time: the row cannot change during a transaction.
  lockRow: '',
  holdRow: '',
  skipLocked: '',
  passesLongTexts: true,
  keepsRoomOfRows: true,
  findTable: (name: string) => sql`select 1 as found from sqlite_schema where type = 'table' and name = ${name}`,
  lockNames: null,
  rows: rowsOneByOne,
});

/** Long queries that run at once; more would only share the same cores. */
const readerThreads = 2;
/** A thread that was idle for this long is ended. */
const restMs = 60_000;
/** The disk did not accept what a checkpoint wrote: errors of SQLite, and of the flush before it. */
const unflushed = /^(SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE)|EIO)$/;
class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly readsAreLocal = true;
  readonly #options: SqliteOptions;
  readonly #write: WriteConnection;
  readonly #read: SqliteConnection;
  readonly #wal: WalFile;
  readonly #database: DatabaseFile;
  readonly #writer: SqliteWriter;
  readonly #checkpoints: LogCheckpoints;
  readonly #idleThreads: SqliteThread[];
  readonly #maintenance: SqliteThread;
  readonly #slowQueue: FairQueue;
  readonly #brief = new TimeSlicedReads();
  #listener: StorageListener | undefined;
  #diskFailure: Failure | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#write = new WriteConnection(options.file);
    this.#read = openSqliteConnection(options.file, 'read');
    this.#wal = new WalFile(options.file, options.flushFile);
    this.#database = new DatabaseFile(options.file, options.flushFile);
    this.#writer = new SqliteWriter(this.#write, sqliteDialect, {
      flush: () => this.#flushLog(),
      onCommit: () => this.#checkpoints.afterCommit(),
      makeRoom: () => this.#listener?.full(),
    });
    this.#idleThreads = Array.from({ length: readerThreads }, () => new SqliteThread(options.file, restMs));
    this.#maintenance = new SqliteThread(options.file, restMs);
    this.#slowQueue = new FairQueue(readerThreads, options.queryDeadlineMs);
    this.#checkpoints = new LogCheckpoints({
      file: options.file,
      frames: options.checkpointFrames,
      cutAgainMs: options.cutAgainMs ?? 10_000,
      write: this.#write,
      database: this.#database,
      maintenance: this.#maintenance,
      holdWrites: (work) => this.#writer.hold(work),
      holdQueries: (work, patienceMs) => this.#slowQueue.alone(work, patienceMs),
      hasFailed: () => this.#diskFailure !== undefined,
      onError: (error) => this.#report(error),
    });
  }

  async all<T extends object = Row>(statement: Sql, slow?: SlowQuery): Promise<T[]> {
    if (slow?.isBrief && !this.#brief.isPaused(slow.tenant))
      return this.#brief.run(slow.tenant, () => this.#local((reader) => reader.all(statement, slow.within) as T[]));
    if (slow) return this.#slowQueue.run(slow.tenant, () => this.#onThread(statement, slow.within)) as Promise<T[]>;
    return this.#local((reader) => reader.all(statement) as T[]);
  }

  async one<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    return this.#local((reader) => reader.one(statement) as T | undefined);
  }

  async latest<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    try {
      return (this.#write.latestReader() ?? this.#read.reader).one(statement) as T | undefined;
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  run(statement: Sql): Promise<number> {
    return this.#writer.run(statement);
  }

  async runTogether(statements: readonly Sql[]): Promise<void> {
    for (const statement of statements) await this.run(statement);
  }

  transaction: Database['transaction'] = (work) => this.#writer.transaction(work);

  longTransaction: Database['longTransaction'] = (work) => this.#writer.transaction(work);

  afterCommit(effect: () => void): void {
    effect();
  }

  caughtUp(): Promise<void> {
    return this.#checkpoints.idle();
  }

  /** Deleted rows are overwritten in the database (`secure_delete`), but not in the log. */
  forgetDeleted(): Promise<void> {
    return this.#checkpoints.cut();
  }

  get diskFailure(): Failure | undefined {
    return this.#diskFailure;
  }

  listen(listener: StorageListener): void {
    this.#listener = listener;
  }

  fitInto(freeBytes: number): { readonly needed: number; readonly reusable: number } {
    return this.#checkpoints.fitInto(freeBytes);
  }

  settle(): Promise<void> {
    return this.#checkpoints.settle();
  }

  // The version is checked when each connection opens; there is nothing else to get wrong.
  async assertUsable(): Promise<void> {}

  stats() {
    return {
      walBytes: this.#checkpoints.logBytes(),
      queuedWrites: this.#writer.queued,
      queuedSlowQueries: this.#slowQueue.waiting,
    };
  }

  async describe(): Promise<string> {
    const row = await this.one<{ version: string }>(raw('select sqlite_version() as version'));
    return `SQLite ${row?.version}`;
  }

  async check(): Promise<string[]> {
    const thread = new SqliteThread(this.#options.file);
    try {
      const rows = await thread.query(raw('pragma quick_check(20)'), 0);
      await tryWrite(this);
      return rows.map((row) => String(row['quick_check'])).filter((found) => found !== 'ok');
    } finally {
      await thread.close();
    }
  }

  async snapshot<T>(work: (read: (statement: Sql) => Promise<Row[]>) => Promise<T>): Promise<T> {
    const thread = new SqliteThread(this.#options.file);
    try {
      await thread.snapshot(true);
      return await work((statement) => thread.query(statement, 0));
    } finally {
      await thread.close();
    }
  }

  async close(): Promise<void> {
    await this.#writer.idle();
    this.#checkpoints.stop();
    await this.#checkpoints.idle();
    await Promise.all([...this.#idleThreads, this.#maintenance].map((thread) => thread.close()));
    this.#wal.close();
    if (this.#diskFailure || !this.#checkpoints.hasRoom()) this.#closeUnwritten();
    else this.#closeFolded();
    this.#database.close();
  }

  #closeFolded(): void {
    this.#read.close();
    try {
      // Checkpoints the log, so that a copied folder is complete without its -wal file.
      this.#write.outsideTick(({ raw }) => raw.pragma('wal_checkpoint(TRUNCATE)'));
    } catch (error) {
      // Nothing is lost: the next start finds the log.
      this.#report(error);
    }
    this.#write.close();
  }

  /**
   * The last connection to close checkpoints the log and removes it, which must not happen on a disk that has failed or
   * has no room. A read-only connection cannot do that.
   */
  #closeUnwritten(): void {
    this.#write.close();
    this.#read.close();
  }

  async #flushLog(): Promise<void> {
    try {
      await this.#wal.flush();
      this.#wal.assertStillThere();
      this.#database.assertStillThere();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** The disk has failed a flush. Nothing more is written to it: the next start finds out what is there. */
  #fail(error: unknown): void {
    if (this.#diskFailure) return;
    this.#diskFailure = error instanceof Failure ? error : diskFailed(error);
    this.#writer.refuse(this.#diskFailure);
    this.#listener?.failed(this.#diskFailure);
  }

  /** An error of a checkpoint, which nobody awaits. That another process is running one is not an error. */
  #report(error: unknown): void {
    const trouble = storageTrouble(error);
    // The log may count as checkpointed up to there: resetting it could lose confirmed data.
    if (unflushed.test(String((error as { code?: unknown }).code))) this.#fail(error);
    else if (trouble !== undefined) this.#listener?.troubled(error);
    if (trouble === 'full') this.#listener?.full();
  }

  /**
   * Uses the writing connection, whose cache has what it wrote; the other one would drop its whole cache with every
   * commit. Only while a transaction is open must uncommitted data not be seen.
   */
  #local<T>(work: (reader: SqliteReader) => T): T {
    try {
      return work(this.#write.tickReader() ?? this.#read.reader);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async #onThread(statement: Sql, within?: RowBudget): Promise<Row[]> {
    const thread = this.#idleThreads.pop() ?? new SqliteThread(this.#options.file, restMs);
    try {
      return await thread.query(statement, this.#options.queryDeadlineMs, within);
    } catch (error) {
      throw translateSqliteError(error);
    } finally {
      this.#idleThreads.push(thread);
    }
  }
}

export function openSqlite(options: SqliteOptions): Database {
  return new SqliteDatabase(options);
}
