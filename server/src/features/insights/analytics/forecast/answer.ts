import type { Db } from '../../../../db/db.ts';
import { type Count, fewest, smallGroup } from '../../../blur.ts';
import { type Answering, answerOf } from '../answer.ts';
import { addDays, weekdayOf } from '../numbers/calendar.ts';
import type { AskedPlace } from '../numbers/question.ts';
import { errorOf, estimate, maxDays, type PastDay } from './estimate.ts';
import type { ForecastAnswer } from './schemas.ts';

/** What a day of the calendar is where somebody asks: `special` has other hours than its week. */
export type DayKind = 'open' | 'closed' | 'special';

/** The calendar days of a place; undefined: no venue is asked about, or its hours are unknown. */
export type FindDays = (db: Db, appId: string, asked: DaysOf) => Promise<((date: string) => DayKind) | undefined>;

export interface DaysOf {
  readonly place: AskedPlace | undefined;
  /** Only these venues; undefined: all. */
  readonly venues: readonly string[] | undefined;
}

/** Twice the days that a forecast looks back at, and room for holidays. */
export const weeksBack = 2 * maxDays + 10;
const aheadDays = 14;

export type Forecasting = Answering & { readonly findDays: FindDays };

/** The next open day of a place, null if there is none within two weeks; and what its other days are. */
export async function nextOpenDay(
  by: Forecasting,
  { place, today }: { readonly place: AskedPlace | undefined; readonly today: string },
): Promise<{ readonly date: string | null; readonly kindOf: (date: string) => DayKind }> {
  const kindOf = (await by.findDays(by.db, by.appId, { place, venues: by.venues })) ?? (() => 'open' as const);
  const ahead = Array.from({ length: aheadDays }, (_, index) => addDays(today, index + 1));
  return { date: ahead.find((one) => kindOf(one) === 'open') ?? null, kindOf };
}

export async function forecastOf(
  by: Forecasting,
  { place, today }: { readonly place: AskedPlace | undefined; readonly today: string },
): Promise<ForecastAnswer> {
  const { date, kindOf } = await nextOpenDay(by, { place, today });
  const from = addDays(today, -7 * weeksBack);
  const question = { from, until: today, interval: 'day', groupBy: undefined, place, compare: undefined } as const;
  const { rows, timeZone, isProtected, isComplete } = await answerOf(by, question);
  const common = { timeZone, isProtected, isComplete, date };
  if (date === null) return { ...common, forecast: null };
  const days = rows.map(({ start = '', visitors }) => ({ date: start, visitors }));
  // Before its first visitor an app was not in use.
  const first = days.findIndex(({ visitors }) => visitors !== 0);
  const alike = (first < 0 ? [] : days.slice(first))
    .filter((day) => weekdayOf(day.date) === weekdayOf(date) && kindOf(day.date) === 'open')
    .reverse();
  const estimated = estimate(alike.map((day): PastDay => ({ date: day.date, value: sizeOf(day.visitors) })));
  if (!estimated) return { ...common, forecast: null };
  return {
    ...common,
    forecast: {
      date,
      visitors: shownCount(estimated.value, isProtected),
      ...countError(estimated.errors, isProtected),
      days: alike.slice(0, maxDays),
    },
  };
}

/** The size of a count; for a small group, the middle of the range. */
export const sizeOf = (count: Count): number => (typeof count === 'number' ? count : count === smallGroup ? 2.5 : 0);

export function shownCount(value: number, isProtected: boolean): Count {
  if (isProtected && value > 0 && value < fewest) return smallGroup;
  const step = isProtected ? fewest : 1;
  return Math.round(value / step) * step;
}

export const countError = (errors: readonly number[], isProtected: boolean) =>
  errorOf(errors, isProtected ? { step: fewest, least: fewest } : { step: 1 });
