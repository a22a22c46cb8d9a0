import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';

/** A process that is being replaced may still be finishing what it accepted. */
const patienceMs = 2_000;
const pollMs = 50;

/**
 * Takes the data folder for one serving process, until `release` or until the process ends, however it ends.
 *
 * The lock is SQLite's own on an empty file, which the operating system drops with the process: nothing is left behind
 * by a kill -9, and no process id has to be judged alive or dead.
 *
 * @throws Error when another process serves the folder
 */
export async function lockFolder(folder: string): Promise<{ release(): void }> {
  const file = new Sqlite(join(folder, 'serve.lock'), { timeout: 0 });
  for (let waited = 0; ; waited += pollMs) {
    try {
      file.exec('begin exclusive');
      return { release: () => void file.close() };
    } catch (error) {
      const isTaken = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
      if (isTaken && waited < patienceMs) {
        await delay(pollMs);
        continue;
      }
      file.close();
      if (!isTaken) throw error;
      throw new Error(
        `Another Pharos serves the data folder ${folder} already. Stop it first, or choose another folder with --data.`,
      );
    }
  }
}
