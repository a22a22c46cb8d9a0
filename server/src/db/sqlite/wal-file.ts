import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
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
 * The write-ahead log of a database. Flushing it makes every commit in it survive a power cut, as `synchronous=FULL`
 * does within the commit; but here the main thread goes on in the meantime.
 */
export class WalFile {
  readonly #file: string;
  #descriptor: number | undefined;
  readonly #flush: FlushFile;
  #failure: unknown;

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

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Undefined while nothing was ever written. */
  #open(): number | undefined {
    // If the log was removed (by another process that closed the database as the last one), the next write creates it
    // again.
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
 * The file of a database. This flushes what a checkpoint has copied, because SQLite does so only at the very end, when
 * writes wait.
 */
export class DatabaseFile {
  readonly #file: string;
  readonly #flush: FlushFile;
  #descriptor: number | undefined;

  constructor(database: string, flush = flushData) {
    this.#file = database;
    this.#flush = flush;
  }

  async flush(): Promise<void> {
    this.#descriptor ??= openSync(this.#file, 'r+');
    await this.#flush(this.#descriptor, this.#file);
  }

  /** After all connections: closing a file ends every lock that the process has on it. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
