import { assertNoUnfinishedRestore } from '../../backup/marker.ts';
import { migrate } from '../../db/migrate.ts';
import { openTime } from '../../db/nodes/shared-time.ts';
import { type Command, UsageError } from '../support/command.ts';
import { loadApp } from '../support/load-app.ts';
import { createLogLines } from '../support/log-lines.ts';
import { tidyAtRest } from '../support/memory-at-rest.ts';
import { waitForStop } from '../support/stop-signal.ts';
import { openDatabase } from './storage.ts';

export const workCommand: Command = {
  name: 'work',
  summary: 'do the background work of services on PostgreSQL, without serving',
  details:
    'Sends pushes, mails and webhooks and does the other jobs in the outbox, beside the services or, when they run with\nPHAROS_WORKER=off, in their place. Any number of them may run. SIGTERM or SIGINT stops it after the jobs that it has begun.',
  async run(call) {
    const config = call.config();
    if (!config.databaseUrl)
      throw new UsageError(
        'The embedded database belongs to one process, and serve does its work there. For more processes use PostgreSQL (PHAROS_DATABASE_URL).',
      );
    const { terminal, isJson } = call;
    const db = await openDatabase(config);
    try {
      await migrate(db, Date.now());
      await assertNoUnfinishedRestore(db);
      const logStream = createLogLines((lines) => terminal.err(lines));
      const stopped = waitForStop(process, { now: Date.now, atOnce: () => process.exit(1) });
      const app = await loadApp({ config: { ...config, worker: true }, db, ...(await openTime(db)), logStream });
      try {
        terminal.out(
          isJson ? JSON.stringify({ working: true }) : 'Pharos is doing the jobs of the outbox. Stop it with Ctrl+C.',
        );
        const tidying = tidyAtRest();
        app.server.log.info({ signal: await stopped }, 'stopping');
        tidying.stop();
      } finally {
        await app.close();
        logStream.flush();
      }
    } finally {
      await db.close();
    }
    return undefined;
  },
};
