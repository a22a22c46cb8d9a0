import pg from 'pg';
import type { RowBudget } from '../db.ts';
import { BoundedQuery } from './postgres-bounded-query.ts';
import { Connection, type SessionLimits } from './postgres-connection.ts';
import { isConnectionLost, isSilence, NoUsableServer, outcomeUnknown, WrongServer } from './postgres-error.ts';
import { graceMs, type PostgresLimits } from './postgres-limits.ts';
import { Outage } from './postgres-outage.ts';
import { type PostgresAddress, type PostgresServer, ServerChoice } from './postgres-servers.ts';

/** Connections to PostgreSQL. No wait for one is endless, and none can end the process. */

/** How often running statements are checked. */
const checkEveryMs = 100;
/** How long one answer that the server is there counts for running statements. */
const aliveForMs = 2_000;
const idleMs = 10_000;

/**
 * Proves that a commit is confirmed: it writes a message to the log that nobody reads, and locks nothing. Read-only
 * servers accept it too, so they are asked whether they are.
 */
const proof = `select pg_logical_emit_message(true, 'pharos', ''), current_setting('transaction_read_only') as read_only,
  (select n from revisions where name = 'access')`;

const plainProof = "update revisions set n = n where name = 'access'";

/** How a query is sent: how long it may take, whether it commits, and how much it may bring into memory. */
export interface QueryLimits {
  readonly limitMs: number;
  readonly isCommit?: boolean;
  readonly within?: RowBudget | undefined;
}

interface Flight {
  readonly limitMs: number;
  /** A commit, or a write that commits itself. */
  readonly isCommit: boolean;
  /** When the server began with it, that is, when it had answered the one in front. */
  since: number;
}

export interface ConnectionsOptions {
  readonly address: PostgresAddress;
  readonly poolSize: number;
  readonly slowConnections: number;
  readonly queryDeadlineMs: number;
  readonly limits: PostgresLimits;
}

export class PostgresConnections {
  readonly outage: Outage;
  readonly #limits: PostgresLimits;
  readonly #choice: ServerChoice;
  readonly #short: pg.Pool;
  readonly #slow: pg.Pool;
  readonly #session: SessionLimits;
  readonly #open = new Set<Connection>();
  readonly #taken = new Set<Connection>();
  /** In the order in which they were sent: the server works on the first one. */
  readonly #flights = new Map<Connection, Flight[]>();
  /** The error of each server when it was last tried. */
  readonly #reasons = new Map<PostgresServer, string>();
  readonly #failures = new WeakMap<object, PostgresServer>();
  readonly #watch: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #checkedAt = performance.now();
  /** When this process was busy itself for a while. */
  #busyAt = 0;
  #aliveUntil = 0;
  #isAsking = false;

  constructor({ address, poolSize, slowConnections, queryDeadlineMs, limits }: ConnectionsOptions) {
    this.#limits = limits;
    this.#choice = new ServerChoice(address);
    const lockMs = limits.lock;
    const idleInTransactionMs = limits.transaction + graceMs;
    this.#session = { statementMs: limits.statement, lockMs, idleInTransactionMs };
    this.#short = this.#pool(poolSize, this.#session);
    this.#slow = this.#pool(slowConnections, { ...this.#session, statementMs: queryDeadlineMs });
    this.outage = new Outage({
      closing: this.#closing.signal,
      connection: () => {
        const connection = this.#make(this.#session);
        // Nobody else closes it.
        this.#taken.add(connection);
        return connection;
      },
      prove: (connection) => this.#proveOn(connection),
    });
    this.#watch = setInterval(() => this.#check(), checkEveryMs);
    this.#watch.unref();
  }

  get waiting(): number {
    return this.#short.waitingCount;
  }

  /** @throws Failure Timeout while commits are not confirmed, instead of beginning one that would only wait */
  assertConfirming(): void {
    const { trouble } = this.outage;
    if (trouble?.kind === 'unconfirmed') throw trouble.failure;
  }

