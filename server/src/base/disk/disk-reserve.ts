import { randomFillSync } from 'node:crypto';
import { existsSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const stepBytes = 1_048_576;
/** A pause between two steps, so that writes of the database are not held up. */
const pauseMs = 20;

/**
 * A file that takes up room on the disk of the embedded database, to be given back when the disk is full. It holds
 * random bytes, because file systems that compress, or store no zeros, would otherwise reserve nothing.
 */
export class DiskReserve {
  readonly #file: string;
  readonly #bytes: number;
  #held = 0;

  /** 0 `bytes` reserve nothing; an existing file is then removed. */
  constructor(folder: string, bytes: number) {
    this.#file = reserveFile(folder);
    this.#bytes = bytes;
    this.check();
  }

  get wanted(): number {
    return this.#bytes;
  }

  /** Bytes reserved, as of the last `check` or `release`: every write asks, and a file system is slow. */
  get held(): number {
    return this.#held;
  }

  /** Reads how much is reserved. The file may have been removed, by a person or by the start of another process. */
  check(): void {
    try {
      this.#held = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    } catch {
      this.#held = 0;
    }
  }

  /** Gives the space back, at once. False when there is none to give. */
  release(): boolean {
    const isReleased = releaseReserve(this.#file);
    this.check();
    return isReleased;
  }

  /**
   * Fills the reserve, step by step.
   *
   * @throws Error ENOSPC and other errors of the disk
   */
  async fill(signal: AbortSignal): Promise<void> {
    const file = await open(this.#file, 'a', 0o600);
    try {
      const step = Buffer.alloc(Math.min(stepBytes, this.#bytes));
      for (let held = (await file.stat()).size; held < this.#bytes && !signal.aborted; held += step.length) {
        randomFillSync(step);
        await file.appendFile(step.subarray(0, Math.min(step.length, this.#bytes - held)));
        await delay(pauseMs, undefined, { ref: false });
      }
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

/**
 * The most that a start needs: the database's index of its log, the leases of jobs that another process held, a
 * migration.
 */
const startBytes = 8_388_608;

/** Gives back the reserve of a data folder when its disk has too little space to open the embedded database. */
export function makeRoomToStart(dataFolder: string): void {
  const { bavail, bsize } = statfsSync(dataFolder);
  if (bavail * bsize < startBytes) releaseReserve(reserveFile(dataFolder));
}

const reserveFile = (folder: string) => join(folder, 'reserve');

function releaseReserve(file: string): boolean {
  try {
    if (!existsSync(file)) return false;
    const { size } = statSync(file);
    rmSync(file);
    return size > 0;
  } catch {
    return false;
  }
}
