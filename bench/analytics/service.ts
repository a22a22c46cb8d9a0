/** The service as it is shipped, in a process of its own, on a database that is there before and after. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from '../compare/processes.ts';
import { freePort } from '../compare/targets/pharos.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const programOf = (folder: string) => join(folder, 'server', 'bin', 'pharos.mjs');
const program = programOf(checkout);

export interface Place {
  readonly folder: string;
  readonly databaseUrl?: string;
  /** The server's first process. */
  readonly databasePid?: number;
}

export const owner = { email: 'bench@museum.example', password: 'a long enough secret' };

/** Runs a command of the command line on the service's data. @throws Error with what it said */
export function command({ folder, databaseUrl }: Place, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    env: environment({ folder, ...(databaseUrl ? { databaseUrl } : {}) }),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`pharos ${words.join(' ')}: ${stderr}`);
  return stdout;
}

const environment = ({ folder, databaseUrl }: Place) => ({
  PATH: process.env['PATH'] ?? '',
  PHAROS_DATA: folder,
  PHAROS_LOG_LEVEL: 'warn',
  ...(databaseUrl ? { PHAROS_DATABASE_URL: databaseUrl } : {}),
});

export interface Service {
  readonly url: string;
  /** Of the interface, as an administrator reaches it. */
  readonly dataUrl: string;
  readonly pid: number;
  /** Calls an endpoint of the interface as an administrator. @throws Error with the answer, if it was refused */
  ask<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<T>;
  /** The cookies of the administrator, for a browser. */
  readonly cookie: string;
  stop(): Promise<void>;
}

export interface Opened {
  readonly appId: string;
  readonly appKey: string;
}

/** A new database with an app and an administrator. */
export function createApp(place: Place): Opened {
  command(place, 'migrate');
  const made = JSON.parse(command(place, 'app', 'create', '--name', 'Bench', '--json')) as Opened;
  const { appId, appKey } = made;
  command(place, 'admin', 'create', '--email', owner.email, '--password', owner.password);
  command(place, 'app', 'limit', appId, '--per-second', '1000000', '--burst', '10000000');
  return { appId, appKey };
}

export interface ServeOptions {
  /** Options for the Node that runs the service. */
  readonly nodeOptions?: string;
  /** Of another version, whose service runs; this one's without it. */
  readonly checkout?: string;
}

export async function serve(
  place: Place,
  appId: string,
  { nodeOptions, checkout: other = checkout }: ServeOptions = {},
): Promise<Service> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { child, stop } = await start(process.execPath, [programOf(other), 'serve'], {
    env: { ...environment(place), PHAROS_PORT: String(port), ...(nodeOptions ? { NODE_OPTIONS: nodeOptions } : {}) },
    log: join(place.folder, 'service.log'),
    url: `${url}/readyz`,
  });
  const headers = { 'content-type': 'application/json', origin: url };
  const signedIn = await fetch(`${url}/console/api/session`, { method: 'POST', headers, body: JSON.stringify(owner) });
  if (signedIn.status !== 201) throw new Error(`signing in: ${await signedIn.text()}`);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const dataUrl = `${url}/console/api/apps/${appId}/v2`;
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const send = () =>
      fetch(dataUrl + path, {
        method,
        headers: { ...headers, cookie },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    // Whoever works for a minute between two questions finds the connection closed.
    const answer = await (method === 'GET' ? send().catch(send) : send());
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };
  return { url, dataUrl, pid: child.pid ?? 0, ask, cookie, stop };
}
