import { test } from 'vitest';
import { isFull, testInFull } from '../../../scripts/test/runs.ts';

export { isFull, runs, testInFull } from '../../../scripts/test/runs.ts';

/**
 * For what follows from tables, locks, races, jobs or statements that the databases write differently. At the end of `npm test`,
 * `postgres-slice.test.ts` names what none of these tests has touched on PostgreSQL.
 */
export const bothDatabases = ['sqlite', 'postgres'] as const;
export type DatabaseKind = (typeof bothDatabases)[number];

/** For everything else: the answers have to be the same, and `npm run test:full` shows that. */
export const databases: readonly DatabaseKind[] = isFull ? bothDatabases : ['sqlite'];

/** On PostgreSQL in `npm run test:full` only: for a test whose statements others of its file send there, too. */
export const testOn = (database: DatabaseKind): typeof test => (database === 'sqlite' ? test : testInFull);

/** How often a process is killed. */
export const killsOf = (usual: number, few: number): number =>
  Number(process.env['PHAROS_TEST_KILLS'] ?? (isFull ? usual : few));
