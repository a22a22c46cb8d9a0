import { randomInt } from 'node:crypto';
import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import { addMonths, dateOf, dayStart, monthOf } from './calendar.ts';
import type { Dimension, PlaceHistory } from './places.ts';
import * as store from './store.ts';
import type { rollupPeriods } from './tables.ts';
import { Tallies } from './tally.ts';

/** What is added up from days, and how far an answer may read it; see ADR 33. */

/** A whole month; the past days of the current month; the past months of a year. */
export type Prepared = 'month' | 'part' | 'year';
export type Unit = 'day' | Prepared;

export type PeriodRow = RowOf<typeof rollupPeriods>;

export interface Stretch {
  readonly appId: string;
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
}

const dimensions = [undefined, 'beacon', ...store.placeDimensions] as const;
const capitals = { day: 'Day', month: 'Month', part: 'Part', year: 'Year' } as const;

/** The span of the rows of a dimension, or of the total. */
export function spanOf(dimension: Dimension | undefined, unit: Unit): store.RollupSpan {
  if (dimension === 'beacon') return unit;
  return `${dimension ?? 'all'}${capitals[unit]}`;
}

/** The rows of a unit, made from those of a smaller one. The first begins with the stretch. */
export async function addUpRows(
  db: Db,
  { appId, from, until }: Stretch,
  { of, into }: { readonly of: Unit; readonly into: Prepared },
): Promise<store.RollupRow[]> {
  const rows: store.RollupRow[] = [];
  for (const dimension of dimensions) {
    const tallies = new Tallies<string>();
    for await (const row of store.readRollups(db, { appId, span: spanOf(dimension, of), from, until }, undefined))
      tallies.of(row.beacon_id).add(row);
    for (const [id, tally] of tallies.entries())
      rows.push({ app_id: appId, span: spanOf(dimension, into), started_at: from, beacon_id: id, ...tally.cells() });
  }
  return rows;
}

/** Deletes the sums of visits in a stretch of time. */
export const deletePrepared = (db: Db, stretch: Stretch, unit: Prepared): Promise<void> =>
  store.deleteRollups(
    db,
    stretch,
    dimensions.map((dimension) => spanOf(dimension, unit)),
  );

/** The parts, months and years that overlap a stretch of time. */
export function listPeriods(db: Db, { appId, from, until }: Stretch): Promise<PeriodRow[]> {
  return db.all<PeriodRow>(sql`select * from rollup_periods
    where app_id = ${appId} and started_at < ${until} and covered_until > ${from}`);
}

/** Notes that a period was added up, in the transaction that writes its rows. */
export async function savePeriod(
  db: Db,
  { app_id, span, started_at, covered_until }: Omit<PeriodRow, 'version'>,
): Promise<void> {
  // 0 marks rows from before there were versions.
  const version = randomInt(2, 2 ** 47);
  await db.run(sql`insert into rollup_periods (app_id, span, started_at, covered_until, version)
    values (${app_id}, ${span}, ${started_at}, ${covered_until}, ${version})
    on conflict (app_id, span, started_at) do update set covered_until = excluded.covered_until, version = excluded.version`);
}

/** Marks periods (or those of one span) that overlap a stretch of time as no longer readable. */
export async function forgetPeriods(db: Db, { appId, from, until }: Stretch, span?: Prepared): Promise<void> {
  const ofSpan = span === undefined ? sql`` : sql`and span = ${span}`;
  await db.run(sql`delete from rollup_periods
    where app_id = ${appId} and started_at < ${until} and covered_until > ${from} ${ofSpan}`);
}

export interface Part {
  readonly unit: Unit;
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
  /** The version of the written period; undefined: days, or unknown. */
  readonly stamps?: readonly string[] | undefined;
}

export interface Parting {
  readonly db: Db;
  readonly appId: string;
  readonly zone: string;
  /** Days that must be recounted, and months that must be added up. */
  readonly due: readonly { readonly span: string; readonly started_at: number }[];
  /** Rows count in the place in which their beacon was: a period in which a beacon was moved is read by days. */
  readonly history?: PlaceHistory | undefined;
  /** False where each month is reported separately. */
  readonly mayTakeYears: boolean;
}

