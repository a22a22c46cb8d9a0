import type { Db } from '../../../../db/db.ts';
import type { Context } from '../../../context.ts';
import { addDays, addMonths, dateOf, dayStart } from '../numbers/calendar.ts';
import * as periods from '../numbers/periods.ts';
import { monthAround, yearStart } from '../numbers/periods.ts';
import { addedMonths, lockState, nextRollup, type RollupRow, type StateRow, saveRollups } from '../numbers/store.ts';
import { addRow, rowsOf } from './rows.ts';
import * as store from './store.ts';
import { peakKinds, type WayKind, Ways } from './tours.ts';

/** Adds days up to months and months up to years, of visits and of their ways; see ADR 33. */

/** The delay after a change of one of its days: a corrected day is often corrected again. */
export const preparedWaitMs = 600_000;
/** Phones that were without a network report within some days. Until then a month is no part of its year. */
const lateDays = 7;

export type AddUpDeps = Pick<Context, 'db' | 'now'>;

interface Now {
  readonly now: number;
  readonly zone: string;
}

/** Days before this (epoch ms) are added up: those before yesterday, since little arrives late. */
const overUntil = ({ now, zone }: Now) => dayStart(addDays(dateOf(now, zone), -1), zone);
/** When the next day is added. */
const nextOver = ({ now, zone }: Now) => dayStart(addDays(dateOf(now, zone), 1), zone);
/** When a month that begins on a date is taken into its year (epoch ms). */
const joinsYearAt = (date: string, zone: string) => dayStart(addDays(addMonths(date, 1), lateDays), zone);

/**
 * In the transaction that changes a day: marks the month that contains a time (ms) of it to be added up again. Sums that contain the day
 * are no longer read.
 */
export async function markMonth(
  db: Db,
  { app_id: appId, time_zone: zone }: StateRow,
  at: number,
  now: number,
): Promise<void> {
  await periods.forgetPeriods(db, { appId, from: at, until: at + 1 });
  const dueAt = at < overUntil({ now, zone }) ? now + preparedWaitMs : nextOver({ now, zone });
  await store.markDue(db, { appId, span: 'month', startedAt: monthAround(at, zone).from }, dueAt);
}

export const addUpDue = (deps: AddUpDeps, state: StateRow, due: store.DueRow): Promise<void> =>
  due.span === 'year' ? addUpYear(deps, state, due) : addUpMonth(deps, state, due);

interface Prepared {
  readonly visits: readonly RollupRow[];
  readonly ways: readonly store.NewWayRow[];
}

/** The most visitors at once of each day, from hours: of a year there are too many of these. */
async function dailyPeaks(db: Db, stretch: periods.Stretch, zone: string): Promise<store.NewWayRow[]> {
  const most = new Map<string, store.NewWayRow>();
  for (const kind of peakKinds)
    for await (const row of store.readWays(db, { ...stretch, kind, span: 'hour' })) {
      const day = dayStart(dateOf(row.started_at, zone), zone);
      const key = `${kind} ${day} ${row.venue_id} ${row.place}`;
      const tours = Math.max(row.tours, most.get(key)?.tours ?? 0);
      most.set(key, { ...row, span: 'day', started_at: day, tours });
    }
  return [...most.values()];
}

/**
 * The kinds of which all ways are kept. There are many more different paths than an answer shows, so a part of a month keeps as many as a
 * whole one.
 */
const keptWhole: Readonly<Record<periods.Prepared, readonly WayKind[]>> = {
  month: [],
  part: ['move', 'reach'],
  year: ['move', 'reach', 'path'],
};

/** Outside of a transaction, since it takes long. */
async function read(
  db: Db,
  stretch: periods.Stretch,
  { of, into }: { readonly of: 'day' | 'month'; readonly into: periods.Prepared },
): Promise<Prepared> {
  const ways = new Ways();
  for (const kind of ['move', 'reach', 'path'] as const)
    for await (const row of store.readWays(db, { ...stretch, kind, span: of })) addRow(ways, row);
  const due = { app_id: stretch.appId, span: into, started_at: stretch.from };
  return {
    visits: await periods.addUpRows(db, stretch, { of, into }),
    ways: rowsOf(ways, due, keptWhole[into]),
  };
}

