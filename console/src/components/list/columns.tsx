import type { Times } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import type { Column } from './data-table.tsx';
import type { FilterField } from './filter-rows.ts';

/** When a record was created: the day, with the time on hover. */
export const createdColumn = (times: Times, about: Partial<Column<{ readonly createdAt: string }>> = {}) => ({
  name: 'createdAt',
  label: t('Created'),
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
  label: t('Changed'),
  sortBy: 'updatedAt',
  isTime: true as const,
  isDeskOnly: true as const,
  render: ({ updatedAt }: { readonly updatedAt: string }) => (
    <span title={times.dateTime(updatedAt)}>{times.date(updatedAt)}</span>
  ),
});

export const stampFilters: readonly FilterField[] = [
  { name: 'createdAt', label: t('Created'), kind: 'date' },
  { name: 'updatedAt', label: t('Changed'), kind: 'date' },
];
