import { addDays } from '../../lib/time/zoned-time.ts';
import { dateLocale, t } from '../../lib/words/words.ts';

/** The periods of the page: one day, week, month or year of the calendar, as in the address. */

export const units = ['day', 'week', 'month', 'year'] as const;
export type Unit = (typeof units)[number];

/** What a page is about; an objectId of one of these, or everything. */
export const placeKinds = ['venue', 'floor', 'zone', 'beacon'] as const;
export type PlaceKind = (typeof placeKinds)[number];

export const comparisons = ['previous', 'year'] as const;
export type Comparison = (typeof comparisons)[number];

export const planViews = ['now', 'time', 'visits', 'ways'] as const;
export type PlanView = (typeof planViews)[number];

export interface AnalyticsSearch extends Partial<Record<PlaceKind, string>> {
  readonly unit?: Unit;
  /** A day in the period. */
  readonly on?: string;
  readonly compare?: Comparison;
  /** Of the page with the plan: what is drawn on it. */
  readonly show?: PlanView;
}

export function readAnalyticsSearch(search: Record<string, unknown>): AnalyticsSearch {
  const { unit, on, compare, show } = search;
  const place = placeKinds.find((kind) => search[kind] !== '' && ['string', 'number'].includes(typeof search[kind]));
  return {
    ...(units.includes(unit as Unit) ? { unit: unit as Unit } : {}),
    ...(typeof on === 'string' && isDate(on) ? { on } : {}),
    ...(comparisons.includes(compare as Comparison) ? { compare: compare as Comparison } : {}),
    ...(planViews.includes(show as PlanView) ? { show: show as PlanView } : {}),
    ...(place === undefined ? {} : { [place]: String(search[place]) }),
  };
}

/** Of the place that the address names; undefined: it is about everything. */
export const kindOf = (search: AnalyticsSearch): PlaceKind | undefined =>
  placeKinds.find((one) => search[one] !== undefined);

/** As the interface asks for it. */
export function placeOf(search: AnalyticsSearch): Readonly<Record<string, string>> {
  const kind = kindOf(search);
  return kind === undefined ? {} : { [`${kind}Id`]: search[kind] ?? '' };
}

function isDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

export interface Period {
  readonly unit: Unit;
  readonly from: string;
  /** The day after the last. */
  readonly until: string;
}

export function periodOf(unit: Unit, on: string): Period {
  const from = startOf(unit, on);
  return { unit, from, until: shifted(unit, from, 1) };
}

function startOf(unit: Unit, on: string): string {
  if (unit === 'week') return addDays(on, -((new Date(`${on}T00:00:00Z`).getUTCDay() + 6) % 7));
  return unit === 'day' ? on : unit === 'month' ? `${on.slice(0, 7)}-01` : `${on.slice(0, 4)}-01-01`;
}

/** The beginning of the period that begins `count` later. */
export function shifted(unit: Unit, from: string, count: number): string {
  if (unit === 'day') return addDays(from, count);
  if (unit === 'week') return addDays(from, 7 * count);
  const at = new Date(`${from}T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + count * (unit === 'year' ? 12 : 1));
  return at.toISOString().slice(0, 10);
}

/** The period that the address asks to compare with; undefined: none. */
export function comparedIn({ compare }: AnalyticsSearch, { unit, from }: Period): Period | undefined {
  if (compare === undefined) return undefined;
  if (compare === 'previous') return periodOf(unit, shifted(unit, from, -1));
  // The same month or year, or else the same days of the week, as the interface has it.
  const months = { month: -12, year: -1 } as const;
  const before = unit === 'month' || unit === 'year' ? shifted(unit, from, months[unit]) : addDays(from, -364);
  return periodOf(unit, before);
}

export const intervalOf = { day: 'hour', week: 'day', month: 'day', year: 'month' } as const;

const clockFormat = new Intl.DateTimeFormat(dateLocale(), {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
/** `10 Mar, 15:00`, of an hour on the clocks of the app. */
export const hourText = (hour: string): string => clockFormat.format(new Date(`${hour}:00Z`));

const format = (options: Intl.DateTimeFormatOptions) => {
  const made = new Intl.DateTimeFormat(dateLocale(), { ...options, timeZone: 'UTC' });
  return (date: string) => made.format(new Date(`${date.slice(0, 10)}T00:00:00Z`));
};
const wholeDay = format({ weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' });
export const dayText = format({ weekday: 'short', day: 'numeric', month: 'long' });
const shortDay = format({ weekday: 'short', day: 'numeric', month: 'short' });
const month = format({ month: 'long', year: 'numeric' });
const monthName = format({ month: 'short' });
const plainDay = format({ day: 'numeric', month: 'short', year: 'numeric' });

/** `November 2026`, `23 Nov 2026 to 29 Nov 2026` */
export function periodText({ unit, from, until }: Period): string {
  if (unit === 'day') return wholeDay(from);
  if (unit === 'month') return month(from);
  return unit === 'year'
    ? from.slice(0, 4)
    : t('{from} to {until}', { from: plainDay(from), until: plainDay(addDays(until, -1)) });
}

/** An interval of a period, such as `Mon, 23 Nov`. */
export function intervalText(unit: Unit, start: string): string {
  if (unit === 'day') return start.slice(11, 16);
  return unit === 'year' ? monthName(start) : shortDay(start);
}
