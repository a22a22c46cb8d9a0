import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { raw } from '../../src/base/sql.ts';
import { BulkRead } from '../../src/db/bulk.ts';
import { type Shell, shellOf } from '../support/command-line.ts';
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

  test('the distribution is printed, and refused in words where there is no Citus; doctor checks it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-distributed-'));
    const postgres = await createMigratedPostgres();
    const ask = (text: string) => onDatabase(postgres.url, (client) => client.query(text));
    const embedded = shellOf(folder, { PHAROS_DATA: folder });
    const { run } = shellOf(folder, { PHAROS_DATA: folder, PHAROS_DATABASE_URL: postgres.url });
    const distribute = async ({ run }: Pick<Shell, 'run'>) => {
      const { code, out, err } = await run('migrate --distributed');
      return { code, text: out + err };
    };
    const examine = async () => (await run('doctor')).out.replaceAll(/^(?!.* (?:distribution|nodes of)).*\n?/gm, '');
    try {
      const printed = await embedded.run('migrate --distributed --print');
      assert.equal(printed.code, 0);
      assert.match(printed.out, /^select create_distributed_table\('apps', 'app_id'\);/);
      assert.match(printed.out, /create_distributed_table\('visits', 'app_id', colocate_with => 'apps'\);/);
      assert.doesNotMatch(printed.out, /'admins'/);
      assert.equal(await examine(), '');
      const refused = await distribute({ run });
      assert.deepEqual([refused.code, /extension citus/.test(refused.text)], [1, true], refused.text);
      // A coordinator as it is after `create extension citus`, with what a node that takes rows answers.
      await ask(`set allow_system_table_mods = on;
        insert into pg_extension values (99999, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.2-1', null, null);
        create table pg_dist_node (groupid int, nodename text, nodeport int, noderole text, isactive boolean,
          shouldhaveshards boolean);
        create table pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int);
        create table pg_dist_placement (groupid int);
        create function column_to_column_name(relation regclass, key text) returns text
          language sql as $$ select key $$;
        create function create_distributed_table(name text, column_name text, colocate_with text default '') returns void
          language sql as $$ insert into pg_dist_partition values (name::regclass, 'h', column_name, 1) $$`);
      for (const nodes of ['', `insert into pg_dist_node values (0, 'coordinator', 5432, 'primary', true, false)`]) {
        await ask(nodes);
        const bare = await distribute({ run });
        assert.equal(bare.code, 1, bare.text);
        assert.match(bare.text, /^No node .* takes rows\. .*citus_add_node.*citus_set_node_property/s);
        assert.doesNotMatch(bare.text, /\bat \S+:\d/, 'no stack');
      }
      assert.match(await examine(), /^warn +distribution: Citus 13\.2-1 is here, and no table is distributed\./);
      await ask('update pg_dist_node set shouldhaveshards = true');
      const distributed = await distribute({ run });
      assert.equal(distributed.code, 0, distributed.text);
      assert.match(distributed.text, /^Distributed: apps, /m);
      assert.match((await distribute({ run })).text, /All tables are distributed\./);
      assert.match(await examine(), /^warn +nodes of the cluster: coordinator:5432 has no rows yet\./);
      await ask('insert into pg_dist_placement values (0)');
      const local = /^ok +distribution: \d+ tables stay .*because .*: .*\badmins,.*$/m;
      const sound = await examine();
      assert.match(sound, /^ok +distribution: Citus 13\.2-1, \d+ tables on 1 nodes\.$/m);
      assert.match(sound, local);
      await ask(`insert into pg_dist_node values (1, 'worker', 5433, 'primary', false, true)`);
      await ask(
        `update pg_dist_partition set partmethod = 'n', partkey = null where logicalrelid = 'visits'::regclass`,
      );
      const faults = await examine();
      assert.match(faults, /^fail +distribution: Not distributed: visits\. Run: pharos migrate --distributed$/m);
      assert.match(faults, /^fail +nodes of the cluster: worker:5433 is not active\./m);
      assert.match(faults, local);
      assert.match((await distribute({ run })).text, /Distributed: visits\./);
      const one = await distribute(embedded);
      assert.deepEqual([one.code, /SQLite is one file/.test(one.text)], [1, true], one.text);
    } finally {
      await postgres.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
