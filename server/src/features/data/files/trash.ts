import { fail } from '../../../base/errors.ts';
import { raw, sql } from '../../../base/sql.ts';
import { type Db, ifTaken } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import type { JobHandler } from '../../../jobs/job.ts';
import { type AssertUnchanged, tagOfRow } from '../../../resources/entity-tag.ts';
import type { Maker, Past, PastRecord } from '../../../resources/past.ts';
import type { Key } from '../../../resources/table.ts';
import type { Context } from '../../context.ts';
import { blobKeyOf } from './place/file-name.ts';
import { files } from './resource.ts';
import { insertFile } from './store.ts';

/** Files that were deleted in the console: the record moves into the trash, and the bytes stay until it leaves it. */

const fileKind = 'files';

/** Asked for in the transaction in which a file leaves the trash for good. */
export const forgetFileJob = 'files.forget';

export interface ForgottenFile {
  readonly storedName: string;
}

type FileRow = Pick<
  RowOf<typeof files.table>,
  'name' | 'stored_name' | 'content_type' | 'size' | 'sha256' | 'created_by' | 'by_admin' | 'created_at' | 'updated_at'
>;

/** What a deleted file is made again of. */
interface FileState {
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
  readonly byAdmin: number;
}

export interface Removal {
  readonly appId: string;
  readonly objectId: string;
  readonly by: Maker;
  readonly now: number;
  readonly assertUnchanged?: AssertUnchanged | undefined;
}

/** In a transaction that deletes a file. @throws Failure PreconditionFailed */
export async function assertFileUnchanged(db: Db, key: Key, assertUnchanged: AssertUnchanged): Promise<void> {
  const { records } = files;
  const row = await db.one(
    sql`select ${records.selection} from files where ${records.match(key)}${raw(db.dialect.lockRow)}`,
  );
  // One that is gone is told by the deletion.
  if (row) assertUnchanged(tagOfRow(records, row));
}

/** Moves a file into the trash. False when there is no such file. @throws Failure PreconditionFailed */
export function moveToTrash(db: Db, past: Past, removal: Removal): Promise<boolean> {
  const { appId, objectId, by, now, assertUnchanged } = removal;
  return db.transaction(async (db) => {
    if (assertUnchanged) await assertFileUnchanged(db, { app_id: appId, object_id: objectId }, assertUnchanged);
    const row = await db.one<FileRow>(sql`select name, stored_name, content_type, size, sha256, created_by, by_admin,
      created_at, updated_at from files where app_id = ${appId} and object_id = ${objectId}`);
    if (!row || !(await files.records.remove(db, { app_id: appId, object_id: objectId }))) return false;
    const state: FileState = {
      name: row.name,
      contentType: row.content_type,
      size: row.size,
      sha256: row.sha256,
      byAdmin: row.by_admin,
    };
    const removed = {
      appId,
      kind: fileKind,
      withinId: '',
      objectId,
      title: row.name,
      state,
      createdBy: row.created_by,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      stored: { name: row.stored_name, bytes: row.size },
    };
    await past.noteRemoval(db, removed, { by, now });
    return true;
  });
}

export type FileTrashDeps = Pick<Context, 'blobs' | 'db'>;

/**
 * Makes a deleted file again, under the same address. `take` takes it out of the trash, in the same transaction.
 *
 * @throws Failure ObjectNotFound when its bytes are gone, DuplicateValue
 */
export async function putFileBack(
  { db, blobs }: FileTrashDeps,
  { appId, objectId, state, stored, createdBy, createdAt }: PastRecord,
  { now, take }: { readonly now: number; readonly take: (db: Db) => Promise<void> },
): Promise<void> {
  const storedName = stored?.name ?? '';
  if (!(await blobs.stat(blobKeyOf(appId, storedName))))
    throw fail('ObjectNotFound', 'The storage does not have the content of this file. It stays in the trash.');
  const { name, contentType, size, sha256, byAdmin } = state as FileState;
  const file = {
    ...{ app_id: appId, object_id: objectId, name, stored_name: storedName, content_type: contentType, size, sha256 },
    ...{ created_by: createdBy, by_admin: byAdmin, created_at: createdAt, updated_at: now },
  };
  await db
    .transaction(async (db) => {
      await take(db);
      await insertFile(db, file);
    })
    .catch(ifTaken(() => fail('DuplicateValue', 'There is a file with this objectId again.')));
}

/** Removes the bytes of files that have left the trash. */
export function forgottenFileHandlers({
  blobs,
}: Pick<FileTrashDeps, 'blobs'>): Record<typeof forgetFileJob, JobHandler> {
  return {
    [forgetFileJob]: {
      concurrency: 1,
      maxAttempts: 50,
      baseDelayMs: 1_000,
      maxDelayMs: 300_000,
      run: async ({ appId, payload }) => {
        await blobs.remove(blobKeyOf(appId, (payload as ForgottenFile).storedName));
      },
    },
  };
}
