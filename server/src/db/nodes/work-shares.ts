import { hash } from 'node:crypto';
import { randomText } from '../../base/id.ts';
import { joinSql, raw, type Sql, sql } from '../../base/sql.ts';
import type { Database } from '../db.ts';
import type { PollerSource } from './poller.ts';

/** The number of shares into which all apps are divided. */
export const shareCount = 64;
/** How long a node that has died keeps its shares, ms. */
export const leaseMs = 12_000;
const renewMs = 4_000;
/** How long a node that has died can be found in the database, ms. */
const forgottenMs = 3_600_000;

/** The share of an app, or of work that belongs to no app. It must never change: all nodes and versions compute the same. */
function shareOf(name: string): number {
  return Number.parseInt(hash('sha1', name, 'hex').slice(0, 8), 16) % shareCount;
}

/** Selects the nodes that were alive a moment ago. */
export const aliveNodes = (now: number): Sql => sql`select node from nodes where alive_until > ${now}`;
/** Selects those of the last hour. */
export const knownNodes: Sql = raw('select node from nodes');

export interface WorkSharesOptions {
  readonly db: Database;
  readonly now: () => number;
  /** This process does background work; where none does, all share it. */
  readonly works: boolean;
  readonly onError: (what: string, error: unknown) => void;
}

/**
 * Divides work that needs only one node among the nodes of a database: each holds some of 64 shares, as long as it reports every
 * few seconds that it is alive, and gives them back when it stops. A node that was killed loses its shares after
 * `leaseMs`. Shares only say who looks: what must not be done twice is still locked where it is done, so two nodes that both
 * believe they hold a share for a moment do no harm. The one process of an embedded database holds all.
 */
export class WorkShares {
  readonly node = randomText(16);
  readonly #options: WorkSharesOptions;
  #mine: ReadonlySet<number> = new Set();
  /** By the monotonic clock, so that a process that was suspended for a while knows that it has lost them. */
  #validUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;
  readonly #listeners: (() => void)[] = [];

  constructor(options: WorkSharesOptions) {
    this.#options = options;
  }

  /** Whether this node does the work of an app, or a piece of work of the whole service with this name. */
  owns(name: string): boolean {
    if (this.#options.db.readsAreLocal) return true;
    return performance.now() < this.#validUntil && this.#mine.has(shareOf(name));
  }

  get held(): number {
    return this.#options.db.readsAreLocal ? shareCount : this.#mine.size;
  }

  /** Calls the listener when this node has got shares: what was due there may have waited. */
  onGained(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Joins. Resolves when it has its first shares. */
  async start(): Promise<void> {
    if (this.#options.db.readsAreLocal) return;
    this.#timer = setInterval(() => void this.renew(), renewMs);
    this.#timer.unref();
    await this.renew();
    await this.settle();
  }

  /** Gives everything back; others take it at their next poll. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    if (this.#options.db.readsAreLocal) return;
    await this.#running;
    this.#validUntil = 0;
    this.#mine = new Set();
    await this.#attempt('giving back shares of the work', async () => {
      const { db } = this.#options;
      await db.run(sql`delete from work_shares where node = ${this.node}`);
      await db.run(sql`delete from nodes where node = ${this.node}`);
    });
  }

  renew(): Promise<void> {
    return this.#attempt('renewing the shares of the work', async () => {
      const { db, now, works } = this.#options;
      const began = performance.now();
      await db.run(sql`insert into nodes (node, alive_until, works) values (${this.node}, ${now() + leaseMs}, ${works ? 1 : 0})
        on conflict (node) do update set alive_until = excluded.alive_until`);
      this.#validUntil = began + leaseMs;
    });
  }

  /** Takes what is free and gives back what is too much; nothing changes when it is settled already. */
  settle(): Promise<void> {
    this.#running ??= this.#attempt('sharing the work', () => this.#settle()).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Says with one number whether there is something to settle: as the shares are, and as they would be. */
  readonly source: PollerSource = {
    ask: () => {
      const { db, now } = this.#options;
      if (db.readsAreLocal || this.#isStopped) return undefined;
      const alive = sql`from nodes where alive_until > ${now()}`;
      const value = sql`select (select count(*) ${alive} and works = 1) * 1000000000 + (select count(*) ${alive}) * 1000000
        + (select count(*) from work_shares where node in (select node ${alive})) * 1000
        + (select count(*) from work_shares where node = ${this.node})`;
      return { value, hear: (n) => this.#heed(n ?? 0) };
    },
  };

  #heed(n: number): void {
    const [working = 0, alive = 0, taken = 0, own = 0] = [1e9, 1e6, 1e3, 1].map((unit) => Math.floor(n / unit) % 1000);
    const fair = this.#fairShare(working, alive);
    if (own !== this.#mine.size || own > fair || (taken < shareCount && own < fair)) void this.settle();
  }

  /** How many shares this node should hold at most. */
  #fairShare(working: number, alive: number): number {
    if (working > 0 && !this.#options.works) return 0;
    return Math.ceil(shareCount / Math.max(1, working > 0 ? working : alive));
  }

  async #settle(): Promise<void> {
    const { db, now } = this.#options;
    if (this.#isStopped) return;
    const nodes = await db.all<{ node: string; works: number }>(
      sql`select node, works from nodes where alive_until > ${now()}`,
    );
    const fair = this.#fairShare(nodes.filter(({ works }) => works === 1).length, nodes.length);
    const alive = new Set(nodes.map(({ node }) => node));
    const rows = await db.all<{ bucket: number; node: string }>(raw('select bucket, node from work_shares'));
    const mine = rows.filter(({ node }) => node === this.node).map(({ bucket }) => bucket);
    await db.run(sql`delete from nodes where alive_until < ${now() - forgottenMs}`);
    const tooMuch = mine.slice(fair);
    if (tooMuch.length > 0)
      await db.run(sql`delete from work_shares where node = ${this.node} and bucket in (${numbers(tooMuch)})`);
    const taken = new Set(rows.filter(({ node }) => alive.has(node)).map(({ bucket }) => bucket));
    const free = Array.from({ length: shareCount }, (_, bucket) => bucket).filter((bucket) => !taken.has(bucket));
    const wanted = shuffled(free).slice(0, Math.max(0, fair - mine.length));
    const got = wanted.length > 0 ? await this.#take(wanted) : [];
    this.#mine = new Set([...mine.slice(0, fair), ...got]);
    if (got.length > 0) for (const listener of this.#listeners) listener();
  }

  /** Those that no live node has taken since. */
  async #take(wanted: readonly number[]): Promise<number[]> {
    const { db, now } = this.#options;
    const values = joinSql(
      [...wanted].sort((a, b) => a - b).map((bucket) => sql`(${raw(String(bucket))}, ${this.node})`),
      ', ',
    );
    const rows = await db.all<{ bucket: number }>(sql`insert into work_shares (bucket, node) values ${values}
      on conflict (bucket) do update set node = excluded.node
      where work_shares.node not in (select node from nodes where alive_until > ${now()}) returning bucket`);
    return rows.map(({ bucket }) => bucket);
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onError(what, error);
    }
  }
}

const numbers = (list: readonly number[]) => raw(list.join(', '));

/** In its own order, so that nodes that start together do not want the same ones first. */
function shuffled(list: readonly number[]): number[] {
  return list
    .map((value) => ({ value, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}
