#!/usr/bin/env node
/**
 * `pharos …`: runs the command line. In a checkout on the Node that it pins (the Node that runs this file may be older); installed as a
 * package, which brings the bundled program, on the Node that runs this file.
 */
import { existsSync, realpathSync } from 'node:fs';
import nodeModule from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isService, nodeFlags, withAllocator, withCommand } from './process-options.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const words = withCommand(process.argv.slice(2));
process.argv.splice(2, Infinity, ...words);
const flags = isService(words) ? nodeFlags : [];
const program = [...flags, fileURLToPath(import.meta.url), ...words];
const environment = isService(words) ? withAllocator(process.env) : process.env;
/** The process can replace itself, keeping its number and its streams; a channel to its parent would be lost. */
const canStartAnew = process.platform !== 'win32' && process.execve !== undefined && process.channel === undefined;

const packaged = join(root, 'program');
const isPackage = existsSync(join(packaged, 'main.cjs'));
// Where Node is one of the installed packages, the lock file need not be read to know that it is the pinned one.
const isPinned = isPackage || process.execPath.startsWith(join(root, 'node_modules', 'node-'));
const pinnedNode = isPinned ? process.execPath : (await import('../../scripts/install.mjs')).pinnedNode;

const [major, minor] = process.versions.node.split('.').map(Number);
if (isPackage && (major < 22 || (major === 22 && minor < 15))) {
  process.stderr.write(`Pharos needs Node 22.15 or newer; this is ${process.version}.\n`);
  process.exitCode = 1;
} else if (!existsSync(pinnedNode)) {
  process.stderr.write('Pharos is not installed yet. Run npm start or npm ci in its folder.\n');
  process.exitCode = 1;
} else if (isPinned || process.execPath === realpathSync(pinnedNode)) {
  if (canStartAnew && !flags.every((flag) => process.execArgv.includes(flag)))
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...program], environment);
  // What is compiled is kept from one start to the next: compiling takes most of a start, and the TypeScript loader is then not needed.
  const bundled = isPackage ? packaged : (await import('../../scripts/program/find.mjs')).findProgram();
  const kept = join(bundled ?? join(root, '.cache'), 'compile');
  nodeModule.enableCompileCache(kept);
  if (bundled === undefined) await import('../src/main.ts');
  else {
    if (isService(words)) (await import('./compiled.mjs')).keepCompiled(kept);
    nodeModule.createRequire(import.meta.url)(join(bundled, 'main.cjs'));
  }
} else {
  const { spawn } = await import('node:child_process');
  // The channel closes with this process, however it ends, so that a service never outlives its wrapper unnoticed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(pinnedNode, program, { stdio, env: environment });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
