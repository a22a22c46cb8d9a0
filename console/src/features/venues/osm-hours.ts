import type { Venue } from '@pharos/sdk';
import { type DayName, week as weekDays } from '../../components/rules/days.ts';
import type { Exception, Hours, Opening } from './venue-fields.ts';

/**
 * The hours of a venue as OpenStreetMap writes them (https://wiki.openstreetmap.org/wiki/Key:opening_hours), which is what IMDF asks for:
 * `Tu-Fr 10:00-18:00; Sa 20:00-01:00; 2026 Dec 25 off "Christmas"`. A rule replaces those before it on its days.
 */

const shortMonth = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' });
const months = Array.from({ length: 12 }, (_, month) => shortMonth.format(Date.UTC(2026, month, 1)));
const shortOf = (day: DayName) => day.slice(0, 2);
const never = 'off';

const byStart = (a: Hours, b: Hours) => (a.from < b.from ? -1 : 1);
const timesText = (hours: readonly Hours[]) =>
  hours.length === 0
    ? never
    : hours
        .toSorted(byStart)
        .map(({ from, until }) => `${from}-${until}`)
        .join(',');

/** Null: nobody knows them. */
export function osmHours({ openingHours, exceptions }: Pick<Venue, 'openingHours' | 'exceptions'>): string | null {
  const rules = [...weekRules(openingHours), ...exceptions.map(dayRule)];
  return rules.length === 0 ? null : rules.join('; ');
}

/** Days in a row with the same hours are one rule. */
function weekRules(week: readonly Opening[] | undefined): readonly string[] {
  if (!week) return [];
  if (week.length === 0) return [never];
  const runs: { readonly days: DayName[]; readonly times: string }[] = [];
  for (const day of weekDays) {
    const times = timesText(week.filter(({ dayName }) => dayName === day));
    const last = runs.at(-1);
    if (last?.times === times) last.days.push(day);
    else runs.push({ days: [day], times });
  }
  // A day without a rule is closed.
  return runs.flatMap(({ days: [first = 'Mon', ...others], times }) => {
    const last = others.at(-1);
    if (times === never) return [];
    return [`${shortOf(first)}${last ? `${others.length > 1 ? '-' : ','}${shortOf(last)}` : ''} ${times}`];
  });
}

function dayRule({ date, name, hours }: Exception): string {
  const [year, month, day] = date.split('-');
  const comment = name ? ` "${commentOf(name)}"` : '';
  return `${year} ${months[Number(month) - 1]} ${day} ${timesText(hours)}${comment}`;
}

/** A comment cannot contain its own quotation marks. */
const commentOf = (name: string) => name.replaceAll('"', '”');

export interface ReadHours {
  /** Undefined: it says nothing of a week. */
  readonly openingHours: readonly Opening[] | undefined;
  readonly exceptions: readonly Exception[];
}

/** More days than these are no holiday, but a season. */
const maxRange = 31;

/** The hours of a text, or the part of it that cannot be understood here. */
export function readOsmHours(text: string): ReadHours | { readonly unknown: string } {
  const week = new Map<DayName, readonly Hours[]>();
  const dates = new Map<string, Exception>();
  let saysWeek = false;
  for (const rule of rulesOf(text)) {
    const read = readRule(rule);
    if (!read) return { unknown: rule };
    saysWeek ||= read.days.length > 0;
    for (const day of read.days) week.set(day, read.hours);
    for (const date of read.dates)
      dates.set(date, { date, ...(read.name ? { name: read.name } : {}), hours: [...read.hours] });
  }
  const openingHours = weekDays.flatMap((dayName) => (week.get(dayName) ?? []).map((one) => ({ dayName, ...one })));
  return { openingHours: saysWeek ? openingHours : undefined, exceptions: [...dates.values()] };
}

/** Semicolons in comments separate nothing. */
const rulesOf = (text: string): readonly string[] =>
  (text.match(/(?:"[^"]*"|[^;"])+|"[^;]*/g) ?? []).map((rule) => rule.trim()).filter((rule) => rule !== '');

interface Rule {
  readonly days: readonly DayName[];
  readonly dates: readonly string[];
  readonly hours: readonly Hours[];
  readonly name: string | undefined;
}

const weekday = '(?:Mo|Tu|We|Th|Fr|Sa|Su)';
const weekdayRange = `${weekday}(?: ?- ?${weekday})?`;
const span = '\\d{1,2}:\\d\\d ?- ?\\d{1,2}:\\d\\d';
const form = new RegExp(
  `^(?:(?<days>${weekdayRange}(?: ?, ?${weekdayRange})*)|(?<dates>\\d{4} [A-Z][a-z]{2} \\d[^:"]*?))?:? ?(?<times>${span}(?: ?, ?${span})*|off|closed|24/7)(?: ?"(?<name>[^"]*)")?$`,
);

