import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../../../base/sql.ts';
import type { Database } from '../../../../db/db.ts';
import { deleteInSteps } from '../../../../db/delete-in-steps.ts';
import type { Context } from '../../../context.ts';
import { lockBucket, updateSlots } from './bucket-store.ts';
import { readSlots } from './directory.ts';
import { lockRecordsAfter, type SlotsOfRecord, writeSlots } from './record-store.ts';
import { type Slot, slotValues } from './slots.ts';

const pageSize = 64;
/** A page of large documents is read in several steps, since nothing else is served during a step. */
const maxMs = 5;

/**
 * Other nodes may write by an older definition until they hear of the new one. The version that each write names makes
 * their last such write fail, so one pause longer than a statement is enough.
 */
const settleMs = 1_000;

export type FillDeps = Pick<Context, 'db' | 'cacheVersion' | 'now'>;

/** Copies declared columns of existing records into their slots, in small steps. May be repeated. */
export async function fillBucket({ db, cacheVersion, now }: FillDeps, appId: string, bucketId: string): Promise<void> {
  if (!db.readsAreLocal) await delay(settleMs);
  const started = await db.transaction((db) => lockBucket(db, appId, bucketId));
  if (!started) return;
  const slots = readSlots(started);
  const misfits = new Set<string>();
  for (let after: string | undefined = ''; after !== undefined; ) {
    const copied: Copied = await copyPage(db, { appId, bucketId, slots, after });
    for (const slot of copied.misfits) misfits.add(slot);
    after = copied.last;
    await db.caughtUp();
  }
  await cacheVersion.change(appId, async (db) => {
    const bucket = await lockBucket(db, appId, bucketId);
    if (!bucket) return;
    await updateSlots(db, bucket, JSON.stringify(settled(readSlots(bucket), slots, misfits)), now());
  });
}

interface Page {
  readonly appId: string;
  readonly bucketId: string;
  readonly slots: readonly Slot[];
  readonly after: string;
}

interface Copied {
  readonly misfits: readonly string[];
  /** The objectId of the last record; undefined if there was none. */
  readonly last: string | undefined;
}

/** Copies the next records, as many as time allows. */
function copyPage(db: Database, { slots, ...page }: Page): Promise<Copied> {
  return db.transaction(async (db) => {
    const records = await lockRecordsAfter(db, { ...page, limit: pageSize });
    const misfits: string[] = [];
    const writes: SlotsOfRecord[] = [];
    const end = performance.now() + maxMs;
    for (const { object_id: objectId, doc } of records) {
      if (writes.length > 0 && performance.now() > end) break;
      const copied = slotValues(slots, JSON.parse(doc));
      misfits.push(...copied.misfits);
      writes.push({
        key: { appId: page.appId, bucketId: page.bucketId, objectId },
        slots: copied.values,
        lists: copied.lists,
      });
    }
    if (slots.length > 0) await writeSlots(db, writes);
    return { misfits, last: writes.at(-1)?.key.objectId };
  });
}

/** The slots after a fill: only those that have not changed since it began are complete. */
function settled(current: readonly Slot[], filled: readonly Slot[], misfits: ReadonlySet<string>): Slot[] {
  return current.flatMap((slot) => {
    const before = filled.find(
      (other) => other.slot === slot.slot && other.column === slot.column && other.type === slot.type,
    );
    if (before?.state !== slot.state) return [slot];
    if (slot.state === 'draining') return [];
    return [{ ...slot, state: 'ready' as const, exact: slot.exact && !misfits.has(slot.slot) }];
  });
}

/** Removes the records of a bucket that was deleted for good. May be repeated. */
export async function purgeBucket(db: Database, appId: string, bucketId: string): Promise<void> {
  const scope = sql`app_id = ${appId} and bucket_id = ${bucketId}`;
  await deleteInSteps(db, { table: 'records', id: 'object_id', scope });
}
