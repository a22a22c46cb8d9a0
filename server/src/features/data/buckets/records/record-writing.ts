import type { AppContext } from '../../../../access/context.ts';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import { type PastRecord, titleOf } from '../../../../resources/past.ts';
import type { Context } from '../../../context.ts';
import { findBucketName } from '../definition/bucket-store.ts';
import type { Bucket, BucketDirectory } from '../definition/directory.ts';
import * as store from '../definition/record-store.ts';
import { assertFitsColumns, documentText } from '../definition/schemas.ts';
import { slotValues } from '../definition/slots.ts';
import type { Document } from './record-rules.ts';

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
):
  | Misfits
  | { readonly outcome: 'fits'; readonly write: Pick<store.RecordWrite, 'version' | 'document' | 'slots' | 'lists'> } {
  assertFitsColumns(document, bucket.columns);
  const { values, lists, misfits } = slotValues(bucket.slots, document);
  if (misfits.length > 0) return { outcome: 'misfits', slots: misfits };
  const write = { version: bucket.version, document: documentText(document), slots: values };
  return { outcome: 'fits', write: lists ? { ...write, lists } : write };
}

/** What became of one attempt to write a record under one definition of its bucket. */
export type Attempted<T> =
  | { readonly outcome: 'written'; readonly result: T }
  /** The definition, or the record that webhooks were asked about, has changed since it was read. Nothing was written. */
  | { readonly outcome: 'outdated' }
  | Misfits;

export interface WriteSteps<B> {
  readonly bucket: B;
  /** Resolves once no query relies on the slots any more. */
  readonly markInexact: (bucket: B, slots: readonly string[]) => Promise<void>;
  readonly reload: () => Promise<B>;
}

const maxTries = 5;

/**
 * A definition can change between being read and being used; then the document is checked again by the new one. The same if webhooks
 * were asked about a record, and somebody else has changed it since.
 *
 * @throws Failure Timeout when it changes again and again, and what an attempt throws
 */
export async function writeRecord<B, T>(
  { bucket: first, markInexact, reload }: WriteSteps<B>,
  attempt: (bucket: B) => Promise<Attempted<T>>,
): Promise<T> {
  let bucket = first;
  for (let tries = 0; tries < maxTries; tries++) {
    const attempted = await attempt(bucket);
    if (attempted.outcome === 'written') return attempted.result;
    if (attempted.outcome === 'misfits') await markInexact(bucket, attempted.slots);
    bucket = await reload();
  }
  throw fail('Timeout', { message: 'The bucket is being changed. Try again.', retryAfter: 1 });
}

const recordKind = 'records';

/**
 * Only what people change in the console is kept. Apps write records as often as they like, and a history of that would cost every
 * write another one (ADR 30).
 */
export const isKept = ({ administrator }: { readonly administrator?: string | undefined }): boolean =>
  administrator !== undefined;

export function pastOf(key: store.RecordKey, record: store.StoredRecord): PastRecord {
  const state = JSON.parse(record.doc) as Document;
  return {
    appId: key.appId,
    kind: recordKind,
    withinId: key.bucketId,
    objectId: key.objectId,
    title: titleOf(state, key.objectId),
    state,
    createdBy: record.created_by,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}

export interface RecordPastDeps extends Pick<Context, 'db' | 'usage'> {
  readonly directory: BucketDirectory;
  readonly markInexact: (appId: string, bucketId: string, slots: readonly string[]) => Promise<void>;
}

/**
 * Puts a deleted record back, if it is valid as of today and there is room. `take` is called in the transaction that does.
 *
 * @throws Failure ValidationError, InvalidSchema; DuplicateValue when there is such a record again; what the quotas throw
 */
export async function putRecordBack(
  deps: RecordPastDeps,
  app: AppContext,
  past: PastRecord,
  { now, take }: { readonly now: number; readonly take: (db: Db) => Promise<void> },
): Promise<void> {
  const { db, directory, usage } = deps;
  const key = { appId: past.appId, bucketId: past.withinId, objectId: past.objectId };
  const name = await findBucketName(db, past.appId, past.withinId);
  const reload = async () => {
    const bucket = name === undefined ? undefined : await directory.reload(past.appId, name);
    if (bucket) return bucket;
    const message = 'The bucket that the record was in was deleted.';
    throw fail('ValidationError', { message, details: [{ field: '', problem: message }] });
  };
  const steps = {
    bucket: await reload(),
    markInexact: ({ appId, bucketId }: Bucket, slots: readonly string[]) => deps.markInexact(appId, bucketId, slots),
    reload,
  };
  const bytes = await writeRecord(steps, async (bucket) => {
    const prepared = prepare(bucket, past.state as Document);
    if (prepared.outcome === 'misfits') return prepared;
    const bytes = Buffer.byteLength(prepared.write.document);
    await usage.assertRoom(past.appId, app.policy, { records: 1, recordBytes: bytes });
    return db.transaction(async (db) => {
      await take(db);
      if (await store.hasRecord(db, key)) throw fail('DuplicateValue', 'There is a record with this objectId again.');
      const write = { ...prepared.write, key, createdBy: past.createdBy, createdAt: past.createdAt, now };
      if (await store.insertRecord(db, write)) return { outcome: 'written', result: bytes };
      throw fail('Timeout', { message: 'The bucket is being changed. Try again.', retryAfter: 1 });
    });
  });
  usage.add(past.appId, { records: 1, recordBytes: bytes });
}
