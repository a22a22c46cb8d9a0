import type { AuditFilter } from '../../lib/data/queries.ts';

const names = ['appId', 'actor', 'kind', 'from', 'until'] as const;

/** The audit's filter, as in the address; days as `2026-05-04`. */
export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditFilter {
  const given = names.filter((name) => typeof search[name] === 'string' && search[name] !== '');
  return Object.fromEntries(given.map((name) => [name, String(search[name])]));
}

/** Days in the browser's time zone as instants; the last day is included. */
export function filterOfDays({ from, until, ...filter }: AuditFilter): AuditFilter {
  const begin = startOf(from, 0);
  const end = startOf(until, 1);
  return { ...filter, ...(begin ? { from: begin } : {}), ...(end ? { until: end } : {}) };
}

function startOf(day: string | undefined, later: number): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '');
  if (!parts) return undefined;
  const [, year, month, date] = parts.map(Number);
  return new Date(year ?? 0, (month ?? 1) - 1, (date ?? 1) + later).toISOString();
}
