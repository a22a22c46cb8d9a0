import type { Venue } from '@pharos/sdk';
import { addDays } from '../../lib/time/zoned-time.ts';
import type { AnalyticsSearch } from './period.ts';
import type { SiteOf } from './site.ts';

/** When a venue is open, for what is marked in plots. */

export interface HoursCalendar {
  readonly name: string;
  readonly week: NonNullable<Venue['openingHours']>;
  readonly exceptions: NonNullable<Venue['exceptions']>;
}

/** Of the chosen venue, or of the only one; undefined if its hours are unknown. */
export function calendarOf(site: SiteOf, search: AnalyticsSearch): HoursCalendar | undefined {
  const floor = site.floors.find(({ objectId }) => objectId === search.floor);
  const zone = site.zones.find(({ objectId }) => objectId === search.zone);
  const only = site.venues.length === 1 ? site.venues[0]?.objectId : undefined;
  const id = search.venue ?? floor?.venueId.objectId ?? zone?.venueId?.objectId ?? only;
  const venue = site.venues.find(({ objectId }) => objectId === id);
  if (!venue?.openingHours) return undefined;
  return { name: venue.name, week: venue.openingHours, exceptions: venue.exceptions ?? [] };
}

/** As the interface has them, whatever the language. */
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

type Interval = { readonly from: string; readonly until: string };

/** Whether one of the hours of a day, or of the night that began the day before, reaches into an hour. */
function covers(hours: readonly Interval[], before: readonly Interval[], hour: number): boolean {
  const [begin, end] = [hour * 60, (hour + 1) * 60];
  const endsLater = ({ from, until }: Interval) => minutes(until) <= minutes(from);
  return (
    hours.some((one) => minutes(one.from) < end && (endsLater(one) || minutes(one.until) > begin)) ||
    before.some((one) => endsLater(one) && minutes(one.until) > begin)
  );
}

const weekdayHours = ({ week }: HoursCalendar, weekday: number) =>
  week.filter(({ dayName }) => dayName === dayNames[weekday % 7]);

/** `weekday`: 1 for Monday to 7 for Sunday. */
export const isOpenInWeek = (calendar: HoursCalendar, weekday: number, hour: number): boolean =>
  covers(weekdayHours(calendar, weekday), weekdayHours(calendar, weekday + 6), hour);

function hoursOn(calendar: HoursCalendar, date: string): readonly Interval[] {
  const special = calendar.exceptions.find((one) => one.date === date);
  return special ? special.hours : weekdayHours(calendar, new Date(`${date}T00:00:00Z`).getUTCDay());
}

/** Whether it is closed in an interval: a day such as 2026-10-01, or with the hour 2026-10-01T09:00. */
export function isClosedAt(calendar: HoursCalendar, start: string): boolean {
  const date = start.slice(0, 10);
  const hours = hoursOn(calendar, date);
  if (!start.includes('T')) return hours.length === 0;
  return !covers(hours, hoursOn(calendar, addDays(date, -1)), Number(start.slice(11, 13)));
}
