import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { Failure, fail } from '../../base/errors.ts';
import { perLiteral, raw, renderSql, type Sql } from '../../base/sql.ts';
import type { Db, Row, RowBudget } from '../db.ts';
import type { Dialect } from '../dialect.ts';
import type { Connection } from './postgres-connection.ts';
import type { PostgresConnections } from './postgres-connections.ts';
import {
  isConnectionLost,
  isLockTimeout,
  isReadOnly,
  isRetryable,
  isStalePlan,
  translatePostgresError,
} from './postgres-error.ts';
import { graceMs, type PostgresLimits } from './postgres-limits.ts';
import { maxPrepared, type NamedText, type PreparedNames, placeholder } from './prepared-names.ts';

interface Scope {
  readonly table: string;
  /** The statement's parameters that hold the app; undefined if it concerns several apps. */
  readonly appAt: number | undefined;
}

const scopeOf = perLiteral((statement): Scope => {
  const text = renderSql(statement, (position) => `$${position}`);
  const app = /\bapp_id = \$(\d+)/.exec(text)?.[1];
  return {
    table: /\b(?:update|into|from|join)\s+(?!unnest|jsonb_)([a-z_]+)/.exec(text)?.[1] ?? '',
    appAt: app === undefined ? undefined : Number(app) - 1,
  };
});

/** Statements that may wait at the same time after a lock timeout. */
const maxWaiting = 2;
/** From this number of apps on, the whole table counts as locked. */
const manyApps = 3;

/**
 * Keeps statements that wait for a locked row or table from occupying every connection. After one has timed out, only a
 * few statements of the same app on the same table may wait; others are refused at once, until another lock timeout has
 * passed. If several apps are affected, this applies to the whole table.
 */
class LockWaits {
  readonly #heldMs: number;
  /** By table and app: until when waiting is limited (`performance.now()`), and how many wait. */
  readonly #suspects = new Map<string, { until: number; waiting: number }>();

  constructor(lockMs: number) {
    this.#heldMs = lockMs;
  }

  /** Returns a function to call when the statement has ended. @throws Failure Timeout when too many wait already */
  enter(statement: Sql): (() => void) | undefined {
    if (this.#suspects.size === 0) return undefined;
    const entered: { waiting: number }[] = [];
    for (const key of this.#keysOf(statement)) {
      const suspect = this.#suspects.get(key);
      if (!suspect) continue;
      if (performance.now() > suspect.until && suspect.waiting === 0) this.#suspects.delete(key);
      else if (performance.now() <= suspect.until && suspect.waiting >= maxWaiting)
        throw fail('Timeout', { message: 'The data is locked by another operation. Try again.', retryAfter: 1 });
      else entered.push(suspect);
    }
    for (const suspect of entered) suspect.waiting++;
    return () => {
      for (const suspect of entered) suspect.waiting--;
    };
  }

  /** The statement timed out waiting for a lock. */
  waitedInVain(statement: Sql): void {
    const [ofApp, ofTable] = this.#keysOf(statement);
    this.#suspect(ofApp);
    const apps = [...this.#suspects.keys()].filter((key) => key.startsWith(`${ofTable}/`));
    if (apps.length >= manyApps) this.#suspect(ofTable);
    if (this.#suspects.size > 1_000) this.#forget();
  }

  #suspect(key: string): void {
    const known = this.#suspects.get(key);
    const until = performance.now() + this.#heldMs;
    if (known) known.until = until;
    else this.#suspects.set(key, { until, waiting: 0 });
  }

  #forget(): void {
    for (const [key, { until, waiting }] of this.#suspects)
      if (performance.now() > until && waiting === 0) this.#suspects.delete(key);
  }

  #keysOf(statement: Sql): readonly [ofApp: string, ofTable: string] {
    const { table, appAt } = scopeOf(statement);
    const app = appAt === undefined ? undefined : statement.values[appAt];
    return [app === undefined ? table : `${table}/${app}`, table];
  }
}

/** How often a connection that breaks before anything is committed is replaced. */
const replacements = 2;

const transactionTries = 8;

/** A transaction that runs more statements on changed tables than this fails; the next one has them prepared anew. */
const maxRenewed = 100;

type PooledConnection = Connection & pg.PoolClient;

/** How one statement is sent. */
interface How {
  readonly limitMs: number;
  readonly isPrepared?: boolean;
  readonly isCommit?: boolean;
  readonly within?: RowBudget | undefined;
}

/** Statements and transactions: each on a connection of the pool, within the limits, and tried again where that helps. */
export class PostgresStatements {
  readonly #connections: PostgresConnections;
  readonly #limits: PostgresLimits;
  readonly #dialect: Dialect;
  readonly #lockWaits: LockWaits;
  readonly #names: PreparedNames;

