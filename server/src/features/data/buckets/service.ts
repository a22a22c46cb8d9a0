import { type Actor, recordChange, service } from '../../../access/audit.ts';
import { type Failure, fail, type Problem } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import { type Db, ifTaken, UniqueViolation } from '../../../db/db.ts';
import { isoTime } from '../../../http/answers.ts';
import { sentence } from '../../../http/shape.ts';
import { type AssertUnchanged, newTag, tagOfRow } from '../../../resources/entity-tag.ts';
import type { Maker, PastRecord } from '../../../resources/past.ts';
import type { Context } from '../../context.ts';
import * as store from './definition/bucket-store.ts';
import { mergeColumns, readSlots } from './definition/directory.ts';
import type { AskedPaths } from './definition/learn.ts';
import { isBucketEmpty } from './definition/record-store.ts';
import { assertBucketName, type ColumnMap, slotColumns } from './definition/schemas.ts';
import { assignSlots, type LearnableMember, learnedMembers, type SlotColumns } from './definition/slots.ts';
import { schemaTable } from './definition/tables.ts';
import { type DeletedSchema, insertBucketBack, insertSchema, pastBucket, pastSchema } from './trash.ts';

export type BucketDeps = Pick<Context, 'cacheVersion' | 'db' | 'enqueue' | 'now' | 'past'>;

/**
 * `bucket.fill` copies declared columns to their slots, `bucket.learn` gives slots to members that are often queried,
 * `bucket.purge` removes the records of a bucket that has left the trash.
 */
export type BucketJob = 'bucket.fill' | 'bucket.learn' | 'bucket.purge';

/** Buckets and their schemas, as the console, the command line and the interface change them. */
export class BucketService {
  readonly #deps: BucketDeps;

  constructor(deps: BucketDeps) {
    this.#deps = deps;
  }

  /** @throws Failure InvalidBucketName, DuplicateValue */
  async createBucket(
    appId: string,
    name: string,
    by: Actor = service,
  ): Promise<{ objectId: string; name: string; createdAt: string }> {
    const { cacheVersion, now } = this.#deps;
    assertBucketName(name);
    const createdAt = now();
    const objectId = await cacheVersion
      .change(appId, async (db) => {
        const bucketId = await this.#insertBucket(db, appId, name);
        await recordChange(db, {
          by,
          action: 'bucket.create',
          subject: name,
          appId,
          after: { name },
          now: createdAt,
        });
        return bucketId;
      })
      .catch(ifTaken(() => fail('DuplicateValue', `There is already a bucket called ${name}.`)));
    return { objectId, name, createdAt: isoTime(createdAt) };
  }

  async listBuckets(
    appId: string,
  ): Promise<
    { objectId: string; name: string; columns: SlotColumns; learned: readonly LearnableMember[]; createdAt: string }[]
  > {
    const { db } = this.#deps;
    const buckets = await store.listBuckets(db, appId);
    const schemas = Map.groupBy(await store.listAllSchemas(db, appId), ({ bucket_id }) => bucket_id);
    return buckets.map((row) => ({
      objectId: row.object_id,
      name: row.name,
      columns: mergeColumns(schemas.get(row.object_id) ?? []),
      learned: learnedMembers(readSlots(row)),
      createdAt: isoTime(row.created_at),
    }));
  }

  /** Puts a bucket into the trash, with its schemas and records. @throws Failure ObjectNotFound */
  async deleteBucket(appId: string, name: string, by: Actor = service): Promise<void> {
    const { cacheVersion, now, past } = this.#deps;
    await cacheVersion.change(appId, async (db) => {
      const found = await store.findBucket(db, appId, name);
      const row = found && (await store.lockBucket(db, appId, found.object_id));
      if (!row) throw fail('ObjectNotFound', `There is no bucket called ${name}.`);
      const children = (await store.listSchemas(db, appId, row.object_id)).map((schema) => pastSchema(row, schema));
      await store.deleteBucketRow(db, appId, row.object_id);
      await past.noteRemoval(db, pastBucket(row), { by: { name: by.name, userId: null }, now: now(), children });
      await recordChange(db, { by, action: 'bucket.delete', subject: name, appId, before: { name }, now: now() });
    });
  }

