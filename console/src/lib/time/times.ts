import { useQuery } from '@tanstack/react-query';
import { appQuery } from '../data/queries.ts';
import { dateLocale, pageLanguage, t } from '../words/words.ts';

/** Times at the venue. A page that shows times names the zone once: `Times are in Europe/Vienna.` */
export interface Times {
  readonly zone: string;
  /** `4 May 2026, 11:30:05` */
  dateTime(iso: string): string;
  /** `4 May 2026, 11:30` */
  minute(iso: string): string;
  /** `4 May 2026` */
  date(iso: string): string;
}

const known = new Map<string, Times>();

export function timesIn(zone: string): Times {
  const kept = known.get(zone);
  if (kept) return kept;
  const dateTime = new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle: 'medium', timeZone: zone });
  const minute = new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
  const date = new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeZone: zone });
  const times = {
    zone,
    dateTime: (iso: string) => dateTime.format(new Date(iso)),
    minute: (iso: string) => minute.format(new Date(iso)),
    date: (iso: string) => date.format(new Date(iso)),
  };
  known.set(zone, times);
  return times;
}

export function useTimes(appId: string): Times {
  const { data: app } = useQuery(appQuery(appId));
  return timesIn(app?.policy.timeZone ?? 'UTC');
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** `11:30:05` in a zone. */
export function timeOfDay(zone: string, iso: string): string {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat(dateLocale(), { timeStyle: 'medium', timeZone: zone, hourCycle: 'h23' });
  clocks.set(zone, clock);
  return clock.format(new Date(iso));
}

/** `45 s`, `12 min`, `3 h 5 min` */
export function showDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60
    ? t('{minutes} min', { minutes })
    : t('{floor} h {minutes} min', { floor: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** How long a visit lasted (s), and how long it was said to last if that is something else; null while it is open. */
export function showStay({ dwell, smoothedDwell }: Record<'dwell' | 'smoothedDwell', number | null>): string | null {
  if (dwell === null) return null;
  const [reported, duration] = [showDuration(dwell), showDuration(smoothedDwell ?? dwell)];
  return duration === reported ? reported : t('{duration}, corrected from {reported}', { duration, reported });
}

const relative = new Intl.RelativeTimeFormat(pageLanguage(), { numeric: 'auto' });

const spans = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `3 hours`: how long ago it was. */
export function showSpan(iso: string): string {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  const [unit, size] = spans.find(([, size]) => seconds >= size) ?? [];
  if (!unit) return t('just now');
  return new Intl.NumberFormat(pageLanguage(), { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.trunc(seconds / size),
  );
}

/** `3 hours ago`, or `just now` within a minute. */
export function showAge(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  const [unit, size] = spans.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  return unit ? relative.format(Math.trunc(seconds / size), unit) : t('just now');
}
