/**
 * Installs what the lock file names, when it is not installed yet. Runs on any Node from 18 on and uses nothing but
 * Node itself, because it is what every other command starts with on a fresh clone.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'node_modules', '.cache', 'pharos-install');

/** The Node that the lock file pins; the one that runs this script may be older. */
export const pinnedNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** The lock file alone says what has to be installed; a changed script in package.json is no reason to do it again. */
function lockDigest() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function npm(args) {
  // npm sets npm_execpath for its scripts; a direct `node scripts/…` finds npm on the path.
  const cli = process.env.npm_execpath;
  const command = cli?.endsWith('.js') ? [process.execPath, cli] : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  const result = spawnSync(command[0], [...command.slice(1), ...args], { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

/** Makes `node_modules` agree with the lock file. Throws with a message that says what to do when npm fails. */
export function ensureInstalled() {
  const digest = lockDigest();
  if (existsSync(pinnedNode) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  process.stderr.write('Installing dependencies (once) …\n');
  // Engine warnings are about the Node that runs npm, not about the pinned one that will run the code.
  if (npm(['ci', '--no-fund', '--no-audit', '--loglevel=error']) !== 0) {
    throw new Error('npm ci failed. Its own message is above; is the npm registry reachable?');
  }
  if (!existsSync(pinnedNode)) {
    throw new Error(
      `The pinned Node is missing at ${pinnedNode}. Allow the install script of the package "node" and run npm ci again.`,
    );
  }
  mkdirSync(join(root, 'node_modules', '.cache'), { recursive: true });
  writeFileSync(stamp, digest);
}
