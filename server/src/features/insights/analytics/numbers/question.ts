import { fail } from '../../../../base/errors.ts';
import { addDays, addMonths, daysBetween, isDate, monthOf, unitOf, weekOf } from './calendar.ts';
import type { Dimension } from './places.ts';
import { dimensions } from './places.ts';

/** What is asked of the numbers of visits. */

export const intervals = ['total', 'hour', 'day', 'week', 'month', 'hourOfWeek'] as const;
export type Interval = (typeof intervals)[number];

export interface NumbersQuestion {
  /** Days in the zone of the app, such as 2026-10-01; the second is not included. */
  readonly from: string;
  readonly until: string;
  readonly interval: Interval;
  /** The dimension of which each place gets a row. */
  readonly groupBy: Dimension | undefined;
  /** Only what was there. */
  readonly place: AskedPlace | undefined;
  /** The period before, or that of the year before. */
  readonly compare: ComparedPeriod | undefined;
}

export const comparisons = ['previous', 'year'] as const;
type ComparedPeriod = (typeof comparisons)[number];

export interface AskedPlace {
  readonly dimension: Dimension;
  readonly id: string;
}

type Query = Readonly<Record<string, string | undefined>>;

export interface AskedPeriod {
  readonly from: string;
  readonly until: string;
}

export interface AskedFor {
  readonly today: string;
  readonly isProtected: boolean;
}

const maxDays = 1_100;
/** Nothing was counted before, and the calendar of time zones knows neither the first centuries nor five-digit years. */
const [firstDay, lastDay] = ['1970-01-01', '9998-12-31'];
const maxHourDays = 62;
const maxPlaceDays = 400;

const wrong = (message: string) => fail('InvalidQuery', message);

/** The period asked about; without `from` and `until` the last month. @throws Failure InvalidQuery */
export function readPeriod(query: Query, today: string): AskedPeriod {
  const { from = addMonths(today, -1), until = query['from'] === undefined ? monthOf(today) : addDays(today, 1) } =
    query;
  if (!isDate(from)) throw wrong('from must be a day such as 2026-10-01.');
  if (!isDate(until)) throw wrong('until must be a day such as 2026-11-01; it is the day after the last.');
  if (from < firstDay || until > lastDay) throw wrong(`A period lies between ${firstDay} and ${lastDay}.`);
  if (until <= from) throw wrong('until must be after from; it is the day after the last.');
  if (daysBetween(from, until) > maxDays) throw wrong(`A period has at most ${maxDays} days.`);
  return { from, until };
}

/** @throws Failure InvalidQuery */
export function readQuestion(query: Query, { today, isProtected }: AskedFor): NumbersQuestion {
  const interval = oneOf('interval', intervals, query['interval'] ?? 'total');
  const groupBy = query['groupBy'] === undefined ? undefined : oneOf('groupBy', dimensions, query['groupBy']);
  const compare = query['compare'] === undefined ? undefined : oneOf('compare', comparisons, query['compare']);
  const question = { ...readPeriod(query, today), interval, groupBy, place: readPlace(query), compare };
  assertBounded(question);
  if (isProtected) assertWhole(question);
  return question;
}

/** @throws Failure InvalidQuery */
export function readPlace(query: Query, among: readonly Dimension[] = dimensions): AskedPlace | undefined {
  const asked = among.flatMap((dimension) => {
    const id = readId(query, `${dimension}Id`);
    return id === undefined ? [] : [{ dimension, id }];
  });
  if (asked.length > 1) throw wrong(`Ask about one place: ${among.map((name) => `${name}Id`).join(', ')}.`);
  return asked[0];
}

/** An id. An empty one is refused: zeros would read as if nobody had come. @throws Failure InvalidQuery */
export function readId(query: Query, name: string): string | undefined {
  const id = query[name];
  if (id === '') throw wrong(`${name} must be an objectId, and is empty. Leave it out to ask without it.`);
  return id;
}

/** @throws Failure InvalidQuery */
export function oneOf<T extends string>(name: string, values: readonly T[], value: string): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw wrong(`${name} must be one of ${values.join(', ')}.`);
  return found;
}

function assertBounded({ from, until, interval, groupBy, place }: NumbersQuestion): void {
  const days = daysBetween(from, until);
  if (groupBy && place && dimensions.indexOf(groupBy) > dimensions.indexOf(place.dimension))
    throw wrong(`A ${place.dimension} has no ${groupBy}s to group by.`);
  const byPlace = groupBy !== undefined;
  if (interval === 'hour' && days > maxHourDays) throw wrong(`By hour a period has at most ${maxHourDays} days.`);
  const isLong = byPlace && interval !== 'total' && days > maxPlaceDays;
  if (isLong) throw wrong(`By place and interval a period has at most ${maxPlaceDays} days.`);
  if (byPlace && (interval === 'hour' || interval === 'hourOfWeek') && days > 7)
    throw wrong('By place and hour a period has at most 7 days.');
}

/** Where small groups are protected, a total is answered only for one day, week, month or year. @throws Failure InvalidQuery */
export function assertOneUnit({ from, until }: AskedPeriod): void {
  if (unitOf(from, until) === undefined)
    throw wrong(`${problem}a period must be one day, one week from Monday on, one month or one year.`);
}

const problem = 'Small groups are protected in this app: ';

/** Periods that overlap by all but a day could be subtracted from each other. */
function assertWhole({ from, until, interval }: NumbersQuestion): void {
  if (interval === 'total' || interval === 'hourOfWeek') assertOneUnit({ from, until });
  const startOf = interval === 'week' ? weekOf : interval === 'month' ? monthOf : (date: string) => date;
  if (startOf(from) !== from || startOf(until) !== until)
    throw wrong(`${problem}from and until must be the first day of a ${interval}.`);
}
