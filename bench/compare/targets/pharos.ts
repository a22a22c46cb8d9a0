/** Pharos as it is shipped: request log, metrics, rate limit, credentials and bearer; a process of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentOf, documents, wanted } from '../documents.ts';
import { sendAll } from '../generator.ts';
import type { Load } from '../load.ts';
import { family, start } from '../processes.ts';
import type { Target, Workload } from '../target.ts';

const program = fileURLToPath(new URL('../../../server/bin/pharos.mjs', import.meta.url));
const bucket = '/api/v2/data/bucket/Sightings';

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
  /** The process of the database, when it is not in the service's own. */
  readonly databasePid?: number;
  /** Another checkout, to compare two versions. */
  readonly checkout?: string;
}

type Headers = Readonly<Record<string, string>>;

interface Running {
  readonly url: string;
  readonly app: Headers;
  readonly json: Headers;
  ids: string[];
}

type OpenedApp = Pick<Target, 'fill' | 'load'> & {
  readonly appId: string;
  /** Of the app and of a user who is signed in. */
  readonly headers: Headers;
  /** In place of `fill`, for records of these ids that have come into the bucket by another way. */
  adopt(ids: readonly string[]): void;
};

export interface PharosTarget extends Target, OpenedApp {
  /** One more app on the same service. */
  anotherApp(): Promise<OpenedApp>;
}

export async function startPharos(options: PharosOptions): Promise<PharosTarget> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const main = options.checkout ? join(options.checkout, 'server/bin/pharos.mjs') : program;
  const env = {
    PHAROS_DATA: options.folder,
    PHAROS_PORT: String(port),
    ...(options.databaseUrl ? { PHAROS_DATABASE_URL: options.databaseUrl } : {}),
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
  const { databasePid } = options;
  return {
    name: options.name,
    durability: options.durability,
    url,
    pid: service.child.pid ?? 0,
    ...(databasePid ? { helpers: () => family(databasePid) } : {}),
    ...(await openApp({ url, command }, await firstApp(options.folder))),
    anotherApp: () => {
      const made = command('app', 'create', '--name', 'Another', '--json');
      const { appId, appKey } = JSON.parse(made) as { appId: string; appKey: string };
      return openApp({ url, command }, { 'x-service-appid': appId, 'x-service-appkey': appKey });
    },
    stop: service.stop,
  };
}

interface Service {
  readonly url: string;
  /** Runs a command of the command line on the service's data; what it printed. */
  readonly command: (...words: string[]) => string;
}

