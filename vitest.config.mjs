/**
 * How Vitest runs the tests; `npm test` starts it on the pinned Node (`scripts/test.mjs`). Node loads the files itself, as it loads the
 * service: without a bundler and its transforms.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/test/longest-first.mjs';
import { lacksProgram, mayInstall } from './scripts/test/needs.mjs';

const root = import.meta.dirname;
const script = (...path) => join(root, 'scripts', ...path);

const everything = '{console,packages,scripts,sdk,server}/**/*.test.{mjs,ts}';

/** Without a program that they need, each of these tests is skipped, and counted. */
const leftOut = mayInstall()
  ? []
  : globSync('{console,server}/**/*.test.ts', { cwd: root }).filter((file) => lacksProgram(join(root, file)));

/** `….full.test.ts` runs with all depth, or if it is named. */
const isFull = process.env.PHAROS_TEST_DEPTH === 'full';
const deep = isFull || process.argv.some((word) => word.includes('.full.test')) ? [] : ['**/*.full.test.*'];

const isShuffled = process.argv.some((word) => word.startsWith('--sequence.shuffle'));

/** Looks at what all others have touched. */
const last = 'server/test/storage/postgres-slice.test.ts';

const project = (name, test) => ({
  extends: true,
  test: { name, ...test, exclude: [...configDefaults.exclude, ...deep, ...(test.exclude ?? [])] },
});

export default defineConfig({
  cacheDir: '.cache/vitest',
  test: {
    projects: [
      project('all', { include: [everything], exclude: [...leftOut, last] }),
      project('skipped', { include: leftOut, testNamePattern: /(?!)/ }),
      project('last', { include: [last], sequence: { groupOrder: 1 } }),
    ],
    // Files leave nothing behind in their process, so that what is loaded and started once serves all of them.
    isolate: false,
    globalSetup: script('test', 'setup.mjs'),
    reporters: ['default', script('test', 'reporter.mjs')],
    silent: 'passed-only',
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The processors are busy with other files; threads that collect garbage beside a file's own cost more than they give.
    execArgv: ['--single-threaded-gc'],
    // Files wait for browsers, databases and programs more often than they compute: four keep two processors busy.
    maxWorkers: 4,
    // Against a test that hangs; on a busy machine one takes ten times as long as on a quiet one.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 900_000,
    // What was opened first is closed first, as it is written.
    sequence: { hooks: 'list', ...(isShuffled ? {} : { sequencer: LongestFirst }) },
  },
});
