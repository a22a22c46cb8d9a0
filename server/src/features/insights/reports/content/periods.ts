import { dayIn } from '../../../zone-day.ts';

/** The weeks and months of reports. Days are texts such as 2026-11-23 on the clocks of a time zone. */

export const everies = ['week', 'month'] as const;
export type Every = (typeof everies)[number];

export interface ReportPeriod {
  readonly from: string;
  /** The day after the last. */
  readonly until: string;
}

/** Reports go out at this hour of the venue's clocks, on Monday or on the first of the month. */
export const sendingHour = 7;
/** A report that would be later than this is not sent. */
export const maxLateDays = 3;

const dayMs = 86_400_000;
const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export const addDays = (day: string, days: number): string => textOf(at(day) + days * dayMs);
export const daysBetween = (from: string, until: string): number => Math.round((at(until) - at(from)) / dayMs);

export function startOf(every: Every, day: string): string {
  if (every === 'month') return `${day.slice(0, 7)}-01`;
  return addDays(day, -((new Date(at(day)).getUTCDay() + 6) % 7));
}

/** The period of the same kind that ends where this one begins. */
export function periodBefore(every: Every, until: string): ReportPeriod {
  return { from: startOf(every, addDays(until, -1)), until };
}

/** The last period for which the hour of sending has come. Whatever clocks do, each is identified by its first day. */
export function duePeriod(every: Every, timeZone: string, now: number): ReportPeriod {
  const { day, hour } = dayIn(timeZone, now);
  return periodBefore(every, startOf(every, hour >= sendingHour ? day : addDays(day, -1)));
}

/** On which day the next period after one that ends on `until` is sent. */
export function nextDay(every: Every, until: string): string {
  return startOf(every, addDays(until, every === 'week' ? 7 : 31));
}
