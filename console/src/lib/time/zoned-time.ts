/** Local times in an IANA zone, with daylight saving from Intl. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB-u-ca-gregory-nu-latn', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(zone, format);
  return format;
}

/** Local time in the zone, as an input of type `datetime-local` takes it: `2026-05-04T09:30`. */
export function wallTime(at: number, zone: string): string {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatIn(zone).formatToParts(at)) parts[type] = value;
  return `${parts['year']?.padStart(4, '0')}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}`;
}

/**
 * The instant (epoch ms) of a local time in the zone. An hour that is skipped when the clocks go forward is read as the
 * next one.
 */
export function instantOf(wall: string, zone: string): number {
  const utc = Date.parse(`${wall}Z`);
  const offset = (at: number) => Date.parse(`${wallTime(at, zone)}Z`) - Math.floor(at / 60_000) * 60_000;
  const guess = utc - offset(utc);
  return utc - offset(guess);
}

/** The calendar date `days` later. Dates have no zone, so daylight saving does not matter. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
