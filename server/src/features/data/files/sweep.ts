import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import type { BlobEntry, BlobStorage, BlobStore } from '../../../blobs/blob-store.ts';
import type { Db } from '../../../db/db.ts';
import { findOwnership } from './place/ownership.ts';
import { databaseBirth, findStoredNames } from './store.ts';

/** The record of an upload follows its bytes within moments; a day allows for clocks that differ. */
const graceMs = 86_400_000;
const pageSize = 500;

export interface SweepDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly now: Clock;
  /** Checked between the steps, so that a stop does not wait for the whole walk. */
  readonly isStopping: () => boolean;
}

/**
 * Removes blobs that no record names, in the trash neither: those of uploads that were interrupted between bytes and record, of deletions
 * that were interrupted after the record, and of deleted apps. It walks in small steps, so that no request waits for
 * it.
 *
 * Blobs older than the database are left alone: they cannot be orphans of this one. A service that is started by
 * mistake with a new database on the folder of another must not empty it.
 *
 * Returns the number of removed blobs.
 */
export async function sweepOrphans({ db, blobs, now, isStopping }: SweepDeps): Promise<number> {
  const birth = await databaseBirth(db);
  const isOld = ({ modifiedAt }: BlobEntry) => modifiedAt < now() - graceMs && modifiedAt >= birth;
  let removed = 0;
  for (let after: string | undefined; !isStopping(); ) {
    const page = await blobs.list({ limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const orphan of await withoutRecord(db, page.filter(isOld))) {
      if (await blobs.remove(orphan)) removed++;
    }
    after = page.at(-1)?.key;
    if (page.length < pageSize) break;
    await nextTick();
  }
  return removed;
}

export interface OwnSweepDeps extends SweepDeps {
  readonly blobs: BlobStorage;
  readonly log: (level: 'info' | 'error', message: string) => void;
}

/** Files without a record are removed only by the database to which they belong. */
export async function sweepOwnOrphans({ log, ...deps }: OwnSweepDeps): Promise<number> {
  if ((await findOwnership(deps.db, deps.blobs)) === 'own') return sweepOrphans(deps);
  log('error', `${deps.blobs.place} belongs to another database, so nothing is removed from it. See: pharos doctor`);
  return 0;
}

/** The keys of those entries that no row of their app names. Entries of one app follow one another. */
async function withoutRecord(db: Db, entries: readonly BlobEntry[]): Promise<string[]> {
  const orphans: string[] = [];
  for (const [appId, ids] of byApp(entries)) {
    const names = await findStoredNames(db, appId, ids[0] ?? '', ids.at(-1) ?? '');
    const known = new Set(names.map((name) => name.slice(0, 32)));
    orphans.push(...ids.filter((id) => !known.has(id)).map((id) => `${appId}/${id}`));
  }
  return orphans;
}

function byApp(entries: readonly BlobEntry[]): Map<string, string[]> {
  const apps = new Map<string, string[]>();
  for (const { key } of entries) {
    const [appId = '', id = ''] = key.split('/');
    apps.set(appId, [...(apps.get(appId) ?? []), id]);
  }
  return apps;
}
