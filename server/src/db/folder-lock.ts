import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/**
 * Takes the data folder for one serving process, until `release` or until the process ends, however it ends.
 *
 * The lock is SQLite's own on an empty file, which the operating system drops with the process: nothing is left behind
 * by a kill -9, and no process id has to be judged alive or dead.
 *
 * @throws Error when another process serves the folder
 */
export function lockFolder(folder: string): { release(): void } {
  const file = new Sqlite(join(folder, 'serve.lock'), { timeout: 0 });
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error;
    throw new Error(
      `Another Pharos serves the data folder ${folder} already. Stop it first, or choose another folder with --data.`,
      { cause: error },
    );
  }
  return { release: () => void file.close() };
}
