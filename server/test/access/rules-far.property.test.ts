import assert from 'node:assert/strict';
import { bindTemplate, matchesRecord, parseTemplate, parseWhere } from '@pharos/query';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { callerVariables } from '../../src/access/rules/rule-types.ts';
import { joinSql, sql } from '../../src/base/sql.ts';
import { bucketLookup } from '../../src/features/data/buckets/definition/directory.ts';
import { bothDatabases, buildApp, type SignedIn, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { runs, testOn } from '../support/depth.ts';

/**
 * Rules of any depth over more records than a walk looks at, some so large that an answer is cut, while the bucket's schema comes,
 * goes and is learned: what each user is answered is what the rule means for that user, evaluated without a database.
 */

const url = '/api/v2/data/bucket/notes';
/** A walk looks at 2,000. */
const size = 2_600;
/** Together more than an answer has. */
const large = { from: 1_200, until: 1_240, characters: 240_000 };

const names = ['anna', 'ben', 'carla'] as const;
const people = fc.constantFrom('$anna', '$ben', '$carla', '$auth.userId');
const states = fc.constantFrom<unknown>('public', 'shown', 'rare', 'draft', null);
const fields = fc.constantFrom('createdBy', 'metadata.by', 'metadata.shared', 'metadata.deep.who');
const conditions: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.tuple(fields, people).map(([field, who]) => ({ [field]: who })),
  fc.tuple(fields, people).map(([field, who]) => ({ [field]: { $ne: who } })),
  fc
    .tuple(
      fields,
      fc.constantFrom('$in', '$nin'),
      fc.array(fc.oneof(people, fc.constant(null)), { minLength: 1, maxLength: 3 }),
    )
    .map(([field, operator, of]) => ({ [field]: { [operator]: of } })),
  fields.map((field) => ({ [field]: { $exists: false } })),
  states.map((state) => ({ 'metadata.state': state })),
  fc.tuple(states, states).map((two) => ({ 'metadata.state': { $in: two } })),
  fc.constantFrom<Record<string, unknown>>(
    { 'metadata.level': 3 },
    { 'metadata.level': { $gte: 4 } },
    { 'metadata.level': { $in: [0, 6, null] } },
    { 'metadata.flag': true },
    { 'metadata.flag': { $ne: true } },
    { '$auth.role': 'user' },
    { '$auth.userId': { $in: ['$ben', '$carla'] } },
    { '$auth.userId': { $exists: true } },
    { 'metadata.by': '$auth.installationId' },
  ),
);
const wheres = fc.letrec<{ where: Record<string, unknown> }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'far' },
    conditions,
    fc.tuple(conditions, conditions).map(([one, other]) => ({ ...one, ...other })),
    fc
      .tuple(fc.constantFrom('$or', '$or', '$and', '$nor'), fc.array(tie('where'), { minLength: 1, maxLength: 4 }))
      .map(([group, parts]) => ({ [group]: parts })),
  ),
})).where;
const asks = fc.oneof(
  fc.constant(undefined),
  states.map((state) => ({ 'metadata.state': state })),
  fc.constantFrom<object>(
    { 'metadata.level': { $gte: 4 } },
    { 'metadata.by': '$anna', 'metadata.level': { $ne: 2 } },
    { 'metadata.shared': '$ben' },
    { 'metadata.state': { $regex: '^r' } },
    { $or: [{ createdBy: '$carla' }, { 'metadata.flag': true }] },
  ),
);
const questions = fc.record({
  where: asks,
  order: fc.constantFrom(undefined, '-objectId', '-createdAt', 'metadata.level', '-metadata.level'),
  limit: fc.constantFrom(1, 7, 100, 100, 1000),
  skip: fc.constantFrom(0, 0, 3, 999, 1_001, 2_100),
});

interface Made extends Record<string, unknown> {
  readonly objectId: string;
  readonly metadata: { readonly level: number };
}

