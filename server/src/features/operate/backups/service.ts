import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Actor, service as bySelf, recordChange } from '../../../access/audit.ts';
import { archiveOf } from '../../../backup/archive.ts';
import { type Manifest, readManifest } from '../../../backup/manifest.ts';
import { type BackupProgress, removeBackup, removeUnfinished, writeBackup } from '../../../backup/write.ts';
import { fail } from '../../../base/errors.ts';
import { storageTrouble } from '../../../db/storage-error.ts';
import { isoTime } from '../../../http/answers.ts';
import type { Context } from '../../context.ts';
import { findPlan, noteState } from './plan.ts';

export interface BackupDeps extends Pick<Context, 'db' | 'blobs' | 'now'> {
  /** The folder of the backups; it holds nothing else. */
  readonly folder: string;
  /** Days after which a backup is deleted; 0: never. */
  readonly keptDays: number;
  readonly inBackground: (what: string, work: () => Promise<unknown>) => void;
  /** @throws Failure Timeout when little room is left on the disk */
  readonly assertRoom: () => void;
}

export interface RunningBackup extends BackupProgress {
  readonly backupId: string;
  readonly startedAt: string;
}

/** The most backups that are kept, so that they do not fill the disk. */
export const maxBackups = 5;

const maxLostNamed = 20;
const dayMs = 86_400_000;

/** The time at which it was begun. Only names of this form are looked up in the folder. */
const idForm = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z$/;

/** Backups that owners make in the console while the service runs. `pharos restore` reads them. */
export class BackupService {
  readonly #deps: BackupDeps;
  #running: RunningBackup | undefined;
  #lastFailure: { readonly at: string; readonly message: string } | undefined;
  readonly #stopping = new AbortController();

  constructor(deps: BackupDeps) {
    this.#deps = deps;
  }

  running() {
    return this.#running;
  }

  lastFailure() {
    return this.#lastFailure;
  }

