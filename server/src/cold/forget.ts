import type { Sql } from '../base/sql.ts';
import type { Database, Db, Row } from '../db/db.ts';
import { replaceChunks } from './pack.ts';
import { placesAmong } from './shadow.ts';
import { allHeads, type ColdScope, deleteChunks, hasChunks } from './store.ts';
import { mayHave, type Sought } from './summaries.ts';

/** Deletes packed rows: their chunk is replaced by one without them, so that no byte of them is left. */

export interface Forgotten extends ColdScope {
  /** Which rows, with the condition on the app. */
  readonly condition: Sql;
  /** It is true of no row that has not what each of them seeks. */
  readonly values: readonly Sought[];
  /** In the transaction that deletes some, told how many. */
  readonly count?: (db: Db, gone: number) => Promise<void>;
}

/**
 * Deletes stored rows with `stored`, then those that are packed, if any may be. A row that is packed meanwhile is found there; those that are
 * unpacked meanwhile, by what deletes the stored ones once more.
 */
export async function forgetBoth(db: Database, forgotten: Forgotten, stored: () => Promise<unknown>): Promise<void> {
  const isCold = forgotten.table.packed !== undefined;
  const hadSome = isCold && (await hasChunks(db, forgotten));
  await stored();
  if (!isCold) return;
  await forgetCold(db, forgotten);
  if (hadSome) await stored();
}

/** Returns the number of deleted rows. */
export async function forgetCold(db: Database, forgotten: Forgotten): Promise<number> {
  const { count, values, condition, table, appId } = forgotten;
  let total = 0;
  for (let isAgain = true; isAgain; ) {
    isAgain = false;
    for await (const heads of allHeads(db, forgotten))
      for await (const head of mayHave(db, forgotten, heads, { values })) {
        const gone = await replaceChunks(db, forgotten, {
          heads: [head],
          async keep(rows) {
            const places = new Set(await placesAmong(db, rows, { table, tenant: appId, condition }));
            return rows.filter((_, place) => !places.has(place));
          },
          ...(count ? { also: count } : {}),
        });
        // Replaced by others meanwhile: what is in its place is looked at next time.
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
  for await (const heads of allHeads(db, scope, { until: id }))
    for (const head of heads) {
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
