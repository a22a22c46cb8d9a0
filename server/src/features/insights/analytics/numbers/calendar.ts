import { localTime } from '@pharos/engine';
import { BoundedMap } from '../../../../base/caches/bounded-map.ts';

/** Days and hours of a time zone. Dates are texts such as 2026-10-01. */

const minuteMs = 60_000;
export const hourMs = 3_600_000;
const dayMs = 86_400_000;
const stepMs = 15 * minuteMs;

/** A zone's offset (ms) on whole UTC days on which it did not change; null for days on which it did. */
const aheads = new BoundedMap<string, number | null>(20_000);
/** The first day whose offsets are cached: Intl takes some 20 µs, and a question about a year asks for all of its hours. */
const firstKnown = Date.UTC(1972, 0, 1);

function aheadAt(day: number, zone: string): number | null {
  const key = `${zone} ${day}`;
  const known = aheads.get(key);
  if (known !== undefined) return known;
  const [first, last] = [aheadOf(day * dayMs, zone), aheadOf((day + 1) * dayMs, zone)];
  const ahead = first === last ? first : null;
  aheads.set(key, ahead);
  return ahead;
}

function aheadOf(at: number, zone: string): number {
  const { date, minute } = localTime(at, zone);
  return Date.parse(`${date}T00:00:00Z`) + minute * minuteMs - at;
}

/** The date and the minutes since midnight as the clocks of the zone show them. */
export function localAt(at: number, zone: string): { readonly date: string; readonly minute: number } {
  const ahead = at < firstKnown ? null : aheadAt(Math.floor(at / dayMs), zone);
  if (ahead === null) return localTime(at, zone);
  const local = at + ahead;
  const day = Math.floor(local / dayMs);
  return { date: dateText(day), minute: Math.floor((local - day * dayMs) / minuteMs) };
}

const dates = new BoundedMap<number, string>(20_000);

/** Days since 1970 as a text. */
function dateText(day: number): string {
  let text = dates.get(day);
  if (text === undefined) {
    text = new Date(day * dayMs).toISOString().slice(0, 10);
    dates.set(day, text);
  }
  return text;
}

export const dateOf = (at: number, zone: string): string => localAt(at, zone).date;

/**
 * When the hour of the zone's clocks began in which `at` is. In zones that are half an hour off, it is half past in UTC. An hour
 * that clocks show twice is two hours.
 */
export function hourStart(at: number, zone: string): number {
  const minutes = Math.floor(at / minuteMs);
  return (minutes - (localAt(at, zone).minute % 60)) * minuteMs;
}

/** `2026-10-01T09:00` on the clocks of the zone. */
export function hourText(at: number, zone: string): string {
  const { date, minute } = localAt(at, zone);
  return `${date}T${String(Math.floor(minute / 60)).padStart(2, '0')}:00`;
}

/** The first moments of days (epoch ms), by zone and day. */
const known = new BoundedMap<string, number>(20_000);

/** The first moment of a day (epoch ms). */
export function dayStart(date: string, zone: string): number {
  const key = `${zone} ${date}`;
  let start = known.get(key);
  if (start === undefined) {
    start = findDayStart(date, zone);
    known.set(key, start);
  }
  return start;
}

function findDayStart(date: string, zone: string): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const shown = localTime(midnight, zone);
  const ahead = (Date.parse(`${shown.date}T00:00:00Z`) - midnight) / minuteMs + shown.minute;
  let start = midnight - ahead * minuteMs;
  // Clocks may change on this day, even at midnight.
  while (dateOf(start, zone) < date) start += stepMs;
  while (dateOf(start - stepMs, zone) >= date) start -= stepMs;
  return start;
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** The days from the first date to the second, which is excluded. */
export const daysBetween = (from: string, until: string): number =>
  Math.round((Date.parse(`${until}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs);

/** 1 for Monday to 7 for Sunday. */
export const weekdayOf = (date: string): number => ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;

export const weekOf = (date: string): string => addDays(date, 1 - weekdayOf(date));
export const monthOf = (date: string): string => `${date.slice(0, 7)}-01`;

export function addMonths(date: string, months: number): string {
  const at = new Date(`${monthOf(date)}T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + months);
  return at.toISOString().slice(0, 10);
}

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

export type CalendarUnit = 'day' | 'week' | 'month' | 'year';

/** Which one day, week, month or year a period is. */
export function unitOf(from: string, until: string): CalendarUnit | undefined {
  if (addDays(from, 1) === until) return 'day';
  if (weekOf(from) === from && addDays(from, 7) === until) return 'week';
  if (monthOf(from) === from && addMonths(from, 1) === until) return 'month';
  if (from.endsWith('-01-01') && addMonths(from, 12) === until) return 'year';
  return undefined;
}

/** The period of the same kind that ends where this one begins. */
export function periodBefore(from: string, until: string): { readonly from: string; readonly until: string } {
  const unit = unitOf(from, until);
  if (unit === 'month' || unit === 'year') return { from: addMonths(from, unit === 'month' ? -1 : -12), until: from };
  return { from: addDays(from, -daysBetween(from, until)), until: from };
}

/** The period of a year before: the same months, or else the same days of the week. */
export function periodAYearBefore(from: string, until: string): { readonly from: string; readonly until: string } {
  const unit = unitOf(from, until);
  if (unit === 'month' || unit === 'year') return { from: addMonths(from, -12), until: addMonths(until, -12) };
  return { from: addDays(from, -364), until: addDays(until, -364) };
}

/** The part of a period that is as much of it as has passed of another one. */
export interface SoFar {
  /** The day in it that today is compared with; undefined: all days before `until`. */
  readonly day: string | undefined;
  /** When the hour ends that is compared with this one: `2026-10-27T16:00`. */
  readonly until: string;
}

/**
 * How much of the period before, or of a year before, is compared with one that goes on: to the same day of the month or week and the same
 * hour. Undefined if it is over, or has not begun.
 */
export function soFarIn(before: AskedDays, { from, until }: AskedDays, hour: string): SoFar | undefined {
  const today = hour.slice(0, 10);
  if (today < from || today >= until) return undefined;
  const unit = unitOf(from, until);
  const day =
    unit === 'month' || unit === 'year'
      ? `${addMonths(today, monthsBetween(from, before.from)).slice(0, 7)}${today.slice(7)}`
      : addDays(today, daysBetween(from, before.from));
  // The 31st of March, compared with February.
  if (!isDate(day)) return { day: undefined, until: `${addMonths(`${day.slice(0, 7)}-01`, 1)}T00:00` };
  const next = Number(hour.slice(11, 13)) + 1;
  return { day, until: next === 24 ? `${addDays(day, 1)}T00:00` : `${day}T${String(next).padStart(2, '0')}:00` };
}

interface AskedDays {
  readonly from: string;
  readonly until: string;
}

const monthsBetween = (from: string, until: string): number =>
  12 * (Number(until.slice(0, 4)) - Number(from.slice(0, 4))) + Number(until.slice(5, 7)) - Number(from.slice(5, 7));
