/** For the tests: one table of records, queried through SQLite, a real PostgreSQL and `matches`. */

import {
  compareByOrder,
  fieldReader,
  matchesRecord,
  type Order,
  queryToSql,
  readInstant,
  type Where,
  type WhereDialect,
} from '@pharos/query';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { renderSql, sql } from '../../src/base/sql.ts';
import { postgresWhere } from '../../src/db/postgres/where-postgres.ts';
import { registerSqliteFunctions, sqliteText } from '../../src/db/sqlite/sqlite-connection.ts';
import { sqliteWhere } from '../../src/db/sqlite/where-sqlite.ts';
import { postgresUrl } from './postgres-url.ts';

/** A record as a list returns it. */
export interface TestRecord {
  readonly objectId: string;
  readonly createdAt?: string;
  readonly title?: string | null;
  readonly size?: number | null;
  readonly whole?: number | null;
  readonly flag?: boolean | null;
  readonly owner?: { readonly __type: 'Pointer'; readonly className: string; readonly objectId: string } | null;
  readonly place?: unknown;
  readonly metadata?: unknown;
}

const columns = 'object_id, created_at, title, size, whole, flag, owner, place, doc, n1, n2, n3, t1';
const createTable = `create table records (object_id text primary key, created_at bigint not null, title text,
  size double precision, whole integer, flag smallint, owner text, place text, doc text not null,
  n1 double precision, n2 double precision, n3 double precision, t1 text)`;

type Row = readonly (string | number | null)[];

function toRow(record: TestRecord): Row {
  const document = (record.metadata ?? {}) as Readonly<Record<string, unknown>>;
  const { amount, seen, open, label } = document;
  return [
    record.objectId,
    readInstant(record.createdAt ?? '2024-01-01', true) ?? 0,
    record.title ?? null,
    record.size ?? null,
    record.whole ?? null,
    record.flag === undefined || record.flag === null ? null : Number(record.flag),
    record.owner?.objectId ?? null,
    record.place === undefined ? null : JSON.stringify(record.place),
    JSON.stringify(document),
    typeof amount === 'number' ? amount : Number.NEGATIVE_INFINITY,
    readInstant(seen, true) ?? Number.NEGATIVE_INFINITY,
    typeof open === 'boolean' ? Number(open) : Number.NEGATIVE_INFINITY,
    typeof label === 'string' ? `v${label}` : '',
  ];
}

export interface Engine {
  readonly name: string;
  load(records: readonly TestRecord[]): Promise<void>;
  /** The ids of what the query finds, in order. */
  find(where: Where | undefined, order: Order): Promise<readonly string[]>;
  close(): Promise<void>;
}

function statementOf(where: Where | undefined, order: Order, dialect: WhereDialect) {
  const { condition, orderBy } = queryToSql({ where, order }, dialect);
  return sql`select object_id as id from records where ${condition} order by ${orderBy}`;
}

export function openMemory(): Engine {
  let all: readonly TestRecord[] = [];
  return {
    name: 'match',
    load: async (records) => {
      all = records.map((record) => ({ createdAt: '2024-01-01T00:00:00.000Z', ...record }));
    },
    find: async (where, order) =>
      all
        .filter((record) => matchesRecord(where, record))
        .sort((left, right) => compareByOrder(order, fieldReader(left), fieldReader(right)))
        .map(({ objectId }) => objectId),
    close: async () => {},
  };
}

export function openSqlite(): Engine & { readonly raw: Sqlite.Database } {
  const raw = new Sqlite(':memory:');
  registerSqliteFunctions(raw);
  raw.exec(createTable);
  const insert = raw.prepare(`insert into records (${columns}) values (${Array(13).fill('?').join(', ')})`);
  return {
    name: 'SQLite',
    raw,
    load: async (records) => {
      raw.exec('delete from records');
      raw.transaction(() => {
        for (const record of records) insert.run(...toRow(record));
      })();
    },
    find: async (where, order) => {
      const statement = statementOf(where, order, sqliteWhere);
      return raw
        .prepare(sqliteText(statement))
        .pluck()
        .all(...statement.values) as string[];
    },
    close: async () => void raw.close(),
  };
}

export async function openPostgres(): Promise<Engine & { readonly client: pg.Client }> {
  const url = await postgresUrl();
  const database = `where_${process.pid}_${Date.now().toString(36)}`;
  await runAlone(url, `create database ${database} template template0 lc_collate 'C' lc_ctype 'C' encoding 'UTF8'`);
  const client = new pg.Client({ connectionString: withDatabase(url, database) });
  await client.connect();
  await client.query(createTable);
  const places = Array.from({ length: 13 }, (_, index) => `$${index + 1}`).join(', ');
  return {
    name: 'PostgreSQL',
    client,
    load: async (records) => {
      await client.query('truncate records');
      for (const record of records) {
        const text = `insert into records (${columns}) values (${places})`;
        await client.query({ name: 'insert', text, values: [...toRow(record)] });
      }
    },
    find: async (where, order) => {
      const statement = statementOf(where, order, postgresWhere);
      const text = renderSql(statement, (position) => `$${position}`);
      const { rows } = await client.query<{ id: string }>(text, [...statement.values]);
      return rows.map(({ id }) => id);
    },
    close: async () => {
      await client.end();
      await runAlone(url, `drop database ${database}`);
    },
  };
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function runAlone(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