/** An app with a bucket and a user who is signed in. */
async function openApp({ url, command }: Service, credentials: Headers): Promise<OpenedApp> {
  const appId = credentials['x-service-appid'] ?? '';
  // The limit works as always, only no client reaches it.
  command('app', 'limit', appId, '--per-second', '1000000', '--burst', '10000000');
  command('bucket', 'create', 'Sightings', '--app', appId);
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
    load: (workload) => loadOf(running, workload),
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

const account = { email: 'bench@example.org', password: 'correct horse' };

async function signIn(url: string, headers: Headers): Promise<string> {
  const post = (path: string, body: object) =>
    sendAll(url, { method: 'POST', headers, paths: [path], bodies: [JSON.stringify(body)] });
  await post('/api/v2/users', { firstname: 'Vera', lastname: 'Visitor', ...account });
  const [answer = '{}'] = await post('/api/v2/users/signin', account);
  return `Bearer ${(JSON.parse(answer) as { accessToken: string }).accessToken}`;
}

async function create(running: Running, bodies: readonly string[], path = bucket): Promise<string[]> {
  const answers = await sendAll(running.url, { method: 'POST', headers: running.json, paths: [path], bodies });
  return answers.map((text) => (JSON.parse(text) as { result: { objectId: string } }).result.objectId);
}

const query = (parameters: Readonly<Record<string, string>>) => `?${new URLSearchParams(parameters)}`;

async function loadOf(running: Running, workload: Workload): Promise<Load | undefined> {
  const { json, app, ids } = running;
  const numbers = Array.from({ length: 1000 }, (_, n) => n);
  switch (workload) {
    case 'get':
      return { method: 'GET', headers: json, paths: ids.slice(0, 10_000).map((id) => `${bucket}/${id}`) };
    case 'create':
      return {
        method: 'POST',
        headers: json,
        paths: [bucket],
        bodies: numbers.map((n) => JSON.stringify({ metadata: documentOf(n) })),
      };
    case 'list':
      return { method: 'GET', headers: json, paths: [`${bucket}${query({ limit: '100' })}`] };
    case 'filter':
      return {
        method: 'GET',
        headers: json,
        paths: wanted.map(({ name, least }) => filter(`metadata.species`, `Species ${name}`, 'metadata.count', least)),
      };
    case 'filter-free':
      return {
        method: 'GET',
        headers: json,
        paths: wanted.map(({ name, least }) =>
          filter('metadata.extra.site', `Site ${name}`, 'metadata.extra.level', least),
        ),
      };
    case 'update':
      return {
        method: 'PUT',
        headers: json,
        paths: ids.slice(0, 10_000).map((id) => `${bucket}/${id}`),
        bodies: ids.slice(0, 10_000).map((_, n) => JSON.stringify({ count: n % 1000 })),
      };
    case 'delete': {
      const doomed = await create(
        running,
        documents(20_000).map((metadata) => JSON.stringify({ metadata })),
      );
      return { method: 'DELETE', headers: json, paths: doomed.map((id) => `${bucket}/${id}`), once: true };
    }
    case 'sign-in':
      return { method: 'POST', headers: app, paths: ['/api/v2/users/signin'], bodies: [JSON.stringify(account)] };
    case 'upload':
      return {
        method: 'POST',
        headers: { ...json, 'content-type': 'image/png' },
        paths: ['/api/v2/files/hall.png'],
        bodies: [fileText],
      };
    case 'download': {
      const [answer = '{}'] = await sendAll(running.url, {
        method: 'POST',
        headers: { ...json, 'content-type': 'image/png' },
        paths: ['/api/v2/files/hall.png'],
        bodies: [fileText],
      });
      const { url } = JSON.parse(answer) as { url: string };
      return { method: 'GET', headers: {}, paths: [new URL(url).pathname] };
    }
    case 'sightings-1':
      return sightings(running, 1);
    case 'sightings-100':
      return sightings(running, 100);
    case 'push':
      return {
        method: 'POST',
        headers: json,
        paths: ['/api/v2/push/notification'],
        bodies: [
          JSON.stringify({
            where: { deviceType: 'ios', channels: 'nobody' },
            data: { title: 'Hall 2', alert: 'The tour begins.' },
          }),
        ],
      };
  }
}

/** 64 kB without a line break. */
export const fileText = 'The lighthouse at the end of the mole. '.repeat(1681).slice(0, 65_536);

function filter(equal: string, value: string, range: string, least: number): string {
  const where = JSON.stringify({ [equal]: value, [range]: { $gte: least } });
  return `${bucket}${query({ where, order: `-${range}`, limit: '20' })}`;
}

/** Signals of a beacon, one phone after the other; nothing is confirmed, as with most of what a phone hears. */
async function sightings(running: Running, size: number): Promise<Load> {
  const beacon = {
    name: 'Hall',
    uuid: 'f7826da6-4fa2-4e98-8024-bc5b71e0893e',
    major: 1,
    minor: 1,
    location: { x: 1, y: 1 },
  };
  const [beaconId = ''] = await create(running, [JSON.stringify(beacon)], '/api/v2/beacons');
  const phones = Array.from({ length: 500 }, (_, n) => ({
    installationId: `bench-${size}-${Date.now()}-${n}`,
    deviceType: 'android',
  }));
  const ids = await create(
    running,
    phones.map((phone) => JSON.stringify(phone)),
    '/api/v2/installations',
  );
  const now = Date.now();
  const bodies = Array.from({ length: 8 }, (_, round) =>
    ids.map((installationId, phone) => {
      const seen = Array.from({ length: size }, (_, n) => ({
        beacon: beaconId,
        rssi: -60 - ((phone + n) % 20),
        occurredAt: new Date(now - 60_000 + round * 5_000 + n * 10).toISOString(),
      }));
      return JSON.stringify({ installationId, sightings: seen });
    }),
  ).flat();
  return { method: 'POST', headers: running.app, paths: ['/api/v2/sightings'], bodies };
}
