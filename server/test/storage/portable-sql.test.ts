import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { raw } from '../../src/base/sql.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { BulkRead } from '../../src/db/bulk.ts';
import { withConflicts } from '../support/interface/conflicts.ts';
import { createMigratedPostgres } from '../support/migrated.ts';
import { onDatabase } from '../support/postgres-url.ts';
import { openSite, type Site, stay, walk } from '../support/site.ts';
import { watchStatements } from '../support/statements.ts';
import { isException, sqlProblems } from '../support/storage/portable-sql.ts';
import { assertPortableSql } from '../support/storage/sql-recorder.ts';

/** The SQL of what an app does in a day, as a distributed PostgreSQL would take it. */

describe('statements for a distributed database', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite('postgres');
  });
  afterAll(() => site.close());

  test("what a statement's text shows", () => {
    const problemsOf = (text: string) => sqlProblems(text).map(({ problem }) => problem);
    assert.deepEqual(problemsOf('select * from visits where app_id = ? and object_id = ?'), []);
    assert.deepEqual(problemsOf('select * from visits where object_id = ?'), ['visits without app_id =']);
    assert.deepEqual(
      problemsOf('select * from visits v join events e on e.app_id = v.app_id and e.visit_id = v.object_id'),
      ['visits without app_id =', 'events without app_id ='],
    );
    assert.deepEqual(
      problemsOf('select * from visits v join events e on e.app_id = v.app_id where v.app_id = ? and e.event = ?'),
      [],
    );
    assert.deepEqual(problemsOf('delete from visits where app_id = ? and object_id in (select visit_id from events)'), [
      'events without app_id =',
    ]);
    assert.deepEqual(problemsOf("select 1 from visits where note = 'app_id = ?' for update"), [
      'visits without app_id =',
      'a lock over all apps',
    ]);
    assert.deepEqual(problemsOf('with recursive a as (select 1) select * from a'), ['a recursive CTE']);
    assert.deepEqual(problemsOf('with a as (insert into b values (1) returning *) select * from a'), [
      'an INSERT in a CTE',
    ]);
    assert.deepEqual(problemsOf('update live_events set seq = case object_id when ? then 1 end where app_id = ?'), [
      'a simple CASE with parameters',
    ]);
    assert.deepEqual(
      problemsOf('update live_events set seq = case when object_id = ? then 1 end where app_id = ?'),
      [],
    );
    assert.deepEqual(problemsOf("select nextval('a')"), ['a sequence']);
    assert.deepEqual(problemsOf('select pg_advisory_xact_lock(1)'), ['an advisory lock']);
    assert.deepEqual(problemsOf('insert into logs (app_id) select * from unnest(?::text[]) as given'), [
      'insert … select without a table',
    ]);
  });

  test('look-ups of several keys, which the nodes take about one app only', () => {
    const problemsOf = (text: string) => sqlProblems(text).map(({ problem }) => problem);
    const given = (columns: string, ...lists: string[]) =>
      `(select * from unnest(${lists.join(', ')}) as given (${columns})) as given`;
    const keys = given('column1, column2', '?::bigint[]', '?::text[]');
    const lateral = (app: string, end: string) =>
      `select given.column1 as asked, found.* from ${keys}
        cross join lateral (select object_id from visits where app_id = ${app} and object_id = given.column2 ${end}) as found`;
    assert.deepEqual(problemsOf(lateral('?', 'offset 0')), []);
    assert.deepEqual(problemsOf(lateral('given.column3', '')), ['visits without app_id =']);
    for (const end of ['offset 0', 'limit 2'])
      assert.deepEqual(problemsOf(lateral('given.column3', end)), [
        'a lateral subquery with offset or limit',
        'visits without app_id =',
      ]);
    const insert = (app: string) =>
      `select given.column1 from ${keys} where exists (select 1 from buckets where app_id = ${app} and object_id = given.column2)`;
    assert.deepEqual(problemsOf(insert('?')), []);
    assert.deepEqual(problemsOf(insert('given.column1')), [
      'a correlated subquery beside a set-returning function',
      'buckets without app_id =',
    ]);
    assert.deepEqual(
      problemsOf(
        `with part0 as (update visits set dwell = 1 from ${keys} where visits.app_id = ? and object_id = given.column2)
         delete from events where app_id = ?`,
      ),
      ['a modifying CTE that selects from unnest'],
    );
    // What is excused in one way is not in another.
    const creates = `insert into records (app_id, object_id) select given.column1, given.column2 from ${keys}
      where exists (select 1 from buckets where app_id = given.column1)`.replace(/\s+/g, ' ');
    assert.deepEqual(
      sqlProblems(creates)
        .filter((one) => !isException(one))
        .map(({ problem }) => problem),
      ['a correlated subquery beside a set-returning function', 'buckets without app_id ='],
    );
  });

  test('a visit, its message, its lists and what the background makes of them', async () => {
    const { app } = site;
    const statements = watchStatements(app.storage.db, { pollers: true });
    await site.notification();
    await site.scenario();
    await site.makeReachable();
    const start = site.now;
    for (const [n, sample] of walk([...stay(1.5, 8), ...stay(20, 12)], start).entries()) {
      app.clock.now = start + n * 1000;
      await site.send([sample]);
    }
    app.clock.now += 60_000;
    await app.app.ticker.tick();
    await app.app.idle();
    for (const path of [
      'visits',
      'events',
      'logs',
      'verdicts',
      'deliveries',
      'positions',
      'beacons',
      'notifications',
    ]) {
      const answer = await app.send({ method: 'GET', url: `/api/v2/${path}?limit=5`, headers: site.user.headers });
      assert.equal(answer.status, 200, path);
    }
    const texts = [...new Set(statements.take())];
    assert.ok(texts.length > 40, `${texts.length} statements`);
    assert.deepEqual(
      texts.flatMap(sqlProblems).filter((one) => !isException(one)),
      [],
    );
  });

  test('what the product sends in any test is looked at, and what the test sends itself is not', async () => {
    const { db } = site.app.storage;
    await db.all(raw('select * from visits'));
    assertPortableSql();
    // The product's code sends what it is given here.
    const careless = new BulkRead({ id: 'text' }, ({ id }) => ({
      table: 'visits',
      columns: ['object_id'],
      same: [['object_id', id]],
    }));
    await careless.of(db, [{ id: 'a' }]);
    assert.throws(assertPortableSql, /visits without app_id =: select .*\n.*bulk\.ts/);
    assertPortableSql();
  });

  test('nothing is lost or doubled where every second transaction has to be repeated and nobody skips locked rows', async () => {
    const { app } = site;
    const { conflicts } = withConflicts(app.storage.db, 2);
    const names = Array.from({ length: 8 }, (_, n) => `crowd-${n}`);
    const ids = new Set<unknown>(
      await Promise.all(names.map((installationId) => site.installation({ installationId }))),
    );
    const start = app.clock.now + 3_600_000;
    for (const [n, sample] of walk(stay(1.5, 8), start).entries()) {
      app.clock.now = start + n * 1000;
      await Promise.all(names.map((installationId) => site.send([sample], { installationId })));
    }
    app.clock.now += 120_000;
    await app.app.ticker.tick();
    await app.app.idle();
    const of = async (table: string) => (await site.rows(table)).filter((row) => ids.has(row['installation_id']));
    assert.deepEqual(
      (await of('visits')).map((row) => [row['is_open'], Number(row['left_at']) - start]),
      names.map(() => [0, 7_000]),
    );
    const counts = Map.groupBy(await of('events'), (row) => row['event']);
    assert.deepEqual([counts.get('ENTER')?.length, counts.get('EXIT')?.length], [8, 8]);
    // Each was shown the notification and the scenario once.
    assert.equal((await of('firings')).length, 16);
    assert.ok(conflicts() > 10, `${conflicts()} conflicts`);
  });

  test('the distribution is printed, and refused in words where there is no Citus', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-distributed-'));
    const postgres = await createMigratedPostgres();
    const ask = (text: string) => onDatabase(postgres.url, (client) => client.query(text));
    const run = async (url: string | undefined, ...words: string[]) => {
      const [out, err]: [string[], string[]] = [[], []];
      const terminal = {
        out: (text: string) => void out.push(text),
        err: (text: string) => void err.push(text),
        readInput: async () => '',
        isInteractive: false,
      };
      const environment = { PHAROS_DATA: folder, ...(url === undefined ? {} : { PHAROS_DATABASE_URL: url }) };
      const code = await runCommandLine({ words: ['migrate', ...words], environment, terminal });
      return { code, text: [...out, ...err].join('\n') };
    };
    try {
      const printed = await run(undefined, '--distributed', '--print');
      assert.equal(printed.code, 0);
      assert.match(printed.text, /^select create_distributed_table\('apps', 'app_id'\);/);
      assert.match(printed.text, /create_distributed_table\('visits', 'app_id', colocate_with => 'apps'\);/);
      assert.doesNotMatch(printed.text, /'admins'/);
      const refused = await run(postgres.url, '--distributed');
      assert.deepEqual([refused.code, /extension citus/.test(refused.text)], [1, true], refused.text);
      // A coordinator as it is after `create extension citus`, with what a node that takes rows answers.
      await ask(`set allow_system_table_mods = on;
        insert into pg_extension values (99999, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.2-1', null, null);
        create table pg_dist_node (nodename text, noderole text, isactive boolean, shouldhaveshards boolean);
        create table pg_dist_partition (logicalrelid regclass);
        create function create_distributed_table(name text, column_name text, colocate_with text default '') returns void
          language sql as $$ insert into pg_dist_partition values (name::regclass) $$`);
      for (const nodes of ['', `insert into pg_dist_node values ('coordinator', 'primary', true, false)`]) {
        await ask(nodes);
        const bare = await run(postgres.url, '--distributed');
        assert.equal(bare.code, 1, bare.text);
        assert.match(bare.text, /^No node .* takes rows\. .*citus_add_node.*citus_set_node_property/s);
        assert.doesNotMatch(bare.text, /\bat \S+:\d/, 'no stack');
      }
      await ask('update pg_dist_node set shouldhaveshards = true');
      const distributed = await run(postgres.url, '--distributed');
      assert.equal(distributed.code, 0, distributed.text);
      assert.match(distributed.text, /^Distributed: apps, /m);
      assert.match((await run(postgres.url, '--distributed')).text, /All tables are distributed\./);
      const embedded = await run(undefined, '--distributed');
      assert.deepEqual([embedded.code, /SQLite is one file/.test(embedded.text)], [1, true], embedded.text);
    } finally {
      await postgres.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
