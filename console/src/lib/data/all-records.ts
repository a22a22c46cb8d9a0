import type { JsonObject, Query } from '@pharos/sdk';
import type { CutOff } from '../actions/cut-off.ts';

interface Page<T> {
  readonly results: readonly T[];
  /** The page ends before its limit, because it would have been too large. */
  readonly truncated?: true;
}

const pageSize = 1_000;

/**
 * Every record of a list in pages, by their ids, so that the last page is as quick as the first. `-objectId` begins
 * with the newest.
 */
export async function* allRecords<T extends { readonly objectId: string }>(
  list: (query: Query) => Promise<Page<T>>,
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

/** Hands a text to the browser as a file. */
export function download(name: string, type: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** An export reads and changes nothing, so that only the file is missing. */
export function exportCutOff(what: string, file: string): CutOff {
  return {
    key: `export ${what}`,
    message: `The export was cut off when the page was loaded again, and ${file} was not saved. Nothing else is missing: export once more.`,
  };
}
