import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../bin/pharos.mjs', import.meta.url));

/** The service as a process of its own, spoken to only from outside. */
export interface Service {
  readonly baseUrl: string;
  readonly output: () => string;
  readonly process: ChildProcess;
  /** Sends the signal and waits until the process is gone. Answers its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `pharos serve`, on a free port unless one is given, and waits until it says where it listens. */
export async function startService(
  settings: Readonly<Record<string, string>>,
  port = '0',
  ...words: readonly string[]
): Promise<Service> {
  const child = spawn(process.execPath, [command, 'serve', '--port', port, ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PHAROS_LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit');
  const address = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const found = /https?:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    exited.then(() => reject(new Error(`the service ended before it listened:\n${output}`))).catch(reject);
  });
  const baseUrl = await address;
  return {
    baseUrl,
    output: () => output,
    process: child,
    async stop(signal) {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

/** What the first start wrote for the README's curl lines. */
export function firstCredentials(folder: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(folder, 'first-app.env'), 'utf8');
  const value = (name: string) => new RegExp(`${name}=['"]?([^'"\\s]+)`).exec(text)?.[1] ?? '';
  return { 'x-service-appid': value('APP_ID'), 'x-service-appkey': value('APP_KEY') };
}

/** A JSON request over the network. */
export async function call(
  service: Service,
  method: string,
  path: string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly body?: unknown },
) {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { ...options.headers, ...(options.body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}
