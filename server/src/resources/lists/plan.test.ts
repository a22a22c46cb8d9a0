import assert from 'node:assert/strict';
import { parseOrder, parseWhereValue, queryToSql, type WhereDialect } from '@pharos/query';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { testFields } from '../../../../packages/query/test/support/fields.ts';
import { openPostgres, openSqlite } from '../../../test/support/query-engines.ts';
import { Failure } from '../../base/errors.ts';
import { renderSql, sql } from '../../base/sql.ts';
import { postgresWhere } from '../../db/postgres/where-postgres.ts';
import { registerSqliteFunctions, sqliteText } from '../../db/sqlite/sqlite-connection.ts';
import { sqliteWhere } from '../../db/sqlite/where-sqlite.ts';
import { isIndexed } from './plan.ts';

const fields = testFields(true);

const pairs = { t1: 'n1' };

/** [where, order, whether an index serves it]; they are on (n1 or t1 or whole, object_id) and (t1, n1, object_id). */
const plans: readonly (readonly [where: unknown, order: string | undefined, indexed: boolean])[] = [
  [undefined, undefined, true],
  [undefined, '-objectId', true],
  [undefined, 'metadata.amount', true],
  [undefined, '-metadata.label', true],
  [undefined, 'metadata.label,-objectId', false],
  [undefined, 'metadata.other', false],
  [undefined, 'title', false],
  [{ 'metadata.amount': 5 }, undefined, true],
  [{ 'metadata.amount': null }, undefined, true],
  [{ 'metadata.label': 'l5' }, '-objectId', true],
  [{ 'metadata.amount': { $gte: 5, $lt: 9 } }, 'metadata.amount', true],
  [{ 'metadata.amount': { $gte: 5, $lt: 9 } }, '-metadata.amount', true],
  [{ 'metadata.label': { $lt: 'l5' } }, 'metadata.label', true],
  [{ 'metadata.amount': { $gte: 5 } }, undefined, false],
  [{ 'metadata.amount': { $ne: 5 } }, 'metadata.amount', false],
  [{ 'metadata.amount': 5, 'metadata.other': 1 }, undefined, false],
  [{ 'metadata.amount': 5 }, 'metadata.label', false],
  [{ 'metadata.other': 5 }, undefined, false],
  [{ $or: [{ 'metadata.amount': 5 }] }, undefined, false],
  [{ whole: 5 }, undefined, true],
  [{ objectId: 'r5' }, 'title', true],
  [{ objectId: 'r5' }, 'metadata.other', false],
  [{ objectId: 'r5', 'metadata.other': 1 }, 'title', false],
  [{ objectId: { $in: ['r5', 'r6'] } }, undefined, true],
  [{ 'metadata.label': 'l5', 'metadata.amount': { $gte: 5 } }, '-metadata.amount', true],
  [{ 'metadata.label': 'l5', 'metadata.amount': { $gte: 5, $lt: 9 } }, 'metadata.amount', true],
  [{ 'metadata.label': 'l5' }, 'metadata.amount', true],
  [{ 'metadata.label': null }, '-metadata.amount', true],
  [{ 'metadata.label': 'l5', 'metadata.amount': 5 }, undefined, true],
  [{ 'metadata.label': 'l5', 'metadata.amount': { $gte: 5 } }, undefined, false],
  [{ 'metadata.label': { $gt: 'l5' }, 'metadata.amount': 5 }, 'metadata.amount', false],
  [{ 'metadata.label': 'l5', 'metadata.amount': { $ne: 5 } }, 'metadata.amount', false],
  [{ 'metadata.label': 'l5', 'metadata.amount': 5, 'metadata.other': 1 }, 'metadata.amount', false],
  [{ 'metadata.label': 'l5' }, 'metadata.amount,-objectId', false],
];

const indexes = ['n1', 't1'].map(
  (slot) => `create index records_${slot} on records (${slot}, object_id) where ${slot} is not null`,
);
indexes.push('create index records_t1_n1 on records (t1, n1, object_id) where t1 is not null and n1 is not null');
indexes.push('create index records_whole on records (whole, object_id)');
const insert = `insert into records (object_id, created_at, whole, doc, n1, t1)`;

