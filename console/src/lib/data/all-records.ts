import type { JsonObject, Query } from '@pharos/sdk';
import { pageLanguage } from '../words/words.ts';

export interface RecordPageOf<T> {
  readonly results: readonly T[];
  /** The page was cut short because it would have been too large. */
  readonly truncated?: true;
}

const pageSize = 1_000;

/**
 * All records of a list, page by page. Pages are found by objectId, so the last one is as fast as the first.
 * `-objectId` starts with the newest.
 */
export async function* allRecords<T extends { readonly objectId: string }>(
  list: (query: Query) => Promise<RecordPageOf<T>>,
  where?: JsonObject,
  order: 'objectId' | '-objectId' = 'objectId',
): AsyncGenerator<readonly T[]> {
  let last = '';
  for (;;) {
    const behind = last === '' ? [] : [{ objectId: { [order === 'objectId' ? '$gt' : '$lt']: last } }];
    const conditions = [...(where ? [where] : []), ...behind];
    const filter = conditions.length > 1 ? { $and: conditions } : conditions[0];
    const { results, truncated } = await list({ ...(filter ? { where: filter } : {}), order, limit: pageSize });
    if (results.length > 0) yield results;
    if (results.length < pageSize && !truncated) return;
    last = results.at(-1)?.objectId ?? '';
  }
}

/** All records of a list at once; only for lists that are small, such as places and messages. */
export async function listAll<T extends { readonly objectId: string }>(
  ...asked: Parameters<typeof allRecords<T>>
): Promise<T[]> {
  const found: T[] = [];
  for await (const page of allRecords(...asked)) found.push(...page);
  return found;
}

/** Sorted as people who read the language of the page look for names. */
export const byName = <T extends { readonly name: string }>(records: readonly T[]): T[] =>
  records.toSorted((a, b) => a.name.localeCompare(b.name, pageLanguage()));
