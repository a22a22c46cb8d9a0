import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/db.ts';
import { fail } from '../errors.ts';
import { raw } from '../sql.ts';

/** `/healthz`: the process answers. `/readyz`: it can also read from and write to its storage, and is not stopping. */
export function registerHealth(server: FastifyInstance, db: Database): { stopping(): void } {
  let isStopping = false;
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async () => {
    if (isStopping) throw fail('Timeout', 'The service is stopping.');
    // Writing what is there already proves that a write would be accepted and changes nothing.
    await db.run(raw("update revisions set n = n where name = 'access'"));
    await db.one(raw('select n from revisions'));
    return { status: 'ready' };
  });
  return {
    stopping() {
      isStopping = true;
    },
  };
}