async function replace(
  db: Db,
  stretch: periods.Stretch,
  units: readonly periods.Prepared[],
  { visits, ways }: Prepared,
): Promise<void> {
  for (const unit of units) {
    await periods.deletePrepared(db, stretch, unit);
    for (const kind of ['move', 'reach', 'path'] as const) await store.deleteWays(db, { ...stretch, kind, span: unit });
  }
  await saveRollups(db, visits);
  await store.insertWays(db, ways);
}

/** All of a past month; the past days of the current one, and tomorrow one day more. */
async function addUpMonth({ db, now }: AddUpDeps, state: StateRow, due: store.DueRow): Promise<void> {
  const { app_id: appId, time_zone: zone } = state;
  const date = dateOf(due.started_at, zone);
  const month = { appId, ...monthAround(due.started_at, zone) };
  const until = Math.min(month.until, overUntil({ now: now(), zone }));
  const isWhole = until === month.until;
  const over = { ...month, until: Math.max(until, month.from) };
  const rows = await read(db, over, { of: 'day', into: isWhole ? 'month' : 'part' });
  const peaks = await dailyPeaks(db, over, zone);
  await db.transaction(async (db) => {
    const held = await lockState(db, appId);
    if (held === undefined || !(await store.settleDue(db, due)) || held.time_zone !== zone) return;
    await replace(db, month, ['month', 'part'], rows);
    for (const kind of peakKinds) await store.deleteWays(db, { ...month, kind, span: 'day' });
    await store.insertWays(db, peaks);
    for (const span of ['part', 'month'] as const) await periods.forgetPeriods(db, month, span);
    if (isWhole) {
      await periods.savePeriod(db, { app_id: appId, span: 'month', started_at: month.from, covered_until: until });
      const dueAt = Math.max(now(), joinsYearAt(date, zone));
      await store.markDue(db, { appId, span: 'year', startedAt: yearStart(due.started_at, zone) }, dueAt);
      return;
    }
    if (until > month.from)
      await periods.savePeriod(db, { app_id: appId, span: 'part', started_at: month.from, covered_until: until });
    const again = { appId, span: 'month', startedAt: month.from } as const;
    // Shortly before midnight it would be due again at once, until the day is over.
    await store.markDue(db, again, Math.max(nextOver({ now: now(), zone }), now() + preparedWaitMs + 1));
  });
}

/** The months of a year from January on that have been added up and of which nothing late is expected. */
async function addUpYear({ db, now }: AddUpDeps, state: StateRow, due: store.DueRow): Promise<void> {
  const { app_id: appId, time_zone: zone } = state;
  const year = { appId, from: due.started_at, until: await addedUntil(db, state, due, now()) };
  const rows = await read(db, year, { of: 'month', into: 'year' });
  await db.transaction(async (db) => {
    const held = await lockState(db, appId);
    if (held === undefined || held.time_zone !== zone) return;
    // One of its months has changed in between.
    if ((await addedUntil(db, state, due, now())) !== year.until || !(await store.settleDue(db, due))) return;
    await replace(db, year, ['year'], rows);
    await periods.forgetPeriods(db, { ...year, until: year.from + 1 }, 'year');
    if (year.until > year.from)
      await periods.savePeriod(db, { app_id: appId, span: 'year', started_at: year.from, covered_until: year.until });
  });
}

async function addedUntil(
  db: Db,
  { app_id: appId, time_zone: zone }: StateRow,
  { started_at: start }: store.DueRow,
  now: number,
): Promise<number> {
  const first = dateOf(start, zone);
  const end = dayStart(addMonths(first, 12), zone);
  const added = await addedMonths(db, { appId, from: start, until: end });
  const waiting = new Set(
    (await store.listDue(db, appId)).flatMap(({ span, started_at }) => (span === 'month' ? [started_at] : [])),
  );
  let until = start;
  for (let date = first; until < end && joinsYearAt(date, zone) <= now; date = addMonths(date, 1)) {
    const next = dayStart(addMonths(date, 1), zone);
    const isEmpty = async () => ((await nextRollup(db, appId, until, ['allDay'])) ?? next) >= next;
    if (waiting.has(until) || !(added.has(until) || (await isEmpty()))) break;
    until = next;
  }
  return until;
}
