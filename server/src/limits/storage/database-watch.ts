import type { FastifyBaseLogger } from 'fastify';
import type { Failure } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../db/db.ts';
import { probePostgresRoom } from '../../db/postgres/postgres-room.ts';
import { FileGone } from '../../db/sqlite/wal-file.ts';
import { DiskRoom } from '../disk-room.ts';
import type { Troubles } from './troubles.ts';

export interface StorageWatch {
  readonly config: Config;
  readonly db: Database;
  readonly log: FastifyBaseLogger;
  readonly onError: (what: string, error: unknown) => void;
  readonly troubles: Troubles;
}

/** Watches what the database reports about its disk, and the room on the disk of the data folder. */
export function watchStorage({ config, db, log, onError, troubles }: StorageWatch): DiskRoom {
  const room = new DiskRoom({
    dataFolder: config.dataFolder,
    minFreeBytes: config.minFreeBytes,
    reserveBytes: config.reserveBytes,
    isEmbedded: config.databaseUrl === undefined,
    probeDatabase: () => probePostgresRoom(db),
    log: (level, message) => log[level](message),
    fitDatabase: (freeBytes) => db.fitInto(freeBytes),
  });
  const failed = (error: Failure) => {
    room.note(error);
    const isGone = error.cause instanceof FileGone;
    log.fatal(
      { err: error.cause ?? error },
      isGone ? error.message : 'the disk has failed: nothing more is written until the next start',
    );
  };
  if (db.diskFailure) failed(db.diskFailure);
  db.listen({
    failed,
    full: () => room.makeRoom(),
    troubled: (error) => onError('taking the write-ahead log in', error),
  });
  db.onTrouble?.((trouble) => {
    troubles.note(trouble !== undefined);
    if (trouble) log.error({ err: trouble.failure.cause }, trouble.failure.message);
    else log.warn('the database answers again');
  });
  return room;
}
