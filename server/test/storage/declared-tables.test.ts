import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { defaultPolicy, periodsOf } from '../../src/access/policy.ts';
import { appTables, resources, tables, traceTables } from '../../src/app/tables.ts';
import { joinSql, raw, type SqlValue, sql } from '../../src/base/sql.ts';
import type { DbTable } from '../../src/db/table.ts';
import {
  bothDatabases,
  buildApp,
  openStorage,
  signInManager,
  type TestApp,
  type TestStorage,
} from '../support/build-app.ts';
import { type StoredColumn, type StoredIndex, storedColumns, storedIndexes } from '../support/schema.ts';

/** The declarations of the tables against the tables that the migrations make. */

/** How the databases call the types of the declarations; 0010 made one column an integer. */
const typeNames: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  bigint: ['bigint', 'integer'],
  'double precision': ['double precision'],
};

/** The list of what was migrated belongs to the migrations themselves. */
const undeclared = ['migrations'];

interface TrailRow {
  readonly installation: string;
  readonly at: number;
}

/** A row that says where an installation was at a time, in any table that has such rows. */
async function insertRow(app: TestApp, table: DbTable, { installation, at }: TrailRow): Promise<void> {
  const { columns, trail } = table;
  const cellOf = (name: string): SqlValue => {
    if (name === 'app_id') return app.appId;
    if (name === trail?.installation) return installation;
    if (name === trail?.at) return at;
    return columns[name]?.type === 'text' ? `${installation} ${at}` : 1;
  };
  const needed = Object.keys(columns).filter((name) => {
    const column = columns[name];
    return (column && !column.isNullable && !column.hasDefault) || name === trail?.installation;
  });
  const cells = needed.map((name) => sql`${cellOf(name)}`);
  await app.storage.db.run(
    sql`insert into ${raw(table.name)} (${raw(needed.join(', '))}) values (${joinSql(cells, ', ')})`,
  );
}

async function countOf(app: TestApp, table: DbTable, installation: string): Promise<number> {
  const column = raw(table.trail?.installation ?? '');
  const row = await app.storage.db.one<{ n: number }>(
    sql`select count(*) as n from ${raw(table.name)} where app_id = ${app.appId} and ${column} = ${installation}`,
  );
  return Number(row?.n);
}

async function registered(app: TestApp, installationId: string): Promise<string> {
  const body = { installationId, deviceType: 'ios' };
  const answer = await app.send({ method: 'POST', url: '/api/v2/installations', body });
  assert.equal(answer.status, 201);
  return answer.body.result.objectId;
}

