import { relative } from 'node:path';
import { type App, createApp } from '../app.ts';
import { assertNoUnfinishedRestore } from '../backup/marker.ts';
import type { Config } from '../config.ts';
import { lockFolder } from '../db/folder-lock.ts';
import { migrate } from '../db/migrate.ts';
import { endLeases } from '../jobs/store.ts';
import { version } from '../version.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { type FirstStart, makeFirstStart } from './first-start.ts';
import { createLogLines } from './log-lines.ts';
import { waitForStop } from './stop-signal.ts';
import { openDatabase, prepareFolder } from './storage.ts';

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/** The start-up text. Only the first start's holds secrets. */
export function startText(app: Pick<App, 'publicUrl'>, config: Config, first: FirstStart): string {
  const storage = config.databaseUrl ? 'PostgreSQL' : `embedded database in ${config.dataFolder}`;
  const parts = [`Pharos ${version} listens on ${app.publicUrl()} (${storage}).`];
  if (first.setupUrl)
    parts.push(`Make your administrator account with this link. It works once.\n\n  ${first.setupUrl}`);
  else if (!first.hasAdmin)
    parts.push(
      'There is no administrator yet. Use the link that the first start printed, or run: pharos admin create --email EMAIL',
    );
  if (first.app) {
    const file = relative('.', first.app.file) || first.app.file;
    parts.push(
      `A first app is ready. These lines are also in ${file}, so that ". ${file}" sets them:\n\n${first.app.lines.map((line) => `  ${line}`).join('\n')}`,
    );
  }
  if (loopback.has(config.host))
    parts.push(
      'Only this machine can reach it. To open it to the network, set PHAROS_HOST=0.0.0.0, and PHAROS_PUBLIC_URL to\nthe address that clients use.',
    );
  else if (!config.publicUrl)
    parts.push('It is open to the network. Set PHAROS_PUBLIC_URL to the address that clients use.');
  return `${parts.join('\n\n')}\n`;
}

function startJson(app: App, first: FirstStart): object {
  const { setupUrl, app: made } = first;
  return {
    url: app.publicUrl(),
    ...(setupUrl ? { setupUrl } : {}),
    ...(made ? { app: { appId: made.appId, appKey: made.appKey, file: made.file } } : {}),
  };
}

/** Serves until a signal, then finishes what was accepted. */
async function serve(config: Config, terminal: Terminal, isJson: boolean): Promise<void> {
  const db = openDatabase(config);
  try {
    await migrate(db, Date.now());
    await assertNoUnfinishedRestore(db);
    // Who held a job of this folder is gone: the folder's lock says so.
    if (!config.databaseUrl) await endLeases(db, Date.now());
    // The log goes to standard error, so that what people and scripts read stands alone on standard output.
    const logStream = createLogLines((lines) => terminal.err(lines));
    const app = await createApp({ config, db, now: Date.now, logStream });
    try {
      const stopped = waitForStop(process, { now: Date.now, atOnce: () => process.exit(1) });
      if (config.mqttPort !== undefined) await app.devices?.listen(config.mqttPort, config.mqttHost);
      await app.server.listen({ host: config.host, port: config.port });
      const first = await makeFirstStart(app, config.dataFolder);
      terminal.out(isJson ? JSON.stringify(startJson(app, first)) : startText(app, config, first));
      app.server.log.info({ signal: await stopped }, 'stopping');
    } finally {
      await app.close();
      logStream.flush();
    }
  } finally {
    await db.close();
  }
}

export const serveCommand: Command = {
  name: 'serve',
  summary: 'run the service',
  details:
    'The first start makes a set-up link for the console and a first app, and prints both. Logs go to standard error as\nJSON lines. SIGTERM or SIGINT stops it after what it has accepted; a second signal stops it at once.',
  async run(call) {
    const config = call.config();
    if (!config.worker && !config.databaseUrl)
      throw new UsageError(
        'With the embedded database nobody else can do the background work: leave PHAROS_WORKER on, or use PostgreSQL.',
      );
    prepareFolder(config);
    const lock = config.databaseUrl ? undefined : await lockFolder(config.dataFolder);
    try {
      await serve(config, call.terminal, call.isJson);
    } finally {
      lock?.release();
    }
    return undefined;
  },
};
