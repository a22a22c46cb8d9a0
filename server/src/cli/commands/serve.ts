import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { recordChange, service } from '../../access/audit.ts';
import type { App } from '../../app/app.ts';
import type { RestoreResult } from '../../backup/in-place.ts';
import { assertNoUnfinishedRestore } from '../../backup/marker.ts';
import type { Config } from '../../config/config.ts';
import { version } from '../../config/version.ts';
import type { Database } from '../../db/db.ts';
import { lockFolder } from '../../db/folder-lock.ts';
import { migrate } from '../../db/migrate.ts';
import { openTime } from '../../db/nodes/shared-time.ts';
import { findSiblings, type Siblings } from '../../db/nodes/siblings.ts';
import { assertDemoOrEmpty } from '../../demo/make.ts';
import { findDemoMark } from '../../features/operate/apps/demo-mark.ts';
import type { AppCredentials } from '../../features/operate/apps/keys.ts';
import { endLeases } from '../../jobs/store.ts';
import { type Command, type Terminal, UsageError } from '../support/command.ts';
import { loadApp } from '../support/load-app.ts';
import { createLogLines } from '../support/log-lines.ts';
import { tidyAtRest } from '../support/memory-at-rest.ts';
import { type StopEvent, waitForStop } from '../support/stop-signal.ts';
import { restoredText, restorePrepared } from './backup.ts';
import { type Demo, demoConfig, demoTexts, openDemo, prepareDemo } from './demo-service.ts';
import { openDatabase, prepareFolder } from './storage.ts';

const servedDemo = 'This is a demo; its visitors are stopped. Start it with --demo to let them walk.';
const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/** A shell looks for a name without a slash elsewhere, and takes spaces and quotes for its own. */
function fileForShell(path: string): string {
  const inside = relative('.', path);
  // Whoever reads the log of a unit or an image is in another folder than the service.
  const short = inside.startsWith('..') ? resolve(path) : inside;
  const named = short.includes('/') ? short : `./${short}`;
  return /^[\w./-]+$/.test(named) ? named : `'${named.replaceAll("'", "'\\''")}'`;
}

/** The start-up text. Only that of the first start, and of a demo, contains secrets. */
function startText(
  app: Pick<App, 'publicUrl'>,
  config: Config,
  { first, demo = [] }: { readonly first: FirstStart; readonly demo?: readonly string[] },
): string {
  const storage = config.databaseUrl ? 'PostgreSQL' : `embedded database in ${config.dataFolder}`;
  const parts = [`Pharos ${version} listens on ${app.publicUrl()} (${storage}).`, ...demo];
  if (first.setupUrl)
    parts.push(`Make your administrator account with this link. It works once.\n\n  ${first.setupUrl}`);
  else if (!first.hasAdmin)
    parts.push(
      'There is no administrator yet. Use the link that the first start printed, or run: pharos admin create --email EMAIL',
    );
  if (first.app) {
    parts.push(
      `A first app is ready:\n\n${first.app.lines.map((line) => `  ${line}`).join('\n')}`,
      `These lines are also in a file, for your shell:\n\n  . ${fileForShell(first.app.file)}`,
    );
  }
  if (demo.length > 0 && loopback.has(config.host)) parts.push('Only this machine can reach it.');
  else if (loopback.has(config.host) && config.publicUrl)
    parts.push(`Only this machine can reach it, such as a proxy that serves ${config.publicUrl}.`);
  else if (loopback.has(config.host))
    parts.push(
      'Only this machine can reach it. To open it to the network, set PHAROS_HOST=0.0.0.0, and PHAROS_PUBLIC_URL to\nthe address that clients use.',
    );
  else if (!config.publicUrl)
    parts.push('It is open to the network. Set PHAROS_PUBLIC_URL to the address that clients use.');
  return `${parts.join('\n\n')}\n`;
}

function startJson(app: App, first: FirstStart, demo: Demo | undefined): object {
  const { setupUrl, app: made } = first;
  return {
    url: app.publicUrl(),
    ...(setupUrl ? { setupUrl } : {}),
    ...(made ? { app: { appId: made.appId, appKey: made.appKey, file: made.file } } : {}),
    ...(demo ? { demo: demo.signIn } : {}),
  };
}

/**
 * Connections that may wait to be accepted, one in each tick of the event loop. The system drops further ones, and the
 * client tries again after a second. This is Linux's default maximum; Node would use 511.
 */
const backlog = 4_096;

interface How {
  readonly isJson: boolean;
  readonly isDemo: boolean;
  /** The signal to stop, which a restart must not miss. */
  readonly stopped: () => Promise<StopEvent>;
  readonly siblings: Siblings | undefined;
}

