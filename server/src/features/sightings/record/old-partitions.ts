import { raw } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import { dropPartitions, type Partition, partitionsOlderThan } from '../../../db/partitions.ts';
import type { DbTable } from '../../../db/table.ts';
import { visits } from '../traces/visits.ts';
import { keptSince, type Purged, type RetainedApp } from './kept.ts';

/** Drops whole months that are too old for every app, if tables are partitioned (ADR 69). */

interface Aged {
  /** All that there are. */
  readonly apps: readonly RetainedApp[];
  readonly tables: readonly DbTable[];
  readonly now: number;
}

interface Content {
  readonly app_id: string;
  readonly n: number;
  /** Rows that stay, however old they are. */
  readonly held: number;
}

/** Answers how many rows of each kind each app has lost. */
export async function dropOldPartitions(
  db: Database,
  { apps, tables, now }: Aged,
): Promise<ReadonlyMap<string, Purged>> {
  const purged = new Map<string, Record<string, number>>();
  if (apps.length === 0) return purged;
  for (const table of tables) {
    const { kept, name } = table;
    if (!kept) continue;
    const since = Math.min(...apps.map(({ policy }) => keptSince(kept, policy, now)));
    const old = await partitionsOlderThan(db, name, since);
    const counts = await contentOf(db, table, { old, apps });
    // The first partition is there always, and mostly empty.
    if (counts.length === 0 || (counts.length === 1 && counts[0]?.size === 0)) continue;
    await dropPartitions(db, name, old.slice(0, counts.length));
    for (const [appId, n] of counts.flatMap((count) => [...count])) {
      const own = purged.get(appId) ?? {};
      own[name] = (own[name] ?? 0) + n;
      purged.set(appId, own);
    }
  }
  return purged;
}

/** How many rows of each app are in each of the partitions, up to the first one that has to stay for a while. */
async function contentOf(
  db: Database,
  { name, kept }: DbTable,
  { old, apps }: { readonly old: readonly Partition[]; readonly apps: readonly RetainedApp[] },
): Promise<ReadonlyMap<string, number>[]> {
  // Visits with zero retention are counted as they are deleted, one by one.
  const isCounted = ({ policy }: RetainedApp) => name === visits.table.name && policy.retentionDays.visits === 0;
  const counted = new Set(apps.filter(isCounted).map(({ appId }) => appId));
  const counts: ReadonlyMap<string, number>[] = [];
  for (const partition of old) {
    const content = raw(`select app_id, count(*) as n, sum(case when ${kept?.only ?? '1 = 1'} then 0 else 1 end) as held
      from ${partition.name} group by app_id`);
    const rows = await db.longTransaction((db) => db.all<Content>(content));
    if (rows.some(({ app_id, held }) => Number(held) > 0 || counted.has(app_id))) break;
    counts.push(new Map(rows.map(({ app_id, n }) => [app_id, Number(n)])));
  }
  return counts;
}
