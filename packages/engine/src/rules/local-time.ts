/** Weekdays and times of day at a site, by IANA zone and never by a stored offset: only Intl knows the day of a change. */

/** Three-letter names as the interface writes them. */
export type DayName = 'Sun' | 'Mon' | 'Tue' | 'Wed' | 'Thu' | 'Fri' | 'Sat';

/** Making a DateTimeFormat costs some 30 µs, using one 1 µs. Null: no such zone. Bounded, since names come from users. */
const formats = new Map<string, Intl.DateTimeFormat | null>();

function formatOf(zone: string): Intl.DateTimeFormat | null {
  let format = formats.get(zone);
  if (format === undefined) {
    format = makeFormat(zone);
    if (formats.size === 1_000) formats.clear();
    formats.set(zone, format);
  }
  return format;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  // "+02:00" is a zone for Intl, but a stored offset is wrong for half the year.
  if (/^[+-]/.test(timeZone)) return null;
  try {
    return new Intl.DateTimeFormat('en-GB-u-ca-gregory-nu-latn', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  } catch {
    return null;
  }
}

/** Whether it is an IANA zone. */
export const isTimeZone = (name: string): boolean => formatOf(name) !== null;

/** The first name that is an IANA zone; the design's order is detail, beacon, app. Else UTC. */
export function siteTimeZone(names: readonly (string | undefined)[]): string {
  return names.find((name) => typeof name === 'string' && isTimeZone(name)) ?? 'UTC';
}

export interface LocalTime {
  readonly dayName: DayName;
  /** "YYYY-MM-DD", to compare calendar days. */
  readonly date: string;
  /** Minutes since midnight as the clock on the wall shows them. */
  readonly minute: number;
}

/** The last answer by zone: events come minute by minute, and every trigger of an event asks the same. */
const lastAnswers = new Map<string, { readonly minute: number; readonly time: LocalTime }>();

/** What calendar and clock at the site show at an instant (ms). `zone` comes from siteTimeZone. */
export function localTime(at: number, zone: string): LocalTime {
  // All zones in use today differ from UTC by whole minutes; before 1972 some did not.
  const minute = at < 63_072_000_000 ? Number.NaN : Math.floor(at / 60_000);
  const last = lastAnswers.get(zone);
  if (last?.minute === minute) return last.time;
  const time = formatTime(at, zone);
  if (lastAnswers.size === 100) lastAnswers.clear();
  lastAnswers.set(zone, { minute, time });
  return time;
}

function formatTime(at: number, zone: string): LocalTime {
  const parts: Record<string, string> = {};
  const format = formatOf(zone) ?? (formatOf('UTC') as Intl.DateTimeFormat);
  for (const part of format.formatToParts(at)) parts[part.type] = part.value;
  return {
    dayName: parts['weekday'] as DayName,
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}
