import { timePrefix } from '@pharos/engine';
import { isForgetful, noDayMs } from '@pharos/engine/decide';
import { recordFolded, service } from '../../../../access/audit.ts';
import { type AppPolicy, periodsOf } from '../../../../access/policy.ts';
import { raw, type Sql, sql } from '../../../../base/sql.ts';
import type { Database, Db } from '../../../../db/db.ts';
import { deleteInSteps } from '../../../../db/delete-in-steps.ts';
import { analyzePartitions, dropPartitions, type Partition, partitionsOlderThan } from '../../../../db/partitions.ts';
import { type DbTable, type RetentionRule, stepColumn } from '../../../../db/table.ts';
import type { JobHandler } from '../../../../jobs/job.ts';
import { Pace, sweepRest } from '../../../../jobs/pace.ts';
import type { Context } from '../../../context.ts';
import { forgetAnswers } from '../lock/fresh.ts';
import { tryLockInstallation } from '../lock/lock.ts';
import { newestSamples, presence, sightingKeys, trackSamples, tracks } from '../traces/tables.ts';
import { visits } from '../traces/visits.ts';

/** How long rows are kept. */

const dayMs = 86_400_000;

interface RetainedApp {
  readonly appId: string;
  readonly policy: AppPolicy;
}

/** Older rows go (ms). */
const keptSince = (kept: RetentionRule, policy: AppPolicy, now: number): number =>
  now - Math.max(daysOf(kept, policy) * dayMs, kept.atLeastMs ?? 0);

function daysOf({ days }: RetentionRule, policy: AppPolicy): number {
  if (typeof days === 'number') return days;
  const ofPolicy = (periodsOf(policy) as Readonly<Record<string, number>>)[days];
  if (ofPolicy === undefined) throw new Error(`The policy of an app does not say how many days it keeps ${days}.`);
  return ofPolicy;
}

