import { type DayName, week as weekDays } from '../../../components/rules/days.ts';
import { t } from '../../../lib/words/words.ts';
import type { Exception, Hours, Opening } from '../venue-fields.ts';

/** Opening hours as cells of a table: `Tue 10:00-18:00; Sat 20:00-01:00`, and of one day `10:00-12:00; 14:00-18:00`. */

const never = 'closed';

const text = ({ from, until }: Hours) => `${from}-${until}`;

/** Empty where nobody knows them. */
export function weekCell(week: readonly Opening[] | null | undefined): string {
  if (!week) return '';
  return week.length === 0 ? never : week.map((one) => `${one.dayName} ${text(one)}`).join('; ');
}

export const dayCell = ({ hours }: Exception): string => (hours.length === 0 ? never : hours.map(text).join('; '));

const time = '([01]?\\d|2[0-3]):([0-5]\\d)';
const span = new RegExp(`^(?:([a-z]{3}) +)?${time} *[-–] *(?:${time}|(24):00)$`, 'i');

interface Part extends Hours {
  readonly dayName: DayName | undefined;
}

/** Undefined: not a list of hours. */
function partsOf(cell: string): readonly Part[] | undefined {
  if (cell.toLowerCase() === never) return [];
  const parts = cell
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const read = parts.map((part): Part | undefined => {
    const [, day, hour = '', minute, untilHour = '24', untilMinute = '00'] = span.exec(part) ?? [];
    const dayName = weekDays.find((one) => one.toLowerCase() === day?.toLowerCase());
    if (minute === undefined || (day !== undefined && dayName === undefined)) return undefined;
    return {
      dayName,
      from: `${hour.padStart(2, '0')}:${minute}`,
      until: `${untilHour.padStart(2, '0')}:${untilMinute}`,
    };
  });
  return read.length === 0 || read.includes(undefined) ? undefined : (read as readonly Part[]);
}

/** The hours of a week, or what is wrong with the cell as a sentence. */
export function weekOf(cell: string): readonly Opening[] | string {
  const parts = partsOf(cell);
  if (!parts?.every((part): part is Part & { readonly dayName: DayName } => part.dayName !== undefined))
    return t('Hours of a week look like Tue 10:00-18:00; Sat 20:00-01:00, or closed: {text}.', { text: cell });
  return parts.map(({ dayName, from, until }) => ({ dayName, from, until }));
}

/** The hours of one day, or what is wrong with the cell as a sentence. */
export function hoursOf(cell: string): readonly Hours[] | string {
  const parts = partsOf(cell);
  if (!parts?.every(({ dayName }) => dayName === undefined))
    return t('Hours of a day look like 10:00-12:00; 14:00-18:00, or closed: {text}.', { text: cell });
  return parts.map(({ from, until }) => ({ from, until }));
}

/** A date in the interface's form, also from 25.12.2026 as some spreadsheets write it; undefined: not a date. */
export function dateIn(cell: string): string | undefined {
  const [, dotDay = '', dotMonth = '', dotYear] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(cell) ?? [];
  const date = dotYear ? `${dotYear}-${dotMonth.padStart(2, '0')}-${dotDay.padStart(2, '0')}` : cell.slice(0, 10);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(date) && (dotYear !== undefined || /^.{10}(T00:00.*)?$/.test(cell));
  const at = isDate ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date) ? date : undefined;
}