for (const database of bothDatabases) {
  describe(`the declared tables on ${database}`, () => {
    let storage: TestStorage;
    let columns: ReadonlyMap<string, readonly StoredColumn[]>;
    let indexes: readonly StoredIndex[];
    beforeAll(async () => {
      storage = await openStorage(database);
      columns = await storedColumns(storage.db);
      indexes = await storedIndexes(storage.db);
    });
    afterAll(() => storage.close());

    test('are all that there are', () => {
      const declared = [...tables.map(({ name }) => name), ...undeclared];
      assert.deepEqual(declared.sort(), [...columns.keys()].sort());
    });

    test('have the columns that the migrations made, of the same types', () => {
      for (const { name, columns: declared } of tables) {
        const stored = columns.get(name) ?? [];
        assert.deepEqual(Object.keys(declared).sort(), stored.map(({ column_name }) => column_name).sort(), name);
        for (const { column_name, data_type, is_nullable, has_default } of stored) {
          const column = declared[column_name];
          const place = `${name}.${column_name}`;
          assert.ok(column && typeNames[column.type]?.includes(data_type), `${place} is ${data_type}`);
          assert.equal(column.isNullable, is_nullable, `${place} may be null`);
          assert.equal(column.hasDefault, has_default, `${place} has a default`);
        }
      }
    });

    test('have the keys and the indexes that they promise, and no others', () => {
      const stored = new Map(indexes.map((index) => [index.name, index]));
      const declared = tables.flatMap((table) => [
        { name: `${table.name} key`, table, index: { on: table.key, isUnique: true } },
        ...Object.entries(table.indexes ?? {}).map(([name, index]) => ({ name, table, index })),
      ]);
      for (const { name, table, index } of declared) {
        if ('only' in index && index.only !== database) continue;
        const found = stored.get(name);
        assert.equal(found?.table, table.name, `${name} is not there`);
        // An index may hold more than it is declared for.
        assert.deepEqual(found?.on.slice(0, index.on.length), [...index.on], name);
        assert.equal(found?.isUnique, index.isUnique === true, `${name} is unique`);
        assert.equal(
          found?.isPartial,
          'isPartial' in index && index.isPartial === true,
          `${name} has some of the rows`,
        );
      }
      const known = new Set(declared.map(({ name }) => name));
      const others = indexes.filter(({ name, table }) => !known.has(name) && !undeclared.includes(table));
      assert.deepEqual(
        others.map(({ name }) => name),
        [],
      );
    });

    test('say which columns no export of a person may show', () => {
      const isSecret = (column: string) => /_hash$|secret|device_token$|claim_token$/.test(column);
      for (const { name, columns: declared, trail, users, secrets = [] } of tables) {
        if (trail === undefined && users === undefined) continue;
        for (const column of Object.keys(declared).filter(isSecret))
          assert.ok(secrets.includes(column), `${name}.${column} would be exported`);
      }
    });

    test('name their parents, and say whose data they hold', () => {
      const names = new Set(tables.map(({ name }) => name));
      for (const { name, columns: declared, childOf = [], trail, users = [] } of tables) {
        for (const parent of childOf) assert.ok(names.has(parent), `${name} belongs to ${parent}`);
        if ('installation_id' in declared && name !== 'installations')
          assert.equal(trail?.installation, 'installation_id', `${name} names an installation`);
        for (const column of ['user_id', 'created_by'])
          if (column in declared) assert.ok(users.includes(column), `${name} names a user`);
      }
    });
  });

  if (database === 'sqlite')
    test('a resource that says where a phone was says what others are shown in place of its id', () => {
      for (const { table, records } of resources) {
        if (table.trail === undefined) continue;
        const members = Object.values<{ readonly column: string; readonly phone?: object }>(records.members);
        const naming = members.filter(({ column }) => column === table.trail?.installation);
        assert.ok(naming.length > 0 && naming.every(({ phone }) => phone !== undefined), table.name);
      }
    });

  describe(`erasing an installation on ${database}`, () => {
    test('takes what every table says of it until then, and nothing of another', async () => {
      const app = await buildApp({ database });
      // Nothing that runs by itself takes the rows away.
      await app.app.idle();
      try {
        const trails = tables.filter(({ trail }) => trail !== undefined);
        const [gone, other] = [await registered(app, 'gone'), await registered(app, 'other')];
        for (const table of trails)
          for (const id of [gone, other]) await insertRow(app, table, { installation: id, at: app.clock.now });
        // What is kept once for each installation has no later row beside it.
        const isOne = ({ key, trail }: (typeof tables)[number]) => key.at(-1) === trail?.installation;
        for (const table of traceTables.filter((one) => !isOne(one)))
          await insertRow(app, table, { installation: gone, at: app.clock.now + 60_000 });
        for (const table of trails)
          assert.ok((await countOf(app, table, gone)) > 0, `${table.name} has no row to lose`);

        const { headers } = await signInManager(app);
        const url = `/api/v2/installations/${gone}`;
        assert.equal((await app.send({ method: 'DELETE', url, headers })).status, 200);
        await app.app.idle();

        for (const table of trails) {
          const later = table.trail?.at === undefined || isOne(table) ? 0 : 1;
          assert.equal(await countOf(app, table, gone), later, `${table.name} of who was erased`);
          assert.equal(await countOf(app, table, other), 1, `${table.name} of the other`);
        }
      } finally {
        await app.close();
      }
    });
  });
}

describe('the tables of an app', () => {
  test('point only to classes that there are', () => {
    const classes = new Set(['_User', ...resources.flatMap(({ className }) => className ?? [])]);
    for (const { table, records } of resources)
      for (const [member, { kind, className }] of Object.entries(records.members))
        if (kind === 'pointer') assert.ok(classes.has(String(className)), `${table.name}.${member}: ${className}`);
  });

  test('are kept for days that a policy names', () => {
    for (const { name, kept } of tables)
      if (typeof kept?.days === 'string') assert.ok(kept.days in periodsOf(defaultPolicy), `${name}: ${kept.days}`);
  });

  test('go in an order that leaves no row without its parent', () => {
    const order = appTables.map(({ name }) => name);
    for (const { name, childOf = [] } of appTables)
      for (const parent of childOf) assert.ok(order.indexOf(name) < order.indexOf(parent), `${name}, ${parent}`);
    assert.equal(order.at(-1), 'apps');
  });
});
