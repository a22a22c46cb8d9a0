import { decodeText } from '../../lib/text/decode.ts';
import { wallTime } from '../../lib/time/zoned-time.ts';
import { t } from '../../lib/words/words.ts';
import type { Exception } from './venue-fields.ts';

/** A calendar of holidays (iCalendar, RFC 5545) as closed days. */

const maxBytes = 2_000_000;
const maxDays = 1_000;
/** Of one event: some calendars have events without an end of repetition, and some began long ago. */
const [maxTimes, maxTimesBefore] = [1_200, 20_000];
/** Holidays of long ago are of no use, nor those in ten years. */
const yearsAhead = 3;

type Ical = typeof import('ical.js').default;
type IcalTime = InstanceType<Ical['Time']>;
type IcalEvent = InstanceType<Ical['Event']>;
type Component = InstanceType<Ical['Component']>;

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
  if (file.size > maxBytes) throw new Error(t('The calendar is larger than 2 MB. Export only the holidays.'));
  const { text } = decodeText(new Uint8Array(await file.arrayBuffer()));
  const { default: ICAL } = await import('ical.js');
  const events = eventsOf(ICAL, text);
  const window = { from: dayOf(new Date(now.getTime() - 31 * 86_400_000)), until: dayIn(now, yearsAhead), timeZone };
  const names = new Map<string, string>();
  for (const component of events) {
    for (const { date, name } of daysOf(eventOf(ICAL, component, events), window))
      if (!names.has(date)) names.set(date, name);
    if (names.size > maxDays)
      throw new Error(
        t(
          'This calendar has more than {maxDays, number} days between {from} and {until}. Export only the days on which the venue is closed; weekdays on which it never opens belong into the opening hours.',
          { maxDays, from: window.from, until: window.until },
        ),
      );
  }
  if (names.size === 0)
    throw new Error(
      t('There are no days between {from} and {until} in this calendar.', { from: window.from, until: window.until }),
    );
  return [...names]
    .map(([date, name]) => ({ date, ...(name === '' ? {} : { name }), hours: [] }))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

function eventsOf(ICAL: Ical, text: string): readonly Component[] {
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
const textOfProperty = (component: Component, name: string) => String(component.getFirstPropertyValue(name) ?? '');
const isCancelled = (component: Component) => textOfProperty(component, 'status').toUpperCase() === 'CANCELLED';

/** An event with those of its repetitions that are another day or are cancelled: these are events of their own, with the same UID. */
function eventOf(ICAL: Ical, component: Component, events: readonly Component[]) {
  const uid = textOfProperty(component, 'uid');
  const isOther = (one: Component) => one.hasProperty('recurrence-id') && textOfProperty(one, 'uid') === uid;
  const exceptions = component.hasProperty('recurrence-id') || uid === '' ? [] : events.filter(isOther);
  return new ICAL.Event(component, { exceptions });
}

/** All days of an event and of its repetitions. */
function daysOf(event: IcalEvent, window: Window): { readonly date: string; readonly name: string }[] {
  if (!event.startDate) return [];
  const days = (one: IcalEvent, startDate: IcalTime, endDate: IcalTime | null) => {
    if (isCancelled(one.component)) return [];
    const name = textOfProperty(one.component, 'summary').slice(0, 100);
    const start = textOf(startDate, window);
    const last = dayAfter(start, lengthOf({ startDate, endDate }, window) - 1);
    // Of one that began long ago or that has no end in sight, only the days in between are gone through.
    const first = start < window.from ? window.from : start;
    const count = daysBetween(first, last > window.until ? window.until : last) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, n) => ({ date: dayAfter(first, n), name }));
  };
  if (!event.isRecurring()) return days(event, event.startDate, event.endDate);
  const each = event.iterator();
  // One repetition may have been prolonged.
  const reach = lengthOf(event, window) + longest;
  const all: { readonly date: string; readonly name: string }[] = [];
  for (let [times, before] = [0, 0]; times < maxTimes && before < maxTimesBefore; ) {
    const next = each.next() as IcalTime | null;
    if (!next || textOf(next, window) > window.until) break;
    if (dayAfter(textOf(next, window), reach) < window.from) before++;
    else {
      times++;
      const { item, startDate, endDate } = event.getOccurrenceDetails(next);
      all.push(...days(item, startDate, endDate));
    }
  }
  return all;
}

const longest = 60;
/** A hundred years: what is longer has a mistake in it, and the days that JavaScript knows end somewhere. */
const maxLength = 36_525;

function lengthOf(
  { startDate: start, endDate: end }: { readonly startDate: IcalTime; readonly endDate: IcalTime | null },
  window: Window,
): number {
  if (!end) return 1;
  // The end of a day is the day behind it; the end of an hour is on its day, unless it is midnight.
  const last = end.clone();
  if (!start.isDate && end.compare(start) > 0) last.adjust(0, 0, 0, -1);
  const days = daysBetween(textOf(start, window), textOf(last, window));
  return Math.min(maxLength, Math.max(1, start.isDate ? days : days + 1));
}

const daysBetween = (from: string, until: string) => (Date.parse(until) - Date.parse(from)) / 86_400_000;

function dayAfter(start: string, days: number): string {
  return dayOf(new Date(Date.parse(`${start}T00:00:00Z`) + days * 86_400_000));
}
