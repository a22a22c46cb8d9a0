import { recordFolded, service } from '../../../access/audit.ts';
import { type AppPolicy, isForgetful, noDayMs, periodsOf } from '../../../access/policy.ts';
import { raw, type Sql, sql } from '../../../base/sql.ts';
import type { Database, Db } from '../../../db/db.ts';
import { deleteInSteps } from '../../../db/delete-in-steps.ts';
import { type DbTable, type RetentionRule, stepColumn } from '../../../db/table.ts';
import { timePrefix } from '../../../proximity/index.ts';
import { tryLockInstallation } from '../decide/installation-locks.ts';
import { visits } from '../traces/visits.ts';

/** What is older than the app keeps it goes, a few hundred rows a transaction. */

const dayMs = 86_400_000;
/** After this long an absence, the count of visits starts again at one. */
export const presenceDays = 400;

export interface RetainedApp {
  readonly appId: string;
  readonly policy: AppPolicy;
}

/** Deletes what has had its time, of the tables that say how long their rows are kept. */
export async function purgeTraces(
  db: Database,
  tables: readonly DbTable[],
  { appId, policy, now }: RetainedApp & { readonly now: number },
): Promise<Purged> {
  const purged: Record<string, number> = {};
  for (const table of tables) {
    const { name, kept } = table;
    if (!kept) continue;
    // Visits that are kept for no day are counted as they go.
    if (name === visits.table.name && policy.retentionDays.visits === 0) continue;
    const old = olderThan(kept, now - Math.max(daysOf(kept, policy) * dayMs, kept.atLeastMs ?? 0));
    const scope = sql`app_id = ${appId} and ${old} and ${raw(kept.only ?? '1 = 1')}`;
    const count = await deleteInSteps(db, { table: name, id: stepColumn(table), scope });
    // What only the engine keeps nobody would look for.
    if (count > 0 && typeof kept.days === 'string') purged[name] = count;
  }
  return purged;
}

/** Ids begin with the time, so that what is old is one range of the primary key. */
const olderThan = ({ by }: RetentionRule, before: number): Sql =>
  by === undefined ? sql`object_id < ${timePrefix(before)}` : sql`${raw(by)} < ${before}`;

function daysOf({ days }: RetentionRule, policy: AppPolicy): number {
  if (typeof days === 'number') return days;
  const ofPolicy = (periodsOf(policy) as Readonly<Record<string, number>>)[days];
  if (ofPolicy === undefined) throw new Error(`The policy of an app does not say how many days it keeps ${days}.`);
  return ofPolicy;
}

/** How many records of each kind were deleted. */
export type Purged = Readonly<Record<string, number>>;

function sum(a: Purged, b: Purged): Purged {
  const tables = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(tables.map((table) => [table, (a[table] ?? 0) + (b[table] ?? 0)]));
}

const pageSize = 500;

/** How long the samples of an installation are kept at least; a later one is from before what is known. */
export const trackDays = 3;

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

/**
 * The signals behind visits that are kept for no day, and what was answered to a delivery in case it is sent again. Decisions leave
 * these signals alone (`lateMs`).
 */
async function purgeSignals(db: Database, appId: string, now: number): Promise<void> {
  const before = now - noDayMs;
  const scope = sql`app_id = ${appId} and started_at < ${before}`;
  await deleteInSteps(db, { table: 'track_samples', id: 'started_at', scope });
  await db.run(sql`update sighting_keys set answer = null
    where app_id = ${appId} and created_at < ${before} and answer is not null`);
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

/** So late a visit may be reported to be counted where visits are kept for no day. */
const lateVisitDays = 3;

/**
 * From when on all visits are there after a purge (ms). What goes is told by the objectId, whose time may be some hours from when the
 * visit began.
 */
function allKeptSince({ policy }: RetainedApp, now: number): number {
  if (policy.retentionDays.visits === 0) return now - lateVisitDays * dayMs;
  const kept = policy.retentionDays.visits * dayMs;
  return now - kept + Math.min(dayMs, kept / 2);
}

export interface Retention {
  /** To be called now and then; presences are looked through once a day. */
  sweep(): Promise<void>;
}

export function createRetention(deps: {
  readonly db: Database;
  readonly now: () => number;
  /** Every table that says how long its rows are kept, of all features. */
  readonly keptTables: readonly DbTable[];
  readonly listApps: () => Promise<readonly RetainedApp[]>;
  /** Told from when on (ms) all visits are there once the old ones are deleted, before they are; false: not yet. */
  readonly beforePurge?: (appId: string, visitsSince: number) => Promise<boolean>;
  /** Deletes visits that ended before a time (ms), counting them as they go; answers of how many. */
  readonly letGo?: (appId: string, before: number) => Promise<number>;
}): Retention {
  let lastWalk = 0;
  return {
    async sweep() {
      const now = deps.now();
      const isDaily = now - lastWalk >= dayMs;
      if (isDaily) lastWalk = now;
      for (const app of await deps.listApps()) {
        if ((await deps.beforePurge?.(app.appId, allKeptSince(app, now))) === false) continue;
        const aged = await purgeTraces(deps.db, deps.keptTables, { ...app, now });
        const gone = app.policy.retentionDays.visits === 0 ? await deps.letGo?.(app.appId, now - noDayMs) : 0;
        const purged = gone ? { ...aged, visits: gone } : aged;
        if (isForgetful(app.policy)) await purgeSignals(deps.db, app.appId, now);
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
