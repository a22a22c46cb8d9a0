import { setTimeout as delay } from 'node:timers/promises';
import { countDown } from '../../../../base/caches/count-down.ts';
import { Failure, fail } from '../../../../base/errors.ts';
import { FairQueue } from '../../../../base/fair-queue.ts';
import { firstIdAt, newObjectId } from '../../../../base/id.ts';
import type { Db } from '../../../../db/db.ts';
import type { PollerSource } from '../../../../db/nodes/poller.ts';
import type { WriteListener, WrittenRow } from '../../../../db/writes/watched-database.ts';
import type { CurrentList, FollowedList } from '../../../../http/endpoint.ts';
import { clientNetwork } from '../../../../limits/rate-limit.ts';
import type { Context } from '../../../context.ts';
import { followGroup, type Listener, ListGroup } from './group.ts';
import * as store from './store.ts';

export type FollowersDeps = Pick<Context, 'cacheVersion' | 'db' | 'now' | 'onError'>;

export interface Followed {
  readonly appId: string;
  readonly address: string;
  /** Who listens: a user, a secret key or an administrator; undefined for anybody. */
  readonly caller: string | undefined;
  readonly list: FollowedList;
  /** The state from which the listener goes on. */
  readonly cursor: string | undefined;
}

export const followLimits = Object.freeze({ perApp: 2_000, perAddress: 100, perCaller: 20 });
const heartbeatMs = 15_000;
/** How long other nodes tell of writes after the last listener has gone. */
const wantedMs = 600_000;
const wantEveryMs = 30_000;
/** Other nodes know within a second that a list is followed (`CacheVersion`). */
const settleMs = 1_100;
/** How often all lists are read again: what they show may depend on the day, or be dropped with a whole partition. */
const againMs = 60_000;
/** A change is committed at most this long after its id was made. */
const lateMs = 30_000;
/** Lists of one app that are read at the same time, and how long one may wait for its turn. */
const readers = 4;
const maxTurnMs = 60_000;
/** Records that are named where something was written; of more, other nodes learn that there are some. */
const maxNamed = 100;

/** Those who follow lists, in this process. */
export class Followers implements WriteListener {
  readonly #deps: FollowersDeps;
  readonly #node = newObjectId(0);
  readonly #groups = new Set<ListGroup>();
  readonly #counts = new Map<string, number>();
  /** Apps with followed lists here, by table. */
  readonly #here = new Map<string, Map<string, number>>();
  /** Followed tables and apps on all nodes, as far as they are known here. */
  #everywhere: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  readonly #wantedUntil = new Map<string, number>();
  readonly #wanting = new Map<string, Promise<void>>();
  readonly #heard = new Set<string>();
  readonly #tell: ((appId: string) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #readAgainAt = 0;
  settling: Promise<unknown> | undefined;

