import { pageLanguage } from '../words/words.ts';

/** Sorted as people who read the language of the page look for names. */
export const byName = <T extends { readonly name: string }>(records: readonly T[]): T[] =>
  records.toSorted((a, b) => a.name.localeCompare(b.name, pageLanguage()));
