import { closeSync, fdatasync, fstatSync, openSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Failure, fail } from '../../base/errors.ts';

/** Writes the data of an open file to its disk. */
export type FlushFile = (descriptor: number, file: string) => Promise<void>;

const fileSync = promisify(fdatasync);
const flushData: FlushFile = (descriptor) => fileSync(descriptor);

/** The answer to every write once the disk has failed a flush. Nothing of such a write has been stored. */
export function diskFailed(cause: unknown): Failure {
  return fail('Timeout', {
    message:
      'The disk failed to confirm an earlier write, so nothing more is written. Nothing of this was stored. ' +
      'Check the disk, then restart the service.',
    retryAfter: 60,
    cause,
  });
}

/**
 * The answer to every write once the file is no longer found at its path: its folder was deleted, moved or replaced, or another disk
 * was mounted there. The system keeps a deleted file for as long as it is open, and writing to it succeeds.
 */
export class FileGone extends Error {}

function fileGone(file: string): Failure {
  return fail('Timeout', {
    message:
      'The database was deleted, moved or replaced while the service was running, so nothing more is written. Nothing of this was ' +
      'stored. Do not stop the service before you have read in the handbook how its data can be saved.',
    retryAfter: 60,
    cause: new FileGone(`${file} is not the file that was opened`),
  });
}

/** @throws Failure Timeout when the path no longer leads to the open file */
function assertStillThere(descriptor: number, file: string): void {
  const [open, found] = [fstatSync(descriptor), statSync(file, { throwIfNoEntry: false })];
  if (found?.ino === open.ino && found.dev === open.dev) return;
  // Some file systems number a file anew now and then; it is the same one if both have grown alike.
  if (found && open.nlink > 0 && found.size === open.size && found.mtimeMs === open.mtimeMs) return;
  throw fileGone(file);
}

/**
 * The write-ahead log of a database. Flushing it makes every commit in it survive a power cut, as `synchronous=FULL`
 * does within the commit; but here the main thread goes on in the meantime.
 */
export class WalFile {
  readonly #file: string;
  #descriptor: number | undefined;
  readonly #flush: FlushFile;
  #failure: unknown;
  #wasRemoved = false;

  constructor(database: string, flush = flushData) {
    this.#file = `${database}-wal`;
    this.#flush = flush;
  }

  /**
   * Resolves when every commit so far is on the disk.
   *
   * @throws Failure Timeout when the disk fails, and ever after: the system may have dropped what it could not write
   * and then reports success, so that only a new start finds out what is there.
   */
  async flush(): Promise<void> {
    if (this.#failure === undefined) {
      try {
        const descriptor = this.#open();
        if (descriptor !== undefined) await this.#flush(descriptor, this.#file);
        return;
      } catch (error) {
        this.#failure = error;
      }
    }
    throw diskFailed(this.#failure);
  }

  /**
   * For the connection that has written to the log, and keeps writing to the one that it has opened.
   *
   * @throws Failure Timeout when that is no longer the one at the path
   */
  assertStillThere(): void {
    if (this.#wasRemoved) throw fileGone(this.#file);
    if (this.#descriptor !== undefined) assertStillThere(this.#descriptor, this.#file);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Undefined while nothing was ever written. */
  #open(): number | undefined {
    // If the log was removed (by another process that closed the database as the last one), the next write creates it
    // again.
    if (this.#descriptor !== undefined && fstatSync(this.#descriptor).nlink === 0) {
      this.#wasRemoved = true;
      this.close();
    }
    try {
      this.#descriptor ??= openSync(this.#file, 'r+');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return this.#descriptor;
  }
}

/**
 * The file of a database. This flushes what a checkpoint has copied, because SQLite does so only at the very end, when
 * writes wait.
 */
export class DatabaseFile {
  readonly #file: string;
  readonly #flush: FlushFile;
  #descriptor: number | undefined;

  /** The file has to be there. */
  constructor(database: string, flush = flushData) {
    this.#file = database;
    this.#flush = flush;
    this.#descriptor = openSync(database, 'r+');
  }

  /** @throws Failure Timeout when the path no longer leads to it */
  assertStillThere(): void {
    if (this.#descriptor !== undefined) assertStillThere(this.#descriptor, this.#file);
  }

  async flush(): Promise<void> {
    if (this.#descriptor !== undefined) await this.#flush(this.#descriptor, this.#file);
  }

  /** After all connections: closing a file ends every lock that the process has on it. */
  close(): void {
    // Once: its number may be that of another file by now.
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
