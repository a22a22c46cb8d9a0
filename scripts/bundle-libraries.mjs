/**
 * Makes one file each of libraries with very many modules, for a faster start (`bundled-libraries.mjs`), if
 * that has not been done for the installed version. `npm start` and `npm test` do it; nothing is downloaded.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is imported, and the name of its file without the suffix. */
export const bundledLibraries = { typebox: 'typebox', 'typebox/compile': 'typebox-compile' };

/** The folder for the installed version; something has to be installed. */
export function bundleFolder() {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', 'typebox', 'package.json'), 'utf8'));
  return join(root, '.cache', `typebox-${version}`);
}

/** A start does not fail for the want of it: then the libraries are loaded as they are. */
export async function bundleLibraries() {
  const folder = bundleFolder();
  let made;
  try {
    if (existsSync(folder)) {
      openToOthers(folder);
      return;
    }
    const { rolldown } = await import('rolldown');
    const input = Object.fromEntries(Object.entries(bundledLibraries).map(([name, file]) => [file, name]));
    const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
    mkdirSync(dirname(folder), { recursive: true });
    made = mkdtempSync(join(dirname(folder), 'bundle-'));
    await bundle.write({ dir: made, format: 'esm' });
    await bundle.close();
    openToOthers(made);
    // Complete from the moment it is there, also if two starts do this at once.
    renameSync(made, folder);
  } catch {
    if (made) rmSync(made, { recursive: true, force: true });
  }
}

/** Temporary folders are for their owner only, and the service may run as another user than the one that has installed it. */
export const openToOthers = (folder) => chmodSync(folder, 0o777 & ~process.umask());

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await bundleLibraries();
