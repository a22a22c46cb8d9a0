import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';

/** A process that is being replaced may still be finishing what it accepted. */
const patienceMs = 2_000;
const pollMs = 50;

/** Dropped by `release`, or with the process, however it ends. */
export interface HeldLock {
  release(): void;
}

/**
 * Takes a lock on a file, which is created if need be; undefined when another process has it, or this one.
 *
 * The lock is SQLite's own on an empty file, which the operating system drops with the process: nothing is left behind
 * by a kill -9, and no process id has to be judged alive or dead.
 */
export function tryLockFile(path: string): HeldLock | undefined {
  const file = new Sqlite(path, { timeout: 0 });
  try {
    file.exec('begin exclusive');
    return { release: () => void file.close() };
  } catch (error) {
    file.close();
    const code = String((error as { code?: unknown }).code);
    if (code.startsWith('SQLITE_BUSY')) return undefined;
    // It is no database, and its disk may be another one.
    if (code === 'SQLITE_FULL')
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', path });
    throw error;
  }
}

/**
 * Takes the data folder for one serving process, until `release` or until the process ends, however it ends.
 *
 * @throws Error when another process serves the folder
 */
export async function lockFolder(folder: string): Promise<HeldLock> {
  for (let waited = 0; ; waited += pollMs) {
    const lock = tryLockFile(join(folder, 'serve.lock'));
    if (lock) return lock;
    if (waited >= patienceMs)
      throw new Error(
        `Another Pharos serves the data folder ${folder} already. Stop it first, or choose another folder with --data.`,
      );
    await delay(pollMs);
  }
}
