import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { service as byService } from '../../src/access/audit.ts';
import { createServices } from '../../src/app/services.ts';
import { createSecretBox } from '../../src/base/secrets.ts';
import { joinSql, sql } from '../../src/base/sql.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { fcmDefinition } from '../../src/delivery/fcm/fcm.ts';
import { SenderService } from '../../src/features/messages/senders/service.ts';
import type { PushProvider } from '../fakes/push-provider.ts';
import { anyDisk } from '../support/build-app.ts';

const command = fileURLToPath(new URL('../../bin/pharos.mjs', import.meta.url));

/** The service as a separate process, used only from outside. */
export interface Service {
  readonly baseUrl: string;
  readonly output: () => string;
  readonly process: ChildProcess;
  /** Sends the signal and waits until the process is gone. Returns its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `pharos serve`, on a free port unless one is given, and waits until it reports its address. */
export async function startService(
  settings: Readonly<Record<string, string>>,
  port = '0',
  ...words: readonly string[]
): Promise<Service> {
  const { said, ...started } = await start(
    ['serve', '--port', port, ...words],
    settings,
    /https?:\/\/127\.0\.0\.1:\d+/,
  );
  return { baseUrl: said, ...started };
}

/** Starts `pharos work` and waits until it reports that it works. */
export async function startWorker(settings: Readonly<Record<string, string>>): Promise<Omit<Service, 'baseUrl'>> {
  const { said: _, ...started } = await start(['work'], settings, /Pharos is doing the jobs/);
  return started;
}

/**
 * Runs a command that ends by itself and listens to no signals. It runs in this process, since a start costs a second of processor time.
 */
export async function runCommand(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly output: string }> {
  const lines: string[] = [];
  const say = (text: string) => void lines.push(text);
  const terminal = { out: say, err: say, readInput: async () => '', isInteractive: false };
  const code = await runCommandLine({ words, environment: { ...anyDisk, ...settings }, terminal });
  return { code, output: lines.join('\n') };
}

async function start(words: readonly string[], settings: Readonly<Record<string, string>>, ready: RegExp) {
  const child = spawn(process.execPath, [command, ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PHAROS_LOG_LEVEL: 'warn', ...anyDisk, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit');
  const found = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const match = ready.exec(output);
      if (match) resolve(match[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    exited.then(() => reject(new Error(`${words[0]} ended before it was ready:\n${output}`))).catch(reject);
  });
  const said = await found;
  return {
    said,
    output: () => output,
    process: child,
    async stop(signal: NodeJS.Signals) {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

/** The file that the first start wrote for the README's curl lines. */
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

const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };

/** The same for a user who sees what belongs to others. */
export async function signInManagerTo(
  service: Service,
  settings: Readonly<Record<string, string>>,
  credentials: Readonly<Record<string, string>>,
) {
  const headers = await signInTo(service, credentials);
  const { body } = await call(service, 'GET', '/api/v2/users/me', { headers });
  const db = await openDatabase(readConfig(settings));
  try {
    const key = { appId: credentials['x-service-appid'] ?? '', userId: body.result.objectId };
    await createServices({ db, now: Date.now }).users.setUserRole(key, 'manager');
  } finally {
    await db.close();
  }
  return headers;
}

/** Signs a user up and in; the headers of an app's request with the bearer. */
export async function signInTo(service: Service, credentials: Readonly<Record<string, string>>) {
  await call(service, 'POST', '/api/v2/users', { headers: credentials, body: account });
  const answer = await call(service, 'POST', '/api/v2/users/signin', { headers: credentials, body: account });
  return { ...credentials, authorization: `Bearer ${answer.body.accessToken}` };
}

/**
 * An app with FCM's credentials and an Android installation for each name, written before any process has started.
 * Returns the app's credential headers.
 */
export async function preparePushApp(
  settings: Readonly<Record<string, string>>,
  provider: PushProvider,
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const config = readConfig(settings);
  const db = await openDatabase(config);
  try {
    await migrate(db, Date.now());
    const { appId, appKey } = await createServices({ db, now: Date.now }).apps.create('Museum');
    const senders = new SenderService({
      db,
      now: Date.now,
      secrets: createSecretBox({ keys: config.secretKeys, folder: undefined }),
      definitions: [fcmDefinition],
      senderDeps: { now: Date.now, timeoutMs: 10_000 },
      onEntered: async () => undefined,
    });
    await senders.save({ appId, kind: 'fcm' }, { serviceAccount: provider.fcm.serviceAccount }, byService);
    await insertInstallations(
      db,
      appId,
      names.map((name) => ({ name, token: provider.fcm.tokenFor(name) })),
    );
    return { 'x-service-appid': appId, 'x-service-appkey': appKey };
  } finally {
    await db.close();
  }
}

async function insertInstallations(
  db: Db,
  appId: string,
  all: readonly { readonly name: string; readonly token: string }[],
): Promise<void> {
  const page = 1_000;
  for (let from = 0; from < all.length; from += page) {
    const rows = all
      .slice(from, from + page)
      .map(({ name, token }) => sql`(${appId}, ${name}, ${name}, 'android', ${token}, '[]', '{}', 0, 0)`);
    await db.run(sql`insert into installations
      (app_id, object_id, installation_id, device_type, device_token, channels, metadata, created_at, updated_at)
      values ${joinSql(rows, ', ')}`);
  }
}
