import type { Calendar, Count } from './figures.ts';
import { addDays, type Every, type ReportPeriod } from './periods.ts';

/** How numbers, days and times are written in reports. */

const number = new Intl.NumberFormat('en');

/** `1,204`; `1–4` for a small group; a dash where nothing is told. */
export function countText(count: Count | undefined): string {
  if (count === '1-4') return '1–4';
  return typeof count === 'number' ? number.format(count) : '–';
}

/** For a bar: a small group stands in the middle of what it may be. */
export const sizeOf = (count: Count | undefined): number =>
  count === '1-4' ? 2.5 : typeof count === 'number' ? count : 0;

/** `45 s`, `3 min 20 s`, `1 h 5 min` */
export function durationText(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–';
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 10) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `+12 %`; undefined where it cannot be said. */
export function changeText(now: Count | undefined, before: Count | undefined): string | undefined {
  if (typeof now !== 'number' || typeof before !== 'number' || before === 0) return undefined;
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)} %`;
}

const format = (options: Intl.DateTimeFormatOptions) => {
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return (day: string) => made.format(new Date(`${day}T00:00:00Z`));
};
/** `Mon 23 Nov` */
const weekday = format({ weekday: 'short' });
const dayAndMonth = format({ day: 'numeric', month: 'short' });
export const shortDay = (day: string): string => `${weekday(day)} ${dayAndMonth(day)}`;
/** `Saturday, 21 November` */
export const longDay = format({ weekday: 'long', day: 'numeric', month: 'long' });
const monthName = format({ month: 'long', year: 'numeric' });
const plainDay = format({ day: 'numeric', month: 'long', year: 'numeric' });

/** `November 2026`, `16 to 22 November 2026` */
export function periodText(every: Every, { from, until }: ReportPeriod): string {
  if (every === 'month') return monthName(from);
  const last = addDays(until, -1);
  if (from.slice(0, 7) === last.slice(0, 7)) return `${Number(from.slice(8))} to ${plainDay(last)}`;
  return `${plainDay(from)} to ${plainDay(last)}`;
}

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** What is special about a day: a holiday by its name, or that the place is closed. */
export function dayMark(calendar: Calendar | undefined, day: string): string | undefined {
  if (!calendar) return undefined;
  const special = calendar.exceptions.find(({ date }) => date === day);
  if (special) {
    const state = special.hours.length === 0 ? 'closed' : 'other hours';
    return special.name === undefined ? state : `${special.name} (${state})`;
  }
  const name = dayNames[new Date(`${day}T00:00:00Z`).getUTCDay()];
  return calendar.week && !calendar.week.some(({ dayName }) => dayName === name) ? 'closed' : undefined;
}

const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

/** Whether a place is open in an hour of the week, at least in part. `weekday`: 1 for Monday to 7 for Sunday. */
export function isOpen(calendar: Calendar | undefined, weekday: number, hour: number): boolean {
  if (!calendar?.week) return true;
  return calendar.week.some(({ dayName, from, until }) => {
    if (dayName !== dayNames[weekday % 7]) return false;
    const [opens, closes] = [minutes(from), minutes(until)];
    // One that ends on the next day.
    return opens < (hour + 1) * 60 && (closes <= opens || closes > hour * 60);
  });
}
