import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { Failure, fail } from '../../base/errors.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { joinSql, perLiteral, raw, renderSql, type Sql, sql } from '../../base/sql.ts';
import { type Database, type Db, type Row, type RowBudget, type SlowQuery, tryWrite } from '../db.ts';
import type { Dialect } from '../dialect.ts';
import { rowsByColumn } from '../rows.ts';
import { LockWaits } from './lock-waits.ts';
import { type Connection, Connections, type Trouble } from './postgres-connections.ts';
import { isConnectionLost, isLockTimeout, isReadOnly, isRetryable, translatePostgresError } from './postgres-error.ts';
import { graceMs, limitsOf, type PostgresLimits } from './postgres-limits.ts';
import { type PostgresAddress, readPostgresAddress } from './postgres-servers.ts';
import { postgresWhere } from './where-postgres.ts';

export interface PostgresOptions {
  /** One server or several, in libpq's notation. */
  readonly url: string;
  readonly poolSize: number;
  readonly queryDeadlineMs: number;
  /** The time limits; see `limitsOf`. */
  readonly timeoutMs?: number;
}

export const defaultTimeoutMs = 10_000;
/** `/readyz` answers within two seconds, whatever the database does. */
const readyMs = 1_500;
/** How often a connection that breaks before anything is committed is replaced. */
const replacements = 2;

export const postgresDialect: Dialect = Object.freeze({
  name: 'postgres',
  where: postgresWhere,
  knowsSizes: true,
  insertOne: 'insert into',
  lockRow: ' for update',
  holdRow: ' for key share',
  skipLocked: ' for update skip locked',
  rows: rowsByColumn,
});

/** The placeholder of the parameter at a position, counted from 1. */
const placeholder = (position: number) => `$${position}`;

const slowConnections = 4;
const transactionTries = 8;

/** The program has few statement texts; each gets a name, so that a connection plans it once. */
class PreparedNames {
  readonly #names = new Map<string, string>();

