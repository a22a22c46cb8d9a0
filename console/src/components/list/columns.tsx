import type { Times } from '../../lib/time/times.ts';
import type { Column } from './data-table.tsx';
import type { FilterField } from './filter-rows.ts';

/** When a record was created: the day, with the time on hover. */
export const createdColumn = (times: Times, about: Partial<Column<{ readonly createdAt: string }>> = {}) => ({
  name: 'createdAt',
  label: 'Created',
  sortBy: 'createdAt',
  isTime: true as const,
  render: ({ createdAt }: { readonly createdAt: string }) => (
    <span title={times.dateTime(createdAt)}>{times.date(createdAt)}</span>
  ),
  ...about,
});

/** When a record was last changed; not on a phone. */
export const updatedColumn = (times: Times) => ({
  name: 'updatedAt',
  label: 'Changed',
  sortBy: 'updatedAt',
  isTime: true as const,
  isDeskOnly: true as const,
  render: ({ updatedAt }: { readonly updatedAt: string }) => (
    <span title={times.dateTime(updatedAt)}>{times.date(updatedAt)}</span>
  ),
});

/** Filters that every record has. */
export const stampFilters: readonly FilterField[] = [
  { name: 'createdAt', label: 'Created', kind: 'date' },
  { name: 'updatedAt', label: 'Changed', kind: 'date' },
];
