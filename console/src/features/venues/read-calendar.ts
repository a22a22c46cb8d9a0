import { wallTime } from '../../lib/time/zoned-time.ts';
import { t } from '../../lib/words/words.ts';
import type { Exception } from './venue-fields.ts';

/** A calendar of holidays (iCalendar, RFC 5545) as closed days. */

const mostBytes = 2_000_000;
const mostDays = 1_000;
/** Of one event: some calendars have events without an end of repetition. */
const mostTimes = 400;
/** Holidays of long ago are of no use, nor those in ten years. */
const yearsAhead = 3;

type Ical = typeof import('ical.js').default;
type IcalTime = InstanceType<Ical['Time']>;

interface Reading {
  readonly now?: Date;
  /** The venue's time zone, which decides the day of times in UTC. */
  readonly timeZone: string;
}

/**
 * The days that the events of a file cover, from last month on, each named after its event.
 *
 * @throws Error whose message is a sentence
 */
export async function readCalendar(file: File, { now = new Date(), timeZone }: Reading): Promise<readonly Exception[]> {
  if (file.size > mostBytes) throw new Error(t('The calendar is larger than 2 MB. Export only the holidays.'));
  const text = await file.text();
  const { default: ICAL } = await import('ical.js');
  const events = eventsOf(ICAL, text);
  const window = { from: dayOf(new Date(now.getTime() - 31 * 86_400_000)), until: dayIn(now, yearsAhead), timeZone };
  const names = new Map<string, string>();
  for (const component of events) {
    for (const date of daysOf(new ICAL.Event(component), window))
      if (!names.has(date) && names.size < mostDays) names.set(date, nameOf(component));
  }
  if (names.size === 0)
    throw new Error(
      t('There are no days between {from} and {until} in this calendar.', { from: window.from, until: window.until }),
    );
  return [...names]
    .map(([date, name]) => ({ date, ...(name === '' ? {} : { name }), hours: [] }))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

function eventsOf(ICAL: Ical, text: string) {
  try {
    return new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  } catch {
    throw new Error(t('This is no calendar. Choose an iCalendar file, which ends in .ics.'));
  }
}

interface Window extends Required<Pick<Reading, 'timeZone'>> {
  readonly from: string;
  readonly until: string;
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const dayIn = (now: Date, years: number) => `${now.getUTCFullYear() + years}${dayOf(now).slice(4)}`;
/** The day of a time: by its own clock, or by the venue's if the time is in UTC. */
const textOf = (time: IcalTime, { timeZone }: Window) =>
  !time.isDate && time.zone?.tzid === 'UTC'
    ? wallTime(time.toUnixTime() * 1000, timeZone).slice(0, 10)
    : time.toString().slice(0, 10);
const nameOf = (component: { getFirstPropertyValue(name: string): unknown }) =>
  String(component.getFirstPropertyValue('summary') ?? '').slice(0, 100);

/** All days of an event and of its repetitions. */
function daysOf(event: InstanceType<Ical['Event']>, window: Window): readonly string[] {
  if (!event.startDate) return [];
  const length = lengthOf(event, window);
  const starts: string[] = [];
  if (event.isRecurring()) {
    const each = event.iterator();
    for (let times = 0; times < mostTimes; times++) {
      const next = each.next() as IcalTime | null;
      if (!next || textOf(next, window) > window.until) break;
      starts.push(textOf(next, window));
    }
  } else starts.push(textOf(event.startDate, window));
  return starts
    .flatMap((start) => Array.from({ length }, (_, days) => dayAfter(start, days)))
    .filter((day) => day >= window.from && day <= window.until);
}

const longest = 60;

function lengthOf(
  { startDate: start, endDate: end }: { readonly startDate: IcalTime; readonly endDate: IcalTime | null },
  window: Window,
): number {
  if (!end) return 1;
  // The end of a day is the day behind it; the end of an hour is on its day, unless it is midnight.
  const last = end.clone();
  if (!start.isDate && end.compare(start) > 0) last.adjust(0, 0, 0, -1);
  const days = (Date.parse(textOf(last, window)) - Date.parse(textOf(start, window))) / 86_400_000;
  return Math.min(longest, Math.max(1, start.isDate ? days : days + 1));
}

function dayAfter(start: string, days: number): string {
  return dayOf(new Date(Date.parse(`${start}T00:00:00Z`) + days * 86_400_000));
}
