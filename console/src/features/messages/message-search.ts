import { type ListSearch, readListSearch } from '../../components/list/list-search.ts';

/** What the list shows, as in the address. */
export interface MessageSearch extends Omit<ListSearch, 'where'> {
  readonly state?: 'on' | 'off';
}

export function readMessageSearch(search: Readonly<Record<string, unknown>>): MessageSearch {
  const { where: _, ...rest } = readListSearch(search);
  const { state } = search;
  return { ...rest, ...(state === 'on' || state === 'off' ? { state } : {}) };
}

/** What may have been saved on this device. */
export const isPlainSearch = (saved: unknown): saved is Record<string, unknown> =>
  typeof saved === 'object' && saved !== null;
