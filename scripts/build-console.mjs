/**
 * Builds the management console into console/dist if its sources or the lock file have changed since the last build.
 * `npm start` and `npm test` call it; nothing is downloaded.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, pinnedNode, root } from './install.mjs';

const folder = join(root, 'console');
const stamp = join(folder, 'dist', '.built-from');

/** Names and contents of everything that the build reads. */
function sourceDigest() {
  const hash = createHash('sha256');
  const read = (path) =>
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  const walk = (path) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (entry.isDirectory()) walk(`${path}/${entry.name}`);
      else read(`${path}/${entry.name}`);
    }
  };
  for (const path of ['package-lock.json', 'console/index.html', 'console/vite.config.ts']) read(path);
  for (const path of ['console/src', 'console/public', 'sdk/src']) walk(path);
  return hash.digest('hex');
}

/** Builds if necessary. Throws when the build fails; Vite's messages are on standard error. */
export function buildConsole() {
  const digest = sourceDigest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  process.stderr.write('Building the console …\n');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status } = spawnSync(pinnedNode, [vite, 'build', '--logLevel', 'warn'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    // Whatever runs this, such as tests, which are no production: it is what people will use.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error('The console could not be built; the message is above.');
  writeFileSync(stamp, digest);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    ensureInstalled();
    buildConsole();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
