import assert from 'node:assert/strict';
import { bindTemplate, matchesRecord, parseTemplate, parseWhere } from '@pharos/query';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { callerVariables } from '../../src/access/rules/rule-types.ts';
import { type Sql, sql } from '../../src/base/sql.ts';
import { bucketLookup } from '../../src/features/data/buckets/definition/directory.ts';
import { bothDatabases, buildApp, type SignedIn, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { runs } from '../support/depth.ts';
import { onStatements, plainText, watchStatements } from '../support/statements.ts';

/** Pages of lists under rules about columns: "it is mine, or it is public", and what is asked for beside that. */

const url = '/api/v2/data/bucket/notes';
/** More than are looked at for a short page. */
const size = 240;

const people = fc.constantFrom('$anna', '$ben', '$carla');
const states = fc.constantFrom('public', 'shown', 'rare', 'draft');
const parts = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ createdBy: '$auth.userId' }) },
  fc.constantFrom({ createdBy: null }, { 'metadata.level': 3 }, { 'metadata.level': { $in: [1, 2] } }),
  { weight: 2, arbitrary: fc.constant({ 'metadata.by': '$auth.userId' }) },
  people.map((by) => ({ 'metadata.by': by })),
  people.map((by) => ({ 'metadata.by': { $in: [by, '$auth.userId', null] } })),
  { weight: 3, arbitrary: states.map((state) => ({ 'metadata.state': state })) },
  fc.tuple(states, states).map((two) => ({ 'metadata.state': { $in: two } })),
);
const rules = fc.oneof(
  { weight: 1, arbitrary: parts },
  { weight: 3, arbitrary: fc.array(parts, { minLength: 1, maxLength: 4 }).map(($or) => ({ $or })) },
);
const conditions = fc.oneof(
  states.map((state) => ({ 'metadata.state': state })),
  fc.tuple(states, states).map((two) => ({ 'metadata.state': { $in: two } })),
  fc.constantFrom<object>(
    { 'metadata.level': { $gte: 4 } },
    { 'metadata.level': { $ne: 3 } },
    { 'metadata.text': '7' },
    { 'metadata.state': { $regex: '^r' } },
    { $or: [{ 'metadata.level': 6 }, { 'metadata.state': 'shown' }] },
  ),
  people.map((by) => ({ 'metadata.by': by })),
);
const questions = fc.record({
  where: fc.option(
    fc.array(conditions, { minLength: 1, maxLength: 2 }).map((all) => Object.assign({}, ...all) as object),
    { nil: undefined, freq: 2 },
  ),
  order: fc.constantFrom(undefined, 'createdAt', '-createdAt', '-objectId', '-metadata.level'),
  limit: fc.constantFrom(1, 4, 20, 1000),
  skip: fc.constantFrom(0, 0, 3, 50),
});

