import { t } from '../../../lib/words/words.ts';
import type { HoursCalendar } from '../hours.ts';

/** What may explain the numbers of a plot: days with special opening hours, and campaigns. */

export interface Campaign {
  readonly name: string;
  /** Wall times such as 2026-10-01T09:00, the second exclusive; undefined where it has no such end. */
  readonly from: string | undefined;
  readonly until: string | undefined;
}

/** The intervals `first` to `last` of a plot, counted from 0. */
export interface Mark {
  readonly kind: 'holiday' | 'campaign';
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

interface Time {
  /** When each interval begins, such as 2026-10-01 or 2026-10-01T09:00. */
  readonly starts: readonly string[];
  /** When the last one ends. */
  readonly end: string;
}

interface Marked {
  readonly calendar: HoursCalendar | undefined;
  readonly campaigns: readonly Campaign[];
}

export const marksOf = (time: Time, { calendar, campaigns }: Marked): readonly Mark[] => [
  ...holidayMarks(time, calendar?.exceptions ?? []),
  ...campaignMarks(time, campaigns),
];

export const namesAt = (marks: readonly Mark[], index: number): readonly string[] =>
  marks.filter(({ first, last }) => first <= index && index <= last).map(({ name }) => name);

/** Arranges the marks in as few rows as possible without overlap; holidays have their own row. */
export function rowsOf(marks: readonly Mark[], maxRows: number): readonly (readonly Mark[])[] {
  const rows: Mark[][] = [];
  for (const mark of marks) {
    const free = rows.find((row) => row.every(({ kind, last }) => kind === mark.kind && last < mark.first));
    if (free) free.push(mark);
    else if (rows.length < maxRows) rows.push([mark]);
  }
  return rows;
}

/** A time with minutes, so that texts of times sort as the times do. */
const minute = (time: string) => (time.includes('T') ? time : `${time}T00:00`);

function holidayMarks({ starts, end }: Time, exceptions: HoursCalendar['exceptions']): Mark[] {
  const marks: Mark[] = [];
  for (const [index, start] of starts.entries()) {
    const [day, next] = [start.slice(0, 10), (starts[index + 1] ?? end).slice(0, 10)];
    // Within one day the next hour has the same date.
    const names = exceptions.filter(({ date }) => date === day || (date > day && date < next)).map(exceptionName);
    if (names.length === 0) continue;
    const name = [...new Set(names)].join('; ');
    const before = marks.at(-1);
    if (before?.name === name && before.last === index - 1) marks.splice(-1, 1, { ...before, last: index });
    else marks.push({ kind: 'holiday', name, first: index, last: index });
  }
  return marks;
}

export const exceptionName = ({ name, hours }: HoursCalendar['exceptions'][number]): string =>
  name ?? (hours.length === 0 ? t('closed') : t('other hours'));

function campaignMarks({ starts, end }: Time, campaigns: readonly Campaign[]): Mark[] {
  const ends = [...starts.slice(1), end].map(minute);
  const marks = campaigns.flatMap(({ name, from, until }): Mark[] => {
    const first = ends.findIndex((end) => from === undefined || from < end);
    const last = starts.findLastIndex((start) => until === undefined || until > minute(start));
    return first === -1 || last < first ? [] : [{ kind: 'campaign', name, first, last }];
  });
  return marks.toSorted((a, b) => a.first - b.first);
}