/** Serves until a signal, or until the console asks for another start; then finishes the accepted requests. */
async function serve(config: Config, terminal: Terminal, how: How): Promise<StopEvent | 'restart'> {
  const restored = await restorePrepared(config);
  if (restored !== undefined && !how.isJson) terminal.out(`${restoredText(restored)}\n`);
  const db = await openDatabase(config);
  try {
    if (how.isDemo) await assertDemoOrEmpty(db);
    await db.settle();
    await migrate(db, Date.now());
    await assertNoUnfinishedRestore(db);
    if (restored?.ok) await noteRestore(db, restored);
    // The folder's lock proves that whoever held one of its jobs is gone.
    if (!config.databaseUrl) await endLeases(db, Date.now());
    // The log goes to standard error, so that standard output has only what people and scripts read.
    const logStream = createLogLines((lines) => terminal.err(lines));
    const made = how.isDemo ? await prepareDemo(config, db) : undefined;
    const again = Promise.withResolvers<'restart'>();
    const restart = () => again.resolve('restart');
    const { siblings } = how;
    const app = await loadApp({ config, db, ...(await openTime(db)), logStream, restart, siblings });
    let demo: Demo | undefined;
    try {
      const stopped = how.stopped();
      // The text of the start comes before the log lines about it.
      logStream.hold();
      if (config.mqttPort !== undefined) await app.devices?.listen(config.mqttPort, config.mqttHost);
      await app.server.listen({ host: config.host, port: config.port, backlog });
      if (made) demo = await openDemo(made, { app, config, db });
      // Of several processes the first does this for all.
      if (siblings === undefined || siblings.number === 1) {
        const first = await makeFirstStart(app, config.dataFolder);
        const texts = demo ? demoTexts(demo) : (await findDemoMark(db)) ? [servedDemo] : [];
        terminal.out(
          how.isJson ? JSON.stringify(startJson(app, first, demo)) : startText(app, config, { first, demo: texts }),
        );
      }
      logStream.flush();
      siblings?.started();
      app.room.start();
      const tidying = tidyAtRest();
      const signal = await Promise.race([stopped, again.promise]);
      if (config.drainMs > 0 && signal !== 'restart') {
        app.server.log.info({ signal, ms: config.drainMs }, 'draining');
        await app.drain(config.drainMs);
      }
      app.server.log.info({ signal }, 'stopping');
      tidying.stop();
      return signal;
    } finally {
      await demo?.stop();
      await app.close();
      logStream.flush();
    }
  } finally {
    await db.close();
  }
}

/** The audit goes back with everything else; this is the first that is new in it. */
async function noteRestore(db: Database, { backupId, askedBy, at }: RestoreResult): Promise<void> {
  const by = askedBy === undefined ? service : { name: askedBy, address: null };
  await recordChange(db, { by, action: 'backup.restored', subject: backupId, now: Date.parse(at) });
}

/** One wait for all starts of this process. */
function signalOnce(siblings?: Siblings): () => Promise<StopEvent> {
  let waiting: Promise<StopEvent> | undefined;
  return () => {
    const signalled = () => waitForStop(process, { now: Date.now, atOnce: () => process.exit(1) });
    waiting ??= siblings ? Promise.race([siblings.stopped, signalled()]) : signalled();
    return waiting;
  };
}

export const serveCommand: Command = {
  name: 'serve',
  summary: 'run the service',
  details:
    'The first start creates a set-up link for the console and a first app, and prints both. Logs go to standard error as\nJSON lines. SIGTERM or SIGINT stops it after the accepted requests; a second signal stops it at once. With --processes\nthe first of them migrates the database, and one that crashes is replaced.',
  options: { demo: { help: 'fill an empty folder (./data-demo) with a small museum, and let a few visitors walk' } },
  async run(call) {
    const isDemo = call.has('demo');
    const config = isDemo ? demoConfig(call) : call.config();
    if (!config.worker && !config.databaseUrl)
      throw new UsageError(
        'With the embedded database nobody else can do the background work: leave PHAROS_WORKER on, or use PostgreSQL.',
      );
    await prepareFolder(config);
    const siblings = await findSiblings(config.processes);
    if (config.processes > 1 && !siblings) {
      if (isDemo) throw new UsageError('The demo runs in one process: leave PHAROS_PROCESSES at 1.');
      const { serveInProcesses } = await import('../support/processes.ts');
      await serveInProcesses(config.processes, { stopped: signalOnce()(), terminal: call.terminal });
      return undefined;
    }
    const lock = config.databaseUrl ? undefined : await lockFolder(config.dataFolder);
    try {
      const how = { isJson: call.isJson, isDemo, stopped: signalOnce(siblings), siblings };
      // The folder stays locked: nobody else gets in between.
      while ((await serve(config, call.terminal, how)) === 'restart');
    } finally {
      lock?.release();
    }
    return undefined;
  },
};

/** What only the first start prints. */
interface FirstStart {
  readonly setupUrl: string | undefined;
  readonly app: (AppCredentials & { readonly file: string; readonly lines: readonly string[] }) | undefined;
  readonly hasAdmin: boolean;
}

/** Creates the set-up link and the first app if there are none. Call it once the service listens. */
async function makeFirstStart(app: App, dataFolder: string): Promise<FirstStart> {
  const token = await app.admins.makeSetupToken();
  const first = await app.apps.createFirst('First app');
  const url = app.publicUrl();
  return {
    // The part after the # is sent to no server and appears in no log.
    setupUrl: token === undefined ? undefined : `${url}/console/setup#${token}`,
    app: first && { ...first, ...(await writeCredentials(first, url, dataFolder)) },
    hasAdmin: await app.admins.hasAdmin(),
  };
}

/** A file that a shell can read, for a first session with curl. */
async function writeCredentials({ appId, appKey }: AppCredentials, url: string, dataFolder: string) {
  const file = join(dataFolder, 'first-app.env');
  const lines = [`export APP_ID=${appId}`, `export APP_KEY=${appKey}`, `export BASE_URL=${url}`];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { file, lines };
}
