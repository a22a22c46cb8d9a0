import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../base/errors.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { raw, type Sql } from '../../base/sql.ts';
import { type Database, type Row, type RowBudget, type SlowQuery, type StorageListener, tryWrite } from '../db.ts';
import type { Dialect } from '../dialect.ts';
import { rowsOneByOne } from '../rows.ts';
import { storageTrouble } from '../storage-error.ts';
import { BriefTurns } from './brief-turns.ts';
import { ReadingTurn } from './reading-turn.ts';
import { openSqliteConnection, type SqliteReader } from './sqlite-connection.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { SqliteThread } from './sqlite-threads.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { DatabaseFile, diskFailed, type FlushFile, WalFile } from './wal-file.ts';
import { sqliteWhere } from './where-sqlite.ts';

export interface SqliteOptions {
  readonly file: string;
  /** How long a query may run off the main thread. */
  readonly queryDeadlineMs: number;
  /** The log is folded into the database when it has so many frames, each of a page of 4 kB; 16,384 by default. */
  readonly checkpointFrames?: number;
  /** Takes the place of the system's own flush of a file's data, for tests. */
  readonly flushFile?: FlushFile;
}

export const sqliteDialect: Dialect = Object.freeze({
  name: 'sqlite',
  where: sqliteWhere,
  knowsSizes: false,
  // Else SQLite keeps a copy of each page that it changes, to undo the rows before one that is refused.
  insertOne: 'insert or fail into',
  // One writer at a time: the row cannot change under a transaction.
  lockRow: '',
  holdRow: '',
  skipLocked: '',
  lockNames: null,
  rows: rowsOneByOne,
});

/** Long queries that run at once; more would only share the same cores. */
const readerThreads = 2;
/** A thread that nobody has asked for so long is ended. */
const restMs = 60_000;
const usualCheckpointFrames = 16_384;
/** The log may take up this part of the free room on the disk, and at least so many frames. */
const logShare = 1 / 16;
const fewestCheckpointFrames = 256;
const pageBytes = 4_096;
/** Beside what a checkpoint adds to the database, so that it does not take the last room on the disk. */
const marginBytes = 1_048_576;
/** Once so few frames are left they are folded while writes wait; or after so many passes, if more is written in each. */
const fewFrames = 512;
const mostPasses = 4;
/** The disk has not taken what a checkpoint gave it: errors of SQLite, and of the flush before it. */
const unflushed = /^(SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE)|EIO)$/;
/** How long other queries may have to wait for one that still reads the log. */
const patienceMs = 500;

