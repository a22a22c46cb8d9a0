import type { Database, Db, Row } from '../db/db.ts';
import { replaceChunks } from './pack.ts';
import { inTurn, mostTries, moving } from './read.ts';
import { allHeads, type ColdScope, hasChunks, isUnpacked, loadChunk } from './store.ts';
import { mayHave, type Sought } from './summaries.ts';

/** Changes packed rows: their chunk is replaced by one in which they are different. They stay packed. */

export interface Change extends ColdScope {
  /** Of which rows. */
  readonly ids: readonly string[];
  /** None of them is in a chunk that has not what each of these seeks. */
  readonly values: readonly Sought[];
  /** The row as it shall be, the same object if it is already; undefined: it is not meant. */
  readonly change: (row: Row) => Row | undefined;
  /** Called in the transaction that changes some, with their ids. */
  readonly also: (db: Db, ids: readonly string[]) => Promise<void>;
}

/** Answers the ids that are packed and meant. @throws Failure Timeout while they are being moved */
export async function changeCold(db: Database, change: Change): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (!(await hasChunks(db, change))) return found;
  for (const id of change.ids) {
    // Several are mostly in one chunk, which is replaced once.
    if (found.has(id)) continue;
    for (let left = mostTries; ; left--) {
      if (left === 0) throw moving();
      const some = await changeAround(db, change, id);
      if (some === undefined) continue;
      for (const one of some) found.add(one);
      break;
    }
  }
  return found;
}

/** Of the rows that are in one chunk with this one; undefined if others have replaced it meanwhile. */
async function changeAround(db: Database, change: Change, id: string): Promise<readonly string[] | undefined> {
  for await (const heads of allHeads(db, change, { from: id, until: id }))
    for await (const head of mayHave(db, change, heads, change)) {
      if (isUnpacked(head)) continue;
      const found = await inTurn(change.appId, async () => {
        const chunk = await loadChunk(db, change, head);
        if (!chunk) return undefined;
        const all = await chunk.column('object_id');
        const asked = new Set<unknown>(change.ids);
        const places = all.flatMap((one, place) => (asked.has(one) ? place : []));
        const rows = (await chunk.rows(places)).filter((row) => change.change(row) !== undefined);
        const changing = rows.filter((row) => change.change(row) !== row).map((row) => String(row['object_id']));
        if (changing.length > 0) {
          const ids = new Set(changing);
          const done = await replaceChunks(db, change, {
            heads: [head],
            keep: async (rows) =>
              rows.map((row) => (ids.has(String(row['object_id'])) ? (change.change(row) ?? row) : row)),
            also: (db) => change.also(db, changing),
          });
          if (done === undefined) return undefined;
        }
        return rows.map((row) => String(row['object_id']));
      });
      if (found === undefined) return undefined;
      if (found.includes(id)) return found;
    }
  return [];
}
