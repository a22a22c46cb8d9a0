import { setTimeout as delay } from 'node:timers/promises';
import { fail } from '../../base/errors.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import { type Database, type Row, type SlowQuery, tryWrite } from '../db.ts';
import type { Dialect } from '../dialect.ts';
import { rowsByColumn } from '../rows.ts';
import { PostgresConnections } from './postgres-connections.ts';
import { translatePostgresError } from './postgres-error.ts';
import { graceMs, limitsOf, type PostgresLimits } from './postgres-limits.ts';
import type { Trouble } from './postgres-outage.ts';
import { readPostgresAddress } from './postgres-servers.ts';
import { PostgresStatements } from './postgres-statements.ts';
import { PreparedNames } from './prepared-names.ts';
import { postgresWhere } from './where-postgres.ts';

export interface PostgresOptions {
  /** One server or several, in libpq's notation. */
  readonly url: string;
  readonly poolSize: number;
  readonly queryDeadlineMs: number;
  /** The time limits; see `limitsOf`. */
  readonly timeoutMs?: number;
  /** Milliseconds, monotonic: by it, the use of statements is counted. */
  readonly now?: () => number;
}

const defaultTimeoutMs = 10_000;
/** `/readyz` answers within two seconds, whatever the database does. */
const readyMs = 1_500;

export const postgresDialect: Dialect = Object.freeze({
  name: 'postgres',
  where: postgresWhere,
  knowsSizes: true,
  insertOne: 'insert into',
  lockRow: ' for update',
  holdRow: ' for key share',
  skipLocked: ' for update skip locked',
  passesLongTexts: false,
  keepsRoomOfRows: false,
  findTable: (name: string) => sql`select 1 as found where to_regclass(${name}) is not null`,
  lockNames: {
    all: (
      names: readonly string[],
    ) => sql`select name from json_array_elements_text(${JSON.stringify(names)}::json) as wanted(name)
      where pg_advisory_xact_lock(hashtextextended(name, 0)) is not null`,
    free: (
      names: readonly string[],
    ) => sql`select name from json_array_elements_text(${JSON.stringify(names)}::json) as wanted(name)
      where pg_try_advisory_xact_lock(hashtextextended(name, 0))`,
  },
  rows: rowsByColumn,
});

const slowConnections = 4;

class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly readsAreLocal = false;
  readonly #connections: PostgresConnections;
  readonly #limits: PostgresLimits;
  readonly #queryDeadlineMs: number;
  readonly #slowQueue: FairQueue;
  readonly #statements: PostgresStatements;
  #probing: Promise<void> | undefined;

  constructor({ url, poolSize, queryDeadlineMs, timeoutMs = defaultTimeoutMs, now }: PostgresOptions) {
    const address = readPostgresAddress(url);
    const limits = limitsOf(timeoutMs);
    this.#limits = limits;
    this.#queryDeadlineMs = queryDeadlineMs;
    this.#connections = new PostgresConnections({ address, poolSize, slowConnections, queryDeadlineMs, limits });
    this.#statements = new PostgresStatements(this.#connections, limits, postgresDialect, new PreparedNames(now));
    this.#slowQueue = new FairQueue(slowConnections, queryDeadlineMs);
  }

  async all<T extends object = Row>(statement: Sql, slow?: SlowQuery): Promise<T[]> {
    if (!slow || slow.isBrief) return (await this.#statements.read<T>(statement, slow?.within)).rows;
    const how = { limitMs: this.#queryDeadlineMs + graceMs, isPrepared: false, within: slow.within };
    return this.#slowQueue.run(slow.tenant, () =>
      this.#statements.retrying(async () => {
        const result = await this.#statements.onConnection(
          (connection) => this.#statements.query<T>(connection, statement, how),
          'slow',
        );
        return result.rows;
      }),
    );
  }

  async one<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    return (await this.#statements.read<T>(statement)).rows[0];
  }

  latest<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    return this.one(statement);
  }

  async run(statement: Sql): Promise<number> {
    // A single statement is retried like a transaction: on distributed databases it can run into the same conflict.
    const result = await this.#statements.retrying(() => {
      this.#connections.assertConfirming();
      const how = { limitMs: this.#statements.statementMs, isCommit: true };
      return this.#statements.onConnection((connection) => this.#statements.query(connection, statement, how));
    });
    return result.rowCount ?? 0;
  }

  async runTogether(statements: readonly Sql[]): Promise<void> {
    for (const statement of statements) await this.run(statement);
  }

  transaction: Database['transaction'] = (work) =>
    this.#statements.retrying(() => this.#statements.attempt(work, this.#limits));

  longTransaction: Database['longTransaction'] = (work) =>
    this.#statements.retrying(() => this.#statements.attempt(work, undefined));

  async alone(statement: Sql): Promise<void> {
    await this.#statements.onConnection(async (connection) => {
      const how = { isPrepared: false, limitMs: Number.POSITIVE_INFINITY };
      const send = (one: Sql) => this.#statements.query(connection, one, how);
      await send(raw('set statement_timeout = 0; set lock_timeout = 0'));
      try {
        await send(statement);
      } finally {
        await send(raw('reset statement_timeout; reset lock_timeout'));
      }
    });
  }

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

  // The server writes its log and its tables independently of the statements.
  async caughtUp(): Promise<void> {}

  async forgetDeleted(): Promise<void> {}

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
    this.#connections.outage.onTrouble(listener);
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
    const connection = await this.#statements.acquire();
    const send = (text: string) =>
      this.#statements.query(connection, raw(text), { limitMs: this.#statements.statementMs, isPrepared: false });
    try {
      await send('set statement_timeout = 0');
      await send('set idle_in_transaction_session_timeout = 0');
      await send('begin isolation level repeatable read read only');
      const how = { limitMs: Number.POSITIVE_INFINITY, isPrepared: false };
      const value = await work(
        async (statement) => (await this.#statements.query<Row>(connection, statement, how)).rows,
      );
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
}

export function openPostgres(options: PostgresOptions): Database {
  return new PostgresDatabase(options);
}