/**
 * Days (the second is not included) as the years, months and parts of months that have been added up since their last change, and
 * the days between them.
 */
export async function partsOf(
  { db, appId, zone, due, history, mayTakeYears }: Parting,
  { from, until }: { readonly from: string; readonly until: string },
): Promise<readonly Part[]> {
  const stretch = { appId, from: dayStart(from, zone), until: dayStart(until, zone) };
  const [added, rows] = await Promise.all([store.addedMonths(db, stretch), listPeriods(db, stretch)]);
  const periods = new Map(rows.map((row) => [`${row.span} ${row.started_at}`, row]));
  const days = due.filter(({ span }) => span === 'day').map(({ started_at }) => started_at);
  const changed = new Set(
    due.flatMap(({ span, started_at }) => (span === 'year' ? [] : [monthOf(dateOf(started_at, zone))])),
  );
  const isRight = (begin: number, end: number) =>
    end <= stretch.until && !days.some((at) => at >= begin && at < end) && !history?.hasMoved(begin, end);
  const preparedAt = (date: string): Part | undefined => {
    const begin = dayStart(date, zone);
    const ofUnit = (unit: Prepared, ends?: number): Part | undefined => {
      const period = periods.get(`${unit} ${begin}`);
      const end = ends ?? period?.covered_until;
      if (end === undefined || !isRight(begin, end)) return undefined;
      const stamps = period && period.covered_until === end && period.version !== 0 ? [stampOf(period)] : undefined;
      return { unit, from: begin, until: end, stamps };
    };
    const year = mayTakeYears ? ofUnit('year') : undefined;
    if (year || monthOf(date) !== date) return year;
    const isAdded = added.has(begin) && !changed.has(date);
    const month = isAdded ? ofUnit('month', dayStart(addMonths(date, 1), zone)) : undefined;
    return month ?? ofUnit('part');
  };
  const parts: Part[] = [];
  for (let date = from; date < until; ) {
    const next = addMonths(date, 1) < until ? addMonths(date, 1) : until;
    const days = { unit: 'day', from: dayStart(date, zone), until: dayStart(next, zone) } as const;
    const part: Part = preparedAt(date) ?? days;
    const last = parts.at(-1);
    const isSame = last?.unit === part.unit && last.until === part.from && !last.stamps === !part.stamps;
    if (last && isSame)
      parts[parts.length - 1] = { ...last, until: part.until, stamps: last.stamps?.concat(part.stamps ?? []) };
    else parts.push(part);
    date = dateOf(part.until, zone);
  }
  return parts;
}

const stampOf = ({ span, started_at, covered_until, version }: PeriodRow) =>
  `${span} ${started_at} ${covered_until} ${version}`;

/** A text that changes when something in a stretch of time is rewritten. */
export async function stampsOf(db: Db, stretch: Stretch): Promise<ReadonlySet<string>> {
  return new Set((await listPeriods(db, stretch)).map(stampOf));
}

/** How often an answer is started again. */
const maxTries = 4;

/**
 * Reads a stretch of time in several statements, and repeats that if a year or a part of a month was added up between them: its days would
 * count twice or not at all.
 */
export async function readSteadily<T>(db: Db, stretch: Stretch, read: () => Promise<T>): Promise<T> {
  const stamp = async () => [...(await stampsOf(db, stretch))].sort().join();
  for (let tries = 1; ; tries++) {
    const before = await stamp();
    const result = await read();
    if (tries === maxTries || (await stamp()) === before) return result;
  }
}

/** The month in which a day of the zone is, as times in ms. */
export function monthAround(at: number, zone: string): { readonly from: number; readonly until: number } {
  const month = monthOf(dateOf(at, zone));
  return { from: dayStart(month, zone), until: dayStart(addMonths(month, 1), zone) };
}

/** The beginning of the year in which a time (ms) of the zone is. */
export const yearStart = (at: number, zone: string): number => dayStart(`${dateOf(at, zone).slice(0, 4)}-01-01`, zone);
