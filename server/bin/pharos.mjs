#!/usr/bin/env node
/** `pharos …`: runs the command line on the Node that the checkout pins. The Node that runs this file may be older. */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { pinnedNode } from '../../scripts/install.mjs';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

if (!existsSync(pinnedNode)) {
  process.stderr.write('Pharos is not installed yet. Run npm ci in its folder, or npm start.\n');
  process.exitCode = 1;
} else if (process.execPath === realpathSync(pinnedNode)) {
  await import('../src/main.ts');
} else {
  // The channel closes with this process, however it ends, so that a service never outlives its wrapper unnoticed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(pinnedNode, [main, ...process.argv.slice(2)], { stdio });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
