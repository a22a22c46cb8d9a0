import { type DayName, type LocalTime, localTime } from './local-time.ts';

/** When a venue is open, in its local time: only Intl knows the day on which a zone changes its clocks. */

/** "HH:MM"; `until` may be "24:00". An `until` that is not after `from` is on the next day. */
export interface Opening {
  readonly from: string;
  readonly until: string;
}

export interface WeeklyOpening extends Opening {
  readonly dayName: string;
}

/** A calendar day that differs from the week: `[]` is closed. */
export interface HoursException {
  /** "YYYY-MM-DD" */
  readonly date: string;
  /** Why, such as the name of a holiday. */
  readonly name?: string;
  readonly hours: readonly Opening[];
}

/** Minutes since the midnight with which the day begins; `until` reaches 2880 where it is on the next day. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Hours in the form used here. A day without an entry in `week` is closed; without a week, the hours are unknown. */
export interface VenueHours {
  readonly zone: string | undefined;
  readonly week: ReadonlyMap<string, readonly Span[]> | undefined;
  readonly exceptions: ReadonlyMap<string, { readonly name?: string; readonly spans: readonly Span[] }>;
}

const DAY_MINUTES = 1440;

function minuteOf(text: string): number {
  const [hour, minute] = text.split(':').map(Number);
  return (hour ?? 0) * 60 + (minute ?? 0);
}

/** `from` and `until` have the form that the interface demands. */
export function spanOf({ from, until }: Opening): Span {
  const [start, end] = [minuteOf(from), minuteOf(until)];
  return { from: start, until: end > start ? end : end + DAY_MINUTES };
}

export function readHours(
  zone: string | undefined,
  week: readonly WeeklyOpening[] | undefined,
  exceptions: readonly HoursException[],
): VenueHours {
  const days = new Map<string, Span[]>();
  for (const opening of week ?? []) days.set(opening.dayName, [...(days.get(opening.dayName) ?? []), spanOf(opening)]);
  return {
    zone,
    week: week && days,
    exceptions: new Map(
      exceptions.map(({ date, name, hours }) => [
        date,
        { ...(name === undefined ? {} : { name }), spans: hours.map(spanOf) },
      ]),
    ),
  };
}

type Day = Pick<LocalTime, 'dayName' | 'date'>;

/** Undefined: nothing is known about this day. */
const spansOn = ({ week, exceptions }: VenueHours, { dayName, date }: Day): readonly Span[] | undefined =>
  exceptions.get(date)?.spans ?? (week && (week.get(dayName) ?? []));

const NAMES: readonly DayName[] = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The calendar day some days away. Days of a calendar have no time zone. */
function dayAfter({ date }: Day, days: number): Day {
  const at = new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000);
  return { date: at.toISOString().slice(0, 10), dayName: NAMES[at.getUTCDay()] as DayName };
}

/** Open at an instant (ms). If nothing is known about the hours, it counts as open. */
export function isOpenAt(hours: VenueHours, at: number, zone: string): boolean {
  return isOpen(hours, localTime(at, zone));
}

function isOpen(hours: VenueHours, local: LocalTime): boolean {
  const spans = spansOn(hours, local);
  const isNow = ({ from, until }: Span, minute: number) => minute >= from && minute < until;
  // A night belongs to the day on which it began, also if the next day is a holiday.
  const ofYesterday = spansOn(hours, dayAfter(local, -1)) ?? [];
  if (ofYesterday.some((span) => isNow(span, local.minute + DAY_MINUTES))) return true;
  return spans === undefined || spans.some((span) => isNow(span, local.minute));
}

/** Whether the venue opens on the calendar day of an instant, or has been open into it from the day before. */
export function isOpenDay(hours: VenueHours, at: number, zone: string): boolean {
  const local = localTime(at, zone);
  return isOpen(hours, local) || (spansOn(hours, local)?.length ?? 1) > 0;
}

/** The name of the day's exception, if it has one. */
export const exceptionAt = (hours: VenueHours, at: number, zone: string): string | undefined =>
  hours.exceptions.get(localTime(at, zone).date)?.name;

/** When it opens next after an instant at which it is closed (ms), today or tomorrow; undefined: later, or unknown. */
export function nextOpening(hours: VenueHours, at: number, zone: string): number | undefined {
  const local = localTime(at, zone);
  const minute = Math.floor(at / 60_000) * 60_000;
  const ahead = [local, dayAfter(local, 1)].flatMap(({ dayName, date }, days) =>
    (spansOn(hours, { dayName, date }) ?? []).map(({ from }) => ({
      wait: from + days * DAY_MINUTES - local.minute,
      date,
      from,
    })),
  );
  const waits = ahead.filter(({ wait }) => wait > 0).sort((a, b) => a.wait - b.wait);
  for (const { wait, date, from } of waits) {
    const opensAt = onTheClock(minute + wait * 60_000, { date, minute: from }, zone);
    if (opensAt > at && isOpenAt(hours, opensAt, zone)) return opensAt;
  }
  return undefined;
}

type ClockTime = Pick<LocalTime, 'date' | 'minute'>;

const isBefore = (one: ClockTime, other: ClockTime): boolean =>
  one.date === other.date ? one.minute < other.minute : one.date < other.date;

/** Corrects an instant by what the clocks were changed in between. A time that they skip comes as they are put forward. */
function onTheClock(at: number, time: ClockTime, zone: string): number {
  const off = time.minute - localTime(at, zone).minute;
  const shift = off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off < -DAY_MINUTES / 2 ? off + DAY_MINUTES : off;
  let corrected = at + shift * 60_000;
  while (corrected < at && isBefore(localTime(corrected, zone), time)) corrected += 60_000;
  return corrected;
}

/** Openings of a week whose times overlap, also over midnight and from Saturday into Sunday. */
export function overlapInWeek(week: readonly WeeklyOpening[]): readonly [WeeklyOpening, WeeklyOpening] | undefined {
  const weekMinutes = 7 * DAY_MINUTES;
  const placed = week.map((opening) => {
    const span = spanOf(opening);
    const start = NAMES.indexOf(opening.dayName as DayName) * DAY_MINUTES;
    return { opening, from: start + span.from, until: start + span.until };
  });
  const sorted = placed.sort((a, b) => a.from - b.from);
  for (const [index, one] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next && next.from < one.until) return [one.opening, next.opening];
  }
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first && last && first !== last && last.until > weekMinutes + first.from) return [last.opening, first.opening];
  return undefined;
}

/** Two openings of one day that overlap. */
export function overlapInDay(hours: readonly Opening[]): readonly [Opening, Opening] | undefined {
  const sorted = hours.map((opening) => ({ opening, ...spanOf(opening) })).sort((a, b) => a.from - b.from);
  for (const [index, one] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next && next.from < one.until) return [one.opening, next.opening];
  }
  return undefined;
}
