import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { storageTrouble } from '../storage-error.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { translateSqliteError } from './sqlite-error.ts';
import type { SqliteThread } from './sqlite-threads.ts';
import type { DatabaseFile } from './wal-file.ts';
import type { WriteConnection } from './write-connection.ts';

const usualCheckpointFrames = 16_384;
/** The log may take up this part of the free room on the disk, but always at least this many frames. */
const logShare = 1 / 16;
const fewestCheckpointFrames = 256;
const pageBytes = 4_096;
/** Kept free besides what a checkpoint adds to the database, so that it does not take the last room on the disk. */
const marginBytes = 1_048_576;
/**
 * Once this few frames are left, they are checkpointed while writes wait; the same after this many passes, if more is
 * written during each.
 */
const fewFrames = 512;
const maxPasses = 4;
/** How long other queries may have to wait for one that still reads the log. */
const patienceMs = 500;

export interface LogCheckpointsParts {
  /** Of the database; its log is beside it. */
  readonly file: string;
  /** Checkpoint when the log has this many frames; 16,384 by default. */
  readonly frames: number | undefined;
  /** How long a reader of the log is waited for before it is tried to be cut off again. */
  readonly cutAgainMs: number;
  readonly write: WriteConnection;
  readonly database: DatabaseFile;
  readonly maintenance: SqliteThread;
  /** Runs `work` between two transactions that write. */
  readonly holdWrites: (work: () => Promise<void>) => Promise<void>;
  /** Waits for long queries to end, at most this long, and runs `work` while none reads. */
  readonly holdQueries: (work: () => Promise<void>, patienceMs: number) => Promise<unknown>;
  /** The disk has refused something: nothing more is written to it. */
  readonly hasFailed: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Checkpoints the write-ahead log as it grows, and resets it (ADR 13). */
export class LogCheckpoints {
  readonly #parts: LogCheckpointsParts;
  readonly #frames: number;
  /** As many frames as the room on the disk allows. */
  #maxFrames: number;
  #running: Promise<void> | undefined;
  #commitsSinceLook = 0;
  /** The length of the log when it could not be reset. */
  #framesBefore = 0;
  /** Until the log has been cut off after a reset: what it was overwrites it only by and by. */
  #isToBeCut = false;
  #cutLater: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: LogCheckpointsParts) {
    this.#parts = parts;
    this.#frames = parts.frames ?? usualCheckpointFrames;
    this.#maxFrames = this.#frames;
  }