  constructor(connections: PostgresConnections, limits: PostgresLimits, dialect: Dialect, names: PreparedNames) {
    this.#connections = connections;
    this.#limits = limits;
    this.#dialect = dialect;
    this.#names = names;
    this.#lockWaits = new LockWaits(limits.lock);
  }

  get statementMs(): number {
    return this.#limits.statement + graceMs;
  }

  read<T extends object>(statement: Sql, within?: RowBudget): Promise<pg.QueryResult<T>> {
    const how = { limitMs: this.statementMs, within };
    return this.retrying(() => this.onConnection((connection) => this.query<T>(connection, statement, how)));
  }

  /** Errors are the driver's, for `retrying` to judge, except for a Failure. */
  async query<T extends object>(
    connection: Connection,
    statement: Sql,
    { isPrepared = true, ...how }: How,
  ): Promise<pg.QueryResult<T>> {
    const query: NamedText = isPrepared ? this.#names.use(statement) : { text: renderSql(statement, placeholder) };
    if (query.name) connection.prepared.add(query.name);
    const leave = this.#lockWaits.enter(statement);
    try {
      const values = statement.values as unknown[];
      return await this.#connections.send<T>(connection, { ...query, values }, how);
    } catch (error) {
      if (query.name && isStalePlan(error)) this.#names.renew(statement, query.name);
      if (isLockTimeout(error)) this.#lockWaits.waitedInVain(statement);
      if (isReadOnly(error)) this.#connections.leave(connection.server, 'it accepts no writes');
      throw error;
    } finally {
      leave?.();
    }
  }

  async acquire(which: 'short' | 'slow' = 'short'): Promise<PooledConnection> {
    try {
      return await this.#connections.acquire(which);
    } catch (error) {
      // No retry: every server has been tried.
      throw translatePostgresError(error);
    }
  }

  async onConnection<T>(work: (connection: Connection) => Promise<T>, which: 'short' | 'slow' = 'short'): Promise<T> {
    const connection = await this.acquire(which);
    let isBroken = false;
    try {
      return await work(connection);
    } catch (error) {
      isBroken = connection.givenUp !== undefined || isConnectionLost(error) || isReadOnly(error);
      throw error;
    } finally {
      connection.release(isBroken || connection.prepared.size > maxPrepared);
    }
  }

  /** Without limits it may take as long as it needs. */
  async attempt<T>(work: (db: Db) => Promise<T>, limits: PostgresLimits | undefined): Promise<T> {
    this.#connections.assertConfirming();
    const connection = await this.acquire();
    const effects: (() => void)[] = [];
    const end = limits ? performance.now() + limits.transaction : Number.POSITIVE_INFINITY;
    const send = (text: string, how: How) => this.query(connection, raw(text), { isPrepared: false, ...how });
    const ofStatement: How = { limitMs: this.statementMs };
    let isBroken = true;
    connection.isPipeline = true;
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
      connection.isPipeline = false;
      connection.release(isBroken || connection.prepared.size > maxPrepared);
    }
  }

  #inside(connection: Connection, effects: (() => void)[], end: number | undefined): Db {
    const query = async <T extends object>(statement: Sql, isPrepared = true): Promise<pg.QueryResult<T>> => {
      if (end === undefined)
        return this.query<T>(connection, statement, { limitMs: Number.POSITIVE_INFINITY, isPrepared });
      const left = end - performance.now();
      if (left <= 0) throw fail('Timeout', { message: 'The database took too long. Try again.', retryAfter: 1 });
      return this.query<T>(connection, statement, { limitMs: Math.min(this.statementMs, left), isPrepared });
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
      dialect: this.#dialect,
      all: async <T extends object = Row>(statement: Sql) => (await translated<T>(statement)).rows,
      one: async <T extends object = Row>(statement: Sql) => (await translated<T>(statement)).rows[0],
      run: async (statement) => (await translated(statement)).rowCount ?? 0,
      runTogether: async (statements) => {
        const ends = await Promise.allSettled(statements.map(translated));
        const failed = ends.find((end) => end.status === 'rejected');
        if (failed) throw failed.reason;
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
   * turned standby ended before the commit is retried at once, as is what failed because a table has changed since a
   * statement was prepared. The callback must have no other effects.
   */
  async retrying<T>(attempt: () => Promise<T>): Promise<T> {
    const giveUp = performance.now() + this.#limits.statement;
    let replaced = 0;
    let renewed = 0;
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        if (isRetryable(error) && tries < transactionTries) {
          await delay(Math.random() * Math.min(500, 10 * 2 ** tries));
          continue;
        }
        if (isStalePlan(error) && ++renewed <= maxRenewed && performance.now() < giveUp) continue;
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
  return isRetryable(error) || isConnectionLost(error) || isReadOnly(error) || isStalePlan(error);
}
