/**
 * How much of a test runs. `npm test` takes minutes: on SQLite everything, on PostgreSQL what can differ there, of properties and
 * kills a few. `npm run test:full` has all depth, and also the files named `….full.test.ts`.
 */
export const isFull = process.env['PHAROS_TEST_DEPTH'] === 'full';

/**
 * For what follows from tables, locks, races, jobs or statements that the databases write differently. At the end of `npm test`,
 * `postgres-slice.test.ts` names what none of these tests has touched on PostgreSQL.
 */
export const bothDatabases = ['sqlite', 'postgres'] as const;
export type DatabaseKind = (typeof bothDatabases)[number];

/** For everything else: the answers have to be the same, and `npm run test:full` shows that. */
export const databases: readonly DatabaseKind[] = isFull ? bothDatabases : ['sqlite'];

/** Options of a property: a tenth of the runs in `npm test`, five at least, and the same ones each time. */
export const runs = (usual: number): { readonly numRuns: number; readonly seed: number } => ({
  numRuns: Number((process.env['PHAROS_TEST_RUNS'] ?? isFull) ? usual : Math.max(5, Math.ceil(usual / 10))),
  seed: Number(process.env['PHAROS_TEST_SEED'] ?? 1),
});

/** How often a process is killed. */
export const killsOf = (usual: number, few: number): number =>
  Number(process.env['PHAROS_TEST_KILLS'] ?? (isFull ? usual : few));
