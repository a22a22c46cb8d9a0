import type { Sql } from '../base/sql.ts';
import type { Database, Db, Row } from '../db/db.ts';
import { replaceChunks } from './pack.ts';
import { placesAmong } from './shadow.ts';
import { allHeads, type ColdScope, deleteChunks, isWithout } from './store.ts';

/** Deletes packed rows: their chunk is replaced by one without them, so that no byte of them is left. */

export interface Forgotten extends ColdScope {
  /** Which rows, with the condition on the app. */
  readonly condition: Sql;
  /** Every matching row has at least one of the texts of each list. */
  readonly values: readonly (readonly string[])[];
  /** Called with the number of deleted rows, in the transaction that deletes them. */
  readonly count?: (db: Db, gone: number) => Promise<void>;
}

/** Returns the number of deleted rows. */
export async function forgetCold(db: Database, forgotten: Forgotten): Promise<number> {
  const { count, values, condition, table, appId } = forgotten;
  let total = 0;
  for (let isAgain = true; isAgain; ) {
    isAgain = false;
    for await (const head of allHeads(db, forgotten)) {
      if (await isWithout(db, forgotten, head, values)) continue;
      const gone = await replaceChunks(db, forgotten, {
        heads: [head],
        async keep(rows) {
          const places = new Set(await placesAmong(db, rows, { table, tenant: appId, condition }));
          return rows.filter((_, place) => !places.has(place));
        },
        ...(count ? { also: count } : {}),
      });
      // It was replaced in between: its replacement is handled the next time.
      if (gone === undefined) isAgain = true;
      else total += gone;
      await db.caughtUp();
    }
  }
  return total;
}

/** Deletes the rows before an objectId. Returns their number. */
export async function forgetColdBefore(db: Database, scope: ColdScope, id: string): Promise<number> {
  let total = 0;
  for await (const head of allHeads(db, scope, { until: id })) {
    if (head.last_id < id) {
      if ((await deleteChunks(db, scope, [head])) > 0) total += Number(head.row_count);
    } else {
      const keep = async (rows: readonly Row[]) => rows.filter((row) => String(row['object_id']) >= id);
      total += (await replaceChunks(db, scope, { heads: [head], keep })) ?? 0;
    }
    await db.caughtUp();
  }
  return total;
}
