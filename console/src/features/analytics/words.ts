import { showDuration } from '../../lib/time/times.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
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

/** `+12 % on the period before`; nothing where it cannot be said. */
export function changeText(now: Count | undefined, before: Count | undefined): string | undefined {
  if (typeof now !== 'number' || typeof before !== 'number' || before === 0) return undefined;
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)} %`;
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
