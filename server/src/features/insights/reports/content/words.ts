import type { MailWords } from '../../../../mail/words/mail-words.ts';
import type { Calendar, Count } from './figures.ts';
import { addDays, type Every, type ReportPeriod } from './periods.ts';

/** How numbers, days and times are written in reports. */

/** The length of a bar: for a small group, the middle of its range. */
export const sizeOf = (count: Count | undefined): number =>
  count === '1-4' ? 2.5 : typeof count === 'number' ? count : 0;

/** Any Monday, from which the names of weekdays are derived. */
const monday = '2026-11-23';
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

export class ReportWords {
  readonly #words: MailWords;
  readonly #formats = new Map<string, Intl.DateTimeFormat>();

  constructor(words: MailWords) {
    this.#words = words;
  }

  get language(): string {
    return this.#words.language;
  }

  t(text: string, values?: Readonly<Record<string, string | number>>): string {
    return this.#words.t(text, values);
  }

  /** A sentence of the service. */
  translated(sentence: string): string {
    return this.#words.translated(sentence);
  }

  /** `1,204`; `1–4` for a small group; a dash for a hidden count. */
  count(count: Count | undefined): string {
    if (count === '1-4') return '1–4';
    return typeof count === 'number' ? count.toLocaleString(this.language) : '–';
  }

  /** `45 s`, `3 min 20 s`, `1 h 5 min` */
  duration(seconds: number | null | undefined): string {
    if (seconds === null || seconds === undefined) return '–';
    const whole = Math.round(seconds);
    if (whole < 60) return `${whole} s`;
    const minutes = Math.floor(whole / 60);
    if (minutes < 10) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
    if (minutes < 60) return `${minutes} min`;
    return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }

  /** `12.5 %` of a share from 0 to 1. */
  percent(share: number): string {
    return `${Number((share * 100).toFixed(1)).toLocaleString(this.language)} %`;
  }

  /** `Mon 23 Nov` */
  shortDay(day: string): string {
    return `${this.#day(day, { weekday: 'short' })} ${this.#day(day, { day: 'numeric', month: 'short' })}`;
  }

  /** `Saturday, 21 November` */
  longDay(day: string): string {
    return this.#day(day, { weekday: 'long', day: 'numeric', month: 'long' });
  }

  /** `November 2026`, `16 to 22 November 2026` */
  period(every: Every, { from, until }: ReportPeriod): string {
    if (every === 'month') return this.#day(from, { month: 'long', year: 'numeric' });
    const last = addDays(until, -1);
    const plain = (day: string) => this.#day(day, { day: 'numeric', month: 'long', year: 'numeric' });
    if (from.slice(0, 7) === last.slice(0, 7))
      return this.t('{day} to {until}', { day: String(Number(from.slice(8))), until: plain(last) });
    return this.t('{from} to {until}', { from: plain(from), until: plain(last) });
  }

  /** From Monday on. */
  get weekdays(): readonly string[] {
    return Array.from({ length: 7 }, (_, index) => this.#day(addDays(monday, index), { weekday: 'short' }));
  }

  /** What is special about a day: a holiday by its name, or that the place is closed. */
  dayMark(calendar: Calendar | undefined, day: string): string | undefined {
    if (!calendar) return undefined;
    const special = calendar.exceptions.find(({ date }) => date === day);
    if (special) {
      const state = special.hours.length === 0 ? this.t('closed') : this.t('other hours');
      return special.name === undefined ? state : `${special.name} (${state})`;
    }
    const name = dayNames[new Date(`${day}T00:00:00Z`).getUTCDay()];
    return calendar.week && !calendar.week.some(({ dayName }) => dayName === name) ? this.t('closed') : undefined;
  }

  #day(day: string, options: Intl.DateTimeFormatOptions): string {
    const key = JSON.stringify(options);
    const format =
      this.#formats.get(key) ?? new Intl.DateTimeFormat(this.#words.locale, { ...options, timeZone: 'UTC' });
    this.#formats.set(key, format);
    return format.format(new Date(`${day}T00:00:00Z`));
  }
}

/** `+12 %`; undefined where it cannot be said. */
export function changeText(now: Count | undefined, before: Count | undefined): string | undefined {
  if (typeof now !== 'number' || typeof before !== 'number' || before === 0) return undefined;
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)} %`;
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