  /** A connection, to be returned with `release`. Tries each server once. @throws an error of the driver, or Failure */
  async acquire(which: 'short' | 'slow' = 'short'): Promise<Connection & pg.PoolClient> {
    const pool = which === 'short' ? this.#short : this.#slow;
    const giveUp = performance.now() + this.#limits.acquire;
    const tried = new Set<PostgresServer>();
    for (;;) {
      const { trouble } = this.outage;
      if (trouble?.kind === 'unreachable' && pool.idleCount === 0) throw trouble.failure;
      try {
        return (await pool.connect()) as unknown as Connection & pg.PoolClient;
      } catch (error) {
        const server = this.#failedOn(error);
        // Nothing was tried: every connection is in use, or the server has refused our credentials.
        if (!server) throw error;
        tried.add(server);
        const isLast = tried.has(this.#choice.current) || performance.now() > giveUp;
        if (!isLast) continue;
        if (isSilence(error)) this.outage.begin('unreachable', error);
        throw this.hasOtherServers || error instanceof WrongServer ? this.#unusable(error) : error;
      }
    }
  }

  /** The server that did not accept the connection, if another one might. */
  #failedOn(error: unknown): PostgresServer | undefined {
    return this.#failures.get(error as object) ?? this.#failures.get((error as Error).cause as object);
  }

