import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../../src/app/app.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite, type SqliteOptions } from '../../src/db/sqlite/sqlite.ts';
import type { SenderDefinition } from '../../src/delivery/push/push-sender.ts';
import { apiPrefix } from '../../src/http/api.ts';
import type { DatabaseKind } from './depth.ts';
import { assertTranslated } from './hostile/translated.ts';
import { beDistributed } from './interface/conflicts.ts';
import { assertDocumented, endpointOf } from './interface/documented.ts';
import { copyMigratedSqlite, createMigratedPostgres } from './migrated.ts';
import { patientMs } from './patience.ts';
import { recordTexts, recordTouched, writeTouched } from './storage/postgres-coverage.ts';
import { assertPortableSql, recordSql } from './storage/sql-recorder.ts';
import { assertWholeNumbers } from './storage/whole-numbers.ts';

export { bothDatabases, type DatabaseKind, databases } from './depth.ts';
export { createMigratedPostgres, createPostgresDatabase } from './migrated.ts';
export { patientMs } from './patience.ts';

export interface TestStorage {
  readonly db: Database;
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * An empty, migrated database of the given kind and a folder for files. Queries and connections may take longer than in the product:
 * tests run on machines that are busy with other tests.
 */
export async function openStorage(
  kind: DatabaseKind,
  queryDeadlineMs = 30_000,
  sqlite: Partial<SqliteOptions> = {},
): Promise<TestStorage> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-test-'));
  const file = join(folder, 'pharos.db');
  const postgres = kind === 'postgres' ? await createMigratedPostgres() : await copyMigratedSqlite(file);
  const db = postgres
    ? openPostgres({ url: postgres.url, poolSize: 3, queryDeadlineMs, timeoutMs: patientMs })
    : openSqlite({ file, queryDeadlineMs, ...sqlite });
  if (postgres) {
    beDistributed(db);
    recordSql(db);
    recordTouched(db);
  } else recordTexts(db);
  return {
    db,
    folder,
    settings: { PHAROS_DATA: folder, ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}) },
    async close() {
      await db.close();
      writeTouched();
      await postgres?.drop();
      rmSync(folder, { recursive: true, force: true });
      assertPortableSql();
    },
  };
}

export interface SentRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** With the query, from the root: `/api/v2/beacons?limit=1`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** An object is sent as JSON, a string or buffer as it is. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  /** The parsed JSON, or the text where it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test is about to find out
  readonly body: any;
  readonly raw: Buffer;
}

export interface TestApp {
  readonly app: App;
  readonly storage: TestStorage;
  readonly config: Config;
  /** Credentials of one app that exists from the start. */
  readonly appId: string;
  readonly appKey: string;
  /** The injected clock; add to it to let time pass. */
  readonly clock: { now: number };
  /** Log lines so far. */
  readonly log: string[];
  /** Sends with the app's credentials; a header given as undefined is left out. */
  send(request: SentRequest): Promise<Answer>;
  /** The credential headers of the app. */
  readonly credentials: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Tests must not depend on how much room this machine has. */
export const anyDisk = { PHAROS_MIN_FREE_BYTES: '0', PHAROS_RESERVE_BYTES: '0' } as const;

export interface BuildOptions {
  readonly database?: DatabaseKind;
  readonly settings?: Readonly<Record<string, string>>;
  /** The push providers; those of the product by default. */
  readonly senders?: readonly SenderDefinition[];
  /** Of the embedded database, such as a disk that fails. */
  readonly sqlite?: Partial<SqliteOptions>;
  /** Hashes of passwords as strong as the product's; else they are the cheapest that there are. */
  readonly strongPasswords?: boolean;
  /** Whether it does by itself what is due every hour, minute or so; false by default: a slow machine would reach it in the middle of a test. */
  readonly repeats?: boolean;
  /** Starts the service again. */
  readonly restart?: () => void;
  /** An app of another service with the rows of its database, instead of a new one. */
  readonly from?: ExistingApp;
  /** Epoch ms; now by default. */
  readonly startsAt?: number;
}

export interface ExistingApp {
  readonly appId: string;
  readonly appKey: string;
  readonly now: number;
  /** Writes the rows, before the service starts. */
  fill(db: Database): Promise<void>;
}

const cheapest = { memory: 8, passes: 1, parallelism: 1 };

/** Whole seconds make created and updated times easy to tell apart. */
const thisSecond = () => Math.floor(Date.now() / 1000) * 1000;

/** Now, or the next midnight (UTC) if it comes within so many ms: for what has to happen on one day. */
export function atOneDay(ms: number): number {
  const now = thisSecond();
  const left = 86_400_000 - (now % 86_400_000);
  return left < ms ? now + left : now;
}

