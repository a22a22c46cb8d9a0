import type { FastifyInstance } from 'fastify';
import { Failure, fail } from '../base/errors.ts';
import { type Database, tryRead, tryWrite } from '../db/db.ts';

/** The space on the disk: why new content is refused, or soon will be. */
export interface Room {
  look(): Promise<void>;
  problem(): string | undefined;
  warning(): string | undefined;
}

/**
 * `/healthz`: the process answers. `/readyz`: it can also read from and write to its storage, the storage accepts new
 * content, and it is not stopping.
 */
export function registerHealth(server: FastifyInstance, db: Database, room: Room): { stopping(): void } {
  let isStopping = false;
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async () => {
    if (isStopping) throw fail('Timeout', 'The service is stopping.');
    if (db.diskFailure) throw db.diskFailure;
    // A database that may be far away is asked within a limit of its own. An embedded one is not written to on a full
    // disk, where the remaining room is for deletions.
    if (db.probe) await askStorage(db);
    const answer = { status: 'ready', ...(await askRoom(room)) };
    if (!db.probe) await askStorage(db);
    return answer;
  });
  return {
    stopping() {
      isStopping = true;
    },
  };
}

async function askRoom(room: Room): Promise<{ warnings?: readonly string[] }> {
  await room.look();
  const problem = room.problem();
  if (problem !== undefined) throw fail('Timeout', { message: problem, retryAfter: 30 });
  const warning = room.warning();
  return warning === undefined ? {} : { warnings: [warning] };
}

async function askStorage(db: Database): Promise<void> {
  try {
    if (db.probe) return await db.probe();
    await tryWrite(db);
    await tryRead(db);
  } catch (error) {
    // Whatever is wrong with the storage, a load balancer should see "not ready", not "broken".
    throw error instanceof Failure ? error : fail('Timeout', { message: 'The storage does not work.', cause: error });
  }
}
