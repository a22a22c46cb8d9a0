import { type DayName, daysText, runsOn, type ShownDay, week } from '../../../components/rules/days.ts';
import { limitTexts, visitText } from '../../../components/rules/rule-words.ts';
import { effectiveRules, type RuleName, type Rules } from '../../../components/rules/rules.ts';
import type { Times } from '../../../lib/time/times.ts';
import { addDays, wallTime } from '../../../lib/time/zoned-time.ts';
import { dateLocale, listed, t } from '../../../lib/words/words.ts';

/** The parts of the sentence that says when a message is shown, in words. */
export interface Parts {
  readonly places: string;
  readonly often: string;
  readonly days: string;
  readonly hours: string;
  readonly period: string;
  /** What was set for this message besides; empty if nothing was. */
  readonly more: string;
  /** What follows the app; empty if that sets nothing. */
  readonly otherwise: string;
}

interface Said {
  readonly beacons: readonly string[];
  readonly showOn: readonly ShownDay[];
  readonly delivery: Rules;
}

interface Known {
  readonly app: Rules;
  readonly times: Times;
  /** Names of beacons by id: null for a deleted one, undefined until they are known. */
  readonly names: (beaconId: string) => string | null | undefined;
  /** The zone, floor or venue that the beacons are, if they are all of one. */
  readonly place?: string | undefined;
}

/** The rules that no other part of the sentence says. */
export const otherRules = ['coolDown', 'caps', 'timeZone'] as const satisfies readonly RuleName[];

export function partsOf({ beacons, showOn, delivery }: Said, { app, times, names, place }: Known): Parts {
  const rules = effectiveRules(app, delivery);
  const others = (of: Rules, isOwn: boolean) =>
    Object.fromEntries(otherRules.flatMap((name) => (name in delivery === isOwn ? [[name, of[name]]] : []))) as Rules;
  return {
    places: place ?? placesText(beacons, names),
    often: oftenText(rules),
    days: weekText(showOn),
    hours: hoursText(rules),
    period: periodText(rules, rules.timeZone ?? times.zone),
    more: listed(limitTexts(others(delivery, true), times)),
    otherwise: listed(limitTexts(others(app, false), times)),
  };
}

/** `Main hall or one of 3 more` */
export function placesText(beacons: readonly string[], names: Known['names']): string {
  if (beacons.length === 0) return t('a place');
  const known = beacons.map(names).filter((name) => name !== null);
  if (known.length === 0) return t('a beacon that is deleted');
  const named = (known.length > 3 ? known.slice(0, 2) : known).map((name) => name ?? '…');
  const rest = known.length - named.length;
  return listed(rest > 0 ? [...named, t('one of {rest} more', { rest })] : named, 'or');
}

export const oftenText = ({ oncePer, nthVisit }: Rules): string =>
  [visitText(nthVisit), oncePer === 'event' ? t('each time, even within one visit') : nthVisit ? '' : t('once a visit')]
    .filter(Boolean)
    .join(', ');

const plurals: Readonly<Record<DayName, string>> = {
  Mon: t('on Mondays'),
  Tue: t('on Tuesdays'),
  Wed: t('on Wednesdays'),
  Thu: t('on Thursdays'),
  Fri: t('on Fridays'),
  Sat: t('on Saturdays'),
  Sun: t('on Sundays'),
};

/** `on Saturdays`, `on Mon–Fri` */
export function weekText(showOn: readonly ShownDay[]): string {
  const days = week.filter((day) => runsOn(showOn, day));
  if (days.length === week.length) return t('every day');
  if (days.length === 0) return t('on no day');
  return days.length === 1 ? plurals[days[0] as DayName] : t('on {days}', { days: daysText(showOn) });
}

/** `10:00–17:00`: what quiet hours leave. */
export function hoursText({ quietHours, venueHours }: Rules): string {
  const during =
    venueHours &&
    {
      open: t('while the venue is open'),
      openDays: t('on days on which the venue opens'),
    }[venueHours.during];
  const clock = quietHours && t('from {from} to {until}', { from: quietHours.until, until: quietHours.from });
  return [during, clock].filter(Boolean).join(', ') || t('at any hour');
}

const isMidnight = (wall: string) => wall.endsWith('T00:00');

/** `1–24 December 2026`; `in December 2026`, if it is all of it. */
export function periodText({ validFrom, validUntil }: Rules, zone: string): string {
  const wall = (iso: string) => (Number.isNaN(Date.parse(iso)) ? undefined : wallTime(Date.parse(iso), zone));
  const [from, until] = [wall(validFrom ?? ''), wall(validUntil ?? '')];
  if (!from && !until) return t('from now on');
  // It ends before the minute that it has as its end: at midnight, on the day before.
  const last = until && isMidnight(until) ? addDays(until.slice(0, 10), -1) : until;
  if (from && last && isMidnight(from) && until && isMidnight(until)) {
    const isMonth = from.slice(8, 10) === '01' && until.slice(8, 10) === '01' && from.slice(0, 7) === last.slice(0, 7);
    if (isMonth) return t('in {month}', { month: format('month').format(dateOf(from)) });
    return format('date').formatRange(dateOf(from), dateOf(last));
  }
  const said = (at: string) => format(at.length > 10 && !isMidnight(at) ? 'minute' : 'date').format(dateOf(at));
  const parts = [
    ...(from ? [last ? t('from {day}', { day: said(from) }) : t('from {day} on', { day: said(from) })] : []),
    ...(last ? [t('until {minute}', { minute: said(last) })] : []),
  ];
  return parts.join(' ');
}

/** A wall time as an instant in UTC, so that it is shown as it stands. */
const dateOf = (wall: string) => new Date(wall.length > 10 ? `${wall}Z` : `${wall}T00:00Z`);

const formats = {
  date: { day: 'numeric', month: 'long', year: 'numeric' },
  minute: { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  month: { month: 'long', year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const format = (kind: keyof typeof formats) =>
  new Intl.DateTimeFormat(dateLocale(), { ...formats[kind], timeZone: 'UTC' });
