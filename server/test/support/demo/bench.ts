import assert from 'node:assert/strict';
import { type App, createApp } from '../../../src/app/app.ts';
import { prepareDemo } from '../../../src/cli/commands/demo-service.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { fillYear } from '../../../src/demo/fill.ts';
import type { Made } from '../../../src/demo/make.ts';
import { findDemoMark } from '../../../src/features/operate/apps/demo-mark.ts';
import { type databases, openStorage, type TestStorage } from '../build-app.ts';

/** A demo with its service, and what a manager gets from it. */
export interface Bench {
  readonly storage: TestStorage;
  readonly app: App;
  readonly made: Made;
  get(path: string): Promise<{ readonly results: readonly Record<string, unknown>[]; readonly count?: number }>;
}

export async function openBench(database: (typeof databases)[number]): Promise<Bench> {
  const storage = await openStorage(database);
  const config: Config = readConfig({ PHAROS_SECRET_KEY: 'ab'.repeat(32), ...storage.settings });
  const made = await prepareDemo(config, storage.db);
  const app = await createApp({ config, db: storage.db, now: Date.now, logStream: { write: () => undefined } });
  const { appId } = made.mark;
  const { accessToken } = await signInManager(app, appId, made);
  const headers = {
    'x-service-appid': appId,
    'x-service-appkey': made.secrets?.appKey ?? '',
    authorization: `Bearer ${accessToken}`,
  };
  const get = async (path: string) => {
    const answer = await app.server.inject({ method: 'GET', url: `/api/v2${path}`, headers });
    assert.equal(answer.statusCode, 200, answer.payload);
    return JSON.parse(answer.payload);
  };
  return { storage, app, made, get };
}

async function signInManager({ server, users }: App, appId: string, { secrets }: Made) {
  const headers = { 'x-service-appid': appId, 'x-service-appkey': secrets?.appKey ?? '' };
  const account = {
    firstname: 'Test',
    lastname: 'Manager',
    email: 'test@skerrypoint.example',
    password: 'long enough',
  };
  const post = async (url: string, payload: object) =>
    JSON.parse((await server.inject({ method: 'POST', url, headers, payload })).payload);
  const { result } = await post('/api/v2/users', account);
  await users.setUserRole({ appId, userId: result.objectId }, 'manager');
  return post('/api/v2/users/signin', account);
}

/** Writes the year up to a step. */
export async function fillTo({ storage: { db }, made }: Bench, step: number): Promise<void> {
  const stopping = new AbortController();
  let done = (await findDemoMark(db))?.step ?? 0;
  const pause = () => {
    if (++done >= step) stopping.abort();
    return 0;
  };
  await fillYear({ db, year: made.year, signal: stopping.signal, pause });
}
