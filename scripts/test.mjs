/**
 * `npm test`: installs what is missing, and runs the tests with Vitest (`vitest.config.mjs`). `npm test -- PATH…` runs the files and folders
 * whose paths contain one of these words, `-t NAME` the tests whose name matches, `--shard 1/4` a fourth of the files, `--repeat 10` everything
 * ten times; other flags are Vitest's. `--full` has all depth (`server/test/support/depth.ts`).
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, pinnedNode, root, toolFile, withPinnedNode } from './install.mjs';
import { keepFilesInMemory } from './test/folder.mjs';

const words = process.argv.slice(2);
const repeated = words.indexOf('--repeat');
const [, times = 1] = repeated < 0 ? [] : words.splice(repeated, 2);
const full = words.indexOf('--full');
if (full >= 0) words.splice(full, 1);

let child;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    isStopped = true;
    child?.kill(signal);
  });

try {
  if (!(times >= 1)) throw new Error('--repeat needs a number.');
  ensureInstalled();
  keepFilesInMemory();
  let red = 0;
  for (let run = 1; run <= times && !isStopped; run++) {
    if (times > 1) process.stdout.write(`\nRun ${run} of ${times}\n`);
    if ((await runVitest()) !== 0) red++;
  }
  if (times > 1) process.stdout.write(`\n${red} of ${times} runs failed\n`);
  process.exitCode = red === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function runVitest() {
  child = spawn(pinnedNode, [toolFile('vitest', 'vitest'), 'run', ...words], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...withPinnedNode(process.env),
      // All processes load the same modules: compiled once, they begin sooner.
      NODE_COMPILE_CACHE: join(root, '.cache', 'compile'),
      PHAROS_TEST_DEPTH: full < 0 ? '' : 'full',
      // Nothing is left out.
      PHAROS_TEST_WHOLE: words.length === 0 ? 'yes' : '',
    },
  });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
