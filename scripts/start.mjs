/**
 * `npm start`: installs what is missing, bundles the program and builds the console when they are stale, and runs `pharos serve` on the
 * pinned Node. Arguments after `--` are passed to it: `npm start -- --port 9000`. Words before any flag are another command:
 * `npm start -- demo remove`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { isService, nodeFlags, withAllocator } from '../server/bin/process-options.mjs';
import { ensureInstalled, pinnedNode, root, withPinnedNode } from './install.mjs';
import { flagsIn, wordsFromNpm } from './npm-words.mjs';
import { findProgram } from './program/find.mjs';

const environment = withPinnedNode(process.env);

/** The console's own script decides whether a build is needed. */
function buildConsole() {
  const script = join(root, 'scripts', 'build-console.mjs');
  if (!existsSync(script)) return;
  const { status } = spawnSync(pinnedNode, [script], { cwd: root, stdio: ['ignore', 2, 2], env: environment });
  if (status !== 0) throw new Error('The console could not be built; the message is above.');
}

/** The bundler needs the pinned Node. */
function bundleProgram() {
  if (findProgram() !== undefined) return;
  process.stderr.write('Bundling the program …\n');
  const script = join(root, 'scripts', 'program', 'bundle.mjs');
  spawnSync(pinnedNode, [script], { cwd: root, stdio: ['ignore', 2, 2], env: environment });
}

function run(words) {
  const main = join(root, 'server', 'bin', 'pharos.mjs');
  // The channel closes with this process, however it ends, so that the service never outlives it unnoticed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const isLong = isService(words);
  const child = spawn(pinnedNode, [...(isLong ? nodeFlags : []), main, ...words], {
    stdio,
    env: isLong ? withAllocator(environment) : environment,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  stopWithNpm(() => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/**
 * npm passes a signal to the shell between itself and this script, and the shell may end without passing it on. Ending
 * `npm start` means ending the service too.
 */
function stopWithNpm(stop) {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 500);
  watch.unref();
}

/** The arguments of `npm start`, also if npm took the flags for its own. */
function readWords() {
  const flags = flagsIn(readFileSync(join(root, 'server', 'src', 'config', 'settings.ts'), 'utf8'));
  const { words, note } = wordsFromNpm({
    words: process.argv.slice(2),
    environment: process.env,
    flags,
    switches: ['demo'],
  });
  if (note) process.stderr.write(`${note}\n`);
  return words;
}

try {
  const words = readWords();
  ensureInstalled();
  bundleProgram();
  const isServing = words.length === 0 || words[0].startsWith('-');
  if (isServing || words[0] === 'serve') buildConsole();
  run(isServing ? ['serve', ...words] : words);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
