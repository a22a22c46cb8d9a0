import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from '../../scripts/release/npm.ts';

const own = fileURLToPath(new URL('consumers/', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/**
 * The folder with the third-party tools for testing the client and the OpenAPI document: other versions of Node and
 * TypeScript, Jest, bundlers, generators. They are installed once from the lock file in consumers/, and not with the
 * checkout, because running Pharos and most tests need none of them.
 *
 * @throws Error when the npm registry cannot be reached and they are not installed yet
 */
export const installConsumers = (): string => installed(own, 'consumers');

/**
 * The same for an app of examples/: the folder with its packages. `install` goes on without packages for other platforms that the registry
 * lacks, `ci` does not.
 */
export function installed(source: string, name: string, how: 'ci' | 'install' = 'ci'): string {
  const lock = readFileSync(join(source, 'package-lock.json'));
  const folder = join(cache, `${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, `${name}-new-`));
  try {
    writeFileSync(join(fresh, 'package-lock.json'), lock);
    writeFileSync(join(fresh, 'package.json'), readFileSync(join(source, 'package.json')));
    npm([how, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], fresh);
    renameSync(fresh, folder);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** A Node of another version; undefined if the lock file has none for the platform. */
export function otherNode(version: 20 | 22 | 26, folder: string): string | undefined {
  const program = join(folder, 'node_modules', `node${version}-${process.platform}-${process.arch}`, 'bin', 'node');
  return existsSync(program) ? program : undefined;
}
