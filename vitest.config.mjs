/**
 * How Vitest runs the tests; `npm test` starts it on the pinned Node (`scripts/test.mjs`). Node loads the files itself, as it loads the
 * service: without a bundler and its transforms.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const root = import.meta.dirname;
const script = (...path) => join(root, 'scripts', ...path);

const everything = '{console,packages,sdk,server}/**/*.test.{mjs,ts}';

/** Files that start programs of their own, kill them, or measure the process that they run in. */
const alone = ['server/test/e2e/**/*.test.ts', 'sdk/test/**/*.test.ts', 'scripts/**/*.test.mjs'];

/** Files that import one of these helpers. */
const importing = (...helpers) =>
  globSync('{console,server}/**/*.test.ts', { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return helpers.some((helper) => text.includes(`/${helper}'`));
  });
const inBrowser = importing('browser.ts');
const withBrokers = importing('mosquitto.ts', 'nats.ts');

/** Files that share a process leave nothing behind in it, so that what is loaded and started once serves all of them. */
const sharing = { isolate: false };

/** `….full.test.ts` runs with all depth, or if it is named. */
const isFull = process.env.PHAROS_TEST_DEPTH === 'full';
const left = isFull || process.argv.some((word) => word.includes('.full.test.')) ? [] : ['**/*.full.test.*'];

/** Looks at what all others have touched. */
const last = 'server/test/storage/postgres-slice.test.ts';

const project = (name, test) => ({
  extends: true,
  test: { name, ...test, exclude: [...configDefaults.exclude, ...left, ...(test.exclude ?? [])] },
});

export default defineConfig({
  cacheDir: '.cache/vitest',
  test: {
    // What a project needs is installed and started when one of its files runs.
    projects: [
      project('alone', { include: alone, globalSetup: script('test', 'with-program.mjs') }),
      project('brokers', { include: withBrokers, ...sharing, globalSetup: script('test', 'with-brokers.mjs') }),
      project('browser', {
        include: inBrowser,
        ...sharing,
        // Without a browser each of their tests is skipped, and counted.
        ...(process.env.PHAROS_TEST_BROWSER === 'none'
          ? { testNamePattern: /(?!)/ }
          : { globalSetup: script('test', 'with-browser.mjs') }),
      }),
      project('shared', { include: [everything], exclude: [...alone, ...inBrowser, ...withBrokers, last], ...sharing }),
      project('last', { include: [last], ...sharing, sequence: { groupOrder: 1 } }),
    ],
    globalSetup: script('test', 'setup.mjs'),
    reporters: ['default', script('test', 'reporter.mjs')],
    silent: 'passed-only',
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      `--import=${pathToFileURL(script('test', 'as-vitest.mjs')).href}`,
      `--import=${pathToFileURL(script('bundled-libraries.mjs')).href}`,
      // The processors are busy with other files; threads that collect garbage beside a file's own cost more than they give.
      '--single-threaded-gc',
    ],
    // Files wait for browsers, databases and programs; with a third one, two processors still have something to do.
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What was opened first is closed first, as it is written.
    sequence: { hooks: 'list' },
  },
});
