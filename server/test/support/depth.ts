import { test } from 'vitest';
import { isFull } from '../../../scripts/test/runs.ts';

export { isFull, runs } from '../../../scripts/test/runs.ts';

/**
 * For what follows from tables, locks, races, jobs or statements that the databases write differently. At the end of `npm test`,
 * `postgres-slice.test.ts` names what none of these tests has touched on PostgreSQL.
 */
export const bothDatabases = ['sqlite', 'postgres'] as const;
export type DatabaseKind = (typeof bothDatabases)[number];

/** For everything else: the answers have to be the same, and `npm run test:full` shows that. */
export const databases: readonly DatabaseKind[] = isFull ? bothDatabases : ['sqlite'];

/** Of a file whose other tests `npm test` runs, too: for one whose faults some other test of `npm test` also sees. */
export const testInFull: typeof test = isFull ? test : ((() => undefined) as unknown as typeof test);

/** How often a process is killed. */
export const killsOf = (usual: number, few: number): number =>
  Number(process.env['PHAROS_TEST_KILLS'] ?? (isFull ? usual : few));
