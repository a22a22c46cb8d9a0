import { test } from 'vitest';

/**
 * How much of a test runs. `npm test` takes minutes: on SQLite everything, on PostgreSQL what can differ there, of properties and
 * kills a few. `npm run test:full` has all depth, and also the files named `….full.test.ts`.
 */
export const isFull = process.env['PHAROS_TEST_DEPTH'] === 'full';

/** Of a file whose other tests `npm test` runs, too: for one whose faults some other test of `npm test` also sees. */
export const testInFull: typeof test = isFull ? test : ((() => undefined) as unknown as typeof test);

/** Options of a property: a tenth of the runs in `npm test`, or `few` where each takes long, and the same ones each time. */
export const runs = (usual: number, few = Math.max(5, Math.ceil(usual / 10))) => ({
  numRuns: Number(process.env['PHAROS_TEST_RUNS'] ?? (isFull ? usual : few)),
  seed: Number(process.env['PHAROS_TEST_SEED'] ?? 1),
});