for (const database of bothDatabases) {
  describe(`rules over many records on ${database}`, () => {
    let app: TestApp;
    let known: Readonly<Record<(typeof names)[number], SignedIn>>;
    let manager: SignedIn;
    const all: Made[] = [];
    beforeAll(async () => {
      app = await buildApp({ database });
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'notes');
      known = { anna: await signIn(app), ben: await signIn(app), carla: await signIn(app) };
      manager = await signInManager(app);
      await fill();
    });
    afterAll(() => app.close());

    const idOf = (name: string | undefined) => known[name as 'anna']?.userId;
    async function fill() {
      const { db } = app.storage;
      const bucket = await db.one<{ object_id: string }>(sql`select object_id from buckets`);
      let seed = 7;
      const draw = <T>(of: readonly T[]): T => {
        seed = (seed * 48_271) % 2_147_483_647;
        return of[seed % of.length] as T;
      };
      const rows = Array.from({ length: size }, (_, n) => {
        const by = idOf(draw(['anna', 'ben', 'carla', 'nobody']));
        const createdBy = idOf(draw(['anna', 'ben', 'nobody']));
        const who = idOf(draw([...names, 'nobody']));
        const shared = draw([[], ['anna'], ['ben', 'carla'], ['carla', 'anna'], undefined])?.map(idOf);
        const state = draw(['public', 'shown', 'draft', 'draft', null, n % 90 === 0 ? 'rare' : undefined]);
        const metadata = {
          level: n % 8,
          flag: n % 3 === 0,
          ...(state === undefined ? {} : { state }),
          ...(by ? { by } : {}),
          ...(shared ? { shared } : {}),
          deep: { who: who ?? null },
          ...(n >= large.from && n < large.until ? { text: 'x'.repeat(large.characters) } : {}),
        };
        const objectId = `note${100_000 + n}`;
        all.push({ objectId, metadata, ...(createdBy ? { createdBy } : {}), createdAt: n, updatedAt: n } as never);
        return sql`(${app.appId}, ${bucket?.object_id ?? ''}, ${objectId}, ${JSON.stringify(metadata)}, ${createdBy ?? null}, ${n}, ${n})`;
      });
      for (let from = 0; from < rows.length; from += 100)
        await db.run(sql`insert into records (app_id, bucket_id, object_id, doc, created_by, created_at, updated_at)
          values ${joinSql(rows.slice(from, from + 100), ', ')}`);
    }
    const named = <T>(value: T): T =>
      value === undefined
        ? value
        : (JSON.parse(
            names.reduce((text, name) => text.replaceAll(`"$${name}"`, `"${idOf(name)}"`), JSON.stringify(value)),
          ) as T);
    const lookup = bucketLookup({}, []);
    function meantBy(rule: unknown, by: SignedIn | undefined): (record: Made) => boolean {
      const values = by ? { '$auth.userId': by.userId, '$auth.role': 'user', '$auth.installationId': [] } : {};
      const where = bindTemplate(parseTemplate(rule, lookup, callerVariables), values);
      return (record) => matchesRecord(where, record);
    }
    const set = (notes: object) => app.app.apps.changeRules(app.appId, { buckets: { notes } });
    function list(query: Readonly<Record<string, unknown>>, by: SignedIn | undefined) {
      const given = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) given.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
      return app.send({ method: 'GET', url: `${url}?${given}`, headers: by?.headers ?? {} });
    }
    const levelOf = ({ metadata }: Made) => metadata.level;
    function inOrder(records: Made[], order: string | undefined): Made[] {
      if (order?.startsWith('-')) records.reverse();
      if (order?.endsWith('level'))
        records.sort((a, b) => (order.startsWith('-') ? levelOf(b) - levelOf(a) : levelOf(a) - levelOf(b)));
      return records;
    }

    async function compare(usual: number) {
      const sampled = fc.uniqueArray(fc.nat(size - 1), { minLength: 4, maxLength: 4 });
      const property = fc.asyncProperty(wheres, wheres, questions, sampled, async (seen, done, question, sample) => {
        const [get, update] = [named(seen), named(done)];
        const { order, limit, skip } = question;
        const where = named(question.where);
        await set({ list: get, get, update, delete: update, create: 'user' });
        const asked = parseWhere(where && JSON.stringify(where), lookup);
        for (const by of [known.anna, known.ben, known.carla, undefined]) {
          const mayGet = meantBy(get, by);
          const meant = inOrder(
            all.filter((record) => mayGet(record) && (asked === undefined || matchesRecord(asked, record))),
            order,
          );
          const { status, body } = await list({ where, order, limit, skip, count: 1 }, by);
          if (status === 403 || status === 401) assert.deepEqual([by, meant.length], [undefined, 0]);
          else {
            assert.equal(status, 200, JSON.stringify(body));
            const ids = body.results.map(({ objectId }: Made) => objectId);
            const page = meant.slice(skip, skip + limit).map(({ objectId }) => objectId);
            if (body.truncated) assert.ok(ids.length > 0 && ids.length < page.length);
            assert.deepEqual(ids, body.truncated ? page.slice(0, ids.length) : page, 'the page');
            assert.equal(body.count, meant.length, 'the count');
          }
          const mayUpdate = meantBy(update, by);
          for (const n of sample) {
            const record = all[n] as Made;
            const headers = { ...by?.headers, 'if-match': '"of another version"' };
            const path = `${url}/${record.objectId}`;
            const got = await app.send({ method: 'GET', url: path, headers: by?.headers ?? {} });
            assert.equal(got.status === 200, mayGet(record), `${got.status} for ${record.objectId}`);
            for (const method of ['PATCH', 'DELETE'] as const) {
              const body = method === 'PATCH' ? { body: { metadata: { level: 1 } } } : {};
              const { status } = await app.send({ method, url: path, headers, ...body });
              const isGate = by === undefined && (status === 401 || status === 403);
              const expected = mayUpdate(record) ? 412 : mayGet(record) ? 403 : 404;
              if (isGate) assert.notEqual(expected, 412);
              else assert.equal(status, expected, `${method} ${record.objectId}`);
            }
          }
        }
      });
      await fc.assert(property, runs(usual, 3));
    }

    test('while nothing is declared', () => compare(12));

    test('after the bucket has learned what is asked for', async () => {
      await set({ list: { 'metadata.shared': '$auth.userId' }, get: 'user' });
      for (let times = 0; times < 24; times++) await list({ limit: 1 }, known.anna);
      await app.app.idle();
      await compare(12);
    });

    testOn(database)('with columns that are declared, and without them again', async () => {
      const column = {
        state: { type: 'String' },
        by: { type: 'String' },
        level: { type: 'Number' },
        flag: { type: 'Boolean' },
      };
      const schema = await create(app, '/api/v2/data/schema/notes', { column }, manager.headers);
      await app.app.idle();
      await compare(25);
      const headers = manager.headers;
      const removed = await app.send({ method: 'DELETE', url: `/api/v2/data/schema/notes/${schema}`, headers });
      assert.equal(removed.status, 200, JSON.stringify(removed.body));
      await app.app.idle();
      await compare(12);
    });
  });
}
