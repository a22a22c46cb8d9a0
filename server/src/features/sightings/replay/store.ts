import { type Firing, type PresenceEvent, timePrefix } from '@pharos/engine';
import { joinSql, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import { type ToldEventRow, toEvent } from '../traces/told-store.ts';
import type { ruleReplays } from './tables.ts';

export type ReplayRow = RowOf<typeof ruleReplays>;

export async function insertReplay(db: Db, row: ReplayRow): Promise<void> {
  await db.run(sql`insert into rule_replays
    (app_id, object_id, asked, state, done_to, judged, installations, result, created_at, updated_at)
    values (${row.app_id}, ${row.object_id}, ${row.asked}, ${row.state}, ${row.done_to}, ${row.judged},
      ${row.installations}, ${row.result}, ${row.created_at}, ${row.updated_at})`);
}

export function findReplay(db: Db, appId: string, objectId: string): Promise<ReplayRow | undefined> {
  return db.one<ReplayRow>(sql`select * from rule_replays where app_id = ${appId} and object_id = ${objectId}`);
}

export async function countUnfinished(db: Db, appId: string): Promise<number> {
  const row = await db.one<{ n: number }>(
    sql`select count(*) as n from rule_replays where app_id = ${appId} and state in ('waiting', 'running')`,
  );
  return Number(row?.n ?? 0);
}

/** False when it was cancelled or has ended meanwhile. */
export async function saveProgress(db: Db, row: ReplayRow): Promise<boolean> {
  const changed = await db.run(sql`update rule_replays set state = ${row.state}, done_to = ${row.done_to},
    judged = ${row.judged}, installations = ${row.installations}, result = ${row.result}, updated_at = ${row.updated_at}
    where app_id = ${row.app_id} and object_id = ${row.object_id} and state in ('waiting', 'running')`);
  return changed > 0;
}

export async function endReplay(
  db: Db,
  {
    appId,
    objectId,
    state,
    now,
  }: {
    readonly appId: string;
    readonly objectId: string;
    readonly state: 'cancelled' | 'failed';
    readonly now: number;
  },
): Promise<void> {
  await db.run(sql`update rule_replays set state = ${state}, updated_at = ${now}
    where app_id = ${appId} and object_id = ${objectId} and state in ('waiting', 'running')`);
}

export interface SampleStretch {
  readonly appId: string;
  readonly ids: readonly string[];
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
}

/** Ids begin with the time at which an event was first reported; corrections move it by less than the kept samples reach. */
const correctedMs = 2 * 86_400_000;

const correctedRange = ({ from, until }: Pick<SampleStretch, 'from' | 'until'>) => ({
  from: timePrefix(from - correctedMs),
  until: timePrefix(until + correctedMs),
});

const named = (ids: readonly string[]) =>
  joinSql(
    ids.map((id) => sql`${id}`),
    ', ',
  );

/** What happened to some installations, by installation and in order of time. */
export async function eventsOf(
  db: Db,
  { appId, ids, from, until }: SampleStretch,
): Promise<Map<string, PresenceEvent[]>> {
  const range = correctedRange({ from, until });
  const rows = await db.all<ToldEventRow & { readonly installation_id: string }>(
    sql`select * from events where app_id = ${appId} and installation_id in (${named(ids)})
      and object_id >= ${range.from} and object_id < ${range.until} and occurred_at >= ${from} and occurred_at < ${until}
      order by occurred_at, object_id`,
    { tenant: appId },
  );
  const found = new Map<string, PresenceEvent[]>();
  for (const row of rows) {
    const events = found.get(row.installation_id) ?? [];
    found.set(row.installation_id, events);
    events.push(toEvent(row, row.installation_id));
  }
  return found;
}

/** What was shown to them then, except for one trigger. */
export async function shownTo(
  db: Db,
  { appId, ids, from, until }: SampleStretch,
  except: string,
): Promise<Map<string, Firing[]>> {
  const range = correctedRange({ from, until });
  const rows = await db.all<{ installation_id: string; trigger_id: string; visit_id: string; decided_at: number }>(
    sql`select installation_id, trigger_id, visit_id, decided_at from verdicts
      where app_id = ${appId} and installation_id in (${named(ids)}) and object_id >= ${range.from}
        and object_id < ${range.until} and outcome = 'fired' and trigger_id <> ${except}`,
    { tenant: appId },
  );
  const found = new Map<string, Firing[]>();
  for (const { installation_id, trigger_id, visit_id, decided_at } of rows) {
    const firings = found.get(installation_id) ?? [];
    found.set(installation_id, firings);
    firings.push({ triggerId: trigger_id, visitId: visit_id, at: decided_at });
  }
  return found;
}

/** How often they had been at these beacons before, by installation and beacon. */
export async function visitsBefore(
  db: Db,
  { appId, ids, from }: SampleStretch,
  beaconIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.all<{ installation_id: string; beacon_id: string; n: number }>(
    sql`select installation_id, beacon_id, count(*) as n from visits
      where app_id = ${appId} and installation_id in (${named(ids)}) and entered_at < ${from}
      group by installation_id, beacon_id`,
    { tenant: appId },
  );
  const wanted = new Set(beaconIds);
  return new Map(
    rows
      .filter(({ beacon_id }) => wanted.has(beacon_id))
      .map(({ installation_id, beacon_id, n }) => [`${installation_id} ${beacon_id}`, Number(n)]),
  );
}