/** How many records of each kind were deleted. */
type Purged = Readonly<Record<string, number>>;

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
async function dropOldPartitions(db: Database, { apps, tables, now }: Aged): Promise<ReadonlyMap<string, Purged>> {
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

/** Deletes what is older than the app's retention, a few hundred rows per transaction. */

/** After this long an absence, the count of visits starts again at one. */
export const presenceDays = 400;

/** Deletes expired rows of the tables that declare how long their rows are kept. */
async function purgeTraces(
  db: Database,
  tables: readonly DbTable[],
  { appId, policy, now }: RetainedApp & { readonly now: number },
): Promise<Purged> {
  const purged: Record<string, number> = {};
  for (const table of tables) {
    const { name, kept } = table;
    if (!kept) continue;
    // Visits with zero retention are counted as they are deleted.
    if (name === visits.table.name && policy.retentionDays.visits === 0) continue;
    const before = keptSince(kept, policy, now);
    const old = olderThan(kept, before);
    const scope = sql`app_id = ${appId} and ${old} and ${raw(kept.only ?? '1 = 1')}`;
    const count = await deleteInSteps(db, { table: name, id: stepColumn(table), scope });
    // Nobody would look for what only the engine keeps.
    if (count > 0 && typeof kept.days === 'string') purged[name] = count;
  }
  return purged;
}

/** Ids begin with the time, so that what is old is one range of the primary key. */
const olderThan = ({ by }: RetentionRule, before: number): Sql =>
  by === undefined ? sql`object_id < ${timePrefix(before)}` : sql`${raw(by)} < ${before}`;

function sum(a: Purged, b: Purged): Purged {
  const tables = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(tables.map((table) => [table, (a[table] ?? 0) + (b[table] ?? 0)]));
}

const pageSize = 500;

/** How long the samples of an installation are kept at least; a later one is from before what is known. */
export const trackDays = 3;

interface AgedRows {
  readonly installation_id: string;
  readonly updated_at: number;
}

/** Walks over rows page by page, since no index knows which are old; meant for once a day. */
async function walkOld<T extends AgedRows & object>(
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
 * The signals behind visits with zero retention, and the answers to batches in case these are sent again. Decisions leave
 * these signals alone (`lateMs`).
 */
async function purgeSignals(db: Database, appId: string, now: number): Promise<void> {
  const before = now - noDayMs;
  const scope = sql`app_id = ${appId} and started_at < ${before}`;
  await deleteInSteps(db, { table: 'track_samples', id: 'started_at', scope });
  const batches = sql`app_id = ${appId} and created_at < ${before}`;
  await deleteInSteps(db, { table: newestSamples.name, id: stepColumn(newestSamples), scope: batches });
  await db.run(sql`update sighting_keys set answer = null
    where app_id = ${appId} and created_at < ${before} and answer is not null`);
}

/** How often somebody has come is deleted after a year and more. */
async function purgePresences(db: Db, appId: string, now: number): Promise<void> {
  const before = now - presenceDays * dayMs;
  await walkOld<AgedRows & { readonly beacon_id: string }>(
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
async function purgeTracks(db: Database, appId: string, now: number): Promise<void> {
  const before = now - trackDays * dayMs;
  await walkOld<AgedRows>(
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
        for (const { name } of [trackSamples, newestSamples])
          await db.run(sql`delete from ${raw(name)} where app_id = ${appId} and installation_id = ${installationId}`);
      }),
  );
}

/** How late a visit may be reported to be counted if visits have zero retention. */
const lateVisitDays = 3;

/**
 * The time (ms) since which no visit has been purged. Visits are purged by objectId, whose time may differ from the beginning by some hours.
 */
function allKeptSince({ policy }: RetainedApp, now: number): number {
  if (policy.retentionDays.visits === 0) return now - lateVisitDays * dayMs;
  const kept = policy.retentionDays.visits * dayMs;
  return now - kept + Math.min(dayMs, kept / 2);
}

export interface Retention {
  /** To be called from time to time; presences are scanned once a day. */
  sweep(): Promise<void>;
  /** What is under way ends after the app that it is at. */
  stop(): void;
}

export interface RetentionDeps extends Pick<Context, 'db' | 'now' | 'keptTables' | 'appsWith'> {
  readonly listApps: () => Promise<readonly RetainedApp[]>;
  /** Apps with rows in these tables are passed to `beforePurge` even if none of their rows is old. */
  readonly countedTables?: readonly DbTable[];
  /** Told from when on (ms) all visits are there once the old ones are deleted, before they are; false: not yet. */
  readonly beforePurge?: (appId: string, visitsSince: number) => Promise<boolean>;
  /** Counts and deletes the visits that ended before a time (ms). Returns their number. */
  readonly letGo?: (appId: string, before: number) => Promise<number>;
}

/** The apps that may have old rows in a table, found without a question to those that have nothing. */
type OldRows = ReadonlyMap<DbTable, ReadonlySet<string>>;

async function findOld({ keptTables, appsWith }: RetentionDeps): Promise<OldRows> {
  const of = new Map<DbTable, ReadonlySet<string>>();
  for (const table of keptTables) if (table.kept) of.set(table, new Set(await appsWith(table)));
  return of;
}

/** The tables whose old rows go along with visits. */
const goesWithVisits = ({ kept }: DbTable) => kept?.days === 'visits';

export function createRetention(deps: RetentionDeps): Retention {
  const { db, appsWith, keptTables, countedTables = [] } = deps;
  let lastWalk = 0;
  /** When answers were last dropped (ms). */
  let lastForgotten = 0;
  let isStopped = false;

  async function forgetOldAnswers(apps: readonly RetainedApp[], now: number): Promise<void> {
    const since = Math.max(lastForgotten, now - dayMs);
    const having = new Set(await appsWith(sightingKeys));
    for (const { appId, policy } of apps.filter((app) => having.has(app.appId))) {
      // No message in them could be shown any more, so they are not needed; they are most of what a batch leaves.
      const shownMs = policy.pushTimeToLive * 1000;
      await forgetAnswers(db, { appId, from: since - shownMs, until: now - shownMs });
    }
    lastForgotten = now;
  }

  /** Tells of what is about to go. Answers the apps of which nothing may go yet. */
  async function announce(apps: readonly RetainedApp[], old: OldRows, now: number): Promise<ReadonlySet<string>> {
    const affected = new Set<string>();
    for (const [table, having] of old) if (goesWithVisits(table)) for (const appId of having) affected.add(appId);
    for (const table of countedTables) for (const appId of await appsWith(table)) affected.add(appId);
    const refused = new Set<string>();
    const pace = new Pace({ rest: sweepRest });
    for (const app of apps.filter(({ appId }) => affected.has(appId))) {
      if (isStopped || (await deps.beforePurge?.(app.appId, allKeptSince(app, now))) === false) refused.add(app.appId);
      if (!isStopped) await pace.rest();
    }
    return refused;
  }

  async function purge(app: RetainedApp, old: OldRows, now: number): Promise<Purged> {
    const having = keptTables.filter((table) => old.get(table)?.has(app.appId));
    const aged = await purgeTraces(db, having, { ...app, now });
    if (app.policy.retentionDays.visits !== 0 || !having.some(({ name }) => name === visits.table.name)) return aged;
    const gone = await deps.letGo?.(app.appId, now - noDayMs);
    return gone ? { ...aged, visits: gone } : aged;
  }

  /** Adds up what has gone of an app in a day. */
  const record = (appId: string, purged: Purged, now: number) =>
    recordFolded(db, {
      change: { by: service, action: 'traces.purge', subject: appId, appId, now },
      withinMs: dayMs,
      most: 10_000,
      fold: (earlier) => sum((earlier ?? {}) as Purged, purged),
    });

  /** The apps of which there is something in any of these tables. */
  const havingAny = async (first: DbTable, second: DbTable) =>
    new Set([...(await appsWith(first)), ...(await appsWith(second))]);

  return {
    stop() {
      isStopped = true;
    },
    async sweep() {
      const now = deps.now();
      const isDaily = now - lastWalk >= dayMs;
      if (isDaily) lastWalk = now;
      const apps = await deps.listApps();
      await forgetOldAnswers(apps, now);
      const old = await findOld(deps);
      const refused = await announce(apps, old, now);
      // What is too old for every app is dropped at once, if it is in partitions.
      const whole = refused.size === 0 ? await dropOldPartitions(db, { tables: keptTables, apps, now }) : undefined;
      const [withSignals, withWalks] = [
        apps.some(({ policy }) => isForgetful(policy)) ? await havingAny(trackSamples, sightingKeys) : new Set(),
        isDaily ? await havingAny(presence, tracks) : new Set(),
      ];
      const having = new Set([...withSignals, ...withWalks, ...(whole?.keys() ?? [])]);
      for (const ofTable of old.values()) for (const appId of ofTable) having.add(appId);
      const pace = new Pace({ rest: sweepRest });
      for (const app of apps.filter(({ appId }) => having.has(appId) && !refused.has(appId))) {
        if (isStopped) return;
        const { appId, policy } = app;
        const purged = sum(whole?.get(appId) ?? {}, await purge(app, old, now));
        if (withSignals.has(appId) && isForgetful(policy)) await purgeSignals(db, appId, now);
        if (Object.keys(purged).length > 0) await record(appId, purged, now);
        if (withWalks.has(appId)) {
          await purgePresences(db, appId, now);
          await purgeTracks(db, appId, now);
        }
        await pace.rest();
      }
      if (isDaily) await analyzePartitions(db);
    },
  };
}

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

export type TraceErasureDeps = Pick<Context, 'db' | 'traceTables'>;

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
