import { fail } from '../../base/errors.ts';
import type { Bucket } from './directory.ts';
import { assertFitsColumns, documentText } from './schemas.ts';
import { slotValues } from './slots.ts';
import type { RecordWrite } from './store.ts';

/** Exact slots that cannot hold a document's values; they have to be marked before it may be written. */
export interface Misfits {
  readonly outcome: 'misfits';
  readonly slots: readonly string[];
}

/**
 * Checks a document against its bucket and determines what goes into which column. Nothing is written while a slot that
 * counts as exact cannot hold its value.
 *
 * @throws Failure InvalidSchema, ObjectTooLarge
 */
export function prepare(
  bucket: Pick<Bucket, 'version' | 'columns' | 'slots'>,
  document: Readonly<Record<string, unknown>>,
): Misfits | { readonly outcome: 'fits'; readonly write: Pick<RecordWrite, 'version' | 'document' | 'slots'> } {
  assertFitsColumns(document, bucket.columns);
  const { values, misfits } = slotValues(bucket.slots, document);
  if (misfits.length > 0) return { outcome: 'misfits', slots: misfits };
  return { outcome: 'fits', write: { version: bucket.version, document: documentText(document), slots: values } };
}

/** What became of one attempt to write a record under one definition of its bucket. */
export type Attempted<T> =
  | { readonly outcome: 'written'; readonly result: T }
  /** The definition has changed since it was read. Nothing was written. */
  | { readonly outcome: 'outdated' }
  | Misfits;

export interface WriteSteps<B> {
  readonly bucket: B;
  /** Resolves once no query relies on the slots any more. */
  readonly markInexact: (bucket: B, slots: readonly string[]) => Promise<void>;
  readonly reload: () => Promise<B>;
}

const mostTries = 5;

/**
 * A definition can change between being read and being used; then the document is checked again by the new one.
 *
 * @throws Failure Timeout when it changes again and again, and what an attempt throws
 */
export async function writeRecord<B, T>(
  { bucket: first, markInexact, reload }: WriteSteps<B>,
  attempt: (bucket: B) => Promise<Attempted<T>>,
): Promise<T> {
  let bucket = first;
  for (let tries = 0; tries < mostTries; tries++) {
    const attempted = await attempt(bucket);
    if (attempted.outcome === 'written') return attempted.result;
    if (attempted.outcome === 'misfits') await markInexact(bucket, attempted.slots);
    bucket = await reload();
  }
  throw fail('Timeout', { message: 'The bucket is being changed. Try again.', retryAfter: 1 });
}
