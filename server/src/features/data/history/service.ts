import { type Change, recordChange } from '../../../access/audit.ts';
import { type AdminRole, isAllowed } from '../../../access/roles.ts';
import { ofNoVenue } from '../../../access/venue-limit.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { isoTime } from '../../../http/answers.ts';
import { signedIn } from '../../../http/console/console-endpoint.ts';
import { Pace, sweepRest } from '../../../jobs/pace.ts';
import type { UsageMeter } from '../../../limits/usage.ts';
import type { PastRecord } from '../../../resources/past.ts';
import type { Context } from '../../context.ts';
import type { Deleted, HistoryCall, KeptKind } from './kinds.ts';
import { bounds, type Child, type ForgettablePast } from './past.ts';
import * as store from './store.ts';
import { trash, versions } from './tables.ts';

export interface HistoryDeps extends Pick<Context, 'db' | 'now' | 'appsWith'> {
  readonly kinds: readonly KeptKind[];
  readonly past: Pick<ForgettablePast, 'forget'>;
  readonly usage: Pick<UsageMeter, 'add' | 'count'>;
}

const dayMs = 86_400_000;
const pageSize = 50;
const sweepStep = 200;

const byOf = (name: string | null, userId: string | null) => ({ name, userId });

export class HistoryService {
  readonly #deps: HistoryDeps;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
  }

  /** The earlier states of a record, newest first. @throws Failure ObjectNotFound, OperationForbidden */
  async listVersions(role: AdminRole, record: store.RecordOf) {
    assertMay(role, this.#kind(record.kind).read);
    const rows = await store.listVersions(this.#deps.db, record);
    return rows.map((row) => ({
      objectId: row.object_id,
      state: JSON.parse(row.state) as object,
      updatedAt: isoTime(row.updated_at),
      replacedAt: isoTime(row.changed_at),
      replacedBy: byOf(row.changed_by, row.user_id),
    }));
  }

  /** Makes an earlier state the present one, and answers the record's tag. @throws Failure ObjectNotFound, OperationForbidden, and what a change would */
  async bringBack(call: HistoryCall, record: store.RecordOf, versionId: string): Promise<string | undefined> {
    const { write, bringBack } = this.#kind(record.kind);
    assertMay(signedIn(call.call.admin).role, write);
    const row = await store.findVersion(this.#deps.db, record, versionId);
    if (!row || !bringBack) throw fail('ObjectNotFound', 'This version is not kept any more.');
    return bringBack(call, {
      ...pastOf(row),
      title: '',
      createdAt: row.updated_at,
    });
  }

  /** What was deleted and can be restored, of the kinds that the role may read; newest first. */
  async listTrash(role: AdminRole, appId: string, { kind, before }: { kind?: string; before?: string }) {
    const kinds = this.#deps.kinds
      .filter(({ name, read, putBack }) => putBack && isAllowed(role, read) && (kind === undefined || name === kind))
      .map(({ name }) => name);
    const rows = await store.listTrash(this.#deps.db, { appId, kinds, before, limit: pageSize });
    return rows.map((row) => ({
      objectId: row.object_id,
      kind: row.kind,
      recordId: row.record_id,
      ...(row.within_id === '' ? {} : { withinId: row.within_id }),
      title: row.title,
      createdAt: isoTime(row.created_at),
      deletedAt: isoTime(row.deleted_at),
      deletedBy: byOf(row.deleted_by, row.user_id),
      goesAt: isoTime(row.deleted_at + bounds.trashDays * dayMs),
    }));
  }

  /** Puts a deleted record back. @throws Failure ObjectNotFound, OperationForbidden, ValidationError, DuplicateValue */
  async putBack(call: HistoryCall, trashId: string): Promise<store.TrashHead> {
    const { now } = this.#deps;
    const row = await this.#findTrash(call, trashId);
    await this.#putBack(call, row, (db) => recordChange(db, auditOf(call, 'trash.restore', row, now())));
    return row;
  }

  /**
   * Puts records of one kind back, each as it was deleted last. The caller writes the audit.
   *
   * @param withinId of records, their bucket
   * @throws Failure ObjectNotFound, OperationForbidden
   */
  restoring(call: HistoryCall, kind: string, withinId: string | undefined): (recordId: string) => Promise<void> {
    const { db } = this.#deps;
    const { role, venues } = signedIn(call.call.admin);
    const { write, venueOf } = this.#kind(kind);
    assertMay(role, write);
    if (venues && !venueOf) throw ofNoVenue();
    return async (recordId) => {
      const row = await store.findLastDeleted(db, { appId: call.app.appId, kind, recordId }, withinId);
      if (!row || (venues && !isAmong(venues, await venueOf?.(deletedOf(row))))) throw notInTrash();
      await this.#putBack(call, row, async () => {});
    };
  }

  async #putBack(call: HistoryCall, row: store.TrashRow, note: (db: Db) => Promise<void>): Promise<void> {
    const kind = this.#kind(row.kind);
    const take = async (db: Db) => {
      if (!(await store.takeTrash(db, row.app_id, row.object_id))) throw notInTrash();
      await note(db);
    };
    await (kind.putBack?.(call, deletedOf(row), take) ?? this.#deps.db.transaction(take));
  }

  /** Deletes an entry for good. @throws Failure ObjectNotFound, OperationForbidden */
  async forget(call: HistoryCall, trashId: string): Promise<void> {
    const { db, now, past, usage } = this.#deps;
    const row = await this.#findTrash(call, trashId);
    await db.transaction(async (db) => {
      if (!(await past.forget(db, row))) throw notInTrash();
      await recordChange(db, auditOf(call, 'trash.delete', row, now()));
    });
    if (row.stored_name !== null) usage.add(row.app_id, { files: -1, fileBytes: -row.stored_bytes });
  }

  async sweep(): Promise<void> {
    const { appsWith } = this.#deps;
    for (const appId of await appsWith(trash)) await this.#sweepTrash(appId);
    const pace = new Pace({ rest: sweepRest });
    for (const appId of await appsWith(versions)) {
      await pace.rest();
      await this.#sweepVersions(appId);
      for (const kind of this.#deps.kinds) await this.#sweepOrphans(appId, kind);
    }
  }

  async #sweepTrash(appId: string): Promise<void> {
    const { db, now, past, usage } = this.#deps;
    for (let hadFiles = false; ; ) {
      const before = now() - bounds.trashDays * dayMs;
      const old = await store.listExpiredTrash(db, appId, before, sweepStep);
      for (const row of old) await db.transaction((db) => past.forget(db, row));
      hadFiles ||= old.some((row) => row.stored_name !== null);
      if (old.length < sweepStep) return hadFiles ? usage.count(appId) : undefined;
      await db.caughtUp();
    }
  }

  async #sweepVersions(appId: string): Promise<void> {
    const { db } = this.#deps;
    let excess = (await store.measureVersions(db, appId)) - bounds.bytesOfVersions;
    while (excess > 0) {
      const oldest = await store.listOldestVersions(db, appId, sweepStep);
      const last = oldest.at(-1);
      if (!last) return;
      await store.deleteVersionsOfApp(db, appId, last.object_id);
      for (const { bytes } of oldest) excess -= bytes;
      await db.caughtUp();
    }
  }

  /** Versions of records that an app has deleted, which does not go through the trash. */
  async #sweepOrphans(appId: string, { name: kind, findExisting }: KeptKind): Promise<void> {
    if (!findExisting) return;
    const { db } = this.#deps;
    for (let after = ''; ; ) {
      const page = await store.listRecordsWithVersions(db, { appId, kind, after, limit: sweepStep });
      for (const [withinId, rows] of Map.groupBy(page, ({ within_id }) => within_id)) {
        const ids = rows.map(({ record_id }) => record_id);
        // In this order: one that is put back in between is found, and one that is deleted in between is asked for once more.
        const inTrash = new Set(await store.findInTrash(db, { appId, kind, ids }));
        const there = new Set(await findExisting(appId, withinId, ids));
        for (const recordId of ids.filter((id) => !there.has(id) && !inTrash.has(id)))
          await store.deleteOrphanedVersions(db, { appId, kind, recordId });
      }
      const last = page.at(-1);
      if (!last || page.length < sweepStep) return;
      after = last.record_id;
      await db.caughtUp();
    }
  }

  #kind(name: string): KeptKind {
    const kind = this.#deps.kinds.find((one) => one.name === name);
    if (!kind) throw fail('ObjectNotFound', `There is no history of ${name}.`);
    return kind;
  }

  async #findTrash({ call, app }: HistoryCall, trashId: string): Promise<store.TrashRow> {
    const row = await store.findTrash(this.#deps.db, app.appId, trashId);
    if (!row) throw notInTrash();
    assertMay(signedIn(call.admin).role, this.#kind(row.kind).write);
    return row;
  }
}

const notInTrash = () =>
  fail('ObjectNotFound', 'It is not in the trash any more: somebody has restored or deleted it.');

/** @throws Failure OperationForbidden */
function assertMay(role: AdminRole, permission: KeptKind['read']): void {
  if (!isAllowed(role, permission))
    throw fail('OperationForbidden', `The role ${role} does not include this (${permission}).`);
}

type Kept = Pick<store.TrashRow, 'app_id' | 'kind' | 'within_id' | 'record_id' | 'created_by' | 'updated_at' | 'state'>;

const pastOf = (row: Kept): Omit<PastRecord, 'title' | 'createdAt'> => ({
  appId: row.app_id,
  kind: row.kind,
  withinId: row.within_id,
  objectId: row.record_id,
  state: JSON.parse(row.state) as object,
  createdBy: row.created_by,
  updatedAt: row.updated_at,
});

const deletedOf = (row: store.TrashRow): Deleted => ({
  ...pastOf(row),
  title: row.title,
  createdAt: row.created_at,
  children: JSON.parse(row.children) as Child[],
  ...(row.stored_name === null ? {} : { stored: { name: row.stored_name, bytes: row.stored_bytes } }),
});

const isAmong = (venues: readonly string[], venueId: string | undefined) =>
  venueId !== undefined && venues.includes(venueId);

/** Leaves out names of records that may be personal. */
function auditOf({ call }: HistoryCall, action: string, row: store.TrashHead, now: number): Change {
  const { app_id: appId, kind, record_id: subject, title } = row;
  const about = { kind, ...(kind === 'records' ? {} : { title }) };
  return {
    by: call.by,
    action,
    subject,
    appId,
    ...(action === 'trash.delete' ? { before: about } : { after: about }),
    now,
  };
}