/** A whole service on a new database, used without a socket. */
export async function buildApp({
  database = 'sqlite',
  settings = {},
  senders,
  sqlite,
  strongPasswords = false,
  repeats = false,
  restart,
  from,
  startsAt = thisSecond(),
}: BuildOptions = {}): Promise<TestApp> {
  const deadline = settings['PHAROS_QUERY_DEADLINE_MS'];
  const storage = await openStorage(database, deadline === undefined ? undefined : Number(deadline), sqlite);
  const config = readConfig({
    PHAROS_PUBLIC_URL: 'http://pharos.test',
    PHAROS_SECRET_KEY: 'ab'.repeat(32),
    ...anyDisk,
    ...storage.settings,
    ...settings,
  });
  const clock = { now: from?.now ?? startsAt };
  await from?.fill(storage.db);
  const log: string[] = [];
  const app = await createApp({
    config,
    db: storage.db,
    now: () => clock.now,
    repeats,
    logStream: { write: (line) => void log.push(line) },
    ...(senders ? { senders } : {}),
    ...(restart ? { restart } : {}),
    ...(strongPasswords ? {} : { passwordCost: cheapest }),
  }).catch(async (error: unknown) => {
    // Its connections would keep the process of the tests alive.
    await storage.close();
    throw error;
  });
  const { appId, appKey } = from ?? (await app.apps.create('Test app'));
  const credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey };
  return {
    app,
    storage,
    config,
    appId,
    appKey,
    clock,
    log,
    credentials,
    send: (request) => send(app, { ...request, headers: { ...credentials, ...request.headers } }),
    async close() {
      await app.close();
      if (database === 'sqlite' && sqlite === undefined) await assertWholeNumbers(storage.db);
      await storage.close();
    },
  };
}

async function send(app: App, { method, url, headers = {}, body }: SentRequest): Promise<Answer> {
  const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const given = Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
  );
  const response = await app.server.inject({
    method,
    url,
    headers: isJson ? { 'content-type': 'application/json', ...given } : given,
    ...(body === undefined ? {} : { payload: isJson ? JSON.stringify(body) : (body as string | Buffer) }),
  });
  const isAnswerJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
  const answer: Answer = {
    status: response.statusCode,
    headers: response.headers,
    body: isAnswerJson && response.payload !== '' ? JSON.parse(response.payload) : response.payload,
    raw: response.rawPayload,
  };
  const endpoint = url.startsWith(apiPrefix) ? endpointOf(app.endpoints, method, url) : undefined;
  if (endpoint && answer.status !== 304) assertDocumented(endpoint, answer.status, answer.body);
  if (answer.status >= 400) await assertTranslated(app, url, answer.body);
  return answer;
}

export interface SignedIn {
  readonly userId: string;
  readonly token: string;
  /** The Authorization header. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A user as the answers about her records name her. */
export const pointerTo = ({ userId }: SignedIn) => ({ __type: 'Pointer', className: '_User', objectId: userId });

let people = 0;

/** Signs a new user up and in, through the interface. */
export async function signIn(
  app: TestApp,
  credentials: Readonly<Record<string, string>> = app.credentials,
): Promise<SignedIn> {
  const email = `visitor${++people}@example.org`;
  const password = 'correct horse';
  const account = { firstname: 'Vera', lastname: 'Visitor', email, password };
  await app.send({ method: 'POST', url: '/api/v2/users', headers: credentials, body: account });
  const answer = await app.send({
    method: 'POST',
    url: '/api/v2/users/signin',
    headers: credentials,
    body: { email, password },
  });
  if (answer.status !== 200) throw new Error(`signing in failed: ${JSON.stringify(answer.body)}`);
  const { accessToken, objectId } = answer.body as { accessToken: string; objectId: string };
  return { userId: objectId, token: accessToken, headers: { authorization: `Bearer ${accessToken}` } };
}

/** A second app in the same service, to show that the two do not affect each other. */
export async function otherApp(app: TestApp): Promise<Readonly<Record<string, string>>> {
  const { appId, appKey } = await app.app.apps.create('Another app');
  return { 'x-service-appid': appId, 'x-service-appkey': appKey };
}

/** Signs up and signs in a new user who sees and changes what belongs to others. */
export async function signInManager(app: TestApp, credentials = app.credentials): Promise<SignedIn> {
  const manager = await signIn(app, credentials);
  await app.app.users.setUserRole({ appId: credentials['x-service-appid'] ?? '', userId: manager.userId }, 'manager');
  return manager;
}
