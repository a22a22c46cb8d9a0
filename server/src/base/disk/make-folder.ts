import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, and answers the first that it made; undefined if the folder was there. `mkdir` with `recursive` never
 * ends below /proc.
 */
export async function makeFolder(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await makeOne(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    const firstMade = await makeFolder(parent, mode);
    const made = await makeOne(path, mode);
    return firstMade ?? made;
  }
}

async function makeOne(path: string, mode: number | undefined): Promise<string | undefined> {
  try {
    await mkdir(path, mode);
    return path;
  } catch (error) {
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return undefined;
    throw error;
  }
}
