import type { FastifyInstance } from 'fastify';
import { Failure, fail } from '../base/errors.ts';
import { type Database, tryRead, tryWrite } from '../db/db.ts';
import { sendFailure } from './server/server.ts';

/** The space on the disk: why new content is refused, or soon will be. */
interface Room {
  check(): Promise<void>;
  problem(): string | undefined;
  warning(): string | undefined;
}

interface Asked {
  readonly db: Database;
  readonly room: Room;
  /** What is wrong with the storage of files, if anything. Answers soon. */
  readonly files: () => Promise<string | undefined>;
  /** What is wrong with the clock of this machine, as far as is known. */
  readonly clocks: () => readonly (string | undefined)[];
}

/** What `/readyz` says while the service is stopping. */
export interface HealthState {
  draining(): void;
  stopping(): void;
}

/**
 * `/healthz`: the process answers. `/readyz`: it can also read from and write to its storage, the storage accepts new
 * content, and it is not stopping. A storage of files that does not answer is only a warning: all nodes have the same one, and
 * without it they still serve everything else.
 */
export function registerHealth(server: FastifyInstance, { db, room, files, clocks }: Asked): HealthState {
  let refusal: string | undefined;
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (request, reply) => {
    if (refusal !== undefined) {
      // What is asked for at every update is no error for the log.
      sendFailure(fail('Timeout', refusal), request, reply);
      return reply;
    }
    if (db.diskFailure) throw db.diskFailure;
    // A remote database is checked within its own limit. An embedded one is not written to on a full disk, where the remaining
    // space is for deletions.
    if (db.probe) await askStorage(db);
    const others = [await files(), ...clocks()].filter((warning) => warning !== undefined);
    const warnings = [...(await askRoom(room)), ...others];
    const answer = { status: 'ready', ...(warnings.length > 0 ? { warnings } : {}) };
    if (!db.probe) await askStorage(db);
    return answer;
  });
  return {
    draining() {
      refusal = 'The service is draining: it still serves, and stops soon.';
    },
    stopping() {
      refusal = 'The service is stopping.';
    },
  };
}

async function askRoom(room: Room): Promise<readonly string[]> {
  await room.check();
  const problem = room.problem();
  if (problem !== undefined) throw fail('Timeout', { message: problem, retryAfter: 30 });
  const warning = room.warning();
  return warning === undefined ? [] : [warning];
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
