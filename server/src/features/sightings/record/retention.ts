import { recordFolded, service } from '../../../access/audit.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import { type Sql, sql } from '../../../base/sql.ts';
import type { Database, Db } from '../../../db/db.ts';
import { deleteInSteps } from '../../../db/delete-in-steps.ts';
import { timePrefix } from '../../../proximity/index.ts';
import { tryLockInstallation } from '../decide/installation-locks.ts';

/** What is older than the app keeps it goes, a few hundred rows a transaction. */

const dayMs = 86_400_000;
/** The longest window of a cap or a cool-down is 30 days; a calendar day more for the site's time zone. */
const firingDays = 32;
/** A phone that was offline may send a batch once more after days. */
const keyDays = 7;
/** Who has not come for so long begins to count visits anew. */
const presenceDays = 400;

export interface RetainedApp {
  readonly appId: string;
  readonly policy: AppPolicy;
}

/** Deletes what has had its time. Ids begin with the time, so that each is one range of the primary key. */
export async function purgeTraces(db: Database, { appId, policy }: RetainedApp, now: number): Promise<Purged> {
  const { logs, visits, events } = policy.retentionDays;
  const olderThan = (days: number) => sql`app_id = ${appId} and object_id < ${timePrefix(now - days * dayMs)}`;
  const steps: readonly (readonly [table: string, id: string, scope: Sql])[] = [
    ['logs', 'object_id', olderThan(logs)],
    ['visits', 'object_id', sql`${olderThan(visits)} and is_open = 0`],
    ['events', 'object_id', olderThan(events)],
    ['verdicts', 'object_id', olderThan(events)],
    // Of those that are under way a push still counts them.
    ['deliveries', 'object_id', sql`${olderThan(events)} and state <> 'queued'`],
    ['firings', 'event_id', sql`app_id = ${appId} and fired_at < ${now - firingDays * dayMs}`],
    ['sighting_keys', 'sighting_key', sql`app_id = ${appId} and created_at < ${now - keyDays * dayMs}`],
  ];
  const purged: Record<string, number> = {};
  for (const [table, id, scope] of steps) {
    const count = await deleteInSteps(db, { table, id, scope });
    if (count > 0 && !internal.has(table)) purged[table] = count;
  }
  return purged;
}

/** How many records of each kind were deleted. */
export type Purged = Readonly<Record<string, number>>;

/** What only the engine keeps, which nobody would look for. */
const internal: ReadonlySet<string> = new Set(['firings', 'sighting_keys']);

function sum(a: Purged, b: Purged): Purged {
  const tables = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(tables.map((table) => [table, (a[table] ?? 0) + (b[table] ?? 0)]));
}

const pageSize = 500;

/** What an installation has sent is kept for so long at least; what comes later is from before what is known. */
const trackDays = 3;

interface Aged {
  readonly installation_id: string;
  readonly updated_at: number;
}

/** Walks over rows page by page, since no index knows which are old; meant for once a day. */
async function walkOld<T extends Aged & object>(
  { before, page: next }: { readonly before: number; page(last: T | undefined): Promise<T[]> },
  remove: (row: T) => Promise<void>,
): Promise<void> {
  let last: T | undefined;
  for (;;) {
    const page = await next(last);
    for (const row of page.filter(({ updated_at }) => updated_at < before)) await remove(row);
    last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
  }
}

/** How often somebody has come is forgotten after a year and more. */
export async function purgePresences(db: Db, appId: string, now: number): Promise<void> {
  const before = now - presenceDays * dayMs;
  await walkOld<Aged & { readonly beacon_id: string }>(
    {
      before,
      page: (last) =>
        db.all(sql`select installation_id, beacon_id, updated_at from presence
          where app_id = ${appId} and (installation_id, beacon_id) > (${last?.installation_id ?? ''}, ${last?.beacon_id ?? ''})
          order by installation_id, beacon_id limit ${pageSize}`),
    },
    async (row) => {
      await db.run(sql`delete from presence
        where app_id = ${appId} and installation_id = ${row.installation_id} and beacon_id = ${row.beacon_id}
          and updated_at < ${before}`);
    },
  );
}

/** Tracks of installations that have sent nothing for days and are nowhere, with their samples. */
export async function purgeTracks(db: Database, appId: string, now: number): Promise<void> {
  const before = now - trackDays * dayMs;
  await walkOld<Aged>(
    {
      before,
      page: (last) =>
        db.all(sql`select installation_id, updated_at from tracks
          where app_id = ${appId} and installation_id > ${last?.installation_id ?? ''}
          order by installation_id limit ${pageSize}`),
    },
    ({ installation_id: installationId }) =>
      db.transaction(async (db) => {
        if (!(await tryLockInstallation(db, appId, installationId))) return;
        const gone = await db.run(sql`delete from tracks where app_id = ${appId}
          and installation_id = ${installationId} and next_deadline is null and updated_at < ${before}`);
        if (gone === 0) return;
        await db.run(sql`delete from track_samples where app_id = ${appId} and installation_id = ${installationId}`);
      }),
  );
}

export interface Retention {
  /** To be called now and then; presences are looked through once a day. */
  sweep(): Promise<void>;
}

export function createRetention(deps: {
  readonly db: Database;
  readonly now: () => number;
  readonly listApps: () => Promise<readonly RetainedApp[]>;
}): Retention {
  let lastWalk = 0;
  return {
    async sweep() {
      const now = deps.now();
      const isDaily = now - lastWalk >= dayMs;
      if (isDaily) lastWalk = now;
      for (const app of await deps.listApps()) {
        const purged = await purgeTraces(deps.db, app, now);
        if (Object.keys(purged).length > 0)
          await recordFolded(deps.db, {
            change: { by: service, action: 'traces.purge', subject: app.appId, appId: app.appId, now },
            withinMs: dayMs,
            most: 10_000,
            fold: (earlier) => sum((earlier ?? {}) as Purged, purged),
          });
        if (!isDaily) continue;
        await purgePresences(deps.db, app.appId, now);
        await purgeTracks(deps.db, app.appId, now);
      }
    },
  };
}
