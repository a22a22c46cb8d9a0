import { addDays, instantOf, wallTime } from '../../lib/time/zoned-time.ts';
import { t } from '../../lib/words/words.ts';
import type { Rules } from './rules.ts';

export const week = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
export type DayName = (typeof week)[number];

export interface ShownDay {
  readonly dayName: DayName;
  readonly checked: boolean;
}

export const dayLabels: Readonly<Record<DayName, string>> = {
  Mon: t('Monday'),
  Tue: t('Tuesday'),
  Wed: t('Wednesday'),
  Thu: t('Thursday'),
  Fri: t('Friday'),
  Sat: t('Saturday'),
  Sun: t('Sunday'),
};

export const shortDays: Readonly<Record<DayName, string>> = {
  Mon: t('Mon'),
  Tue: t('Tue'),
  Wed: t('Wed'),
  Thu: t('Thu'),
  Fri: t('Fri'),
  Sat: t('Sat'),
  Sun: t('Sun'),
};

/** A day that the schedule does not list is unchecked. */
export const runsOn = (showOn: readonly ShownDay[], day: DayName): boolean =>
  showOn.some(({ dayName, checked }) => dayName === day && checked);

/** `Mon–Fri, Sun`; empty if there is no day. */
export function daysText(showOn: readonly ShownDay[]): string {
  const runs: DayName[][] = [];
  week.forEach((day, index) => {
    if (!runsOn(showOn, day)) return;
    const last = runs.at(-1);
    if (last && last.at(-1) === week[index - 1]) last.push(day);
    else runs.push([day]);
  });
  const short = (day: DayName | undefined) => (day ? shortDays[day] : '');
  return runs
    .map((run) => (run.length > 2 ? `${short(run[0])}–${short(run.at(-1))}` : run.map(short).join(', ')))
    .join(', ');
}

export interface ComingDay {
  /** `2026-05-04` */
  readonly date: string;
  readonly day: DayName;
  /** `part`: the validity begins or ends on that day. */
  readonly runs: 'yes' | 'part' | 'no';
}

interface Schedule {
  readonly showOn: readonly ShownDay[];
  readonly rules: Pick<Rules, 'validFrom' | 'validUntil'>;
  readonly isEnabled: boolean;
  readonly zone: string;
}

/** The coming days on which a scenario runs, by the calendar at the venue, starting with today. */
export function comingDays({ showOn, rules, isEnabled, zone }: Schedule, now: number, count = 14): ComingDay[] {
  const today = wallTime(now, zone).slice(0, 10);
  const from = rules.validFrom ? Date.parse(rules.validFrom) : Number.NEGATIVE_INFINITY;
  const until = rules.validUntil ? Date.parse(rules.validUntil) : Number.POSITIVE_INFINITY;
  return Array.from({ length: count }, (_, index) => {
    const date = addDays(today, index);
    const day = week[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] as DayName;
    const [begins, ends] = [instantOf(`${date}T00:00`, zone), instantOf(`${addDays(date, 1)}T00:00`, zone)];
    const isOut = !isEnabled || !runsOn(showOn, day) || from >= ends || until <= begins;
    return { date, day, runs: isOut ? 'no' : from > begins || until < ends ? 'part' : 'yes' };
  });
}

/** A message without days is shown on all days. */
export const everyDay: readonly ShownDay[] = week.map((dayName) => ({ dayName, checked: true }));

/** Whether a message may be shown on one of the coming days. A period that ends before it begins is left for the service to refuse. */
export function isShownSoon(schedule: Schedule): boolean {
  const { validFrom, validUntil } = schedule.rules;
  const isWrong = Boolean(validFrom && validUntil) && Date.parse(validUntil ?? '') <= Date.parse(validFrom ?? '');
  return isWrong || comingDays(schedule, Date.now()).some(({ runs }) => runs !== 'no');
}
