import { raw, sql } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import { deleteInSteps } from '../../../db/delete-in-steps.ts';
import { type DbTable, stepColumn } from '../../../db/table.ts';
import type { JobHandler } from '../../../jobs/job.ts';

/** Erasing where somebody was. */

/** What earlier versions have asked for. */
export const eraseJob = 'traces.erase';

/** Everything of one installation up to a time. Later rows belong to somebody else, or to a new start. */
interface Erasure {
  readonly installationId: string;
  readonly until: number;
}

/** Erases a hundred rows at a time; may be repeated. */
async function eraseTraces(
  { db, traceTables }: TraceErasureDeps,
  appId: string,
  { installationId, until }: Erasure,
): Promise<void> {
  for (const table of traceTables) {
    const { installation, at } = table.trail ?? {};
    if (installation === undefined || at === undefined) continue;
    const scope = sql`app_id = ${appId} and ${raw(installation)} = ${installationId} and ${raw(at)} <= ${until}`;
    await deleteInSteps(db, { table: table.name, id: stepColumn(table), scope });
  }
}

export interface TraceErasureDeps {
  readonly db: Database;
  /** The tables that say where somebody was or what they were sent, of all features. */
  readonly traceTables: readonly DbTable[];
}

export function erasureJobHandlers(erasing: TraceErasureDeps): Record<typeof eraseJob, JobHandler> {
  return {
    [eraseJob]: {
      concurrency: 1,
      maxAttempts: 50,
      baseDelayMs: 1_000,
      maxDelayMs: 300_000,
      run: (job) => eraseTraces(erasing, job.appId, job.payload as Erasure),
    },
  };
}
