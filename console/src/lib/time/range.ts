import { t } from '../words/words.ts';
import { addDays, instantOf } from './zoned-time.ts';

/** The time ranges that lists offer. */
export const ranges = [
  { value: 'hour', label: t('Last hour') },
  { value: 'today', label: t('Today') },
  { value: 'week', label: t('Last 7 days') },
  { value: 'month', label: t('Last 30 days') },
] as const;

export type Range = (typeof ranges)[number]['value'];

export const isRange = (value: unknown): value is Range => ranges.some((range) => range.value === value);

const minuteMs = 60_000;

/** The start of a range, ISO 8601; days begin at midnight in the zone. */
export function startOfRange(range: Range, zone: string, now = Date.now()): string {
  switch (range) {
    case 'hour':
      return iso(Math.floor(now / minuteMs) * minuteMs - 60 * minuteMs);
    case 'today':
      return iso(startOfDay(now, zone));
    case 'week':
      return iso(dayStart(addDays(dayIn(now, zone), -6), zone));
    case 'month':
      return iso(dayStart(addDays(dayIn(now, zone), -29), zone));
  }
}

const iso = (time: number) => new Date(time).toISOString();

/** Midnight before `time` (epoch ms) in the zone; the first moment of the day where the clocks skip midnight. */
export function startOfDay(time: number, zone: string): number {
  const day = dayIn(time, zone);
  // A day in a zone has at most 26 hours; its first moment is found by bisection.
  let [before, inside] = [time - 27 * 60 * minuteMs, time];
  while (inside - before > 1) {
    const middle = Math.floor((before + inside) / 2);
    if (dayIn(middle, zone) === day) inside = middle;
    else before = middle;
  }
  return inside;
}

/** The first moment (epoch ms) of a calendar day `2026-05-04` in the zone. */
export function dayStart(day: string, zone: string): number {
  // Noon is on that day, however far the zone is from UTC: no clock is put forward or back by as much.
  return startOfDay(instantOf(`${day}T12:00`, zone), zone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function dayIn(time: number, zone: string): string {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
    formats.set(zone, format);
  }
  return format.format(time);
}
