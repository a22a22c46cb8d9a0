import { localTime } from '@pharos/engine';
import { museum } from './halls.ts';

/** The museum's opening hours, and how many guests with the app come each day. Pure; times are epoch milliseconds. */

export const dayMs = 86_400_000;
const minuteMs = 60_000;

export interface OpenDay {
  /** "YYYY-MM-DD" in the museum's time zone. */
  readonly date: string;
  readonly opensAt: number;
  readonly closesAt: number;
  /** The expected number of guests, before chance. */
  readonly expected: number;
}

const weekdays: Readonly<Record<string, number>> = {
  Mon: 0.8,
  Tue: 0.7,
  Wed: 0.8,
  Thu: 1,
  Fri: 0.95,
  Sat: 1.8,
  Sun: 1.9,
};
/** From January on: a museum by the sea lives off the summer. */
const seasons = [0.5, 0.6, 0.8, 1.1, 1.1, 1.2, 1.7, 1.8, 1.1, 0.95, 0.65, 0.6];
const usual = 9.5;

/** Month and day, with the name of the holiday. */
export const closedDays: Readonly<Record<string, string>> = {
  '12-24': 'Christmas Eve',
  '12-25': 'Christmas Day',
  '12-31': "New Year's Eve",
  '01-01': "New Year's Day",
};

/** Closed on Mondays except in high summer, and on Christmas and New Year. */
function isClosed(dayName: string, month: number, monthAndDay: string): boolean {
  if (monthAndDay in closedDays) return true;
  return dayName === 'Mon' && month !== 7 && month !== 8;
}

/** Of a day on which it opens. */
export function hours(dayName: string, month: number): readonly [from: number, until: number] {
  if (dayName === 'Thu') return [10, 20];
  return [10, month >= 4 && month <= 10 ? 18 : 17];
}

/** The day that many days before `now`; undefined if the museum was closed. */
export function openDay(now: number, daysAgo: number): OpenDay | undefined {
  const today = localTime(now, museum.timeZone).date;
  const noon = Date.parse(`${today}T12:00:00Z`) - daysAgo * dayMs;
  const local = localTime(noon, museum.timeZone);
  // Clocks change at night, so noon has the offset of the opening hours.
  const midnight = noon - local.minute * minuteMs;
  const month = Number(local.date.slice(5, 7));
  if (isClosed(local.dayName, month, local.date.slice(5))) return undefined;
  const [from, until] = hours(local.dayName, month);
  // The app's share of guests grew from month to month.
  const growth = 1.1 - (0.35 * daysAgo) / 365;
  const expected = usual * (weekdays[local.dayName] ?? 1) * (seasons[month - 1] ?? 1) * growth;
  return {
    date: local.date,
    opensAt: midnight + from * 60 * minuteMs,
    closesAt: midnight + until * 60 * minuteMs,
    expected,
  };
}
