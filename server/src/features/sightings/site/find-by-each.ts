import { joinSql, type Sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';

/** Lists are cut and padded to a few lengths, so that a few prepared statements serve all batches. */
const lengths = [1, 4, 16, 64] as const;

/** Runs one statement for each up to 64 items and joins the rows. `condition` is repeated with `or` for each item. */
export async function findByEach<T extends object, Item>(
  db: Db,
  items: readonly Item[],
  condition: (item: Item) => Sql,
  select: (conditions: Sql) => Sql,
): Promise<T[]> {
  const found: T[] = [];
  for (let start = 0; start < items.length; start += 64) {
    const part = items.slice(start, start + 64);
    const length = lengths.find((candidate) => candidate >= part.length) ?? 64;
    const conditions = Array.from({ length }, (_, index) => condition(part[Math.min(index, part.length - 1)] as Item));
    found.push(...(await db.all<T>(select(joinSql(conditions, ' or ')))));
  }
  return found;
}