class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly readsAreLocal = true;
  readonly #options: SqliteOptions;
  readonly #write;
  readonly #read;
  readonly #wal: WalFile;
  readonly #database: DatabaseFile;
  readonly #writer: SqliteWriter;
  readonly #idleThreads: SqliteThread[];
  readonly #maintenance: SqliteThread;
  readonly #slowQueue: FairQueue;
  readonly #brief = new BriefTurns();
  readonly #turn: ReadingTurn;
  #checkpoint: Promise<void> | undefined;
  readonly #checkpointFrames: number;
  #commitsSinceLook = 0;
  /** How long the log was when it could not be begun anew. */
  #framesBefore = 0;
  /** As many frames as suit the room on the disk. */
  #mostFrames: number;
  #listener: StorageListener | undefined;
  #diskFailure: Failure | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#checkpointFrames = options.checkpointFrames ?? usualCheckpointFrames;
    this.#mostFrames = this.#checkpointFrames;
    this.#write = openSqliteConnection(options.file, 'write');
    this.#read = openSqliteConnection(options.file, 'read');
    this.#wal = new WalFile(options.file, options.flushFile);
    this.#database = new DatabaseFile(options.file, options.flushFile);
    this.#turn = new ReadingTurn(this.#write);
    this.#writer = new SqliteWriter(this.#write, sqliteDialect, {
      beforeBegin: () => this.#turn.end(),
      flush: () => this.#flushLog(),
      onCommit: () => this.#afterCommit(),
      makeRoom: () => this.#listener?.full(),
    });
    this.#idleThreads = Array.from({ length: readerThreads }, () => new SqliteThread(options.file, restMs));
    this.#maintenance = new SqliteThread(options.file, restMs);
    this.#slowQueue = new FairQueue(readerThreads, options.queryDeadlineMs);
  }

  async all<T extends object = Row>(statement: Sql, slow?: SlowQuery): Promise<T[]> {
    if (slow?.isBrief && !this.#brief.isPaused(slow.share))
      return this.#brief.run(slow.share, () => this.#local((reader) => reader.all(statement, slow.within) as T[]));
    if (slow) return this.#slowQueue.run(slow.share, () => this.#onThread(statement, slow.within)) as Promise<T[]>;
    return this.#local((reader) => reader.all(statement) as T[]);
  }

  async one<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    return this.#local((reader) => reader.one(statement) as T | undefined);
  }

  latest<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    this.#turn.end();
    return this.one(statement);
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

  async caughtUp(): Promise<void> {
    await this.#checkpoint;
  }

  get diskFailure(): Failure | undefined {
    return this.#diskFailure;
  }

  listen(listener: StorageListener): void {
    this.#listener = listener;
  }

  fitInto(freeBytes: number): { readonly needed: number; readonly reusable: number } {
    const share = Math.floor((freeBytes * logShare) / pageBytes);
    this.#mostFrames = Math.min(this.#checkpointFrames, Math.max(fewestCheckpointFrames, share));
    try {
      this.#turn.end();
      const reusable = this.#write.raw.pragma('freelist_count', { simple: true }) as number;
      return { needed: this.#growth(), reusable: reusable * pageBytes };
    } catch {
      return { needed: 0, reusable: 0 };
    }
  }

  /**
   * After a failed flush the system may hold in memory what is not on the disk, and believe it is. All of the log is
   * therefore copied to the database and flushed there before anybody builds on it.
   */
  async settle(): Promise<void> {
    if (this.#walBytes() === 0 || !this.#hasRoomToFold()) return;
    try {
      await this.#maintenance.checkpoint();
      await this.#database.flush();
    } catch (error) {
      // On a full disk the log stays as it is; everything in it can be read.
      if (storageTrouble(error) !== 'full') throw translateSqliteError(error);
    }
  }

  // The version is asserted as each connection opens; there is nothing else to choose wrongly.
  async assertUsable(): Promise<void> {}

  stats() {
    return {
      walBytes: this.#walBytes(),
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
    await this.#checkpoint;
    await Promise.all([...this.#idleThreads, this.#maintenance].map((thread) => thread.close()));
    this.#turn.end();
    this.#wal.close();
    if (this.#diskFailure || !this.#hasRoomToFold()) this.#closeUnwritten();
    else this.#closeFolded();
    this.#database.close();
  }

  #closeFolded(): void {
    this.#read.close();
    try {
      // Folds the log into the database, so that a copied folder is whole without its -wal file.
      this.#write.raw.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // Nothing is lost: the next start finds the log.
      this.#report(error);
    }
    this.#write.close();
  }

  /**
   * The last connection to be closed folds the log and removes it, which must not happen on a disk that has failed or has
   * no room. One that can only read cannot do that.
   */
  #closeUnwritten(): void {
    this.#write.close();
    this.#read.close();
  }

  async #flushLog(): Promise<void> {
    try {
      await this.#wal.flush();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** The disk has refused a flush. Nothing more is given to it: the next start finds out what there is. */
  #fail(error: unknown): void {
    if (this.#diskFailure) return;
    this.#diskFailure = error instanceof Failure ? error : diskFailed(error);
    this.#writer.refuse(this.#diskFailure);
    this.#listener?.failed(this.#diskFailure);
  }

  /** An error of a checkpoint, which nobody waits for. Another process may also be at it, and that is none. */
  #report(error: unknown): void {
    const trouble = storageTrouble(error);
    // The log may count as folded as far as that: to begin it anew could lose what was confirmed.
    if (unflushed.test(String((error as { code?: unknown }).code))) this.#fail(error);
    else if (trouble !== undefined) this.#listener?.troubled(error);
    if (trouble === 'full') this.#listener?.full();
  }

  /**
   * By the connection that writes, whose cache knows what it has written; the other one would drop its whole cache with
   * every commit. Only while a transaction is open, what is not committed must not be seen.
   */
  #local<T>(work: (reader: SqliteReader) => T): T {
    try {
      return work((this.#turn.begin() ? this.#write : this.#read).reader);
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

  /** Bytes by which a checkpoint makes the database larger. */
  #growth(): number {
    const pages = this.#write.raw.pragma('page_count', { simple: true }) as number;
    return Math.max(0, pages * pageBytes - statSync(this.#options.file).size);
  }

  /** A checkpoint that finds no room leaves the log as long as it was, and the disk without the room that was there. */
  #hasRoomToFold(): boolean {
    try {
      const growth = this.#growth();
      if (growth === 0) return true;
      const { bavail, bsize } = statfsSync(dirname(this.#options.file));
      return bavail * bsize > growth + marginBytes;
    } catch {
      // What is wrong is told by whoever reads or writes.
      return true;
    }
  }

  #walBytes(): number {
    try {
      return statSync(`${this.#options.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    } catch {
      return 0;
    }
  }

  #afterCommit(): void {
    // Every 16th commit is often enough.
    if (++this.#commitsSinceLook < 16 || this.#checkpoint) return;
    this.#commitsSinceLook = 0;
    try {
      const { frames } = this.#log();
      if (frames < this.#framesBefore) this.#framesBefore = 0;
      // What could not be begun anew (a backup reads it) is tried again when it has grown by a quarter.
      if (frames < Math.max(this.#mostFrames, this.#framesBefore * 1.25)) return;
      if (!this.#hasRoomToFold()) return;
    } catch {
      // The commit is on the disk; the next one looks again.
      return;
    }
    this.#beginCheckpoint();
  }

  #beginCheckpoint(): void {
    if (this.#checkpoint || this.#diskFailure) return;
    this.#checkpoint = this.#foldLog()
      // Another process may be at it; only what the disk has refused is told.
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#checkpoint = undefined;
      });
  }

  /**
   * Folds the log into the database and lets the next write begin it anew. Nobody is held up while most of it is folded;
   * but what is written meanwhile has to be folded too, and the log is begun anew only when all of it is and nobody
   * reads it. Under steady load that moment never comes by itself, and the log would grow without end.
   */
  async #foldLog(): Promise<void> {
    await this.#foldMost();
    await this.#slowQueue.alone(async () => {
      // What a long query was reading could not be folded before it was done.
      if (await this.#foldMost()) {
        const isShort = this.#mostFrames < this.#checkpointFrames;
        const logBytes = isShort ? this.#mostFrames * pageBytes : undefined;
        await this.#writer.hold(() => this.#maintenance.checkpoint(true, logBytes));
      }
    }, patienceMs);
    this.#framesBefore = this.#log().frames;
  }

  /** Folds beside everybody else until little is left. False when somebody still reads what is older. */
  async #foldMost(): Promise<boolean> {
    for (let [passes, before] = [0, -1]; passes < mostPasses; passes++) {
      await this.#maintenance.checkpoint();
      await this.#database.flush();
      if (this.#diskFailure) return false;
      const { frames, folded } = this.#log();
      if (frames - folded <= fewFrames) return true;
      if (folded === before) return false;
      before = folded;
    }
    return true;
  }

  /** The log's length in frames, and how many of them are in the database. Nothing is done. */
  #log(): { readonly frames: number; readonly folded: number } {
    this.#turn.end();
    const [row] = this.#write.raw.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[];
    return { frames: row?.log ?? 0, folded: row?.checkpointed ?? 0 };
  }
}

export function openSqlite(options: SqliteOptions): Database {
  return new SqliteDatabase(options);
}