for (const database of bothDatabases) {
  describe(`lists under rules about columns on ${database}`, () => {
    let app: TestApp;
    let known: Readonly<Record<'anna' | 'ben' | 'carla', SignedIn>>;
    let all: readonly Record<string, unknown>[];
    beforeAll(async () => {
      app = await buildApp({ database });
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'notes');
      known = { anna: await signIn(app), ben: await signIn(app), carla: await signIn(app) };
      const { headers } = await signInManager(app);
      const column = { state: { type: 'String' }, by: { type: 'String' }, level: { type: 'Number' } };
      await create(app, '/api/v2/data/schema/notes', { column }, headers);
      await app.app.idle();
      await set({ create: 'app', list: 'app', get: 'app' });
      const [anna, ben, carla] = [known.anna, known.ben, known.carla];
      for (let n = 0; n < size; n++) {
        const maker = n % 5 === 0 ? anna : n % 7 === 0 ? ben : undefined;
        const metadata = {
          state: n % 60 === 7 ? 'rare' : n % 2 === 0 ? 'public' : n % 3 === 0 ? 'shown' : 'draft',
          ...(n % 4 === 0 ? {} : { by: [anna, ben, carla][n % 3]?.userId }),
          level: n % 8,
          text: `${n % 10}`,
        };
        app.clock.now += 1;
        await create(app, url, { metadata }, maker?.headers ?? {});
      }
      all = (await list({ limit: 1000 }, undefined)).body.results;
      assert.equal(all.length, size);
    });
    afterAll(() => app.close());

    const set = (notes: object) => app.app.apps.changeRules(app.appId, { buckets: { notes } });
    const named = <T>(value: T): T =>
      JSON.parse(
        Object.entries(known).reduce(
          (text, [name, { userId }]) => text.replaceAll(`$${name}`, userId),
          JSON.stringify(value),
        ),
      ) as T;
    function list(query: Readonly<Record<string, unknown>>, by: SignedIn | undefined) {
      const given = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) given.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
      return app.send({ method: 'GET', url: `${url}?${given}`, headers: by?.headers ?? {} });
    }
    const idsOf = (records: readonly Record<string, unknown>[]) => records.map(({ objectId }) => objectId);

    test('have the records that the rule and the question mean, each once and in order', async () => {
      const lookup = bucketLookup({}, []);
      const property = fc.asyncProperty(rules, questions, async (rule, { where, order, limit, skip }) => {
        const [stored, asked] = [named(rule), where && named(where)];
        await set({ create: 'app', list: stored, get: 'app' });
        for (const by of [known.anna, known.ben, known.carla]) {
          const bound = bindTemplate(parseTemplate(stored, lookup, callerVariables), {
            '$auth.userId': by.userId,
            '$auth.role': 'user',
          });
          const asks = parseWhere(asked && JSON.stringify(asked), lookup);
          const meant = all.filter((record) => matchesRecord(bound, record) && matchesRecord(asks, record));
          const levelOf = (record: Record<string, unknown>) => (record['metadata'] as { level: number }).level;
          if (order === '-metadata.level') meant.reverse().sort((one, other) => levelOf(other) - levelOf(one));
          else if (order?.startsWith('-')) meant.reverse();
          const { status, body } = await list({ where: asked, order, limit, skip, count: 1 }, by);
          assert.equal(status, 200, JSON.stringify(body));
          assert.deepEqual(idsOf(body.results), idsOf(meant.slice(skip, skip + limit)), 'the page');
          assert.equal(body.count, meant.length, 'the count');
        }
      });
      await fc.assert(property, runs(120));
    });

    test('are asked no rule that the question meets by itself', async () => {
      const statements = watchStatements(app.storage.db);
      await set({ list: { $or: [{ createdBy: '$auth.userId' }, { 'metadata.state': { $in: ['public', 'shown'] } }] } });
      const isAskedOfMaker = async (where: object) => {
        statements.take();
        const { status, body } = await list({ where, limit: 5, count: 1 }, known.ben);
        assert.ok(status === 200 && body.count > 0, JSON.stringify(where));
        return statements.take().some((text) => text.includes('from records') && text.includes('created_by ='));
      };
      const state = 'metadata.state';
      for (const met of [
        { [state]: 'public' },
        { [state]: { $in: ['shown', 'public'] } },
        { [state]: 'shown', 'metadata.level': 3 },
      ])
        assert.equal(await isAskedOfMaker(met), false, JSON.stringify(met));
      for (const open of [
        { [state]: { $in: ['shown', 'draft'] } },
        { [state]: { $ne: 'draft' } },
        { 'metadata.level': 3 },
      ])
        assert.equal(await isAskedOfMaker(open), true, JSON.stringify(open));
    });

    // PostgreSQL chooses among its indexes by itself.
    if (database === 'sqlite')
      test('go by the columns that the rule names, so that no hidden record is passed', async () => {
        const statements = watchStatements(app.storage.db);
        await set({ list: { $or: [{ createdBy: '$auth.userId' }, { 'metadata.state': { $in: ['rare', 'shown'] } }] } });
        for (const where of [undefined, { 'metadata.level': { $gte: 1 } }]) {
          await list({ where, limit: 4 }, known.anna);
          const asked = statements.take().filter((text) => text.includes('from records'));
          const walks = asked.flatMap((text) => text.split('from records where ').slice(1));
          assert.ok(walks.length > 0);
          for (const walk of walks)
            assert.match(
              walk,
              /^app_id = \? and bucket_id = \? and \(1 = 1\) and \(?(created_by|t1) = \?/,
              asked.join('\n'),
            );
        }
      });

    if (database === 'sqlite')
      test('read the rows of the page alone, however many records are allowed by several parts of the rule', async () => {
        await set({
          list: { $or: [{ createdBy: '$auth.userId' }, { 'metadata.state': { $in: ['public', 'shown'] } }] },
        });
        const asked: Sql[] = [];
        onStatements(app.storage.db, (statement) => asked.push(statement));
        for (const order of ['createdAt', '-createdAt']) await list({ order, limit: 4 }, known.anna);
        const pages = asked.filter((statement) => plainText(statement).includes('from records'));
        assert.ok(pages.length > 0);
        for (const page of pages) {
          const plan = await app.storage.db.all<{ detail: string }>(sql`explain query plan ${page}`);
          const read = plan.filter(({ detail }) => /records/.test(detail) && !/ USING COVERING INDEX /.test(detail));
          assert.deepEqual(
            read.map(({ detail }) => detail),
            ['SEARCH records USING INTEGER PRIMARY KEY (rowid=?)'],
            plainText(page),
          );
        }
      });
  });
}
