import { raw, type Sql, sql } from '../base/sql.ts';
import type { Database } from './db.ts';

const stepSize = 100;

/**
 * Deletes the rows in `scope`, a hundred per transaction, so that a large deletion never holds up another write. It is not
 * atomic: call it again to finish after an interruption. Answers the number of rows.
 */
export async function deleteInSteps(
  db: Database,
  what: { readonly table: string; readonly id: string; readonly scope: Sql },
): Promise<number> {
  const [table, id] = [raw(what.table), raw(what.id)];
  for (let total = 0; ; ) {
    const step = sql`delete from ${table} where ${what.scope} and ${id} in (select ${id} from ${table} where ${what.scope} limit ${stepSize})`;
    const deleted = await db.run(step);
    total += deleted;
    if (deleted < stepSize) return total;
    await db.caughtUp();
  }
}