  constructor(deps: FollowersDeps) {
    this.#deps = deps;
    const { db, cacheVersion } = deps;
    // Rules, roles, buckets: any of them may decide what a list answers.
    cacheVersion.onChange((appId) => this.#noteApp(appId));
    if (db.readsAreLocal) return;
    cacheVersion.onChange(() => this.#learn());
    this.#learn();
  }

  get isIdle(): boolean {
    return this.#here.size === 0 && this.#everywhere.size === 0;
  }

  wants(table: string): boolean {
    return this.#here.has(table) || this.#everywhere.has(table);
  }

  async note(db: Db, table: string, rows: readonly WrittenRow[]): Promise<void> {
    const apps = Map.groupBy(rows, ({ appId }) => appId);
    for (const [appId, written] of apps) {
      const ids = written.map(({ objectId }) => objectId);
      if (this.#everywhere.get(table)?.has(appId)) {
        const records = ids.length > maxNamed ? null : JSON.stringify(ids);
        const [object_id, node] = [newObjectId(this.#deps.now()), this.#node];
        await store.appendChange(db, { app_id: appId, object_id, name: table, node, records });
        db.afterCommit(() => {
          for (const tell of this.#tell) tell(appId);
        });
      }
      if (this.#here.get(table)?.has(appId)) db.afterCommit(() => this.#changed(appId, table, ids));
    }
  }

  /** Calls the listener when something that other nodes may follow was committed by this process. */
  onOwnChange(listener: (appId: string) => void): void {
    this.#tell.push(listener);
  }

  /**
   * Takes a place. The events are to be asked for at once, for the place is given back when they end.
   *
   * @throws Failure APICallLimit
   */
  open(followed: Followed): (signal: AbortSignal) => AsyncIterable<string> {
    const { appId, address, caller } = followed;
    const places: [place: string, limit: number, of: string][] = [
      [`app ${appId}`, followLimits.perApp, 'this app'],
      [`address ${appId} ${clientNetwork(address)}`, followLimits.perAddress, 'one address'],
    ];
    if (caller !== undefined) places.push([`caller ${appId} ${caller}`, followLimits.perCaller, 'one person or key']);
    const full = places.find(([place, limit]) => (this.#counts.get(place) ?? 0) >= limit);
    if (full) throw tooMany(`${full[1]} lists followed by ${full[2]}`);
    for (const [place] of places) this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1);
    const leave = () => {
      for (const [place] of places) countDown(this.#counts, place);
    };
    return (signal) => this.#follow(followed, signal, leave);
  }

  /** What other nodes have written is found by looking, for all apps together. */
  readonly source: PollerSource = {
    ask: () => {
      const apps = this.#apps();
      if (apps.length === 0) return undefined;
      const hear = (isNews: number | null) => (isNews === null ? undefined : this.poll());
      return { value: store.changesOf(apps, this.#since(), this.#node), hear };
    },
  };

  /** Looks for what other nodes have written. */
  async poll(): Promise<void> {
    const apps = this.#apps();
    if (apps.length === 0 || this.#deps.db.readsAreLocal) return;
    try {
      const since = this.#since();
      const changes = await store.listChanges(this.#deps.db, apps, since, this.#node);
      for (const id of this.#heard) if (id < since) this.#heard.delete(id);
      for (const { app_id, object_id, name, records } of changes) {
        if (this.#heard.has(object_id)) continue;
        this.#heard.add(object_id);
        this.#changed(app_id, name, records === null ? undefined : (JSON.parse(records) as string[]));
      }
    } catch (error) {
      this.#deps.onError('reading changes of lists', error);
    }
  }

  /** Deletes what nobody can ask for any more. */
  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    for (const { app_id } of await store.listFollowedApps(db)) {
      await store.forgetChanges(db, app_id, this.#since());
      await store.forgetFollowed(db, app_id, now());
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async *#follow({ appId, list, cursor }: Followed, signal: AbortSignal, leave: () => void): AsyncGenerator<string> {
    const over = new AbortController();
    const listener: Listener = { list, end: () => over.abort() };
    let group: ListGroup | undefined;
    let table: string | undefined;
    try {
      if (signal.aborted) return;
      yield 'retry: 2000\n\n';
      const asked = await list.ask();
      table = asked.table;
      await this.#want(appId, table);
      group = this.#groupOf(appId, asked);
      group.join(listener);
      yield* followGroup(group, cursor, { signal: AbortSignal.any([signal, over.signal]), heartbeatMs });
    } catch (error) {
      // The client comes again, and is told.
      if (!(error instanceof Failure)) throw error;
    } finally {
      leave();
      group?.leave(listener);
      if (group?.isEmpty) this.#groups.delete(group);
      if (table !== undefined) this.#wantNoMore(appId, table);
    }
  }

  #groupOf(appId: string, asked: CurrentList): ListGroup {
    const { table, sharedAs } = asked;
    const known = [...this.#groups].find((group) => sharedAs !== undefined && group.sharedAs === sharedAs);
    const group = known ?? new ListGroup(appId, { table, sharedAs }, this.#turnsOf(appId));
    this.#groups.add(group);
    return group;
  }

  /** Each app has its own, so that the slow lists of one keep no other's waiting. */
  #turnsOf(appId: string): FairQueue {
    const neighbour = [...this.#groups].find((group) => group.appId === appId);
    return neighbour?.turns ?? new FairQueue(readers, maxTurnMs);
  }

  #noteApp(appId: string | undefined): void {
    for (const group of this.#groups) if (appId === undefined || group.appId === appId) group.note(undefined);
  }

  #changed(appId: string, table: string, ids: readonly string[] | undefined): void {
    for (const group of this.#groups) if (group.appId === appId && group.table === table) group.note(ids);
  }

  #apps(): string[] {
    return [...new Set([...this.#here.values()].flatMap((apps) => [...apps.keys()]))];
  }

  #since(): string {
    return firstIdAt(this.#deps.now() - lateMs);
  }

  /** Once this resolves, writes are reported. */
  async #want(appId: string, table: string): Promise<void> {
    const { db } = this.#deps;
    const apps = this.#here.get(table) ?? new Map<string, number>();
    apps.set(appId, (apps.get(appId) ?? 0) + 1);
    this.#here.set(table, apps);
    this.#timer ??= setInterval(() => this.#tick(), wantEveryMs).unref();
    // What was being written before then is committed first.
    if (db.readsAreLocal) await db.transaction(async () => undefined);
    else await this.#wantEverywhere(appId, table);
  }

  #wantNoMore(appId: string, table: string): void {
    const apps = this.#here.get(table);
    if (!apps) return;
    countDown(apps, appId);
    if (apps.size === 0) this.#here.delete(table);
    if (this.#here.size === 0) this.stop();
  }

  async #wantEverywhere(appId: string, table: string): Promise<void> {
    const { now } = this.#deps;
    const isKnown =
      this.#everywhere.get(table)?.has(appId) && (this.#wantedUntil.get(`${table} ${appId}`) ?? 0) > now();
    if (isKnown) return;
    const name = `${table} ${appId}`;
    const wanting = this.#wanting.get(name) ?? this.#renew(appId, table).then(() => delay(settleMs));
    this.#wanting.set(name, wanting);
    await wanting.finally(() => this.#wanting.delete(name));
  }

  async #renew(appId: string, table: string): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    const wanted_until = now() + wantedMs;
    await cacheVersion.change(appId, (db) => store.wantTable(db, { app_id: appId, name: table, wanted_until }));
    this.#wantedUntil.set(`${table} ${appId}`, wanted_until);
  }

  /** Finds out what is followed on any node. */
  #learn(): void {
    const { db, now, onError } = this.#deps;
    const learning = store
      .listFollowedTables(db, now())
      .then((found) => {
        if (this.settling !== learning) return;
        const byTable = Map.groupBy(found, ({ name }) => name);
        this.#everywhere = new Map(
          [...byTable].map(([name, rows]) => [name, new Set(rows.map(({ app_id }) => app_id))]),
        );
      })
      .catch((error: unknown) => onError('finding out which lists are followed', error))
      .finally(() => {
        if (this.settling === learning) this.settling = undefined;
      });
    this.settling = learning;
  }

  #tick(): void {
    const { db, now, onError } = this.#deps;
    const isAgain = performance.now() >= this.#readAgainAt;
    if (isAgain) this.#readAgainAt = performance.now() + againMs;
    if (isAgain) this.#noteApp(undefined);
    if (db.readsAreLocal) return;
    const work = async () => {
      for (const [table, apps] of this.#here)
        for (const appId of apps.keys())
          if ((this.#wantedUntil.get(`${table} ${appId}`) ?? 0) - now() < wantedMs / 2) await this.#renew(appId, table);
      for (const appId of this.#apps()) await store.forgetChanges(db, appId, this.#since());
    };
    work().catch((error: unknown) => onError('keeping lists followed', error));
  }
}

function tooMany(what: string): Failure {
  return fail('APICallLimit', {
    message: `There are ${what} already, which is the limit. Try again later.`,
    retryAfter: 10,
  });
}