  /** Resolves when no checkpoint is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Lets the log grow as suits the free bytes; answers the bytes that a checkpoint needs, and that are free in the file. */
  fitInto(freeBytes: number): { readonly needed: number; readonly reusable: number } {
    const most = Math.floor((freeBytes * logShare) / pageBytes);
    this.#maxFrames = Math.min(this.#frames, Math.max(fewestCheckpointFrames, most));
    try {
      const pages = this.#parts.write.outsideTick(({ raw }) => raw.pragma('freelist_count', { simple: true }));
      return { needed: this.#growth(), reusable: (pages as number) * pageBytes };
    } catch {
      return { needed: 0, reusable: 0 };
    }
  }

  /**
   * After a failed flush the system may hold pages in memory that it wrongly believes to be on the disk. So all of the
   * log is copied to the database and flushed there before anything builds on it.
   */
  async settle(): Promise<void> {
    if (this.logBytes() === 0 || !this.hasRoom()) return;
    try {
      // Nobody else uses the database yet. An erasure may have been interrupted before the log was cut off.
      await this.#parts.maintenance.checkpoint(true, 0);
      await this.#parts.database.flush();
    } catch (error) {
      // On a full disk the log stays as it is; everything in it can be read.
      if (storageTrouble(error) !== 'full') throw translateSqliteError(error);
    }
  }

  /**
   * Cuts off the log, in which old pages still hold what has been deleted since. Where a backup or a long query reads it, that is tried
   * again until it is done.
   */
  async cut(): Promise<void> {
    this.#isToBeCut = true;
    // One that is under way may have copied the log already.
    await this.#running;
    this.#beginCheckpoint();
    await this.#running;
    clearTimeout(this.#cutLater);
    if (!this.#isToBeCut || this.#isStopped) return;
    this.#cutLater = setTimeout(() => void this.cut(), this.#parts.cutAgainMs);
    this.#cutLater.unref();
  }

  /** Nothing is begun by itself any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#cutLater);
  }

  /** Bytes by which a checkpoint enlarges the database. */
  #growth(): number {
    const pages = this.#parts.write.outsideTick(({ raw }) => raw.pragma('page_count', { simple: true })) as number;
    return Math.max(0, pages * pageBytes - statSync(this.#parts.file).size);
  }

  /** A checkpoint that finds no room leaves the log as long as it was, and uses up the room on the disk. */
  hasRoom(): boolean {
    try {
      const growth = this.#growth();
      if (growth === 0) return true;
      const { bavail, bsize } = statfsSync(dirname(this.#parts.file));
      return bavail * bsize > growth + marginBytes;
    } catch {
      // Readers and writers report what is wrong.
      return true;
    }
  }

  logBytes(): number {
    try {
      return statSync(`${this.#parts.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    } catch {
      return 0;
    }
  }

  afterCommit(): void {
    // Every 16th commit is often enough.
    if (++this.#commitsSinceLook < 16 || this.#running) return;
    this.#commitsSinceLook = 0;
    try {
      const { frames } = this.#log();
      if (frames < this.#framesBefore) this.#framesBefore = 0;
      // A log that could not be reset (a backup reads it) is tried again when it has grown by a quarter.
      if (frames < Math.max(this.#maxFrames, this.#framesBefore * 1.25)) return;
      if (!this.hasRoom()) return;
    } catch {
      // The commit is on the disk; the next one checks again.
      return;
    }
    this.#beginCheckpoint();
  }

  #beginCheckpoint(): void {
    if (this.#running || this.#parts.hasFailed()) return;
    this.#running = this.#foldLog()
      // Another process may be running one; only what the disk has refused is reported.
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /**
   * Checkpoints the log and lets the next write reset it. Most of it is checkpointed without holding anybody up. But
   * what is written in the meantime has to be checkpointed too, and the log is reset only when all of it is, and nobody
   * reads it. Under steady load that moment never comes by itself, and the log would grow without end.
   */
  async #foldLog(): Promise<void> {
    await this.#foldMost();
    await this.#parts.holdQueries(async () => {
      // Frames that a long query was reading could not be checkpointed before it was done.
      if (await this.#foldMost()) {
        const isShort = this.#maxFrames < this.#frames;
        const logBytes = this.#isToBeCut ? 0 : isShort ? this.#maxFrames * pageBytes : undefined;
        await this.#parts.holdWrites(() => this.#parts.maintenance.checkpoint(true, logBytes));
        // What resets it writes a page.
        if (logBytes === 0) this.#isToBeCut = this.logBytes() > 2 * pageBytes;
      }
    }, patienceMs);
    this.#framesBefore = this.#log().frames;
  }

  /** Checkpoints alongside other work until little is left. False when a reader still needs older frames. */
  async #foldMost(): Promise<boolean> {
    for (let [passes, before] = [0, -1]; passes < maxPasses; passes++) {
      await this.#parts.maintenance.checkpoint();
      await this.#parts.database.flush();
      if (this.#parts.hasFailed()) return false;
      const { frames, checkpointed } = this.#log();
      if (frames - checkpointed <= fewFrames) return true;
      if (checkpointed === before) return false;
      before = checkpointed;
    }
    return true;
  }

  /** The log's length in frames, and how many of them are in the database. Changes nothing. */
  #log(): { readonly frames: number; readonly checkpointed: number } {
    const query = ({ raw }: SqliteConnection) => raw.pragma('wal_checkpoint(NOOP)');
    const [row] = this.#parts.write.outsideTick(query) as { log: number; checkpointed: number }[];
    return { frames: row?.log ?? 0, checkpointed: row?.checkpointed ?? 0 };
  }
}
