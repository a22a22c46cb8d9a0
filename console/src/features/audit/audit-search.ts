import type { AuditFilter } from '../../lib/data/queries.ts';
import { dayStart } from '../../lib/time/range.ts';
import { addDays } from '../../lib/time/zoned-time.ts';

/** The audit's filter, as in the address; days as `2026-05-04`. */
export const auditMembers = ['appId', 'actor', 'kind', 'about', 'from', 'until'] as const;

/** Days in the zone of the page as instants; the last day is included. */
export function filterOfDays({ from, until, ...filter }: AuditFilter, zone: string): AuditFilter {
  const begin = startOf(from, 0, zone);
  const end = startOf(until, 1, zone);
  return { ...filter, ...(begin ? { from: begin } : {}), ...(end ? { until: end } : {}) };
}

function startOf(day: string | undefined, later: number, zone: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day ?? '') || Number.isNaN(Date.parse(day ?? ''))) return undefined;
  return new Date(dayStart(addDays(day ?? '', later), zone)).toISOString();
}
