#!/usr/bin/env node
/** `pharos …`: runs the command line on the Node that the checkout pins. The Node that runs this file may be older. */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinnedNode, root } from '../../scripts/install.mjs';

if (!existsSync(pinnedNode)) {
  process.stderr.write('Pharos is not installed yet. Run npm ci in its folder, or npm start.\n');
  process.exitCode = 1;
} else if (process.execPath === realpathSync(pinnedNode)) {
  // What Node makes of the sources is kept from one start to the next: it takes most of a start, and what reads TypeScript
  // need not be loaded. Where the folder cannot be written, nothing is kept and nothing else changes.
  enableCompileCache(join(root, '.cache', 'compile'));
  await import('../src/main.ts');
} else {
  // The channel closes with this process, however it ends, so that a service never outlives its wrapper unnoticed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(pinnedNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
