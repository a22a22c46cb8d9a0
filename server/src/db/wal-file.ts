import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { fail } from '../errors.ts';

const flushData = promisify(fdatasync);

/**
 * The write-ahead log of a database. Flushing it makes every commit in it survive a power cut, as `synchronous=FULL` does
 * within the commit; but here the main thread goes on meanwhile.
 */
export class WalFile {
  readonly #file: string;
  #descriptor: number | undefined;
  #failure: unknown;

  constructor(database: string) {
    this.#file = `${database}-wal`;
  }

  /**
   * Resolves when all that has been committed is on the disk.
   *
   * @throws Failure Timeout when the disk refuses, and ever after: the system may have dropped what it could not write
   *   and then reports success, so that only a new start finds out what there is.
   */
  async flush(): Promise<void> {
    if (this.#failure === undefined) {
      try {
        const descriptor = this.#open();
        if (descriptor !== undefined) await flushData(descriptor);
        return;
      } catch (error) {
        this.#failure = error;
      }
    }
    throw fail('Timeout', {
      message: 'The disk did not confirm what was written. Look at the disk, then start the service anew.',
      retryAfter: 1,
      cause: this.#failure,
    });
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Undefined while nothing was ever written. */
  #open(): number | undefined {
    // A log that was removed (by another process that closed the database as the last one) is made anew by the next write.
    if (this.#descriptor !== undefined && fstatSync(this.#descriptor).nlink === 0) this.close();
    try {
      this.#descriptor ??= openSync(this.#file, 'r+');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return this.#descriptor;
  }
}

/**
 * The file of a database. What a checkpoint has copied there is flushed by this beforehand, because SQLite does so only
 * at the very end, when writes wait.
 */
export class DatabaseFile {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(database: string) {
    this.#file = database;
  }

  async flush(): Promise<void> {
    this.#descriptor ??= openSync(this.#file, 'r+');
    await flushData(this.#descriptor);
  }

  /** After all connections: to close a file ends every lock that the process has on it. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
