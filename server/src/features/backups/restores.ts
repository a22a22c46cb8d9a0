import { type Actor, recordChange } from '../../access/audit.ts';
import { cancelRestore, findRestoreRequest, findRestoreResult, requestRestore } from '../../backup/in-place.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { isoTime } from '../../http/answers.ts';
import type { BackupService } from './service.ts';

interface Deps {
  readonly db: Db;
  readonly now: Clock;
  readonly backups: BackupService;
  readonly dataFolder: string;
  /** Whether the database is part of this service. */
  readonly isEmbedded: boolean;
}

/** Going back to a backup: it is prepared here, and done by the next start, when nobody uses the database. */
export class BackupRestores {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async read() {
    const { dataFolder, isEmbedded } = this.#deps;
    const asked = isEmbedded ? await findRestoreRequest(dataFolder) : undefined;
    const prepared = asked ? { backupId: asked.backupId, askedAt: asked.askedAt, askedBy: asked.askedBy } : null;
    return { isEmbedded, prepared, restored: (isEmbedded && (await findRestoreResult(dataFolder))) || null };
  }

  /** @throws Failure ObjectNotFound, OperationForbidden with a database server */
  async prepare(backupId: string, by: Actor): Promise<void> {
    const { db, now, backups, dataFolder, isEmbedded } = this.#deps;
    if (!isEmbedded)
      throw fail(
        'OperationForbidden',
        'The data is in PostgreSQL, which the service cannot replace. Restore the backup into a new database with pharos restore, and let the service use that one.',
      );
    const folder = await backups.folderOf(backupId);
    await recordChange(db, { by, action: 'backup.restore', subject: backupId, now: now() });
    await requestRestore(dataFolder, { backupId, folder, askedAt: isoTime(now()), askedBy: by.name });
  }

  /** @throws Failure ObjectNotFound */
  async cancel(by: Actor): Promise<void> {
    const { db, now, dataFolder } = this.#deps;
    const asked = await findRestoreRequest(dataFolder);
    if (!asked || !(await cancelRestore(dataFolder))) throw fail('ObjectNotFound', 'No restore is prepared.');
    await recordChange(db, { by, action: 'backup.cancelRestore', subject: asked.backupId, now: now() });
  }
}
