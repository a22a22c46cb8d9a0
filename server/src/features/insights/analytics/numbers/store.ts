import { randomBytes } from 'node:crypto';
import { listsSql, raw, type Sql, sql, unionAll } from '../../../../base/sql.ts';
import { readPages } from '../../../../base/work-slices.ts';
import { bulkInsert } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import type { NewRowOf, RowOf } from '../../../../db/table.ts';
import { Blur } from '../../../blur.ts';
import { firstVisits, rollupStates, visitRollups } from './tables.ts';

/** SQL and what it says. */

/**
 * Rows of each beacon, of the total, and of each zone, floor and venue, whose id is then in `beacon_id`. Months, the past part of the
 * current month, and years are added up some minutes later; see ADR 33.
 */
const spans = [
  'hour',
  'day',
  'allHour',
  'allDay',
  'zoneHour',
  'zoneDay',
  'floorHour',
  'floorDay',
  'venueHour',
  'venueDay',
  'month',
  'allMonth',
  'zoneMonth',
  'floorMonth',
  'venueMonth',
  'part',
  'allPart',
  'zonePart',
  'floorPart',
  'venuePart',
  'year',
  'allYear',
  'zoneYear',
  'floorYear',
  'venueYear',
] as const;
const placeSpans = spans.slice(4, 10);
export type RollupSpan = (typeof spans)[number];
export const placeDimensions = ['zone', 'floor', 'venue'] as const;
export type PlaceDimension = (typeof placeDimensions)[number];
export type RollupRow = RowOf<typeof visitRollups>;
export type StateRow = RowOf<typeof rollupStates>;
export type FirstRow = Omit<RowOf<typeof firstVisits>, 'app_id'>;

const rollupStateRows = rowsOf(rollupStates);

/** Locks how the app is counted: nobody else counts it until the transaction ends. */
export const lockState = rollupStateRows.lock('app_id');
export const findState = rollupStateRows.find('app_id');

/** The noise and rounding of an app's protected counts. */
export async function findBlur(db: Db, appId: string): Promise<Blur> {
  return new Blur((await findState(db, appId))?.salt ?? saltOfUncounted);
}

/** For an app whose visits have not been counted yet. An empty salt could be guessed. */
const saltOfUncounted = randomBytes(16).toString('base64url');

/** Whether everything has been counted that is there, in the present zone. */
export const isCounted = (state: StateRow | undefined, zone: string): boolean =>
  state?.counted_until === null && state.placed_until === null && state.time_zone === zone;

export function listStates(db: Db): Promise<StateRow[]> {
  return db.all<StateRow>(sql`select * from rollup_states`);
}

export const createState = rollupStateRows.add;
export const changeState = rollupStateRows.write;

const newRollups = bulkInsert(visitRollups, {
  conflict: raw(`on conflict (app_id, span, started_at, beacon_id) do update set visits = excluded.visits,
    newcomers = excluded.newcomers, ended = excluded.ended, dwell_ms = excluded.dwell_ms, dwells = excluded.dwells,
    visitors = excluded.visitors`),
});

/** Rows take the place of those of the same key; one without visits goes. */
export async function saveRollups(db: Db, rows: readonly NewRowOf<typeof visitRollups>[]): Promise<void> {
  await newRollups.run(
    db,
    rows.filter(({ visits }) => visits > 0),
  );
  for (const row of rows.filter(({ visits }) => visits === 0)) await deleteRollup(db, row);
}

export async function deleteRollup(
  db: Db,
  row: Pick<RollupRow, 'app_id' | 'span' | 'started_at' | 'beacon_id'>,
): Promise<void> {
  await db.run(sql`delete from visit_rollups where app_id = ${row.app_id} and span = ${row.span}
    and started_at = ${row.started_at} and beacon_id = ${row.beacon_id}`);
}

export interface RollupStretch {
  readonly appId: string;
  readonly span: RollupSpan;
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
}

export function rollupsOf(db: Db, { appId, span, from, until }: RollupStretch): Promise<RollupRow[]> {
  return db.all<RollupRow>(sql`select * from visit_rollups
    where app_id = ${appId} and span = ${span} and started_at >= ${from} and started_at < ${until}`);
}

export type DwellRow = Pick<RollupRow, 'started_at' | 'beacon_id' | 'ended' | 'dwells'> &
  Partial<Pick<RollupRow, 'visitors'>>;

/**
 * How long visits took at each zone on several days, with one statement; the visitors, which are most of a row, only where they are asked
 * for. Of few days, since all rows come at once.
 */