function statementOf(where: unknown, order: string | undefined, dialect: WhereDialect) {
  const query = { where: parseWhereValue(where, fields), order: parseOrder(order, fields) };
  const { condition, orderBy } = queryToSql(query, dialect);
  return sql`select object_id from records where ${condition} order by ${orderBy} limit 10`;
}

describe('a query', () => {
  const sqlite = openSqlite();
  let postgres: Awaited<ReturnType<typeof openPostgres>>;
  beforeAll(async () => {
    postgres = await openPostgres();
    for (const index of indexes) {
      sqlite.raw.exec(index);
      await postgres.client.query(index);
    }
    sqlite.raw.exec(
      `${insert} with recursive s(i) as (select 1 union all select i + 1 from s where i < 20000) select 'r' || i, i, i, '{}', i, 'vl' || i from s`,
    );
    await postgres.client.query(
      `${insert} select 'r' || i, i, i, '{}', i, 'vl' || i from generate_series(1, 20000) as s(i)`,
    );
    await postgres.client.query('analyze records');
  });
  afterAll(async () => {
    await sqlite.close();
    await postgres.close();
  });

  for (const [where, order, indexed] of plans) {
    const name = `${JSON.stringify(where) ?? 'everything'} by ${order ?? 'objectId'}`;
    it(`${indexed ? 'knows' : 'does not claim'} that an index serves ${name}`, () => {
      assert.equal(isIndexed(parseWhereValue(where, fields), parseOrder(order, fields), pairs), indexed);
    });
    if (!indexed) continue;
    it(`reads no more than it needs in SQLite: ${name}`, () => {
      const statement = statementOf(where, order, sqliteWhere);
      const rows = sqlite.raw.prepare(`explain query plan ${sqliteText(statement)}`).all(...statement.values);
      const plan = rows.map((row) => (row as { detail: string }).detail).join('\n');
      assert.match(plan, /USING (COVERING )?INDEX/);
      if (where === undefined || !JSON.stringify(where).includes('objectId')) assert.doesNotMatch(plan, /TEMP B-TREE/);
    });
    it(`reads no more than it needs in PostgreSQL: ${name}`, async () => {
      const statement = statementOf(where, order, postgresWhere);
      const text = `explain ${renderSql(statement, (position) => `$${position}`)}`;
      const { rows } = await postgres.client.query<{ 'QUERY PLAN': string }>(text, [...statement.values]);
      assert.match(rows.map((row) => row['QUERY PLAN']).join('\n'), /Index (Only )?Scan|Bitmap Index Scan/);
    });
  }
});

describe('a deadline', () => {
  it('ends a query of SQLite that asks documents, and only while it is set', () => {
    const { raw } = openSqlite();
    let now = 1000;
    const functions = registerSqliteFunctions(raw, () => now++);
    raw.exec(
      `${insert.replace(', whole', '').replace(', n1, t1', '')} values ('a', 1, '{}'), ('b', 1, '{}'), ('c', 1, '{"n":"x"}')`,
    );
    const run = (where: unknown, order?: string) => {
      const statement = statementOf(where, order, sqliteWhere);
      return raw.prepare(sqliteText(statement)).all(...statement.values).length;
    };
    const isTimeout = (error: unknown) => error instanceof Failure && error.entry.name === 'Timeout';
    for (const [where, order] of [
      [{ 'metadata.n': 'x' }],
      [{ title: null, 'metadata.n': { $regex: 'x' } }],
      [undefined, 'metadata.n'],
    ] as const) {
      functions.setDeadline(now + 1);
      assert.throws(() => run(where, order), isTimeout);
      functions.setDeadline(now + 100);
      assert.ok(run(where, order) > 0);
      functions.setDeadline(undefined);
      assert.ok(run(where, order) > 0);
    }
  });
});
