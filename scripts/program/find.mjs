/**
 * The bundled program (`bundle.mjs`): a few files instead of 1,400, which take most of a start to find and read. The name of its
 * folder is a digest of the sources that it was made of, so one that was made of others is not found. Any Node can run this.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const bundles = join(root, '.cache', 'program');

/** Lists what a bundle was made of, relative to the checkout. */
export const inputsFile = 'inputs.json';

export const readInput = (path) => readFileSync(join(root, path));

/** The folder for what is made of files with these contents; without `read`, as they are now. */
export function folderOf(inputs, read = readInput) {
  const hash = createHash('sha256');
  for (const path of inputs) hash.update(path).update('\0').update(read(path)).update('\0');
  return join(bundles, hash.digest('hex').slice(0, 32));
}

/** All bundles, the newest first. */
export function bundleFolders() {
  try {
    const folders = readdirSync(bundles).map((name) => join(bundles, name));
    const byAge = folders.map((folder) => ({ folder, at: statSync(folder).mtimeMs })).sort((a, b) => b.at - a.at);
    return byAge.map(({ folder }) => folder);
  } catch {
    return [];
  }
}

/** The folder of the bundle that was made of the present sources; undefined if there is none, or this user may not read it. */
export function findProgram() {
  return bundleFolders().find((folder) => {
    try {
      return folderOf(JSON.parse(readFileSync(join(folder, inputsFile), 'utf8'))) === folder;
    } catch {
      // It is not complete, or one of its sources is gone.
      return false;
    }
  });
}