export async function zoneDwellsDuring(
  db: Db,
  { appId, withVisitors }: { readonly appId: string; readonly withVisitors: boolean },
  days: readonly { readonly from: number; readonly until: number }[],
): Promise<readonly DwellRow[]> {
  if (days.length === 0) return [];
  const columns = raw(withVisitors ? ', visitors' : '');
  const ofDays = days.map(
    ({ from, until }) => sql`select started_at, beacon_id, ended, dwells${columns} from visit_rollups
      where app_id = ${appId} and span = 'zoneDay' and started_at >= ${from} and started_at < ${until}`,
  );
  return db.all<DwellRow>(unionAll(ofDays), { tenant: appId });
}

export function readRollups(
  db: Db,
  { appId, span, from, until }: RollupStretch,
  beaconId: string | undefined,
): AsyncGenerator<RollupRow> {
  const place: Sql = beaconId === undefined ? sql`` : sql`and beacon_id = ${beaconId}`;
  return readPages(pageSize, (last?: RollupRow) => {
    // The smallest text after this one.
    const [startedAt, after] = last ? [last.started_at, `${last.beacon_id}\u0001`] : [from, ''];
    return db.all<RollupRow>(
      sql`select * from visit_rollups where app_id = ${appId} and span = ${span} and started_at < ${until}
        and (started_at, beacon_id) >= (${startedAt}, ${after}) ${place} order by started_at, beacon_id limit ${pageSize}`,
      { tenant: appId },
    );
  });
}

/** Rows in one read; a row has up to 16 kB. */
const pageSize = 500;

/** All rows of a stretch of time, or only those of hours and days of zones, floors and venues, or of these spans. */
export async function deleteRollups(
  db: Db,
  { appId, from, until }: { readonly appId: string; readonly from: number; readonly until: number },
  which: 'all' | 'places' | readonly RollupSpan[] = 'all',
): Promise<void> {
  for (const span of which === 'all' ? spans : which === 'places' ? placeSpans : which)
    await db.run(sql`delete from visit_rollups
      where app_id = ${appId} and span = ${span} and started_at >= ${from} and started_at < ${until}`);
}

/** The beginnings of those months in a stretch of time that have been added up. */
export async function addedMonths(
  db: Db,
  { appId, from, until }: Omit<RollupStretch, 'span'>,
): Promise<ReadonlySet<number>> {
  const rows = await db.all<{ started_at: number }>(sql`select started_at from visit_rollups
    where app_id = ${appId} and span = 'allMonth' and started_at >= ${from} and started_at < ${until}`);
  return new Set(rows.map(({ started_at }) => started_at));
}

/** When the first hour or day at `from` (ms) or later began that has a row: those of days counted in another zone too. */
export async function nextRollup(
  db: Db,
  appId: string,
  from: number,
  among: readonly RollupSpan[] = spans,
): Promise<number | undefined> {
  const found = await Promise.all(
    among.map((span) =>
      db.one<{ started_at: number }>(sql`select started_at from visit_rollups
        where app_id = ${appId} and span = ${span} and started_at >= ${from} order by started_at limit 1`),
    ),
  );
  const first = Math.min(...found.map((row) => row?.started_at ?? Number.POSITIVE_INFINITY));
  return first === Number.POSITIVE_INFINITY ? undefined : first;
}

export async function findFirsts(db: Db, appId: string, ids: readonly string[]): Promise<Map<string, FirstRow>> {
  const found = new Map<string, FirstRow>();
  for (const list of listsSql(ids)) {
    const rows = await db.all<FirstRow>(sql`select installation_id, beacon_id, entered_at from first_visits
      where app_id = ${appId} and installation_id in (${list})`);
    for (const row of rows) found.set(row.installation_id, row);
  }
  return found;
}

/** Values in one statement, always the same number, so that the statement has one text. */
const newFirsts = bulkInsert(firstVisits, {
  conflict: raw(`on conflict (app_id, installation_id) do update set beacon_id = excluded.beacon_id,
    entered_at = excluded.entered_at`),
});

export async function saveFirsts(db: Db, appId: string, rows: readonly FirstRow[]): Promise<void> {
  await newFirsts.run(
    db,
    rows.map((row) => ({ ...row, app_id: appId })),
  );
}

const firstVisitRows = rowsOf(firstVisits);
export const deleteFirst = firstVisitRows.remove('app_id', 'installation_id');

/** The first visits that began at this time and beacon. */
export async function firstsAt(
  db: Db,
  { appId, beaconId, from, until }: Omit<RollupStretch, 'span'> & { readonly beaconId: string },
): Promise<number[]> {
  const rows = await db.all<{ entered_at: number }>(sql`select entered_at from first_visits
    where app_id = ${appId} and beacon_id = ${beaconId} and entered_at >= ${from} and entered_at < ${until}`);
  return rows.map(({ entered_at }) => entered_at);
}
