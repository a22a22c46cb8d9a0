/** Pharos as it is shipped: request log, metrics, rate limit, credentials and bearer; a process of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documents } from '../documents.ts';
import { sendAll } from '../generator.ts';
import { start } from '../processes.ts';
import type { Target } from '../target.ts';
import { account, create, type Headers, loadOf, type Running } from './pharos-loads.ts';

const program = fileURLToPath(new URL('../../../server/bin/pharos.mjs', import.meta.url));

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

export interface PharosOptions {
  readonly name: string;
  readonly durability: string;
  readonly folder: string;
  readonly databaseUrl?: string;
  /** The process of the database, if it is not part of the service's own. */
  readonly databasePid?: number;
  /** Another checkout, to compare two versions. */
  readonly checkout?: string;
  /** The rule of all buckets for reading. */
  readonly rule?: string | object;
  /** More environment. */
  readonly settings?: Readonly<Record<string, string>>;
}

type OpenedApp = Pick<Target, 'fill' | 'load'> & {
  readonly appId: string;
  /** Of the app and of a user who is signed in. */
  readonly headers: Headers;
  /** Replaces `fill` for records with these ids that have reached the bucket in another way. */
  adopt(ids: readonly string[]): void;
};

export type PharosTarget = Target & OpenedApp;

export async function startPharos(options: PharosOptions): Promise<PharosTarget> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const main = options.checkout ? join(options.checkout, 'server/bin/pharos.mjs') : program;
  const env = {
    PHAROS_DATA: options.folder,
    PHAROS_PORT: String(port),
    ...(options.databaseUrl ? { PHAROS_DATABASE_URL: options.databaseUrl } : {}),
    ...options.settings,
  };
  const service = await start(process.execPath, [main, 'serve'], {
    env,
    log: join(options.folder, 'service.log'),
    url: `${url}/readyz`,
  });
  const command = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
      env: { ...env, PATH: process.env['PATH'] },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`pharos ${words.join(' ')}: ${stderr}`);
    return stdout;
  };
  const ruledApp = async () => {
    const credentials = await firstApp(options.folder);
    if (options.rule === undefined) return credentials;
    const file = join(options.folder, 'rules.json');
    writeFileSync(file, JSON.stringify({ buckets: { '*': { list: options.rule, get: options.rule } } }));
    command('app', 'rules', 'apply', credentials['x-service-appid'] ?? '', file);
    return credentials;
  };
  const { databasePid } = options;
  return {
    name: options.name,
    durability: options.durability,
    url,
    pid: service.child.pid ?? 0,
    ...(databasePid ? { databasePid } : {}),
    ...(await openApp({ url, command }, await ruledApp())),
    stop: () => service.stop(),
  };
}

interface Service {
  readonly url: string;
  /** Runs a command of the command line on the service's data; returns its output. */
  readonly command: (...words: string[]) => string;
}

/** An app with a bucket and a signed-in user. */
async function openApp({ url, command }: Service, credentials: Headers): Promise<OpenedApp> {
  const appId = credentials['x-service-appid'] ?? '';
  // The limit works as always, but no client reaches it.
  command('app', 'limit', appId, '--per-second', '1000000', '--burst', '10000000');
  for (const bucket of ['Sightings', 'Notes']) command('bucket', 'create', bucket, '--app', appId);
  const app = { ...credentials, 'content-type': 'application/json' };
  const running: Running = { url, app, json: { ...app, authorization: await signIn(url, app) }, ids: [] };
  const schema = { species: 'String', count: 'Number', seenAt: 'Date' };
  const column = Object.fromEntries(Object.entries(schema).map(([name, type]) => [name, { type }]));
  await sendAll(url, {
    method: 'POST',
    headers: running.json,
    paths: ['/api/v2/data/schema/Sightings'],
    bodies: [JSON.stringify({ column })],
  });
  return {
    appId,
    headers: running.json,
    adopt: (ids) => {
      running.ids = [...ids];
    },
    fill: async (records) => {
      running.ids = await create(
        running,
        documents(records).map((metadata) => JSON.stringify({ metadata })),
      );
    },
    load: (workload) => {
      // With it, one client may upload and push only so often in an hour.
      if (workload === 'upload' || workload === 'push') command('app', 'limit', appId, '--off');
      return loadOf(running, workload);
    },
  };
}

/** The first start writes it soon after it listens. */
async function firstApp(folder: string): Promise<Headers> {
  for (let tries = 0; tries < 500; tries++) {
    const found = readFirstApp(join(folder, 'first-app.env'));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('there is no first app');
}

function readFirstApp(file: string): Headers | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [appId, appKey] = ['APP_ID', 'APP_KEY'].map((name) => new RegExp(`${name}=(\\S+)\n`).exec(text)?.[1]);
  return appId && appKey ? { 'x-service-appid': appId, 'x-service-appkey': appKey } : undefined;
}

async function signIn(url: string, headers: Headers): Promise<string> {
  const post = (path: string, body: object) =>
    sendAll(url, { method: 'POST', headers, paths: [path], bodies: [JSON.stringify(body)] });
  await post('/api/v2/users', { firstname: 'Vera', lastname: 'Visitor', ...account });
  const [answer = '{}'] = await post('/api/v2/users/signin', account);
  return `Bearer ${(JSON.parse(answer) as { accessToken: string }).accessToken}`;
}
