import type { Field, FieldLookup, ListMember } from '@pharos/query';
import { PairCache } from '../../../../base/caches/pair-cache.ts';
import { sql } from '../../../../base/sql.ts';
import type { Database, Db } from '../../../../db/db.ts';
import type { CacheVersion } from '../../../../db/nodes/cache-version.ts';
import { type BucketRow, findBucket, listSchemas } from './bucket-store.ts';
import { type ColumnMap, slotColumns } from './schemas.ts';
import type { Slot, SlotColumns } from './slots.ts';
import { ownLookup } from './tables.ts';

/** A bucket's definition: the rules for its records, and how to find them. */
export interface Bucket {
  readonly appId: string;
  readonly bucketId: string;
  readonly name: string;
  readonly version: number;
  /** All schema records of the bucket combined. */
  readonly columns: SlotColumns;
  readonly slots: readonly Slot[];
  readonly lookup: FieldLookup;
}

const maxCached = 2_000;

/** Finds buckets by name and keeps their definitions in memory until the cache version changes. */
export class BucketDirectory {
  readonly #db: Database;
  readonly #known = new PairCache<Bucket>(maxCached);

  constructor(db: Database, cacheVersion: CacheVersion) {
    this.#db = db;
    cacheVersion.onChange((appId) => {
      if (appId === undefined) this.#known.clear();
      else this.#known.forget(appId);
    });
  }

  /** The definition, if it is in memory. */
  known(appId: string, name: string): Bucket | undefined {
    return this.#known.get(appId, name);
  }

  /** Bypasses the memory, for a definition that is not in it or has just proved to be old. */
  async reload(appId: string, name: string): Promise<Bucket | undefined> {
    const found = await loadBucket(this.#db, appId, name);
    if (found) this.#known.set(appId, name, found);
    else this.#known.delete(appId, name);
    return found;
  }
}

async function loadBucket(db: Db, appId: string, name: string): Promise<Bucket | undefined> {
  const row = await findBucket(db, appId, name);
  return row ? describeBucket(db, row) : undefined;
}

async function describeBucket(db: Db, row: BucketRow): Promise<Bucket> {
  const columns = mergeColumns(await listSchemas(db, row.app_id, row.object_id));
  const slots = readSlots(row);
  return {
    appId: row.app_id,
    bucketId: row.object_id,
    name: row.name,
    version: row.version,
    columns,
    slots,
    lookup: bucketLookup(columns, slots, listRows(row.app_id, row.object_id)),
  };
}

export function readSlots(row: BucketRow): readonly Slot[] {
  return JSON.parse(row.slots) as Slot[];
}

export function mergeColumns(schemas: readonly { readonly metadata: string }[]): SlotColumns {
  const merged = new Map(
    schemas.flatMap(({ metadata }) => Object.entries(slotColumns(JSON.parse(metadata) as ColumnMap))),
  );
  return Object.fromEntries(merged);
}

/** The records of a bucket, and those that hold one of a list's texts, for conditions on list members. */
function listRows(appId: string, bucketId: string) {
  const within = sql`app_id = ${appId} and bucket_id = ${bucketId}`;
  const all = sql`select object_id from records where ${within}`;
  return (slot: string): ListMember => ({
    all,
    rows: sql`select object_id from record_lists where ${within} and slot = ${slot}`,
  });
}

const declaredTypes = { Number: 'number', String: 'string', Boolean: 'boolean', Date: 'date' } as const;

/**
 * `objectId`, `createdAt`, `updatedAt`, and any path below `metadata`, which has neither an order nor a type of its
 * own.
 */
export function bucketLookup(
  columns: SlotColumns,
  slots: readonly Slot[],
  listOf?: (slot: string) => ListMember,
): FieldLookup {
  const usable = new Map(
    slots.filter(({ state, exact }) => state === 'ready' && exact).map((slot) => [slot.column, slot]),
  );
  const member = (path: readonly string[]): Field => {
    // No declared column has a dot in its name, and no segment of a path contains one.
    const name = path.join('.');
    const usableSlot = usable.get(name);
    const declared = Object.hasOwn(columns, name) ? columns[name] : undefined;
    // A learned member is like a declared one as long as its slot is exact: every value has the type.
    if (declared === undefined && usableSlot?.type === 'List')
      return { from: 'member', column: 'doc', path, ...(listOf ? { list: listOf(usableSlot.slot) } : {}) };
    const type = declared ?? (usableSlot?.learned && usableSlot.type !== 'List' ? usableSlot.type : undefined);
    return {
      from: 'member',
      column: 'doc',
      path,
      ...(type ? { declared: declaredTypes[type] } : {}),
      ...(type && usableSlot ? { slot: usableSlot.slot } : {}),
    };
  };
  return (name) => {
    const [head, ...path] = name.split('.');
    if (head !== 'metadata') return ownLookup(name);
    return path.length > 0 ? member(path) : undefined;
  };
}
