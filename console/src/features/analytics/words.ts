import { showDuration } from '../../lib/time/times.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import type { Comparison, Unit } from './period.ts';
import type { Count } from './queries.ts';

const number = new Intl.NumberFormat(pageLanguage());

/** `1,204`; `1–4` for a small group; a dash for a value that is withheld. */
export function countText(count: Count | undefined): string {
  if (count === '1-4') return '1–4';
  return typeof count === 'number' ? number.format(count) : '–';
}

export const dwellText = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined ? '–' : showDuration(seconds);

/** For a chart: a small group is drawn in the middle of its range. */
export const plotted = (count: Count | undefined): number | null =>
  count === '1-4' ? 2.5 : typeof count === 'number' ? count : null;

/**
 * `12 % more than the week before (368)`; only what it was where a change cannot be said, since one of them is small or withheld, or
 * the period is not over.
 */
export function changeText(now: Count | undefined, before: Count | undefined, { unit, compare }: Than): string {
  const than = t(
    '{compare, select, year {a year before} other {{unit, select, day {the day before} week {the week before} month {the month before} other {the year before}}}}',
    { unit, compare },
  );
  const was = countText(before);
  if (typeof now !== 'number' || typeof before !== 'number' || before === 0) return t('{than}: {was}', { than, was });
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return t('as many as {than} ({was})', { than, was });
  return t('{percent, number} % {isMore, select, true {more} other {fewer}} than {than} ({was})', {
    percent: Math.abs(percent),
    isMore: percent > 0,
    than,
    was,
  });
}

/** With which period something is compared. */
interface Than {
  readonly unit: Unit;
  readonly compare: Comparison;
}

export const weekdays = [t('Mon'), t('Tue'), t('Wed'), t('Thu'), t('Fri'), t('Sat'), t('Sun')] as const;

/** Long times together: `412 h`, `3.5 h`, `24 min`. */
export function hoursText(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–';
  const hours = seconds / 3_600;
  if (hours >= 10) return `${number.format(Math.round(hours))} h`;
  return hours >= 1
    ? `${number.format(Math.round(hours * 10) / 10)} h`
    : t('{seconds} min', { seconds: Math.round(seconds / 60) });
}