  /**
   * Makes a deleted bucket again. `take` takes it out of the trash, in the same transaction.
   *
   * @throws Failure DuplicateValue when there is a bucket of this name again
   */
  async putBucketBack(
    deleted: PastRecord & { readonly children: readonly DeletedSchema[] },
    take: (db: Db) => Promise<void>,
  ): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    await cacheVersion
      .change(deleted.appId, async (db) => {
        await take(db);
        const row = await insertBucketBack(db, deleted, { schemas: deleted.children, now: now() });
        await this.#reassignSlots(db, row);
      })
      .catch(
        ifTaken(() =>
          fail(
            'DuplicateValue',
            `There is a bucket called ${deleted.title} again. Delete that one first: it goes into the trash, too.`,
          ),
        ),
      );
  }

  /** The same for a schema. @throws Failure ValidationError without its bucket, InvalidSchema, DuplicateValue */
  async putSchemaBack(deleted: PastRecord, take: (db: Db) => Promise<void>): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    const { appId, withinId: bucketId, state } = deleted;
    await cacheVersion
      .change(appId, async (db) => {
        await take(db);
        const bucket = await store.lockBucket(db, appId, bucketId);
        if (!bucket) throw withoutBucket();
        const { column } = state as { readonly column: ColumnMap };
        assertNoContradiction(column, await store.listSchemas(db, appId, bucketId));
        await insertSchema(db, bucket, deleted, now());
        await this.#reassignSlots(db, bucket);
      })
      .catch(ifTaken(() => fail('DuplicateValue', 'There is a schema with this objectId again.')));
  }

  /**
   * Adds a schema record, and creates the bucket if there is none. @throws Failure InvalidSchema for a contradiction
   */
  async addSchema(
    appId: string,
    bucketName: string,
    column: ColumnMap,
  ): Promise<{ objectId: string; createdAt: number }> {
    const { cacheVersion, now } = this.#deps;
    const createdAt = now();
    const objectId = newObjectId(createdAt);
    const add = () =>
      cacheVersion.change(appId, async (db) => {
        const found = await store.findBucket(db, appId, bucketName);
        const bucketId = found?.object_id ?? (await this.#insertBucket(db, appId, bucketName));
        const bucket = await lockOrFail(db, appId, bucketId);
        assertNoContradiction(column, await store.listSchemas(db, appId, bucketId));
        const key = { app_id: appId, object_id: objectId, bucket_id: bucketId };
        await schemaTable.insert(db, key, { metadata: column, createdAt, updatedAt: createdAt });
        await this.#reassignSlots(db, bucket, { isNew: found === undefined });
      });
    try {
      await add();
    } catch (error) {
      // Another request created the bucket at the same moment; now it exists.
      if (!(error instanceof UniqueViolation)) throw error;
      await add();
    }
    return { objectId, createdAt };
  }

  /**
   * Replaces the column map with what `merge` makes of the present one.
   *
   * @throws Failure ObjectNotFound, InvalidSchema, and what `assertUnchanged` throws
   */
  async changeSchema(
    key: SchemaKey,
    merge: (current: ColumnMap) => ColumnMap,
    assertUnchanged?: AssertUnchanged,
  ): Promise<{ readonly updatedAt: number; readonly tag: string }> {
    const { cacheVersion, now } = this.#deps;
    return cacheVersion.change(key.appId, async (db) => {
      const bucket = await lockOrFail(db, key.appId, key.bucketId);
      const schemas = await store.listSchemas(db, key.appId, key.bucketId);
      const current = schemas.find(({ object_id }) => object_id === key.objectId);
      if (!current) throw fail('ObjectNotFound', 'There is no schema with this objectId.');
      const column = merge(JSON.parse(current.metadata) as ColumnMap);
      assertNoContradiction(
        column,
        schemas.filter((schema) => schema !== current),
      );
      const rowKey = { app_id: key.appId, object_id: key.objectId };
      const row = await schemaTable.find(db, rowKey);
      if (row) assertUnchanged?.(tagOfRow(schemaTable, row));
      const updatedAt = Math.max(now(), Number(row?.['updated_at'] ?? 0));
      await schemaTable.update(db, rowKey, { metadata: column, updatedAt });
      await this.#reassignSlots(db, bucket);
      return { updatedAt, tag: await newTag(db, schemaTable, rowKey) };
    });
  }

  /** `keptFor` is who deletes it in the console, from where it goes into the trash. @throws Failure ObjectNotFound */
  async removeSchema(key: SchemaKey, assertUnchanged?: AssertUnchanged, keptFor?: Maker): Promise<void> {
    const { cacheVersion, now, past } = this.#deps;
    await cacheVersion.change(key.appId, async (db) => {
      const bucket = await lockOrFail(db, key.appId, key.bucketId);
      const rowKey = { app_id: key.appId, object_id: key.objectId };
      const row = await schemaTable.find(db, rowKey);
      if (row) assertUnchanged?.(tagOfRow(schemaTable, row));
      const all = keptFor ? await store.listSchemas(db, key.appId, key.bucketId) : [];
      const removed = await schemaTable.remove(db, rowKey);
      const kept = all.find(({ object_id }) => object_id === key.objectId);
      if (kept && keptFor) await past.noteRemoval(db, pastSchema(bucket, kept), { by: keptFor, now: now() });
      if (!removed) throw fail('ObjectNotFound', 'There is no schema with this objectId.');
      await this.#reassignSlots(db, bucket);
    });
  }

  /** Starts learning members of a bucket in the background. */
  async askToLearn(appId: string, bucketId: string, asked: AskedPaths): Promise<void> {
    const { db, enqueue } = this.#deps;
    await enqueue(db, { appId, kind: 'bucket.learn', payload: { bucketId, ...asked } });
  }

  /** Marks slots as no longer exact, so that queries read the documents instead. */
  async markInexact(appId: string, bucketId: string, inexact: readonly string[]): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    await cacheVersion.change(appId, async (db) => {
      const bucket = await store.lockBucket(db, appId, bucketId);
      if (!bucket) return;
      const slots = readSlots(bucket).map((slot) => (inexact.includes(slot.slot) ? { ...slot, exact: false } : slot));
      await store.updateSlots(db, bucket, JSON.stringify(slots), now());
    });
  }

  async #insertBucket(db: Db, appId: string, name: string): Promise<string> {
    const { now } = this.#deps;
    const bucketId = newObjectId(now());
    await store.insertBucket(db, { appId, bucketId, name, now: now() });
    return bucketId;
  }

  /** Assigns slots to the declared columns and starts copying existing values in the background. */
  async #reassignSlots(db: Db, bucket: store.BucketRow, { isNew = false } = {}): Promise<void> {
    const { now, enqueue } = this.#deps;
    const columns = mergeColumns(await store.listSchemas(db, bucket.app_id, bucket.object_id));
    // A record may be on its way that another transaction has written by the former definition.
    const isSeenWhole = isNew || db.dialect.lockNames === null;
    const isEmpty = isSeenWhole && (await isBucketEmpty(db, bucket.app_id, bucket.object_id));
    const slots = assignSlots(readSlots(bucket), columns, isEmpty);
    await store.updateSlots(db, bucket, JSON.stringify(slots), now());
    if (slots.some(({ state }) => state !== 'ready')) {
      await enqueue(db, { appId: bucket.app_id, kind: 'bucket.fill', payload: { bucketId: bucket.object_id } });
    }
  }
}

async function lockOrFail(db: Db, appId: string, bucketId: string): Promise<store.BucketRow> {
  const row = await store.lockBucket(db, appId, bucketId);
  if (!row) throw fail('ObjectNotFound', 'There is no such bucket.');
  return row;
}

function withoutBucket(): Failure {
  const message = 'The bucket of this schema was deleted, too. Restore that first.';
  return fail('ValidationError', { message, details: [{ field: '', problem: message }] });
}

export interface SchemaKey {
  readonly appId: string;
  readonly bucketId: string;
  readonly objectId: string;
}

/** A field may be declared twice, but only with one type. */
function assertNoContradiction(
  column: ColumnMap,
  others: readonly { readonly object_id: string; readonly metadata: string }[],
): void {
  const declared = mergeColumns(others);
  const details: Problem[] = Object.entries(slotColumns(column))
    .filter(([name, type]) => Object.hasOwn(declared, name) && declared[name] !== type)
    .map(([name, type]) => ({
      field: `column.${name}`,
      problem: `is ${type} here and ${declared[name]} in another schema of the bucket`,
    }));
  if (details.length > 0) throw fail('InvalidSchema', { message: sentence(details), details });
}
