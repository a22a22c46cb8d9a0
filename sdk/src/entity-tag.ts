/** Tags of the records that were read or changed, kept as long as the records themselves. */
const tags = new WeakMap<object, string>();

/**
 * The tag of a record as it was answered (`ETag`), for the option `ifMatch` of a later change. Both what `get` answers
 * and what a change answers have one. Undefined for a copy of a record, and for records of lists.
 */
export function entityTag(record: object): string | undefined {
  return tags.get(record);
}

/** Notes the tag of the record in an answer: `result`, or the only element of it. */
export function noteTag(answer: unknown, tag: string | null): void {
  const { result } = (answer ?? {}) as { readonly result?: unknown };
  const record = Array.isArray(result) ? result[0] : result;
  if (tag !== null && typeof record === 'object' && record !== null) tags.set(record, tag);
}
