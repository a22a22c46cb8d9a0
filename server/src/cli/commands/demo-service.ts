import { existsSync, readdirSync } from 'node:fs';
import type { App } from '../../app/app.ts';
import { createServices } from '../../app/services.ts';
import { type Config, databaseFile } from '../../config/config.ts';
import type { Database } from '../../db/db.ts';
import { openSecrets, secretsFile } from '../../demo/credentials.ts';
import { fillYear } from '../../demo/fill.ts';
import { walkLive } from '../../demo/live.ts';
import { demoAdministrator, type Made, makeDemo, notEmpty } from '../../demo/make.ts';
import type { CommandCall } from '../support/command.ts';
import { loadApp } from '../support/load-app.ts';

/** What `pharos serve --demo` adds to the service. */

/** Defaults: its own folder, and no log line for each step of a visitor. */
export const demoSettings = { PHAROS_DATA: './data-demo', PHAROS_LOG_LEVEL: 'warn' };

/**
 * A demo prints a way to sign in at each start, so it listens on this machine only unless the command names a host.
 *
 * @throws Error for a folder with something else in it
 */
export function demoConfig(call: CommandCall): Config {
  const config = { ...call.config(demoSettings), host: call.text('host') ?? '127.0.0.1' };
  const { dataFolder } = config;
  if (config.databaseUrl || existsSync(databaseFile(config)) || !existsSync(dataFolder)) return config;
  const others = readdirSync(dataFolder).filter((name) => name !== 'serve.lock');
  if (others.length > 0) throw new Error(notEmpty(`The folder ${dataFolder} is not empty: it holds ${others[0]}.`));
  return config;
}

export async function prepareDemo(config: Config, db: Database): Promise<Made> {
  const services = createServices({ db, now: Date.now });
  return makeDemo({
    db,
    services,
    now: Date.now(),
    async onStage(clock, work) {
      const { mqttPort: _port, ...rest } = config;
      const quiet: Config = { ...rest, mqttPort: undefined, worker: false, logLevel: 'silent' };
      const stage = await loadApp({ config: quiet, db, now: () => clock.now });
      try {
        return await work({ ...stage, clock, headerPrefix: config.headerPrefixes[0] ?? 'x-service-' });
      } finally {
        await stage.close();
      }
    },
  });
}

export interface Demo {
  readonly signIn: { readonly url: string; readonly email: string; readonly password: string | undefined };
  readonly file: string;
  stop(): Promise<void>;
}

interface Around {
  readonly app: App;
  readonly config: Config;
  readonly db: Database;
}

/** After each step of the year the service gets twice as long for itself; on a busy machine at most this long. */
const maxPauseMs = 50;
const pause = (took: number) => Math.min(maxPauseMs, Math.max(5, 2 * took));

/** Once the service listens, visitors walk and the past year is written. */
export async function openDemo(made: Made, { app, config, db }: Around): Promise<Demo> {
  const { dataFolder, headerPrefixes } = config;
  const url = app.publicUrl();
  const { appKey, password } = await openSecrets(made, { db, dataFolder, url, apps: app.apps, admins: app.admins });
  const stopping = new AbortController();
  const { signal } = stopping;
  const { log } = app.server;
  const prefix = headerPrefixes[0] ?? 'x-service-';
  const headers = { [`${prefix}appid`]: made.mark.appId, [`${prefix}appkey`]: appKey };
  const onError = (error: unknown) => log.error({ err: error }, 'the demo');
  const began = Date.now();
  const counted = (took: number) => {
    app.rollups.note(made.mark.appId);
    return pause(took);
  };
  const filling = fillYear({ db, year: made.year, signal, pause: counted })
    .then((rows) => log.info({ rows, seconds: Math.round((Date.now() - began) / 1000) }, "the demo's year"))
    .catch(onError);
  const walking = walkLive({ server: app.server, headers, now: Date.now, signal, onError }).catch(onError);
  return {
    signIn: { url: `${url}/console/`, email: demoAdministrator, password },
    file: secretsFile(dataFolder),
    async stop() {
      stopping.abort();
      await Promise.all([filling, walking]);
    },
  };
}

export function demoTexts({ signIn, file }: Demo): readonly string[] {
  const { url, email, password } = signIn;
  return [
    'This is a demo: a museum that does not exist, a year of visits that nobody made, and a few virtual visitors who walk\nwhile it runs. Its year is being written in the background, the newest days first. No push leaves.',
    `Sign in at ${url}\n\n  e-mail    ${email}\n  password  ${password ?? 'the one that you chose'}\n\nThese, and the key of its app, are also in ${file}.`,
    'Remove it once it is stopped: npm start -- demo remove',
  ];
}
