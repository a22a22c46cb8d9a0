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

/** What a search with that limit has found, as options. If there are more, the last line says so; it cannot be chosen. */
export const offered = <T extends Offered>(found: readonly T[]): (T | Offered)[] =>
  found.length <= maxOffered
    ? [...found]
    : [
        ...found.slice(0, maxOffered),
        { value: ' more', label: t('There are more. Type to find them.'), disabled: true },
      ];
