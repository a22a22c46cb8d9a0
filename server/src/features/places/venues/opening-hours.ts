import { type Opening, overlapInDay, overlapInWeek } from '@pharos/engine';
import { parseInstant } from '@pharos/query';
import { type Static, Type } from 'typebox';
import type { Problem } from '../../../base/errors.ts';

/** Opening hours as the interface takes them. */

const from = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'HH:MM by the clock of the venue',
});
const until = Type.String({
  pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
  description: 'HH:MM, or 24:00; if it is not after `from`, it is on the next day',
});

export const openingHoursSchema = Type.Array(
  Type.Object({ dayName: Type.Enum(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']), from, until }),
  {
    maxItems: 70,
    description: 'When it is open in a week; a day that is not named is closed. Without this member nobody knows',
  },
);

export const exceptionsSchema = Type.Array(
  Type.Object({
    date: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A day of the calendar: 2026-12-25' }),
    name: Type.Optional(Type.String({ maxLength: 100, description: 'Why, such as the name of the holiday' })),
    hours: Type.Array(Type.Object({ from, until }), { maxItems: 10, description: 'When it is open; empty: closed' }),
  }),
  { maxItems: 1_000, description: 'Days whose hours differ from those of the week' },
);

export type OpeningHours = Static<typeof openingHoursSchema>;
export type Exceptions = Static<typeof exceptionsSchema>;

const words = ({ from, until }: Opening) => `${from} to ${until}`;

export function openingHourProblems(week: OpeningHours | undefined): Problem[] {
  const overlap = overlapInWeek(week ?? []);
  if (!overlap) return [];
  const [one, other] = overlap;
  const problem = `overlaps: ${one.dayName} ${words(one)} and ${other.dayName} ${words(other)}`;
  return [{ field: 'openingHours', problem }];
}

export function exceptionProblems(exceptions: Exceptions | undefined): Problem[] {
  const problems: Problem[] = [];
  const dates = new Set<string>();
  for (const [index, { date, hours }] of (exceptions ?? []).entries()) {
    const complain = (member: string, problem: string) =>
      problems.push({ field: `exceptions.${index}.${member}`, problem });
    if (parseInstant(date) === undefined) complain('date', `must be a day of the calendar, and ${date} is none`);
    if (dates.has(date)) complain('date', `must name ${date} only once`);
    dates.add(date);
    const overlap = overlapInDay(hours);
    if (overlap) complain('hours', `overlap: ${overlap.map(words).join(' and ')}`);
    if (problems.length >= 5) break;
  }
  return problems;
}
