/** The process: arguments and environment in, exit code out. Everything else gets what it needs handed in. */
import { text } from 'node:stream/consumers';
import { runCommandLine } from './cli/run.ts';
import type { Terminal } from './cli/support/command.ts';

const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  readInput: () => text(process.stdin),
  isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
};

// A reader that has seen enough (`pharos app list | head -1`) is no failure, and a service outlives its log.
let lost: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') lost = error;
});
process.stderr.on('error', () => undefined);

void runCommandLine({ words: process.argv.slice(2), environment: process.env, terminal }).then((code) => {
  // Idle connections must not keep a finished command alive; what was printed is flushed first.
  process.stdout.write('', () => setImmediate(exit, code));
});

function exit(code: number): void {
  if (lost) terminal.err(`What the command printed could not be written (${lost.code}).`);
  process.exit(code || (lost ? 1 : 0));
}
