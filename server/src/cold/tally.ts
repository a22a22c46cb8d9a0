import { raw, sql } from '../base/sql.ts';
import { type ColdQuery, inTurn, mostTries, moving } from './read.ts';
import { placesIn } from './shadow.ts';
import { type ChunkHead, isUnpacked, loadChunk, within } from './store.ts';
import { mayHave } from './summaries.ts';

/** So many rows have these texts. */
export interface Tally {
  /** In the order of the columns. */
  readonly texts: readonly (string | null)[];
  readonly n: number;
}

/** Counts the matching rows, stored and packed, by some columns with texts. @throws Failure Timeout */
export async function tallyCold(query: ColdQuery, columns: readonly string[]): Promise<readonly Tally[]> {
  for (let left = mostTries; left > 0; left--) {
    const tallies = await tallyOnce(query, columns);
    if (tallies) return tallies;
  }
  throw moving();
}

/** Undefined if a chunk was replaced meanwhile. */
async function tallyOnce(query: ColdQuery, columns: readonly string[]): Promise<readonly Tally[] | undefined> {
  const { db, table, appId, condition, range } = query;
  const own = raw(columns.join(', '));
  const none = raw(columns.map(() => 'null').join(', '));
  type StoredTally = Readonly<Record<string, string | null>> & { readonly n: number };
  // One statement sees one state: no row is in both, and none in neither.
  const rows = await db.all<StoredTally & Partial<ChunkHead>>(
    sql`select ${own}, count(*) as n, null as object_id, null as first_id, null as last_id, 0 as row_count
      from ${raw(table.name)} where ${condition} group by ${own}
      union all select ${none}, 0, object_id, first_id, last_id, row_count from cold_chunks
      where ${within({ appId, table }, range)}`,
    { tenant: appId },
  );
  const tallies = new Map<string, { readonly texts: readonly (string | null)[]; n: number }>();
  const add = (texts: readonly (string | null)[], n: number) => {
    const key = JSON.stringify(texts);
    const known = tallies.get(key) ?? { texts, n: 0 };
    known.n += n;
    tallies.set(key, known);
  };
  const heads: ChunkHead[] = [];
  for (const row of rows) {
    if (row.object_id == null)
      add(
        columns.map((name) => row[name] ?? null),
        Number(row.n),
      );
    else if (!isUnpacked(row as ChunkHead)) heads.push(row as ChunkHead);
  }
  for await (const head of mayHave(db, query, heads, query)) {
    const isThere = await inTurn(appId, async () => {
      const chunk = await loadChunk(db, query, head);
      if (!chunk) return false;
      const cells = await Promise.all(columns.map((name) => chunk.column(name)));
      for await (const places of placesIn(db, chunk, { table, tenant: appId, condition }))
        for (const place of places)
          add(
            cells.map((column) => (column[place] ?? null) as string | null),
            1,
          );
      return true;
    });
    if (!isThere) return undefined;
  }
  return [...tallies.values()];
}