  /** The number of backups from which none can be started by hand. */
  async most(): Promise<number> {
    const { isOn, kept } = await findPlan(this.#deps.db);
    return isOn ? maxBackups + kept : maxBackups;
  }

  /** Newest first. */
  async list() {
    const { folder } = this.#deps;
    const found = await Promise.all((await this.#ids()).map((backupId) => describe(join(folder, backupId), backupId)));
    return found.filter((backup) => backup !== undefined).reverse();
  }

  /** Resolves when the backup has begun. @throws Failure DuplicateValue while one runs or there are too many */
  async start(by: Actor): Promise<RunningBackup> {
    const { inBackground } = this.#deps;
    const most = await this.most();
    const begun = await this.#begin(by, (known) => {
      if (known.length >= most)
        throw fail('DuplicateValue', `There are ${most} backups. Download and delete one first.`);
    });
    inBackground('making a backup', () => this.#writeByHand(begun));
    return begun;
  }

  /** A backup by hand also ends the alert about a plan that failed. */
  async #writeByHand(begun: RunningBackup): Promise<void> {
    const { db, now } = this.#deps;
    await this.#write(begun);
    if (!this.#stopping.signal.aborted) await noteState(db, { goodAt: now() });
  }

  /** Resolves with the id of the complete backup. Sets no limit to their number: the caller deletes older ones. */
  async make(by: Actor): Promise<string> {
    const begun = await this.#begin(by, () => undefined);
    await this.#write(begun);
    if (this.#stopping.signal.aborted) throw new Error('The service was stopped.');
    return begun.backupId;
  }

  /** The folder of a backup. @throws Failure ObjectNotFound */
  folderOf(backupId: string): Promise<string> {
    return this.#find(backupId);
  }

  /** @throws Failure ObjectNotFound */
  async remove(backupId: string, by: Actor): Promise<void> {
    const { db, now } = this.#deps;
    const path = await this.#find(backupId);
    await recordChange(db, { by, action: 'backup.delete', subject: backupId, now: now() });
    await removeBackup(path);
  }

  /** The backups, each with the time (ISO 8601) at which it is deleted; null: never. */
  async kept(): Promise<
    { readonly backupId: string; readonly createdAt: string; readonly expiresAt: string | null }[]
  > {
    const { keptDays } = this.#deps;
    return (await this.list()).map(({ backupId, createdAt }) => {
      const expiresAt = keptDays === 0 ? null : isoTime(Date.parse(createdAt) + keptDays * dayMs);
      return { backupId, createdAt, expiresAt };
    });
  }

  /** Removes incomplete backups of killed processes: they may contain people who have been erased since. */
  tidy(): Promise<void> {
    return removeUnfinished(this.#deps.folder);
  }

  /** Deletes backups older than the days they are kept. */
  async sweep(): Promise<void> {
    await this.tidy();
    const { now } = this.#deps;
    for (const { backupId, expiresAt } of await this.kept())
      if (expiresAt !== null && Date.parse(expiresAt) <= now()) await this.remove(backupId, bySelf);
  }

  /** A tar archive; the audit records that it was downloaded. @throws Failure ObjectNotFound */
  async archive(backupId: string, by: Actor): Promise<Readable> {
    const { db, now } = this.#deps;
    const path = await this.#find(backupId);
    await recordChange(db, { by, action: 'backup.download', subject: backupId, now: now() });
    return archiveOf(path, `pharos-${backupId}`);
  }

  /** Ends a running backup; what it has written is removed. */
  stop() {
    return this.#stopping.abort(new Error('The service was stopped.'));
  }

  async #begin(by: Actor, assertRoomFor: (known: readonly string[]) => void): Promise<RunningBackup> {
    const { db, folder, now, assertRoom } = this.#deps;
    assertRoom();
    const startedAt = now();
    const backupId = isoTime(startedAt).replaceAll(/[:.]/g, '-');
    if (this.#running) throw fail('DuplicateValue', 'A backup is already being made. Wait until it is done.');
    const begun = { backupId, startedAt: isoTime(startedAt), part: '', tables: 0, ofTables: 0, rows: 0, files: 0 };
    // From here on no other backup can begin.
    this.#running = begun;
    try {
      await removeUnfinished(folder);
      const known = await this.#ids();
      assertRoomFor(known);
      if (known.includes(backupId)) throw fail('DuplicateValue', 'There is already a backup of this moment.');
      await recordChange(db, { by, action: 'backup.create', subject: backupId, now: startedAt });
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
    return begun;
  }

  async #ids(): Promise<string[]> {
    const { folder } = this.#deps;
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => idForm.test(name)).sort();
  }

  async #find(backupId: string): Promise<string> {
    const { folder } = this.#deps;
    if (!(await this.#ids()).includes(backupId)) throw fail('ObjectNotFound', 'There is no such backup.');
    return join(folder, backupId);
  }

  async #write({ backupId, startedAt }: RunningBackup): Promise<void> {
    const { db, blobs, folder, now } = this.#deps;
    try {
      await writeBackup({
        db,
        blobs,
        folder: join(folder, backupId),
        now: Date.parse(startedAt),
        signal: this.#stopping.signal,
        onProgress: (progress) => {
          if (this.#running) this.#running = { ...this.#running, ...progress };
        },
      });
      this.#lastFailure = undefined;
    } catch (error) {
      this.#lastFailure = { at: isoTime(now()), message: failureText(error) };
      if (!this.#stopping.signal.aborted) throw error;
    } finally {
      this.#running = undefined;
    }
  }
}

/** Undefined for a backup that is being deleted. */
async function describe(path: string, backupId: string) {
  const manifest = await readManifest(path).catch(() => undefined);
  if (!manifest) return undefined;
  const tables = Object.values(manifest.tables);
  return {
    backupId,
    createdAt: manifest.createdAt,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    files: manifest.blobs.rows,
    filesElsewhere: leftIn(manifest),
    bytes: manifest.blobs.bytes + (await sizeOfTables(path, manifest)),
    lost: {
      count: manifest.lost?.count ?? 0,
      names: (manifest.lost?.files ?? []).slice(0, maxLostNamed).map(({ name }) => name),
    },
  };
}

function leftIn({ blobs: { elsewhere } }: Manifest) {
  return elsewhere ? { place: elsewhere.place, files: elsewhere.files } : null;
}

async function sizeOfTables(path: string, { tables, blobs }: Manifest): Promise<number> {
  const files = [...Object.values(tables), blobs].map(({ file }) => stat(join(path, file)).catch(() => undefined));
  return (await Promise.all(files)).reduce((sum, found) => sum + (found?.size ?? 0), 0);
}

/** A text without paths of this machine; the log has the details. */
function failureText(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  // Copying a file fails with an error of the file storage, which has this as its cause.
  if (storageTrouble(error) === 'full') return 'The disk is full. Nothing of the backup was kept.';
  if (['EACCES', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(code ?? '')) return 'The folder of backups cannot be written.';
  return 'The backup failed, and nothing of it was kept. The log of the service says why.';
}
