import { type Actor, recordChange } from '../../../access/audit.ts';
import { cancelRestore, findRestoreRequest, findRestoreResult, requestRestore } from '../../../backup/in-place.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { isoTime } from '../../../http/answers.ts';
import type { Context } from '../../context.ts';

interface Deps extends Pick<Context, 'now' | 'backups' | 'restart'> {
  readonly db: Db;
  readonly dataFolder: string;
  /** Whether the database is part of this service. */
  readonly isEmbedded: boolean;
}

/** Going back to a backup: it is prepared here, and done by the next start, when nobody uses the database. */
export class BackupRestores {
  readonly #deps: Deps;
  /** The service is about to start again. */
  #isStarting = false;
  /** The last operation. Operations run one after the other, so that what was checked still holds when they act. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async read() {
    const { dataFolder, isEmbedded, restart } = this.#deps;
    const asked = isEmbedded ? await findRestoreRequest(dataFolder) : undefined;
    const prepared = asked ? { backupId: asked.backupId, askedAt: asked.askedAt, askedBy: asked.askedBy } : null;
    const found = isEmbedded ? await findRestoreResult(dataFolder) : undefined;
    const unknown = { askedBy: null, madeAt: null, rows: null, files: null };
    const restored = found ? { ...unknown, ...found } : null;
    return { isEmbedded, canRestart: isEmbedded && restart !== undefined, prepared, restored };
  }

  /**
   * Restarts the service, which carries out the prepared restore. A second call has no further effect.
   *
   * @param backupId what the caller has seen to be prepared
   * @throws Failure ObjectNotFound, OperationForbidden, PreconditionFailed
   */
  start(backupId: string, by: Actor): Promise<void> {
    return this.#inTurn(() => this.#start(backupId, by));
  }

  async #start(backupId: string, by: Actor): Promise<void> {
    const { db, now, dataFolder, restart } = this.#deps;
    const asked = await findRestoreRequest(dataFolder);
    if (!asked) throw fail('ObjectNotFound', 'No restore is prepared.');
    if (!restart) throw fail('OperationForbidden', 'This service cannot start itself again. Restart it where it runs.');
    if (asked.backupId !== backupId)
      throw fail(
        'PreconditionFailed',
        'Another backup was prepared by now. Nothing was restored; look again which one it is.',
      );
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      await recordChange(db, { by, action: 'backup.startRestore', subject: backupId, now: now() });
    } catch (error) {
      this.#isStarting = false;
      throw error;
    }
    restart();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Once a restart has begun, the prepared restore can no longer be replaced or cancelled. */
  #assertWaits(): void {
    if (this.#isStarting)
      throw fail(
        'OperationForbidden',
        'The service is starting again to go back to a backup. Nothing can be changed about that any more.',
      );
  }

  /** @throws Failure OperationForbidden for the backup that is prepared, which the next start needs */
  async assertFree(backupId: string): Promise<void> {
    if ((await this.read()).prepared?.backupId === backupId)
      throw fail('OperationForbidden', 'A restore from this backup is prepared. Take that back first.');
  }

  /** @throws Failure ObjectNotFound, OperationForbidden with a database server */
  prepare(backupId: string, by: Actor): Promise<void> {
    return this.#inTurn(() => this.#prepare(backupId, by));
  }

  async #prepare(backupId: string, by: Actor): Promise<void> {
    const { db, now, backups, dataFolder, isEmbedded } = this.#deps;
    if (!isEmbedded)
      throw fail(
        'OperationForbidden',
        'The data is in PostgreSQL, which the service cannot replace. Restore the backup into a new database with pharos restore, and let the service use that one.',
      );
    const folder = await backups.folderOf(backupId);
    this.#assertWaits();
    await recordChange(db, { by, action: 'backup.restore', subject: backupId, now: now() });
    await requestRestore(dataFolder, { backupId, folder, askedAt: isoTime(now()), askedBy: by.name });
  }

  /** @throws Failure ObjectNotFound, OperationForbidden */
  cancel(by: Actor): Promise<void> {
    return this.#inTurn(() => this.#cancel(by));
  }

  async #cancel(by: Actor): Promise<void> {
    const { db, now, dataFolder } = this.#deps;
    this.#assertWaits();
    const asked = await findRestoreRequest(dataFolder);
    if (!asked || !(await cancelRestore(dataFolder))) throw fail('ObjectNotFound', 'No restore is prepared.');
    await recordChange(db, { by, action: 'backup.cancelRestore', subject: asked.backupId, now: now() });
  }
}
