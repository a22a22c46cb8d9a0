import type { Database, Db } from '../../../db/db.ts';
import { addDays, addMonths, dateOf, dayStart, monthOf } from '../numbers/calendar.ts';
import { hasGone } from '../numbers/gone.ts';
import { loadPlaces } from '../numbers/places.ts';
import { findState, lockState, type StateRow } from '../numbers/store.ts';
import { visitorHash } from '../numbers/visitor-set.ts';
import * as store from './store.ts';
import { type Way, type WayKind, Ways, type WayVisit, waysOf } from './tours.ts';

/** Counts the ways of a day from its visits, and those of a month from its days. */

/** So long after a change: whoever walks around changes a day all the time. */
export const dayWaitMs = 30_000;
const monthWaitMs = 600_000;
/** So many different ways of a kind are kept of a day or month; the rarest are left out. */
const mostWays = 1_000;
/** Of paths, what is left out is counted together under this name. */
export const otherPaths = '*';

export interface WaysDeps {
  readonly db: Database;
  /** The visits that began in a stretch of time, many at a time, oldest first. */
  readonly visitsOf: (
    db: Db,
    asked: { readonly appId: string; readonly from: number; readonly until: number },
  ) => AsyncIterable<readonly WayVisit[]>;
  readonly now: () => number;
}

export function markDay(db: Db, { app_id: appId, time_zone: zone }: StateRow, at: number, now: number): Promise<void> {
  return store.markDue(db, { appId, span: 'day', startedAt: dayStart(dateOf(at, zone), zone) }, now + dayWaitMs);
}

/** Counts one day or month that is due at `until` (ms); false when none is. */
export async function countNext(deps: WaysDeps, appId: string, until: number): Promise<boolean> {
  const { db } = deps;
  const [due, state] = [await store.nextDue(db, appId, until), await findState(db, appId)];
  if (!due || !state) return false;
  // What was read before a change is not written: somebody else reads again.
  const rows = due.span === 'day' ? await ofDay(deps, state, due) : await ofMonth(deps, state, due);
  await db.transaction(async (db) => {
    const held = await lockState(db, appId);
    if (held === undefined || !(await store.settleDue(db, due))) return;
    // Another zone has other days, which are marked when they are counted.
    if (held.time_zone !== state.time_zone) return;
    // Of a day of which visits have gone because of their age, what was counted stays.
    if (due.span === 'day' && due.started_at < held.raw_since) return;
    const { from, until } = stretchOf(state, due);
    for (const kind of ['move', 'reach', 'path'] as const)
      await store.deleteWays(db, { appId, kind, span: due.span as store.DueSpan, from, until });
    if (due.span === 'day') await store.deleteWays(db, { appId, kind: 'peak', span: 'hour', from, until });
    // Visits that are kept for no day make no ways: those of half a day would look like those of the whole.
    const isWhole = due.span !== 'day' || !(await hasGone(db, appId, { from, until }));
    if (isWhole) await store.insertWays(db, rows);
    if (due.span === 'day') {
      const startedAt = dayStart(monthOf(dateOf(due.started_at, state.time_zone)), state.time_zone);
      await store.markDue(db, { appId, span: 'month', startedAt }, deps.now() + monthWaitMs);
    }
  });
  return true;
}

function stretchOf({ time_zone: zone }: StateRow, { span, started_at }: store.DueRow) {
  const date = dateOf(started_at, zone);
  const next = span === 'day' ? addDays(date, 1) : addMonths(date, 1);
  return { from: started_at, until: dayStart(next, zone) };
}

async function ofDay(deps: WaysDeps, state: StateRow, due: store.DueRow): Promise<store.NewWayRow[]> {
  const { app_id: appId, time_zone: zone, salt } = state;
  const visits: WayVisit[] = [];
  const stretch = stretchOf(state, due);
  for await (const page of deps.visitsOf(deps.db, { appId, ...stretch })) visits.push(...page);
  const places = await loadPlaces(deps.db, appId);
  const hashOf = (id: string) => visitorHash(salt, id);
  const until = Math.min(deps.now(), stretch.until);
  return rowsOf(await waysOf(visits, { zone, places, hashOf, until }), due);
}

async function ofMonth(deps: WaysDeps, state: StateRow, due: store.DueRow): Promise<store.NewWayRow[]> {
  const ways = new Ways();
  const { app_id: appId } = state;
  for (const kind of ['move', 'reach', 'path'] as const)
    for await (const row of store.readWays(deps.db, { appId, kind, span: 'day', ...stretchOf(state, due) }))
      addRow(ways, row);
  return rowsOf(ways, due);
}

export function addRow(ways: Ways, row: store.WayRow): void {
  const { kind, venue_id: venueId, place, tours, times, visitors } = row;
  const way = ways.of({ kind: kind as WayKind, hour: 0, venueId, place });
  way.tours += tours;
  way.times.addWritten(times);
  way.visitors.addWritten(visitors);
}

function rowsOf(ways: Ways, { app_id, span, started_at }: store.DueRow): store.NewWayRow[] {
  const rowOf = ({ kind, hour, venueId, place, tours, times, visitors }: Way) => ({
    app_id,
    kind,
    span: kind === 'peak' ? 'hour' : span,
    started_at: kind === 'peak' ? hour : started_at,
    venue_id: venueId,
    place,
    tours,
    times: times.write(),
    visitors: visitors.write(),
  });
  return [...Map.groupBy(ways.all(), ({ kind }) => kind).values()].flatMap((ofKind) => kept(ofKind).map(rowOf));
}

/** The commonest ways of a kind; of paths the others together. */
function kept(ways: readonly Way[]): readonly Way[] {
  if (ways[0]?.kind === 'peak') return ways;
  const sorted = ways.toSorted((a, b) => b.tours - a.tours || (a.place < b.place ? -1 : 1));
  const isOther = ({ place }: Way) => place === otherPaths;
  const [common, rare] = [sorted.filter((way) => !isOther(way)), sorted.filter(isOther)];
  rare.push(...common.slice(mostWays));
  if (ways[0]?.kind !== 'path') return common.slice(0, mostWays);
  const others = new Ways();
  for (const { venueId, tours, visitors } of rare) {
    const other = others.of({ kind: 'path', hour: 0, venueId, place: otherPaths });
    other.tours += tours;
    other.visitors.addWritten(visitors.write());
  }
  return [...common.slice(0, mostWays), ...others.all()];
}