  readonly of = perLiteral((statement) => {
    const text = renderSql(statement, placeholder);
    const name = this.#nameOf(text);
    return name ? { text, name } : { text };
  });

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known) return known;
    if (this.#names.size >= 400) return undefined;
    const name = `p${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** More parts would make more different texts, and long ones. */
const mostTogether = 12;

/**
 * Joins statements into one: each becomes a part of a WITH, which PostgreSQL runs to its end whether or not it is read.
 * All of them see the data as it was before.
 */
function together(statements: readonly Sql[]): Sql[] {
  const joined: Sql[] = [];
  for (let start = 0; start < statements.length; start += mostTogether) {
    const part = statements.slice(start, start + mostTogether);
    const last = part.pop() as Sql;
    const named = part.map((statement, index) => sql`${raw(`part${index}`)} as (${statement})`);
    joined.push(named.length === 0 ? last : sql`with ${joinSql(named, ', ')} ${last}`);
  }
  return joined;
}

type PooledConnection = Connection & pg.PoolClient;

/** How one statement is sent. */
interface How {
  readonly limitMs: number;
  readonly isPrepared?: boolean;
  readonly isCommit?: boolean;
  readonly within?: RowBudget | undefined;
}

class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly readsAreLocal = false;
  readonly #address: PostgresAddress;
  readonly #connections: Connections;
  readonly #limits: PostgresLimits;
  readonly #queryDeadlineMs: number;
  readonly #slowQueue: FairQueue;
  readonly #lockWaits: LockWaits;
  readonly #names = new PreparedNames();
  #probing: Promise<void> | undefined;

  constructor({ url, poolSize, queryDeadlineMs, timeoutMs = defaultTimeoutMs }: PostgresOptions) {
    this.#address = readPostgresAddress(url);
    this.#limits = limitsOf(timeoutMs);
    this.#queryDeadlineMs = queryDeadlineMs;
    const limits = this.#limits;
    this.#connections = new Connections({ address: this.#address, poolSize, slowConnections, queryDeadlineMs, limits });
    this.#slowQueue = new FairQueue(slowConnections, queryDeadlineMs);
    this.#lockWaits = new LockWaits(limits.lock);
  }

  async all<T extends object = Row>(statement: Sql, slow?: SlowQuery): Promise<T[]> {
    if (!slow || slow.isBrief) return (await this.#read<T>(statement, slow?.within)).rows;
    const how = { limitMs: this.#queryDeadlineMs + graceMs, isPrepared: false, within: slow.within };
    return this.#slowQueue.run(slow.share, () =>
      this.#retrying(async () => {
        const result = await this.#onConnection((connection) => this.#query<T>(connection, statement, how), 'slow');
        return result.rows;
      }),
    );
  }

  async one<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    return (await this.#read<T>(statement)).rows[0];
  }

  latest<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    return this.one(statement);
  }

  async run(statement: Sql): Promise<number> {
    // A single statement is retried like a transaction: on distributed databases it can run into the same conflict.
    const result = await this.#retrying(() => {
      this.#connections.assertConfirming();
      const how = { limitMs: this.#statementMs, isCommit: true };
      return this.#onConnection((connection) => this.#query(connection, statement, how));
    });
    return result.rowCount ?? 0;
  }

  async runTogether(statements: readonly Sql[]): Promise<void> {
    for (const statement of statements) await this.run(statement);
  }

  transaction: Database['transaction'] = (work) => this.#retrying(() => this.#attempt(work, this.#limits));

  longTransaction: Database['longTransaction'] = (work) => this.#retrying(() => this.#attempt(work, undefined));

  afterCommit(effect: () => void): void {
    effect();
  }

  // The disk belongs to the server: what it cannot do becomes an error of the statement.
  readonly diskFailure = undefined;
  listen(): void {}
  fitInto() {
    return { needed: 0, reusable: 0 };
  }
  async settle(): Promise<void> {}

  // The server writes its log and its tables beside the statements.
  async caughtUp(): Promise<void> {}

  async assertUsable(): Promise<void> {
    const { collation, encoding } = await this.#textRules();
    if (/^(C|POSIX|C\.UTF-?8)$/i.test(collation) && encoding === 'UTF8') return;
    throw new Error(
      `The database must compare text by code point, but has collation ${collation} and encoding ${encoding}. ` +
        "Create it with: CREATE DATABASE pharos TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING 'UTF8';",
    );
  }

  async describe(): Promise<string> {
    const row = await this.one<{ version: string; standby: boolean }>(
      raw("select current_setting('server_version') as version, pg_is_in_recovery() as standby"),
    );
    const { collation, encoding } = await this.#textRules();
    const role = row?.standby ? ', a standby that accepts no writes' : '';
    return `PostgreSQL ${row?.version}${role}, collation ${collation}, encoding ${encoding}`;
  }

  async check(): Promise<string[]> {
    await tryWrite(this);
    return [];
  }

  async #textRules(): Promise<{ readonly collation: string; readonly encoding: string }> {
    const row = await this.one<{ collation: string; encoding: string }>(
      raw(
        'select datcollate as collation, pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()',
      ),
    );
    return row ?? { collation: 'unknown', encoding: 'unknown' };
  }

  async time(): Promise<number> {
    const row = await this.one<{ at: number }>(
      raw('select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at'),
    );
    return row?.at ?? 0;
  }

  stats() {
    return { walBytes: 0, queuedWrites: this.#connections.waiting, queuedSlowQueries: this.#slowQueue.waiting };
  }

  onTrouble(listener: (trouble: Trouble | undefined) => void): void {
    this.#connections.onTrouble(listener);
  }

  /** However many callers ask, one proof runs at a time; a hanging one has its own limit. */
  async probe(): Promise<void> {
    this.#probing ??= this.#connections.prove().finally(() => {
      this.#probing = undefined;
    });
    const patience = new AbortController();
    const tooLong = delay(readyMs, undefined, { signal: patience.signal }).then(() => {
      throw fail('Timeout', { message: 'The database did not answer in time. Try again.', retryAfter: 1 });
    });
    tooLong.catch(() => undefined);
    try {
      await Promise.race([this.#probing, tooLong]);
    } catch (error) {
      throw translatePostgresError(error);
    } finally {
      patience.abort();
    }
  }

  async snapshot<T>(work: (read: (statement: Sql) => Promise<Row[]>) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    const send = (text: string) =>
      this.#query(connection, raw(text), { limitMs: this.#statementMs, isPrepared: false });
    try {
      await send('set statement_timeout = 0');
      await send('set idle_in_transaction_session_timeout = 0');
      await send('begin isolation level repeatable read read only');
      const how = { limitMs: Number.POSITIVE_INFINITY, isPrepared: false };
      const value = await work(async (statement) => (await this.#query<Row>(connection, statement, how)).rows);
      await send('commit');
      return value;
    } catch (error) {
      throw translatePostgresError(error);
    } finally {
      // The changed setting must not return to the pool.
      connection.release(true);
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  get #statementMs(): number {
    return this.#limits.statement + graceMs;
  }

  #read<T extends object>(statement: Sql, within?: RowBudget): Promise<pg.QueryResult<T>> {
    const how = { limitMs: this.#statementMs, within };
    return this.#retrying(() => this.#onConnection((connection) => this.#query<T>(connection, statement, how)));
  }

  /** Errors are the driver's, for `#retrying` to judge, except for a Failure. */
  async #query<T extends object>(
    connection: Connection,
    statement: Sql,
    { isPrepared = true, ...how }: How,
  ): Promise<pg.QueryResult<T>> {
    const query = isPrepared ? this.#names.of(statement) : { text: renderSql(statement, placeholder) };
    const leave = this.#lockWaits.enter(statement);
    try {
      const values = statement.values as unknown[];
      return await this.#connections.send<T>(connection, { ...query, values }, how);
    } catch (error) {
      if (isLockTimeout(error)) this.#lockWaits.waitedInVain(statement);
      if (isReadOnly(error)) this.#connections.leave(connection.server, 'it accepts no writes');
      throw error;
    } finally {
      leave?.();
    }
  }

  async #acquire(which: 'short' | 'slow' = 'short'): Promise<PooledConnection> {
    try {
      return await this.#connections.acquire(which);
    } catch (error) {
      // No retry: every server has been tried.
      throw translatePostgresError(error);
    }
  }

  async #onConnection<T>(work: (connection: Connection) => Promise<T>, which: 'short' | 'slow' = 'short'): Promise<T> {
    const connection = await this.#acquire(which);
    let isBroken = false;
    try {
      return await work(connection);
    } catch (error) {
      isBroken = connection.givenUp !== undefined || isConnectionLost(error) || isReadOnly(error);
      throw error;
    } finally {
      connection.release(isBroken);
    }
  }

  /** Without limits it may take as long as it needs. */
  async #attempt<T>(work: (db: Db) => Promise<T>, limits: PostgresLimits | undefined): Promise<T> {
    this.#connections.assertConfirming();
    const connection = await this.#acquire();
    const effects: (() => void)[] = [];
    const end = limits ? performance.now() + limits.transaction : Number.POSITIVE_INFINITY;
    const send = (text: string, how: How) => this.#query(connection, raw(text), { isPrepared: false, ...how });
    const ofStatement: How = { limitMs: this.#statementMs };
    let isBroken = true;
    try {
      await send('begin', ofStatement);
      if (!limits) await send(withoutLimits, ofStatement);
      const value = await work(this.#inside(connection, effects, limits ? end : undefined));
      const commitMs = limits?.commit ?? Number.POSITIVE_INFINITY;
      const { command } = await send('commit', { limitMs: commitMs, isCommit: true });
      // An error inside had already ended it.
      if (command !== 'COMMIT') throw new Error(`The transaction was not committed: ${command}`);
      isBroken = false;
      for (const effect of effects) effect();
      return value;
    } catch (error) {
      isBroken = connection.givenUp !== undefined || isConnectionLost(error) || isReadOnly(error);
      if (!isBroken)
        await send('rollback', ofStatement).catch(() => {
          isBroken = true;
        });
      throw error;
    } finally {
      connection.release(isBroken);
    }
  }

  #inside(connection: Connection, effects: (() => void)[], end: number | undefined): Db {
    const query = <T extends object>(statement: Sql, isPrepared = true): Promise<pg.QueryResult<T>> => {
      if (end === undefined)
        return this.#query<T>(connection, statement, { limitMs: Number.POSITIVE_INFINITY, isPrepared });
      const left = end - performance.now();
      if (left <= 0) throw fail('Timeout', { message: 'The database took too long. Try again.', retryAfter: 1 });
      return this.#query<T>(connection, statement, { limitMs: Math.min(this.#statementMs, left), isPrepared });
    };
    const translated = async <T extends object>(statement: Sql): Promise<pg.QueryResult<T>> => {
      try {
        return await query<T>(statement);
      } catch (error) {
        // An error that ends the whole transaction is handled where it can be started again.
        throw isRepeatable(error) ? error : translatePostgresError(error);
      }
    };
    const inside: Db = {
      dialect: postgresDialect,
      all: async <T extends object = Row>(statement: Sql) => (await translated<T>(statement)).rows,
      one: async <T extends object = Row>(statement: Sql) => (await translated<T>(statement)).rows[0],
      run: async (statement) => (await translated(statement)).rowCount ?? 0,
      runTogether: async (statements) => {
        for (const statement of together(statements)) await translated(statement);
      },
      transaction: async (work) => {
        await query(raw('savepoint inner_unit'), false);
        try {
          const value = await work(inside);
          await query(raw('release savepoint inner_unit'), false);
          return value;
        } catch (error) {
          // A connection that is gone has nothing to roll back.
          if (!isRepeatable(error)) await query(raw('rollback to savepoint inner_unit'), false);
          throw error;
        }
      },
      afterCommit: (effect) => void effects.push(effect),
    };
    return inside;
  }

  /**
   * Serialization failures and deadlocks are retried with full jitter; a transaction that a lost connection or a server
   * turned standby ended before the commit is retried at once. The callback must have no other effects.
   */
  async #retrying<T>(attempt: () => Promise<T>): Promise<T> {
    const giveUp = performance.now() + this.#limits.statement;
    let replaced = 0;
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        if (isRetryable(error) && tries < transactionTries) {
          await delay(Math.random() * Math.min(500, 10 * 2 ** tries));
          continue;
        }
        const isWorthIt = isRepeatable(error) && (!isReadOnly(error) || this.#connections.hasOtherServers);
        if (!isWorthIt || ++replaced > replacements || performance.now() > giveUp) throw translatePostgresError(error);
      }
    }
  }
}

const withoutLimits =
  'set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0';

/** Nothing was committed, and another connection may work. A failure with an unknown outcome never comes here. */
function isRepeatable(error: unknown): boolean {
  if (error instanceof Failure) return false;
  return isRetryable(error) || isConnectionLost(error) || isReadOnly(error);
}

export function openPostgres(options: PostgresOptions): Database {
  return new PostgresDatabase(options);
}
