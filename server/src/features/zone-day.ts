import { BoundedMap } from '../base/caches/bounded-map.ts';

const formats = new BoundedMap<string, Intl.DateTimeFormat>(200);

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    weekday: 'short',
  });
  formats.set(timeZone, made);
  return made;
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The day (`2026-05-04`), the hour, the minute and the weekday (0: Sunday) of a moment in a time zone. */
export function dayIn(timeZone: string, at: number) {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: `${parts['year']}-${parts['month']}-${parts['day']}`,
    hour: Number(parts['hour']),
    minute: Number(parts['minute']),
    weekday: weekdays.indexOf(parts['weekday'] ?? ''),
  };
}

/** `4 May 2026 at 09:30 (Europe/Berlin)` */
export function momentIn(timeZone: string, at: number): string {
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(at);
  return `${text} (${timeZone})`;
}
