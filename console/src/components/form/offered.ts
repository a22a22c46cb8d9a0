import { defaultOptionsFilter, type OptionsFilter } from '@mantine/core';
import { t } from '../../lib/words/words.ts';

/** How many of a search are offered at once. */
const maxOffered = 50;

/** The limit to search with: one more tells that not all are offered. */
export const searchLimit = maxOffered + 1;

export interface Offered {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

const more = { value: ' more', label: t('There are more. Type to find them.'), disabled: true };

/** What a search with that limit has found, as options. If there are more, the last line says so; it cannot be chosen. */
export const offered = <T extends Offered>(found: readonly T[]): (T | Offered)[] =>
  found.length <= maxOffered ? [...found] : [...found.slice(0, maxOffered), more];

/** Filters a list that the page holds completely: all matches, or the first ones and a line that there are more. */
export const offeredOf: OptionsFilter = ({ options, search }) => {
  let room = maxOffered;
  function cut<T>(items: readonly T[]): T[] {
    const shown = items.slice(0, Math.max(room, 0));
    room -= items.length;
    return shown;
  }
  // As strings they come back: the library's own filter has the wider type.
  const found = defaultOptionsFilter({ options, search, limit: Number.POSITIVE_INFINITY }) as typeof options;
  const shown = found.flatMap((one): typeof options =>
    'items' in one ? [{ ...one, items: cut(one.items) }] : cut([one]),
  );
  return room < 0 ? [...shown, more] : shown;
};
