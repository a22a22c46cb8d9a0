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
  const record = recordOf(answer);
  if (tag !== null && record) tags.set(record, tag);
}

function recordOf(answer: unknown): object | undefined {
  const { result } = (answer ?? {}) as { readonly result?: unknown };
  const record = Array.isArray(result) ? result[0] : result;
  return typeof record === 'object' && record !== null ? record : undefined;
}

const repeated = new WeakSet<object>();

/** Whether a record had been created before, by a call with the same `idempotencyKey`; it may have been changed or deleted since. */
export function wasRepeated(record: object): boolean {
  return repeated.has(record);
}

/** Notes that what was asked for had been done before (`Idempotency-Replayed`). */
export function noteRepeated(answer: unknown, replayed: string | null): void {
  const record = recordOf(answer);
  if (replayed === 'true' && record) repeated.add(record);
}

/** Where the service says that what was asked for can be found, by its answer. */
const places = new WeakMap<object, string>();

/** Notes the address of what an answer is about (`Location`), which is nowhere in some answers themselves. */
export function notePlace(answer: unknown, location: string | null): void {
  if (location !== null && typeof answer === 'object' && answer !== null) places.set(answer, location);
}

/** The id at the end of that address; empty if the answer came without one. */
export function placedId(answer: object): string {
  return places.get(answer)?.split('/').pop() ?? '';
}
