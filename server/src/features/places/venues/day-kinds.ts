import type { Exceptions, OpeningHours } from './opening-hours.ts';
import type { CalendarRow } from './store.ts';

const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * What the days of some venues are together: one that is an exception anywhere is no ordinary day; it is open where one of them is.
 * Of a venue whose hours nobody knows, every day is.
 */
export function dayKindsOf(rows: readonly CalendarRow[]): (date: string) => 'open' | 'closed' | 'special' {
  const weeks = rows.map(({ opening_hours }) =>
    opening_hours === null
      ? undefined
      : new Set((JSON.parse(opening_hours) as OpeningHours).map(({ dayName }): string => dayName)),
  );
  const special = new Set(
    rows.flatMap(({ exceptions }) => (JSON.parse(exceptions) as Exceptions).map(({ date }) => date)),
  );
  return (date) => {
    if (special.has(date)) return 'special';
    const day = names[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';
    return weeks.length === 0 || weeks.some((open) => open?.has(day) ?? true) ? 'open' : 'closed';
  };
}
