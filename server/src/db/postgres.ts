import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { joinSql, perLiteral, raw, renderSql, type Sql, sql } from '../sql.ts';
import { type Database, type Db, type Row, type RowBudget, type SlowQuery, tryWrite } from './db.ts';
import type { Dialect } from './dialect.ts';
import { FairQueue } from './fair-queue.ts';
import { BoundedQuery } from './postgres-bounded-query.ts';
import { isRetryable, translatePostgresError } from './postgres-error.ts';
import { rowsByColumn } from './rows.ts';
import { postgresWhere } from './where-postgres.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly queryDeadlineMs: number;
}

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

// Times and counts are far below 2^53; a string for each bigint would have to be turned back everywhere.
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** Of the parameter at a position, counted from 1. */
const placeholder = (position: number) => `$${position}`;

const slowConnections = 4;
const transactionTries = 8;

/** Statement texts of the program's own are few and get a name, so that a connection plans them once. */
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

type Client = pg.Pool | pg.PoolClient;

/** More parts would make more different texts, and long ones. */
const mostTogether = 12;

/**
 * Joins statements to one: each becomes a part of a WITH, which PostgreSQL runs to its end whether or not it is read. All
 * see the data as it was before.
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

class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly readsAreLocal = false;
  readonly #pool: pg.Pool;
  readonly #slowPool: pg.Pool;
  readonly #slowQueue: FairQueue;
  readonly #names = new PreparedNames();

  constructor(options: PostgresOptions) {
    const common = {
      connectionString: options.url,
      types,
      connectionTimeoutMillis: 10_000,
      application_name: 'pharos',
    };
    this.#pool = new pg.Pool({ ...common, max: options.poolSize, statement_timeout: 30_000 });
    this.#slowPool = new pg.Pool({ ...common, max: slowConnections, statement_timeout: options.queryDeadlineMs });
    this.#slowQueue = new FairQueue(slowConnections, options.queryDeadlineMs);
    // An idle connection that the server closes is replaced on the next use; without a listener it would end the process.
    for (const pool of [this.#pool, this.#slowPool]) pool.on('error', () => undefined);
  }

  all<T extends object = Row>(statement: Sql, slow?: SlowQuery): Promise<T[]> {
    if (slow && !slow.isBrief)
      return this.#slowQueue.run(slow.share, async () => {
        const how = { prepared: false, within: slow.within };
        return (await this.#query<T>(this.#slowPool, statement, how)).rows;
      });
    return this.#query<T>(this.#pool, statement, { within: slow?.within }).then((result) => result.rows);
  }

  async one<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    return (await this.#query<T>(this.#pool, statement)).rows[0];
  }

  latest<T extends object = Row>(statement: Sql): Promise<T | undefined> {
    return this.one(statement);
  }

  async run(statement: Sql): Promise<number> {
    // A single statement is retried like a transaction: on the distributed relatives it can meet the same conflict.
    const result = await this.#retrying(() => this.#query(this.#pool, statement));
    return result.rowCount ?? 0;
  }

  async runTogether(statements: readonly Sql[]): Promise<void> {
    for (const statement of statements) await this.run(statement);
  }

  transaction: Database['transaction'] = (work) => this.#retrying(() => this.#attempt(work));

  afterCommit(effect: () => void): void {
    effect();
  }

  // It writes its log and its tables beside the statements.
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
    const row = await this.one<{ version: string }>(raw("select current_setting('server_version') as version"));
    const { collation, encoding } = await this.#textRules();
    return `PostgreSQL ${row?.version}, collation ${collation}, encoding ${encoding}`;
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

  stats() {
    return { walBytes: 0, queuedWrites: this.#pool.waitingCount, queuedSlowQueries: this.#slowQueue.waiting };
  }

  async snapshot<T>(work: (read: (statement: Sql) => Promise<Row[]>) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    try {
      await client.query('set statement_timeout = 0');
      await client.query('begin isolation level repeatable read read only');
      const value = await work(
        async (statement) => (await this.#query<Row>(client, statement, { prepared: false })).rows,
      );
      await client.query('commit');
      return value;
    } finally {
      // The changed setting must not go back to the pool.
      client.release(true);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#slowPool.end()]);
  }

  async #query<T extends object>(
    client: Client,
    statement: Sql,
    { prepared = true, within }: { readonly prepared?: boolean; readonly within?: RowBudget | undefined } = {},
  ): Promise<pg.QueryResult<T>> {
    const how = prepared ? this.#names.of(statement) : { text: renderSql(statement, placeholder) };
    const query = { ...how, values: statement.values as unknown[] };
    try {
      return within ? await new BoundedQuery(query, within).runOn<T>(client) : await client.query<T>(query);
    } catch (error) {
      if (isRetryable(error)) throw error;
      throw translatePostgresError(error);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw translatePostgresError(error);
    }
  }

  async #attempt<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    const effects: (() => void)[] = [];
    try {
      await this.#query(client, raw('begin'), { prepared: false });
      const value = await work(this.#inside(client, effects));
      await this.#query(client, raw('commit'), { prepared: false });
      for (const effect of effects) effect();
      return value;
    } catch (error) {
      await client.query('rollback').catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  #inside(client: pg.PoolClient, effects: (() => void)[]): Db {
    const inside: Db = {
      dialect: postgresDialect,
      all: async <T extends object = Row>(statement: Sql) => (await this.#query<T>(client, statement)).rows,
      one: async <T extends object = Row>(statement: Sql) => (await this.#query<T>(client, statement)).rows[0],
      run: async (statement) => (await this.#query(client, statement)).rowCount ?? 0,
      runTogether: async (statements) => {
        for (const statement of together(statements)) await this.#query(client, statement);
      },
      transaction: async (work) => {
        await client.query('savepoint inner_unit');
        try {
          const value = await work(inside);
          await client.query('release savepoint inner_unit');
          return value;
        } catch (error) {
          await client.query('rollback to savepoint inner_unit');
          throw error;
        }
      },
      afterCommit: (effect) => void effects.push(effect),
    };
    return inside;
  }

  /** Serialization failures and deadlocks are retried with full jitter; the callback has no effects besides. */
  async #retrying<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        if (!isRetryable(error) || tries >= transactionTries) throw translatePostgresError(error);
        await delay(Math.random() * Math.min(500, 10 * 2 ** tries));
      }
    }
  }
}

export function openPostgres(options: PostgresOptions): Database {
  return new PostgresDatabase(options);
}
