/**
 * `npm test`: installs what is missing, starts one PostgreSQL for all tests, makes sure there is a browser, and runs
 * every test file. `npm test -- PATH…` runs only some. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { ensureInstalled, pinnedNode, root } from './install.mjs';

ensureInstalled();

if (process.execPath !== pinnedNode) {
  // From here on everything may use what the pinned Node and node_modules offer.
  const child = spawn(
    pinnedNode,
    [import.meta.filename ?? new URL(import.meta.url).pathname, ...process.argv.slice(2)],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, PATH: `${dirname(pinnedNode)}:${process.env.PATH}` },
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
} else {
  const { startPostgres } = await import('./test-postgres.mjs');
  const { ensureBrowser } = await import('./test-browser.mjs');
  const { ensureMosquitto } = await import('./test-mosquitto.mjs');
  const postgres = await startPostgres();
  const browser = ensureBrowser();
  let code = 1;
  try {
    code = await runTests({
      PHAROS_TEST_POSTGRES_URL: postgres.url,
      PHAROS_TEST_BROWSER: browser,
      PHAROS_TEST_MOSQUITTO: ensureMosquitto() ?? '',
    });
  } finally {
    await postgres.stop();
  }
  // Not left to the end of the process: what stops the embedded PostgreSQL would make a success of it.
  process.exit(code);
}

async function runTests(environment) {
  // Only the pinned Node has it.
  const { globSync } = await import('node:fs');
  const asked = process.argv.slice(2);
  const files =
    asked.length > 0
      ? asked
      : globSync(['server/**/*.test.ts', 'sdk/**/*.test.ts', 'console/**/*.test.ts', 'scripts/**/*.test.mjs'], {
          cwd: root,
          exclude: ['**/node_modules/**'],
        }).sort();
  const reporter = join(root, 'scripts', 'test-reporter.mjs');
  const child = spawn(
    pinnedNode,
    ['--test', '--test-concurrency=2', '--test-timeout=300000', `--test-reporter=${reporter}`, ...files],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment, PATH: `${dirname(pinnedNode)}:${process.env.PATH}` },
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
