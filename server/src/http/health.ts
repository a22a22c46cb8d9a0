import type { FastifyInstance } from 'fastify';
import { type Database, tryWrite } from '../db/db.ts';
import { Failure, fail } from '../errors.ts';
import { raw } from '../sql.ts';

/** `/healthz`: the process answers. `/readyz`: it can also read from and write to its storage, and is not stopping. */
export function registerHealth(server: FastifyInstance, db: Database): { stopping(): void } {
  let isStopping = false;
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async () => {
    if (isStopping) throw fail('Timeout', 'The service is stopping.');
    await askStorage(db);
    return { status: 'ready' };
  });
  return {
    stopping() {
      isStopping = true;
    },
  };
}

async function askStorage(db: Database): Promise<void> {
  try {
    if (db.probe) return await db.probe();
    await tryWrite(db);
    await db.one(raw('select n from revisions'));
  } catch (error) {
    // Whatever is wrong with the storage: a load balancer has to hear "not ready", not "broken".
    throw error instanceof Failure ? error : fail('Timeout', { message: 'The storage does not work.', cause: error });
  }
}
