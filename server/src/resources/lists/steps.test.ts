import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { plainText } from '../../../test/support/statements.ts';
import { Rule } from '../../access/rules/rule.ts';
import { type Sql, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import type { Dialect } from '../../db/dialect.ts';
import { postgresDialect } from '../../db/postgres/postgres.ts';
import { sqliteDialect } from '../../db/sqlite/sqlite.ts';
import { bucketLookup } from '../../features/data/buckets/definition/directory.ts';
import type { DeclaredType, Slot } from '../../features/data/buckets/definition/slots.ts';
import { recordTable } from '../../features/data/buckets/definition/tables.ts';
import { compiledQueries } from './compiled-queries.ts';
import { explain } from './plan.ts';

/** What is chosen to find a page, and that no choice decides which records are on it. */

const columns: Readonly<Record<string, readonly [DeclaredType, slot: string]>> = {
  kind: ['String', 't1'],
  room: ['String', 't2'],
  level: ['Number', 'n1'],
  size: ['Number', 'n2'],
};
const slots = Object.entries(columns).map(
  ([column, [type, slot]]): Slot => ({ slot, column, type, state: 'ready', exact: true }),
);
const types = Object.fromEntries(Object.entries(columns).map(([name, [type]]) => [name, type]));
const table = { ...recordTable, lookup: bucketLookup(types, slots) };

const [kind, room, level, size, note] = ['kind', 'room', 'level', 'size', 'note'].map((name) => `metadata.${name}`) as [
  string,
  string,
  string,
  string,
  string,
];
const mine = { createdBy: '$auth.userId' };
const mineThere = { ...mine, [room]: { $in: ['a', 'b'] } };
const mineOrThat = { $or: [mine, { [kind]: { $in: ['a', 'b'] } }] };
const notThat = { [kind]: { $ne: '$auth.userId' } };
const large = { [size]: { $gte: 5 } };

interface Choice {
  readonly rule?: Readonly<Record<string, unknown>>;
  readonly where?: object;
  readonly order?: string;
  /** On SQLite, and on PostgreSQL if it is more than `all` there. */
  readonly plan: string;
  readonly postgres?: string;
}

/** kind and level share an index, and so do room and size. The indexes of level and size hold all four, those of kind and room the numbers. */
const choices: readonly Choice[] = [
  { plan: 'index' },
  { where: { [kind]: 'a', [level]: { $gte: 5 } }, order: `-${level}`, plan: 'index' },
  { where: { createdAt: { $gte: '2026-05-01T00:00:00.000Z' } }, order: '-createdAt', plan: 'index' },
  { rule: mine, order: '-createdAt', plan: 'index' },
  { where: { [note]: 1 }, plan: 'all' },
  { where: { [kind]: { $regex: 'a' } }, plan: 'all' },
  { rule: mine, where: { [note]: 1 }, plan: 'all' },
  { rule: mineOrThat, order: note, plan: 'all' },
  {
    where: { [kind]: 'a', [room]: 'b' },
    plan: 'walk metadata.room $eq, few metadata.kind $eq, few metadata.room $eq, all',
  },
  {
    where: { [kind]: 'a', [room]: 'b' },
    order: kind,
    plan: 'walk metadata.kind $eq, few metadata.kind $eq, few metadata.room $eq, all',
  },
  {
    where: { [kind]: 'a', ...large },
    order: level,
    plan: 'walk metadata.kind $eq, held few metadata.kind $eq, held few metadata.size $gte, held walk everything, all',
  },
  {
    where: { [kind]: 'a', [room]: 'b', ...large },
    order: level,
    plan: 'few metadata.kind $eq, few metadata.room $eq, held walk everything, all',
  },
  { where: large, order: level, plan: 'held few metadata.size $gte, held walk everything, all' },
  { where: large, order: `${level},${size}`, plan: 'held few metadata.size $gte, all' },
  { where: large, plan: 'walk everything, held few metadata.size $gte, all' },
  {
    where: { [kind]: 'a', createdAt: { $gte: '2026-05-01T00:00:00.000Z' } },
    order: '-createdAt',
    plan: 'walk metadata.kind $eq, few metadata.kind $eq, all',
  },
  { where: { [kind]: { $ne: 'a' } }, plan: 'walk everything, all' },
  { where: { [kind]: { $ne: 'a' } }, order: level, plan: 'held walk everything, all' },
  { where: { $or: [{ [kind]: 'a' }, large] }, order: level, plan: 'held walk everything, all' },
  { rule: mine, order: level, plan: 'few createdBy $eq, all' },
  {
    rule: mine,
    where: { [kind]: 'a' },
    plan: 'walk createdBy $eq, walk metadata.kind $eq, few createdBy $eq, few metadata.kind $eq, all',
  },
  {
    rule: mine,
    where: { [kind]: 'a' },
    order: kind,
    plan: 'walk metadata.kind $eq, few createdBy $eq, few metadata.kind $eq, all',
  },
  {
    rule: mine,
    where: { [room]: 'a', ...large },
    order: `-${size}`,
    plan: 'walk (metadata.room $eq and metadata.size $gte), few createdBy $eq, few metadata.room $eq, all',
  },
  { rule: mine, where: { [kind]: { $ne: 'a' } }, order: level, plan: 'few createdBy $eq, all' },
  { rule: mineThere, plan: 'walk createdBy $eq, few createdBy $eq, all' },
  { rule: mineThere, order: level, plan: 'few createdBy $eq, all' },
  {
    rule: mineThere,
    where: { [level]: { $gte: 5 } },
    order: level,
    plan: 'walk metadata.level $gte, few createdBy $eq, few metadata.level $gte, all',
  },
  {
    rule: mineOrThat,
    plan: 'walk createdBy $eq | metadata.kind $eq | metadata.kind $eq, all',
    postgres: 'walk everything, all',
  },
  { rule: mineOrThat, order: level, plan: 'all' },
  {
    rule: mineOrThat,
    where: large,
    plan: 'walk createdBy $eq | metadata.kind $eq | metadata.kind $eq, few metadata.size $gte, all',
  },
  {
    rule: mineOrThat,
    where: { [room]: 'b' },
    plan: 'walk createdBy $eq | metadata.kind $eq | metadata.kind $eq, walk metadata.room $eq, few metadata.room $eq, all',
    postgres: 'walk metadata.room $eq, all',
  },
  { rule: mineOrThat, where: large, order: size, plan: 'walk metadata.size $gte, few metadata.size $gte, all' },
  { rule: notThat, plan: 'walk everything, all' },
  {
    rule: notThat,
    where: { [room]: 'b', ...large },
    order: `-${size}`,
    plan: 'walk (metadata.room $eq and metadata.size $gte), few metadata.room $eq, held few metadata.size $gte, held walk metadata.size $gte, all',
  },
];

const user = { userId: 'somebody', role: 'user' } as const;
const caller = { user, isAdministrator: false, secretKey: undefined };

function read(dialect: Dialect, { rule, where, order }: Choice) {
  const asked = rule && new Rule(rule, rule).ask(caller, table.lookup);
  return compiledQueries.read({ dialect } as Db, table, {
    where: where && JSON.stringify(where),
    order,
    defaultOrder: 'objectId',
    time: 'createdAt',
    rule: asked,
  });
}

/** All statements that are sent for a page of which no step finds anything. */
async function sent(dialect: Dialect, choice: Choice): Promise<readonly Sql[]> {
  const statements: Sql[] = [];
  const db = {
    dialect,
    all: async (statement: Sql) => {
      statements.push(statement);
      return plainText(statement).startsWith('select count(*) as n ') ? [{ n: 1_000_000 }] : [];
    },
  } as unknown as Db;
  const page = { limit: 20, skip: 3 };
  const slow = { tenant: 'app', within: { characters: 1_000, rows: 20 } };
  const request = { scope: sql`app_id = ${'app'} and bucket_id = ${'things'}`, index: undefined, isNarrowed: false };
  // Few records are found at once where they are counted: each step is tried.
  await read(dialect, choice).pages.read(db, { ...request, page, user: undefined, slow });
  return statements;
}

const isBalanced = (text: string) => {
  let depth = 0;
  for (const character of text) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth === 0;
};

for (const dialect of [sqliteDialect, postgresDialect])
  describe(`a page on ${dialect.name}`, () => {
    for (const choice of choices) {
      const { rule, where, order = 'objectId', plan, postgres = plan === 'index' ? plan : 'all' } = choice;
      const name = `${JSON.stringify(where) ?? 'everything'} by ${order} under ${JSON.stringify(rule) ?? 'no rule'}`;
      test(`is found as is written here: ${name}`, () => {
        assert.equal(explain(read(dialect, choice).plan), dialect.knowsSizes ? postgres : plan);
      });
      test(`has only what belongs to the list and meets all conditions, whatever finds it: ${name}`, async () => {
        const { condition, orderBy } = read(dialect, choice).statements;
        const whole = sql`where app_id = ${'app'} and bucket_id = ${'things'} and ${condition}`;
        const ends = [sql`${whole} limit ${20} offset ${3}`, sql`${whole} order by ${orderBy} limit ${20} offset ${3}`];
        const statements = await sent(dialect, choice);
        assert.ok(statements.length > 0);
        for (const statement of statements) {
          const text = plainText(statement);
          if (text.startsWith('select count(*) as n ')) continue;
          const end = ends.find((each) => text.endsWith(` ${plainText(each)}`));
          assert.ok(end, text);
          // It is not the end of a part in parentheses.
          assert.ok(isBalanced(text.slice(0, text.length - plainText(end).length)), text);
          assert.deepEqual(statement.values.slice(-end.values.length), end.values, text);
        }
      });
    }
  });
