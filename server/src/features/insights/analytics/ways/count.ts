import type { Db } from '../../../../db/db.ts';
import type { Context } from '../../../context.ts';
import { addDays, dateOf, dayStart } from '../numbers/calendar.ts';
import { hasGone } from '../numbers/gone.ts';
import { loadPlaces } from '../numbers/places.ts';
import { findState, lockState, type StateRow } from '../numbers/store.ts';
import { visitorHash } from '../numbers/visitor-set.ts';
import { addUpDue, markMonth, preparedWaitMs } from './add-up.ts';
import { rowsOf } from './rows.ts';
import * as store from './store.ts';
import { type CountedVisit, peakKinds, waysOf } from './tours.ts';

/** Counts the ways of a day from its visits. */

/** The delay after a change: whoever walks around changes the day all the time. */
export const dayWaitMs = 30_000;

export type WaysDeps = Pick<Context, 'db' | 'now' | 'visitChanges'>;

export function markDay(db: Db, { app_id: appId, time_zone: zone }: StateRow, at: number, now: number): Promise<void> {
  return store.markDue(db, { appId, span: 'day', startedAt: dayStart(dateOf(at, zone), zone) }, now + dayWaitMs);
}

/** Counts one day, or adds up one month or year, that is due at `until` (ms); false when none is. */
export async function countNext(deps: WaysDeps, appId: string, until: number): Promise<boolean> {
  const { db, now } = deps;
  const due = await store.nextDue(db, appId, { until, preparedUntil: Math.min(until, now() + preparedWaitMs) });
  const state = await findState(db, appId);
  if (!due || !state) return false;
  if (due.span === 'day') await countDay(deps, state, due);
  else await addUpDue(deps, state, due);
  return true;
}

async function countDay(deps: WaysDeps, state: StateRow, due: store.DueRow): Promise<void> {
  const { app_id: appId } = state;
  // What was read before a change is not written: somebody else reads again.
  const rows = await ofDay(deps, state, due);
  await deps.db.transaction(async (db) => {
    const held = await lockState(db, appId);
    if (held === undefined || !(await store.settleDue(db, due))) return;
    // Another zone has other days, which are marked when they are counted.
    if (held.time_zone !== state.time_zone) return;
    // Zones of its days may have been added up again anyway.
    await markMonth(db, state, due.started_at, deps.now());
    // Of a day of which visits have gone because of their age, what was counted stays.
    if (due.started_at < held.raw_since) return;
    const { from, until } = dayAround(state, due);
    for (const kind of ['move', 'reach', 'path'] as const)
      await store.deleteWays(db, { appId, kind, span: 'day', from, until });
    for (const kind of peakKinds) await store.deleteWays(db, { appId, kind, span: 'hour', from, until });
    // Visits that are kept for no day make no ways: those of half a day would look like those of the whole.
    if (!(await hasGone(db, appId, { from, until }))) await store.insertWays(db, rows);
  });
}

function dayAround({ time_zone: zone }: StateRow, { started_at: from }: store.DueRow) {
  return { from, until: dayStart(addDays(dateOf(from, zone), 1), zone) };
}

async function ofDay(deps: WaysDeps, state: StateRow, due: store.DueRow): Promise<store.NewWayRow[]> {
  const { app_id: appId, time_zone: zone, salt } = state;
  const visits: CountedVisit[] = [];
  const stretch = dayAround(state, due);
  for await (const page of deps.visitChanges.visitsInOrder(deps.db, { appId, ...stretch })) visits.push(...page);
  const places = await loadPlaces(deps.db, appId);
  const hashOf = (id: string) => visitorHash(salt, id);
  const until = Math.min(deps.now(), stretch.until);
  return rowsOf(await waysOf(visits, { zone, places, hashOf, until }), { ...due, span: 'day' });
}
