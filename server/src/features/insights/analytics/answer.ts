import { fail } from '../../../base/errors.ts';
import { WorkSlices } from '../../../base/work-slices.ts';
import type { Db } from '../../../db/db.ts';
import type { Blur } from '../../blur.ts';
import {
  addDays,
  dateOf,
  dayStart,
  hourText,
  localAt,
  monthOf,
  periodAYearBefore,
  periodBefore,
  soFarIn,
  unitOf,
  weekdayOf,
  weekOf,
} from './numbers/calendar.ts';
import { partsOf, readSteadily, spanOf } from './numbers/periods.ts';
import { type Dimension, loadPlaces } from './numbers/places.ts';
import type { AskedPeriod, AskedPlace, Interval, NumbersQuestion } from './numbers/question.ts';
import { distributionOf, metricsOf } from './numbers/small-groups.ts';
import * as store from './numbers/store.ts';
import { Tallies, Tally } from './numbers/tally.ts';
import type { NumbersRow, PeriodNumbers, SoFarNumbers, VisitNumbers } from './schemas.ts';

import { listDue } from './ways/store.ts';

/** The numbers of a period, from the rows that were counted. */

export interface Answering {
  readonly db: Db;
  readonly appId: string;
  readonly zone: string;
  readonly now: number;
  readonly isProtected: boolean;
  /**
   * Whether visits wait to be counted that take more than some seconds: of an app that is counted many new ones, of one that is
   * not any at all.
   */
  readonly isBehind: (db: Db, appId: string, isCounted: boolean) => Promise<boolean>;
  /** Only visits at beacons that were in these venues; all without it. */
  readonly venues?: readonly string[] | undefined;
}

/** What answers questions, with the blur where small groups are protected. */
type Telling = Answering & { readonly blur: Blur | undefined };

export async function answerOf(asking: Answering, question: NumbersQuestion): Promise<VisitNumbers> {
  const by = { ...asking, blur: asking.isProtected ? await store.findBlur(asking.db, asking.appId) : undefined };
  const { interval, compare, from, until } = question;
  const before = compare === 'year' ? periodAYearBefore(from, until) : periodBefore(from, until);
  const behind = async () =>
    by.isBehind(by.db, by.appId, store.isCounted(await store.findState(by.db, by.appId), by.zone));
  // Concurrently: on a busy machine most of the time is waiting for the database.
  const [period, previous, soFar, isBehind] = await Promise.all([
    periodOf(by, question),
    compare ? periodOf(by, { ...question, ...before }) : undefined,
    compare ? soFarOf(by, question, before) : undefined,
    behind(),
  ]);
  return {
    ...period,
    timeZone: by.zone,
    interval,
    isProtected: by.isProtected,
    isComplete: !isBehind,
    ...(previous ? { previous: { ...previous, ...(soFar ? { soFar } : {}) } } : {}),
  };
}

function periodOf(by: Telling, question: NumbersQuestion): Promise<PeriodNumbers> {
  const { db, appId, zone } = by;
  const stretch = { appId, from: dayStart(question.from, zone), until: dayStart(question.until, zone) };
  return readSteadily(db, stretch, () => readPeriod(by, question));
}

/** As much of the period before as has passed of this one: a month that has just begun is not compared with a whole one. */
async function soFarOf(
  by: Telling,
  { from, until, place }: NumbersQuestion,
  before: AskedPeriod,
): Promise<SoFarNumbers | undefined> {
  const { db, appId, zone } = by;
  const part = soFarIn(before, { from, until }, hourText(by.now, zone));
  if (!part) return undefined;
  if (by.isProtected) return { until: part.until, total: null };
  const end = part.day ?? part.until.slice(0, 10);
  const of = { groupBy: undefined, place };
  const stretch = { appId, from: dayStart(before.from, zone), until: dayStart(addDays(end, 1), zone) };
  return readSteadily(db, stretch, async () => {
    const total = new Tally();
    if (end > before.from)
      for await (const row of readRows(by, { ...of, from: before.from, until: end, interval: 'total' })) total.add(row);
    if (part.day !== undefined)
      for await (const row of readRows(by, { ...of, from: end, until: addDays(end, 1), interval: 'hour' }))
        if (hourText(row.started_at, zone) < part.until) total.add(row);
    return { until: part.until, total: metricsOf(total, by.blur, place?.dimension) };
  });
}