  #unusable(cause: unknown): NoUsableServer {
    const reasons = this.#choice.address.servers.map(
      (server) => `${server.name}: ${this.#reasons.get(server) ?? 'not tried'}`,
    );
    return new NoUsableServer(reasons, cause);
  }

  /**
   * Runs a statement within limits. If it has no answer in time, its connection is closed.
   *
   * @throws Failure Timeout, outcome unknown, if it may have been committed; else the driver's error
   */
  async send<T extends object>(
    connection: Connection,
    query: pg.QueryConfig,
    { limitMs, isCommit = false, within }: QueryLimits,
  ): Promise<pg.QueryResult<T>> {
    const flight: Flight = { limitMs, isCommit, since: performance.now() };
    const line = this.#flights.get(connection) ?? [];
    line.push(flight);
    this.#flights.set(connection, line);
    try {
      const result = within
        ? await new BoundedQuery(query, within).runOn<T>(connection)
        : await connection.query<T>(query);
      if (!connection.isUnconfirmed) return result;
      connection.isUnconfirmed = false;
      throw outcomeUnknown('The replication of the write was cancelled', undefined);
    } catch (error) {
      if (isCommit && (connection.givenUp || isConnectionLost(error)))
        throw outcomeUnknown('The database did not confirm the write', error);
      throw error;
    } finally {
      line.splice(line.indexOf(flight), 1);
      const [next] = line;
      if (next) next.since = performance.now();
      else this.#flights.delete(connection);
    }
  }

  /**
   * The server is unsuitable (it no longer accepts writes): connections to it are not used again, and the next server
   * is tried first.
   */
  leave(server: PostgresServer, reason: string): void {
    this.#reasons.set(server, reason);
    this.#choice.failed(server);
    this.#recycle('idle', new Error(`Connection terminated: ${reason}`));
  }

  /** There is more than one server to choose from. */
  get hasOtherServers(): boolean {
    return this.#choice.address.servers.length > 1;
  }

  /** Proves that a write would be confirmed now. @throws Failure, or an error of the driver */
  async prove(): Promise<void> {
    if (this.outage.trouble) throw this.outage.trouble.failure;
    const connection = await this.acquire();
    let isBroken = true;
    try {
      await this.#proveOn(connection);
      isBroken = false;
    } catch (error) {
      isBroken = connection.givenUp !== undefined || isConnectionLost(error);
      throw error;
    } finally {
      connection.release(isBroken);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#short.end(), this.#slow.end()]);
    await this.outage.settled();
    clearInterval(this.#watch);
    // A goodbye that the server does not answer must not keep a finished process alive.
    const farewell = setTimeout(() => this.#recycle('all', new Error('closed')), graceMs);
    farewell.unref();
  }

  async #proveOn(connection: Connection): Promise<void> {
    const limits = { limitMs: this.#limits.commit, isCommit: true };
    const prove = (text: string) => this.send<{ read_only: string }>(connection, { text }, limits);
    const { rows } = await prove(proof).catch((error: unknown) => {
      // Other products that speak PostgreSQL's protocol may lack the function, and users the right to call it.
      if (/^(42883|42501|0A)/.test(String((error as { code?: unknown }).code))) return prove(plainProof);
      throw error;
    });
    if (rows[0]?.read_only === 'on') throw new WrongServer('it accepts no writes');
  }

  #pool(size: number, session: SessionLimits): pg.Pool {
    const make = () => this.#make(session);
    // The pool calls it with `new`; it returns a connection to the current server.
    const Client = function Client() {
      return make();
    } as unknown as typeof pg.Client;
    const pool = new pg.Pool({
      Client,
      max: size,
      idleTimeoutMillis: idleMs,
      connectionTimeoutMillis: this.#limits.acquire,
    });
    pool.on('acquire', (client) => void this.#taken.add(client as unknown as Connection));
    pool.on('release', (_, client) => void this.#taken.delete(client as unknown as Connection));
    // An idle connection that the server closes is replaced on the next use.
    pool.on('error', () => undefined);
    return pool;
  }

  #make(session: SessionLimits): Connection {
    const connection = new Connection(this.#choice.current, {
      connectMs: this.#limits.connect,
      wanted: this.#choice.address.wanted,
      session,
      noteFailure: (server, error) => {
        if (!(error instanceof WrongServer || isConnectionLost(error))) return;
        this.#reasons.set(server, reasonOf(error));
        this.#failures.set(error, server);
        this.#choice.failed(server);
      },
    });
    this.#open.add(connection);
    connection.on('end', () => {
      this.#open.delete(connection);
      this.#taken.delete(connection);
    });
    return connection;
  }

  /** Ends statements whose time is over, and checks that the server is there when something takes long. */
  #check(): void {
    const now = performance.now();
    const wasBusy = now - this.#checkedAt > 5 * checkEveryMs;
    this.#checkedAt = now;
    if (wasBusy) {
      // Answers that have arrived are read before anything is given up.
      this.#busyAt = now;
      return;
    }
    let oldest = Number.POSITIVE_INFINITY;
    for (const [connection, [flight]] of this.#flights) {
      if (!flight) continue;
      if (now < flight.since + flight.limitMs) oldest = Math.min(oldest, flight.since);
      else if (!connection.givenUp) this.#giveUp(connection, flight);
    }
    if (now - oldest > this.#limits.suspect && now > this.#aliveUntil) void this.#askWhetherAlive();
  }

  #giveUp(connection: Connection, { isCommit }: Flight): void {
    const error = new Error('Connection terminated: the server did not answer in time');
    connection.destroy(error);
    // If one connection has died silently, the others may have too.
    this.#recycle('idle', error);
    if (isCommit) this.outage.begin('unconfirmed', error);
  }

  /**
   * Uses a new connection: the old ones may be dead although the server is there. Any answer will do, even a refusal.
   */
  async #askWhetherAlive(): Promise<void> {
    if (this.#isAsking || this.#closing.signal.aborted) return;
    this.#isAsking = true;
    const [asked, since] = [this.#choice.current, performance.now()];
    const connection = new Connection(asked, {
      connectMs: this.#limits.connect,
      wanted: 'any',
      session: this.#session,
      noteFailure: () => undefined,
    });
    try {
      await connection.connect();
      this.#aliveUntil = performance.now() + aliveForMs;
      connection.end(() => undefined);
    } catch (error) {
      // Else the answer may have arrived, and nobody has read it.
      if (isSilence(error) && this.#busyAt > since) return;
      if (isSilence(error)) {
        const silent = new Error('Connection terminated: the server does not answer', { cause: error });
        this.#choice.failed(asked);
        this.#recycle('all', silent);
        this.outage.begin('unreachable', silent);
      } else this.#aliveUntil = performance.now() + aliveForMs;
    } finally {
      this.#isAsking = false;
    }
  }

  #recycle(which: 'idle' | 'all', reason: Error): void {
    for (const connection of this.#open)
      if (which === 'all' || !this.#taken.has(connection)) connection.destroy(reason);
  }
}

function reasonOf(error: Error): string {
  const { code } = error as { code?: string };
  if (isSilence(error)) return 'it does not answer';
  if (error instanceof WrongServer) return error.message;
  return code === undefined ? error.message : /^\d/.test(code) ? `${error.message} (${code})` : code;
}
