import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import type { Past } from '../../../resources/past.ts';
import * as store from './store.ts';

/** How much is kept. The oldest goes first, and the newest entry never. */
export const bounds = Object.freeze({
  versionsOfRecord: 30,
  bytesOfRecord: 1_048_576,
  bytesOfVersions: 67_108_864,
  trashEntries: 5_000,
  trashBytes: 67_108_864,
  trashDays: 30,
});

/** What is kept of a record that was deleted with another one. Its owner is kept only if both had the same. */
export interface Child {
  readonly kind: string;
  readonly objectId: string;
  readonly state: object;
  readonly hasSameOwner: boolean;
  readonly createdAt: number;
}

/** What else is deleted when something leaves the trash for good, by its kind; in that transaction. */
export type Leaving = Readonly<Record<string, (db: Db, entry: store.TrashHead) => Promise<void>>>;

export interface ForgettablePast extends Past {
  /** Deletes an entry of the trash for good, with the versions of its record. False when somebody else has taken it. */
  forget(db: Db, entry: store.TrashHead): Promise<boolean>;
}

/** Notes versions and deletions, each in the transaction of the change. */
export const createPast = (leaving: Leaving): ForgettablePast => ({
  forget: (db, entry) => forgetTrash(db, entry, leaving),
  async noteChange(db, before, { by, now }) {
    const { appId, kind, withinId, objectId: recordId } = before;
    const state = JSON.stringify(before.state);
    const bytes = Buffer.byteLength(state);
    await store.insertVersion(db, {
      app_id: appId,
      object_id: newObjectId(now),
      kind,
      within_id: withinId,
      record_id: recordId,
      created_by: before.createdBy,
      changed_by: by.name,
      user_id: by.userId,
      changed_at: now,
      updated_at: before.updatedAt,
      bytes,
      state,
    });
    await trimVersions(db, { appId, kind, recordId });
  },
  async noteRemoval(db, removed, { by, now, children = [] }) {
    const state = JSON.stringify(removed.state);
    const kept: Child[] = children.map((child) => ({
      kind: child.kind,
      objectId: child.objectId,
      state: child.state,
      hasSameOwner: child.createdBy !== null && child.createdBy === removed.createdBy,
      createdAt: child.createdAt,
    }));
    const others = JSON.stringify(kept);
    await store.insertTrash(db, {
      app_id: removed.appId,
      object_id: newObjectId(now),
      kind: removed.kind,
      within_id: removed.withinId,
      record_id: removed.objectId,
      title: removed.title,
      created_by: removed.createdBy,
      deleted_by: by.name,
      user_id: by.userId,
      created_at: removed.createdAt,
      updated_at: removed.updatedAt,
      deleted_at: now,
      bytes: Buffer.byteLength(state) + Buffer.byteLength(others),
      children: others,
      state,
      stored_name: removed.stored?.name ?? null,
      stored_bytes: removed.stored?.bytes ?? 0,
    });
    await trimTrash(db, removed.appId, leaving);
  },
});

async function trimVersions(db: Db, record: store.RecordOf): Promise<void> {
  let bytes = 0;
  for (const [index, version] of (await store.sizesOf(db, record)).entries()) {
    bytes += version.bytes;
    if (index === 0 || (index < bounds.versionsOfRecord && bytes <= bounds.bytesOfRecord)) continue;
    return store.deleteVersionsUpTo(db, record, version.object_id);
  }
}

const trimStep = 100;

async function trimTrash(db: Db, appId: string, leaving: Leaving): Promise<void> {
  for (;;) {
    let { entries, bytes } = await store.measureTrash(db, appId);
    const isOver = () => entries > bounds.trashEntries || bytes > bounds.trashBytes;
    if (!isOver()) return;
    for (const oldest of await store.listOldestTrash(db, appId, trimStep)) {
      if (!isOver() || entries <= 1) return;
      await forgetTrash(db, oldest, leaving);
      entries -= 1;
      bytes -= oldest.bytes;
    }
    if (entries <= 1) return;
  }
}

async function forgetTrash(db: Db, entry: store.TrashHead, leaving: Leaving): Promise<boolean> {
  const { app_id: appId, kind, record_id: recordId } = entry;
  if (!(await store.takeTrash(db, appId, entry.object_id))) return false;
  await store.deleteVersionsOf(db, { appId, kind, recordId });
  if (haveChildren.has(kind)) await store.deleteVersionsWithin(db, appId, recordId);
  await leaving[kind]?.(db, entry);
  return true;
}

const haveChildren: ReadonlySet<string> = new Set(['storylines']);