async function readPeriod(by: Telling, question: NumbersQuestion): Promise<PeriodNumbers> {
  const { from, until, interval, groupBy, place } = question;
  const total = new Tally();
  const rows = groupBy ? await groupedRows(by, question) : await rowsOf(by, question, total);
  // A total of all places counts a visitor at two of them once.
  if (groupBy)
    for await (const row of readRows(by, { ...question, interval: 'total', groupBy: undefined })) total.add(row);
  const mayTotal = !by.isProtected || unitOf(from, until) !== undefined;
  const shown = mayTotal ? metricsOf(total, by.blur, place?.dimension) : null;
  return {
    from,
    until,
    total: shown,
    rows: interval === 'total' && !groupBy ? [] : rows,
    distribution: shown && typeof shown.visitors === 'number' ? distributionOf(total, by.blur) : null,
  };
}

async function rowsOf(by: Telling, question: NumbersQuestion, total: Tally): Promise<NumbersRow[]> {
  const { from, until, interval, place } = question;
  const keys = keysOf(interval, by.zone);
  const tallies = new Tallies<string>();
  for await (const row of readRows(by, question)) tallies.of(keys.of(row.started_at)).add(row);
  const slices = new WorkSlices();
  for (const [, tally] of tallies.entries()) {
    total.addTally(tally);
    await slices.rest();
  }
  return keys.all(from, until).map((key) => ({
    ...placeOf(interval, key),
    ...metricsOf(tallies.find(key) ?? new Tally(), by.blur, place?.dimension),
  }));
}

/** The most rows of places: the size of an answer must not grow with the app. */
const maxRows = 10_000;

/** A row for each interval and place in which there was a visit. Of intervals in order of time one is kept in memory at a time. */
async function groupedRows(by: Telling, question: NumbersQuestion): Promise<NumbersRow[]> {
  const { interval, groupBy } = question;
  const keys = keysOf(interval, by.zone);
  const isInOrder = interval !== 'hourOfWeek';
  const rows: { readonly key: string; readonly row: NumbersRow }[] = [];
  const slices = new WorkSlices();
  let [tallies, current] = [new Tallies<string>(), ''];
  const tell = async () => {
    for (const [key, tally] of tallies.entries()) {
      const at = key.lastIndexOf(' ');
      const ids = { [`${groupBy}Id`]: key.slice(at + 1) };
      const place = placeOf(interval, key.slice(0, at));
      rows.push({ key, row: { ...place, ...ids, ...metricsOf(tally, by.blur, groupBy) } });
      await slices.rest();
    }
    tallies = new Tallies();
  };
  for await (const row of readRows(by, question)) {
    const place = keys.of(row.started_at);
    if (isInOrder && place !== current) await tell();
    current = place;
    tallies.of(`${place} ${row.beacon_id}`).add(row);
    if (rows.length + tallies.size > maxRows) throw tooMany(question);
  }
  await tell();
  return rows.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ row }) => row);
}

function tooMany({ groupBy, interval }: NumbersQuestion) {
  const shorter =
    interval === 'total' ? 'Ask about one place.' : 'Ask about a shorter period, one place, or longer intervals.';
  return fail('InvalidQuery', `These are more than ${maxRows} rows by ${groupBy}. ${shorter}`);
}

type Rows = Pick<NumbersQuestion, 'from' | 'until' | 'interval' | 'groupBy' | 'place'>;

/** The rows of each group, or of the one place or all together that is asked about. */
async function* readRows(
  by: Answering,
  { from, until, interval, groupBy, place }: Rows,
): AsyncGenerator<store.RollupRow> {
  const isHourly = interval === 'hour' || interval === 'hourOfWeek';
  const dimension = groupBy ?? place?.dimension ?? (by.venues && 'venue');
  const isInside = groupBy && place && dimension ? await insideOf(by, dimension, place) : () => true;
  const isTheirs = by.venues && dimension ? await belongsTo(by, dimension, by.venues) : () => true;
  // Of the place itself there are rows; of what is in it those that were there.
  const only = place && place.dimension === dimension ? place.id : undefined;
  const days = { unit: 'day', from: dayStart(from, by.zone), until: dayStart(until, by.zone) } as const;
  const isByMonth = interval === 'total' || interval === 'month';
  const isByPlace = dimension === 'beacon' && (by.venues !== undefined || (place && place.dimension !== 'beacon'));
  const parts = isByMonth ? await preparedParts(by, { from, until, interval }, isByPlace === true) : [days];
  for (const part of parts) {
    const span = isHourly ? hourSpanOf(dimension) : spanOf(dimension, part.unit);
    for await (const row of store.readRollups(by.db, { appId: by.appId, span, ...part }, only))
      if (isInside(row) && isTheirs(row)) yield row;
  }
}

