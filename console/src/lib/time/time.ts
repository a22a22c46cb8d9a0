import { pageLanguage, t } from '../words/words.ts';

const relative = new Intl.RelativeTimeFormat(pageLanguage(), { numeric: 'auto' });

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `3 hours`: how long ago it was. */
export function showSpan(iso: string): string {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? [];
  if (!unit) return t('just now');
  return new Intl.NumberFormat(pageLanguage(), { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.trunc(seconds / size),
  );
}

/** `3 hours ago`, or `just now` within a minute. */
export function showAge(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  return unit ? relative.format(Math.trunc(seconds / size), unit) : t('just now');
}
