import { pageLanguage, t } from '../words/words.ts';

const units = [t('bytes'), 'kB', 'MB', 'GB', 'TB'];

/** `48.2 kB`, `25 MB` */
export function showBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1)).toLocaleString(pageLanguage())} ${units[unit]}`;
}
