import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { documentOf, documents, wanted } from '../documents.ts';
import { sendAll } from '../generator.ts';
import type { Load } from '../load.ts';
import { installPeer, peersFolder } from '../peers.ts';
import { start } from '../processes.ts';
import type { Target, Workload } from '../target.ts';
import { freePort } from './pharos.ts';
import { fileText } from './pharos-loads.ts';

const program = fileURLToPath(new URL('./parse-process.mjs', import.meta.url));
const records = '/parse/classes/Sighting';
const freeRecords = '/parse/classes/Note';
const credentials = { 'x-parse-application-id': 'bench', 'x-parse-rest-api-key': 'bench-rest' };
const account = { username: 'vera', password: 'correct horse' };

interface Running {
  readonly url: string;
  readonly json: Readonly<Record<string, string>>;
  ids: string[];
}

export interface ParseOptions {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly databasePid: number;
}

export async function startParseServer({ folder, databaseUrl, databasePid }: ParseOptions): Promise<Target> {
  installPeer('parse-server');
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = await start(process.execPath, [program, peersFolder, String(port), databaseUrl], {
    log: `${folder}/service.log`,
    url: `${url}/parse/health`,
    cwd: folder,
  });
  const running = await prepare(url, databaseUrl).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  return {
    name: 'Parse Server',
    durability: 'PostgreSQL, fsync on',
    url,
    pid: service.child.pid ?? 0,
    databasePid,
    fill: async (count) => {
      running.ids = await create(running, count);
    },
    load: (workload) => loadOf(running, workload),
    stop: service.stop,
  };
}

/** A user, who alone may access the records, and the same indexes as everywhere; one class has none. */
async function prepare(url: string, databaseUrl: string): Promise<Running> {
  const plain = { ...credentials, 'content-type': 'application/json' };
  const [answer = '{}'] = await sendAll(url, {
    method: 'POST',
    headers: plain,
    paths: ['/parse/users'],
    bodies: [JSON.stringify(account)],
  });
  const token = (JSON.parse(answer) as { sessionToken: string }).sessionToken;
  const signedIn = { requiresAuthentication: true };
  for (const className of ['Sighting', 'Note'])
    await sendAll(url, {
      method: 'POST',
      headers: { ...plain, 'x-parse-master-key': 'bench-master' },
      paths: [`/parse/schemas/${className}`],
      bodies: [
        JSON.stringify({
          className,
          fields: {
            species: { type: 'String' },
            count: { type: 'Number' },
            seenAt: { type: 'String' },
            note: { type: 'String' },
            extra: { type: 'Object' },
          },
          classLevelPermissions: {
            find: signedIn,
            get: signedIn,
            create: signedIn,
            update: signedIn,
            delete: signedIn,
          },
        }),
      ],
    });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const column of ['species', 'count', 'seenAt'])
    await client.query(`create index sighting_${column.toLowerCase()} on "Sighting" ("${column}")`);
  await client.end();
  return { url, json: { ...plain, 'x-parse-session-token': token }, ids: [] };
}

async function create({ url, json }: Running, count: number): Promise<string[]> {
  const bodies = documents(count).map((document) => JSON.stringify(document));
  const answers = await sendAll(url, { method: 'POST', headers: json, paths: [records], bodies });
  return answers.map((text) => (JSON.parse(text) as { objectId: string }).objectId);
}

const query = (parameters: Readonly<Record<string, string>>) => `?${new URLSearchParams(parameters)}`;

function filter(equal: string, value: string, range: string, least: number): string {
  const where = JSON.stringify({ [equal]: value, [range]: { $gte: least } });
  return `${records}${query({ where, order: `-${range}`, limit: '20' })}`;
}

const filters = (equal: string, kind: string, range: string) =>
  wanted.map(({ name, least }) => filter(equal, `${kind} ${name}`, range, least));

async function loadOf(running: Running, workload: Workload): Promise<Load | undefined> {
  const { json, ids } = running;
  const paths = ids.slice(0, 10_000).map((id) => `${records}/${id}`);
  const bodies = documents(1000).map((document) => JSON.stringify(document));
  switch (workload) {
    case 'get':
      return { method: 'GET', headers: json, paths };
    case 'create':
      return { method: 'POST', headers: json, paths: [records], bodies };
    case 'create-free':
      return { method: 'POST', headers: json, paths: [freeRecords], bodies };
    case 'list':
      return { method: 'GET', headers: json, paths: [`${records}${query({ limit: '100', order: 'createdAt' })}`] };
    case 'filter':
      return { method: 'GET', headers: json, paths: filters('species', 'Species', 'count') };
    case 'filter-free':
      return { method: 'GET', headers: json, paths: filters('extra.site', 'Site', 'extra.level') };
    case 'update': {
      const changes = paths.map((_, n) => JSON.stringify({ count: documentOf(n).count }));
      return { method: 'PUT', headers: json, paths, bodies: changes };
    }
    case 'delete': {
      const doomed = await create(running, 5_000);
      return { method: 'DELETE', headers: json, paths: doomed.map((id) => `${records}/${id}`), once: true };
    }
    case 'sign-in':
      return { method: 'POST', headers: json, paths: ['/parse/login'], bodies: [JSON.stringify(account)] };
    case 'upload':
      return { method: 'POST', headers: fileHeaders(json), paths: ['/parse/files/hall.txt'], bodies: [fileText] };
    case 'download': {
      const upload = {
        method: 'POST',
        headers: fileHeaders(json),
        paths: ['/parse/files/hall.txt'],
        bodies: [fileText],
      } as const;
      const [answer = '{}'] = await sendAll(running.url, upload);
      return { method: 'GET', headers: {}, paths: [new URL((JSON.parse(answer) as { url: string }).url).pathname] };
    }
    default:
      return undefined;
  }
}

const fileHeaders = (json: Readonly<Record<string, string>>) => ({ ...json, 'content-type': 'text/plain' });