function readRule(rule: string): Rule | undefined {
  const tidy = rule.replace(/[–—]/g, '-').replace(/\s+/g, ' ');
  const { days, dates, times = '', name } = form.exec(tidy)?.groups ?? {};
  const hours = hoursIn(times);
  const listed = dates === undefined ? [] : datesIn(dates.trim());
  if (!hours || !listed) return undefined;
  // The name as it is written, with its spaces.
  const comment = name && (/"([^"]*)"/.exec(rule)?.[1] ?? name).trim().slice(0, 100);
  const all = days === undefined && dates === undefined;
  return { days: all ? weekDays : weekdaysIn(days ?? ''), dates: listed, hours, name: comment || undefined };
}

function weekdaysIn(text: string): readonly DayName[] {
  const at = (short: string) => weekDays.findIndex((day) => shortOf(day) === short.trim());
  return text
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [from = '', until = from] = part.split('-');
      const [first, last] = [at(from), at(until)];
      // Sa-Mo goes round.
      const count = ((last - first + weekDays.length) % weekDays.length) + 1;
      return Array.from({ length: count }, (_, step) => weekDays[(first + step) % weekDays.length] ?? 'Mon');
    });
}

/** `2026 Dec 25`, `2026 Dec 24-26`, `2026 Dec 24,2026 Dec 31-2027 Jan 01`; undefined: something else. */
function datesIn(text: string): readonly string[] | undefined {
  const found: string[] = [];
  for (const part of text.split(',')) {
    const [, year, month, day, untilYear = year, untilMonth = month, untilDay = day] =
      /^ ?(\d{4}) ([A-Z][a-z]{2}) (\d{1,2})(?: ?- ?(?:(?:(\d{4}) )?([A-Z][a-z]{2}) )?(\d{1,2}))? ?$/.exec(part) ?? [];
    const [from, until] = [instantOf(year, month, day), instantOf(untilYear, untilMonth, untilDay)];
    if (from === undefined || until === undefined || until < from || until - from > maxRange * dayMs) return undefined;
    for (let at = from; at <= until; at += dayMs) found.push(new Date(at).toISOString().slice(0, 10));
  }
  return found;
}

const dayMs = 86_400_000;

/** Midnight in UTC of a day of the calendar; undefined: there is no such day. */
function instantOf(year = '', month = '', day = ''): number | undefined {
  const at = Date.UTC(Number(year), months.indexOf(month), Number(day));
  return months.includes(month) && new Date(at).getUTCDate() === Number(day) ? at : undefined;
}

const wholeDay: Hours = { from: '00:00', until: '24:00' };

/** Undefined: some of it is no time of a day. */
function hoursIn(text: string): readonly Hours[] | undefined {
  if (text === '24/7') return [wholeDay];
  if (text === never || text === 'closed') return [];
  const hours = text.split(',').map((part) => {
    const [from = '', until = ''] = part.split('-').map((time) => time.trim());
    return { from: clock(from, 23), until: until === '24:00' ? until : clock(until, 47) };
  });
  return hours.every((one): one is Hours => one.from !== undefined && one.until !== undefined) && text !== ''
    ? hours
    : undefined;
}

/** `26:00` is 02:00 of the next day. */
function clock(time: string, maxHours: number): string | undefined {
  const [hour = Number.NaN, minute = Number.NaN] = time.split(':').map(Number);
  if (!(hour <= maxHours && minute <= 59)) return undefined;
  return `${String(hour % 24).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

const nameOf = (day: Exception | undefined) => (day?.name ? { name: day.name } : {});

/** What is read, in the order and with the names that the venue has where it says the same. */
export function asKnown(read: ReadHours, known: Pick<Venue, 'openingHours' | 'exceptions'>): ReadHours {
  const isSame = (one: readonly Opening[] | undefined, other: readonly Opening[] | undefined) =>
    osmHours({ openingHours: one as Opening[], exceptions: [] }) ===
    osmHours({ openingHours: other as Opening[], exceptions: [] });
  return {
    openingHours: isSame(read.openingHours, known.openingHours) ? known.openingHours : read.openingHours,
    exceptions: read.exceptions.map((day) => {
      const before = known.exceptions.find(({ date }) => date === day.date);
      if (before && dayRule(before) === dayRule({ ...day, ...(day.name ? {} : nameOf(before)) })) return before;
      return day.name ? day : { ...day, ...nameOf(before) };
    }),
  };
}
