import assert from 'node:assert/strict';
import { join } from 'node:path';
import { service } from '../../src/access/audit.ts';
import { type App, createApp } from '../../src/app/app.ts';
import { raw } from '../../src/base/sql.ts';
import type { Database, Row } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { ScriptedSender, type SentMessage } from '../fakes/scripted-sender.ts';
import {
  type Answer,
  buildApp,
  type DatabaseKind,
  patientMs,
  type SentRequest,
  type SignedIn,
  signInManager,
  type TestApp,
} from './build-app.ts';
import { create } from './cases.ts';
import { beDistributed } from './interface/conflicts.ts';
import { recordSql } from './storage/sql-recorder.ts';

/** A hall with one beacon and one phone, for tests. */

export const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
export const week = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
export const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

/** One sample a second of a visitor at these distances in metres, one after the other (−59 dBm at one metre). */
export function walk(metres: readonly number[], start: number, minor = 1): object[] {
  return metres.map((distance, index) => ({
    uuid,
    major: 1,
    minor,
    rssi: Math.round(-59 - 20 * Math.log10(distance)),
    occurredAt: start + index * 1000,
  }));
}

export const stay = (metres: number, seconds: number): number[] => Array.from({ length: seconds }, () => metres);
export const kindsOf = (records: readonly { readonly event: string }[]) => records.map(({ event }) => event);

export class Site {
  readonly app: TestApp;
  #user: SignedIn;
  readonly hall: string;
  readonly phone: string;
  /** FCM, unless the test names another provider. */
  readonly provider: ScriptedSender;

  constructor(
    { app, user, provider }: Pick<Site, 'app' | 'user' | 'provider'>,
    ids: { readonly hall: string; readonly phone: string },
  ) {
    this.app = app;
    this.#user = user;
    this.provider = provider;
    this.hall = ids.hall;
    this.phone = ids.phone;
  }

  get now(): number {
    return this.app.clock.now;
  }

  /** Ids of one millisecond have no particular order. */
  #passTime(): void {
    this.app.clock.now += 1;
  }

  close(): Promise<void> {
    return this.app.close();
  }

  /** A manager who is signed in. */
  get user(): SignedIn {
    return this.#user;
  }

  /** Another one, since sessions end when the clock goes on. */
  async signInAgain(): Promise<void> {
    this.#user = await signInManager(this.app);
  }

  ask(request: SentRequest): Promise<Answer> {
    return this.app.send({ ...request, headers: { ...this.user.headers, ...request.headers } });
  }

  post(sightings: unknown, rest: object = {}): Promise<Answer> {
    const body = { installationId: 'phone-1', sightings, ...rest };
    return this.app.send({ method: 'POST', url: '/api/v2/sightings', body });
  }

  /** Sends sightings that have to be accepted, and returns the result. */
  async send(sightings: unknown, rest: object = {}): Promise<Answer['body']> {
    const answer = await this.post(sightings, rest);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.result;
  }

  decided(event: 'ENTER' | 'EXIT', at = this.now): object {
    return { beacon: this.hall, event, occurredAt: at };
  }

  async list(path: string, query: Record<string, string> = {}): Promise<Answer['body']> {
    const answer = await this.ask({ method: 'GET', url: `/api/v2/${path}?${new URLSearchParams(query)}` });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.results;
  }

  async get(path: string): Promise<Answer['body']> {
    return (await this.ask({ method: 'GET', url: `/api/v2/${path}` })).body.result;
  }

  notification(change: object = {}): Promise<string> {
    this.#passTime();
    const body = {
      description: 'Welcome',
      beaconId: pointer('Beacon', this.hall),
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Welcome', alertMessage: 'The tour starts here.' },
      isEnabled: true,
      ...change,
    };
    return create(this.app, '/api/v2/notifications', body, this.user.headers);
  }

  async scenario(change: object = {}, isEnabled = true): Promise<string> {
    this.#passTime();
    const { headers } = this.user;
    const header = await create(this.app, '/api/v2/storylines', { title: 'Tour', isEnabled }, headers);
    const showOn = week.map((dayName) => ({ dayName, checked: true }));
    const body = { beacons: [this.hall], campaign: 'TEXT', event: 'ENTER', showOn, alertTitle: 'Tour', ...change };
    return create(this.app, `/api/v2/storylines/${header}/detail`, body, headers);
  }

  beacon(change: object): Promise<string> {
    return create(
      this.app,
      '/api/v2/beacons',
      { name: 'Cafe', uuid, major: 1, minor: 2, ...change },
      this.user.headers,
    );
  }

  /** A phone; the manager assigns it to its user if one is named. */
  installation(change: object): Promise<string> {
    const headers = 'userId' in change ? this.user.headers : undefined;
    return create(this.app, '/api/v2/installations', { deviceType: 'android', ...change }, headers);
  }

  /** From now on a push can reach the phone. */
  async makeReachable(): Promise<void> {
    const body = { deviceToken: 'a token' };
    const answer = await this.ask({ method: 'PUT', url: `/api/v2/installations/${this.phone}`, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }

  /** All rows of the app in a table. */
  rows(table: string): Promise<Row[]> {
    return this.app.storage.db.all(raw(`select * from ${table} where app_id = '${this.app.appId}'`));
  }

  /** What the push service has received so far. */
  async pushes(): Promise<readonly SentMessage[]> {
    await this.app.app.idle();
    return this.provider.calls;
  }
}

export async function openSite(
  database: DatabaseKind,
  settings: Readonly<Record<string, string>> = {},
  startsAt?: number,
): Promise<Site> {
  const provider = new ScriptedSender();
  const senders = [provider.definition('fcm')];
  const app = await buildApp({ database, settings, senders, ...(startsAt === undefined ? {} : { startsAt }) });
  await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
  const user = await signInManager(app);
  const hall = await create(app, '/api/v2/beacons', { name: 'Hall', uuid, major: 1, minor: 1 }, user.headers);
  const phone = await create(app, '/api/v2/installations', { installationId: 'phone-1', deviceType: 'android' });
  return new Site({ app, user, provider }, { hall, phone });
}

export interface Node {
  readonly app: App;
  readonly db: Database;
  close(): Promise<void>;
}

/** Another service on the same data, with its own connection and nothing in memory. */
export async function openNode(site: Pick<Site, 'app' | 'provider'>, config = site.app.config): Promise<Node> {
  const { storage, clock } = site.app;
  const url = storage.settings['PHAROS_DATABASE_URL'];
  const db: Database = url
    ? openPostgres({ url, poolSize: 5, queryDeadlineMs: 30_000, timeoutMs: patientMs })
    : openSqlite({ file: join(storage.folder, 'pharos.db'), queryDeadlineMs: 30_000 });
  if (url) {
    beDistributed(db);
    recordSql(db);
  }
  const app = await createApp({
    repeats: false,
    config,
    db,
    now: () => clock.now,
    logStream: { write: () => undefined },
    senders: [site.provider.definition('fcm')],
  });
  return {
    app,
    db,
    async close() {
      await app.close();
      await db.close();
    },
  };
}
