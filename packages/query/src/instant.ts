/**
 * Instants as callers write them: ISO 8601 in the form `2024-05-31` or `2024-05-31T10:20`, with seconds, with 1 to 9
 * decimals (cut to milliseconds), and with `Z`, `+02:00`, `+0200` or nothing, which means UTC. Years 0001 to 9999,
 * valid calendar days only, no leap seconds.
 */
const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))?)?$/;

/** What most clients send: all digits, UTC, and a day that every month has. The platform parses it in a third of the time. */
const usualForm = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const minute = 60_000;

/** Epoch milliseconds of an ISO 8601 string; undefined if it is not one. */
export function parseInstant(text: string): number | undefined {
  if (usualForm.test(text)) return Date.parse(text);
  const found = form.exec(text);
  if (found === null) return undefined;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have would have moved the date forward.
  if (year === 0 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const minutes = Number(found[4] ?? 0) * 60 + Number(found[5] ?? 0);
  const milliseconds = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offset = Number(found[9] ?? 0) * 60 + Number(found[10] ?? 0);
  const local = date.getTime() + minutes * minute + Number(found[6] ?? 0) * 1000 + milliseconds;
  return local - (found[8] === '-' ? -offset : offset) * minute;
}

/** The text of `{"__type": "Date", "iso": "…"}`; undefined if the value is something else. */
export function isoOfDateObject(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { __type: type, iso } = value as Readonly<Record<string, unknown>>;
  return Object.hasOwn(value, '__type') && type === 'Date' && typeof iso === 'string' ? iso : undefined;
}

/** Epoch milliseconds of a stored Date object and, with `strings`, of an ISO string. */
export function readInstant(value: unknown, strings: boolean): number | undefined {
  const iso = typeof value === 'string' && strings ? value : isoOfDateObject(value);
  return iso === undefined ? undefined : parseInstant(iso);
}

const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
/** `00:00:` to `23:59:` */
const minutesOfDay = Array.from({ length: 1440 }, (_, n) => `${twoDigits[Math.floor(n / 60)]}:${twoDigits[n % 60]}:`);
/** `.000Z` to `.999Z` */
const fractions = Array.from({ length: 1000 }, (_, ms) => `.${String(ms).padStart(3, '0')}Z`);
const day = 86_400_000;
let lastDay = Number.NaN;
let lastDayText = '';
let lastSecond = Number.NaN;
let lastText = '';

/**
 * Epoch milliseconds as ISO 8601 in UTC with milliseconds. Most times of a list share the second or at least the day,
 * whose texts are cached: the calendar takes the time.
 */
export function isoTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  const fraction = fractions[epochMs - second * 1000];
  if (fraction === undefined) return new Date(epochMs).toISOString();
  if (second !== lastSecond) {
    lastText = textOfSecond(second);
    lastSecond = second;
  }
  return lastText + fraction;
}

function textOfSecond(second: number): string {
  const ofDay = Math.floor((second * 1000) / day);
  if (ofDay !== lastDay) {
    // Such as `2026-11-22T`; years beyond 9999 have more digits.
    lastDayText = new Date(ofDay * day).toISOString().slice(0, -13);
    lastDay = ofDay;
  }
  const within = second - ofDay * 86_400;
  return lastDayText + minutesOfDay[Math.floor(within / 60)] + twoDigits[within % 60];
}