async function preparedParts(
  { db, appId, zone }: Answering,
  { from, until, interval }: Pick<NumbersQuestion, 'from' | 'until' | 'interval'>,
  isByPlace: boolean,
) {
  const history = isByPlace ? await loadPlaces(db, appId) : undefined;
  const due = await listDue(db, appId);
  return partsOf({ db, appId, zone, due, history, mayTakeYears: interval === 'total' }, { from, until });
}

function hourSpanOf(dimension: Dimension | undefined): store.RollupSpan {
  if (dimension === 'beacon') return 'hour';
  return `${dimension ?? 'all'}Hour`;
}

/** A beacon that was moved counts where it was as the hour or day began; zones and floors stay where they are. */
async function insideOf(
  by: Answering,
  dimension: Dimension,
  place: AskedPlace,
): Promise<(row: store.RollupRow) => boolean> {
  if (dimension === place.dimension) return () => true;
  const history = await loadPlaces(by.db, by.appId);
  if (dimension === 'beacon')
    return ({ beacon_id, started_at }) => history.idAt(place.dimension, beacon_id, started_at) === place.id;
  const inside = history.idsIn(dimension, place);
  return ({ beacon_id }) => inside.has(beacon_id);
}

async function belongsTo(
  by: Answering,
  dimension: Dimension,
  venues: readonly string[],
): Promise<(row: store.RollupRow) => boolean> {
  const theirs = new Set(venues);
  if (dimension === 'venue') return ({ beacon_id }) => theirs.has(beacon_id);
  const history = await loadPlaces(by.db, by.appId);
  if (dimension === 'beacon')
    return ({ beacon_id, started_at }) => theirs.has(history.idAt('venue', beacon_id, started_at) ?? '');
  const inside = new Set(venues.flatMap((id) => [...history.idsIn(dimension, { dimension: 'venue', id })]));
  return ({ beacon_id }) => inside.has(beacon_id);
}

interface Keys {
  readonly of: (startedAt: number) => string;
  /** The beginnings of all intervals of a period in order, also of those without visits. */
  readonly all: (from: string, until: string) => string[];
}

function keysOf(interval: Interval, zone: string): Keys {
  const { of, all } = keysByZone(interval, zone);
  // Rows of one time follow each other.
  let [last, key] = [Number.NaN, ''];
  return {
    all,
    of(at) {
      if (at !== last) [last, key] = [at, of(at)];
      return key;
    },
  };
}

function keysByZone(interval: Interval, zone: string): Keys {
  if (interval === 'total') return { of: () => '', all: () => [] };
  if (interval === 'hour')
    return {
      of: (at) => hourText(at, zone),
      all: (from, until) => datesOf(from, until).flatMap((date) => hoursOf(date, zone)),
    };
  if (interval === 'hourOfWeek')
    return {
      of: (at) => `${weekdayOf(dateOf(at, zone))} ${Math.floor(localAt(at, zone).minute / 60)}`,
      all: () =>
        Array.from({ length: 7 }, (_, day) => Array.from({ length: 24 }, (_, hour) => `${day + 1} ${hour}`)).flat(),
    };
  const startOf = interval === 'week' ? weekOf : interval === 'month' ? monthOf : (date: string) => date;
  return {
    of: (at) => startOf(dateOf(at, zone)),
    all: (from, until) => [...new Set(datesOf(from, until).map(startOf))],
  };
}

function placeOf(interval: Interval, key: string): Pick<NumbersRow, 'start' | 'weekday' | 'hour'> {
  if (interval === 'total') return {};
  if (interval !== 'hourOfWeek') return { start: key };
  const [weekday, hour] = key.split(' ').map(Number);
  return { weekday: weekday ?? 0, hour: hour ?? 0 };
}

function datesOf(from: string, until: string): string[] {
  const dates: string[] = [];
  for (let date = from; date < until; date = addDays(date, 1)) dates.push(date);
  return dates;
}

const hourMs = 3_600_000;

/** An hour that clocks show twice is one; one that they leave out is missing. */
function hoursOf(date: string, zone: string): string[] {
  const until = dayStart(addDays(date, 1), zone);
  const hours = new Set<string>();
  for (let at = dayStart(date, zone); at < until; at += hourMs) hours.add(hourText(at, zone));
  return [...hours];
}
