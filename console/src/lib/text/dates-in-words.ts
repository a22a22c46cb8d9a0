import { dateLocale } from '../words/words.ts';

const english = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
const months = Array.from({ length: 12 }, (_, month) => english.format(Date.UTC(2000, month)));
const isoDay = /\b(\d{4})-(\d{2})-(\d{2})(?: (\d{2}):(\d{2}))?(?![\dT:-]|\.\d)/g;
const englishMoment = new RegExp(`\\b(\\d{1,2}) (${months.join('|')}) (\\d{4}) at (\\d{2}):(\\d{2})`, 'g');

/**
 * A sentence of the service in which days and moments are written as elsewhere on the page: `2026-05-04 09:30` and
 * `4 May 2026 at 09:30`, which are local already, become `4 May 2026, 09:30`.
 */
export function datesInWords(sentence: string): string {
  return sentence
    .replaceAll(
      isoDay,
      (whole, year, month, day, hour, minute) =>
        dateText([year, month, day].map(Number), hour === undefined ? [] : [hour, minute].map(Number)) ?? whole,
    )
    .replaceAll(
      englishMoment,
      (whole, day, month, year, hour, minute) =>
        dateText([Number(year), months.indexOf(month) + 1, Number(day)], [hour, minute].map(Number)) ?? whole,
    );
}

function dateText(date: readonly number[], clock: readonly number[]): string | undefined {
  const [year = 0, month = 0, day = 0] = date;
  const [hour = 0, minute = 0] = clock;
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute));
  // There is no 13th month.
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day || hour > 23) return undefined;
  const timeStyle = clock.length > 0 ? 'short' : undefined;
  return new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle, timeZone: 'UTC' }).format(at);
}
