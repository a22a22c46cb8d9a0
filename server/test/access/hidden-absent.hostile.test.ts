import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type SignedIn, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { watchStatements } from '../support/statements.ts';

/**
 * What is hidden by a rule is answered like what is not there: the same words after the same statements, and where a rule asks for
 * columns, without reading the record. Figures of times are in docs/performance.md.
 */

const notes = '/api/v2/data/bucket/notes';
const absent = '0000000000000000NONE';
/** What the service writes from time to time, whoever asks for what: its leases and its counts. */
const background = /^(insert into nodes|update (usage|nodes)|select .* from work_shares)\b/;

for (const database of databases) {
  describe(`hidden and absent records on ${database}`, () => {
    let app: TestApp;
    let anna: SignedIn;
    let ben: SignedIn;
    let manager: SignedIn;
    let statements: ReturnType<typeof watchStatements>;
    beforeAll(async () => {
      app = await buildApp({ database });
      [anna, ben, manager] = [await signIn(app), await signIn(app), await signInManager(app)];
      await app.app.buckets.createBucket(app.appId, 'notes');
      const column = { state: { type: 'String' } };
      await create(app, '/api/v2/data/schema/notes', { column }, manager.headers);
      await app.app.idle();
      statements = watchStatements(app.storage.db);
    });
    afterAll(() => app.close());

    const ask = async (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', url: string, body: object) => {
      statements.take();
      const answer = await app.send({ method, url, headers: ben.headers, ...(/^P/.test(method) ? { body } : {}) });
      const { requestId: _, ...error } = answer.body.error ?? {};
      const done = statements.take().filter((text) => !background.test(text));
      return { said: { status: answer.status, error }, done };
    };
    /** By the index of the column, since SQLite passes the whole document to get to the columns behind it. */
    const by = (column: string, condition: string) =>
      new RegExp(database === 'sqlite' ? `indexed by records_${column} where .*${condition}` : condition, 's');
    async function assertAlike(url: string, hidden: string, body: object, reads: RegExp) {
      // What is kept of the app, the session and the bucket is read first, and again once the change of the rules gets around.
      await ask('GET', `${url}/${absent}`, body);
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
        let [there, not] = [await ask(method, `${url}/${hidden}`, body), await ask(method, `${url}/${absent}`, body)];
        // Something else may have come in between; what tells them apart comes each time.
        for (let tries = 0; there.done.join('\n') !== not.done.join('\n') && tries < 50; tries++)
          [there, not] = [await ask(method, `${url}/${hidden}`, body), await ask(method, `${url}/${absent}`, body)];
        assert.equal(not.said.status, 404, method);
        assert.deepEqual(there, not, method);
        assert.ok(
          there.done.some((text) => reads.test(text)),
          `${method}: ${there.done.join('\n')}`,
        );
      }
    }

    test('are alike in a bucket, by its maker and by a declared member, however large they are', async () => {
      const large = { metadata: { state: 'draft', text: 'x'.repeat(50_000) } };
      const hidden = await create(app, notes, large, anna.headers);
      const rules: readonly (readonly [unknown, RegExp])[] = [
        ['owner', by('created_by', 'created_by = \\?')],
        [{ 'metadata.state': 'public' }, by('t1', 't1 = \\?')],
        [{ 'metadata.state': { $ne: 'draft' } }, by('t1', 't1 = \\?')],
        [
          { $or: [{ createdBy: '$auth.userId' }, { 'metadata.state': { $in: ['public', 'shown'] } }] },
          by('t1', 't1 in'),
        ],
        [{ createdBy: '$auth.userId', 'metadata.state': { $exists: true } }, by('created_by', 'created_by = \\?')],
      ];
      for (const [rule, reads] of rules) {
        await app.app.apps.changeRules(app.appId, {
          buckets: { notes: { get: rule, update: rule, delete: rule } as never },
        });
        assert.equal((await app.send({ method: 'GET', url: `${notes}/${hidden}`, headers: ben.headers })).status, 404);
        await assertAlike(notes, hidden, { metadata: {} }, reads);
      }
      const seen = await app.send({ method: 'GET', url: `${notes}/${hidden}`, headers: anna.headers });
      assert.equal(seen.body.result.metadata.text.length, 50_000, 'its maker reads it');
    });

    test('are alike under ranges, patterns and times, small and large, and those that are allowed are found', async () => {
      const members = {
        column: { state: { type: 'String' }, level: { type: 'Number' } },
      };
      const url = '/api/v2/data/bucket/levels';
      await app.app.buckets.createBucket(app.appId, 'levels');
      await create(app, '/api/v2/data/schema/levels', members, manager.headers);
      await app.app.idle();
      const make = (state: string, level: number, length: number) =>
        create(app, url, { metadata: { state, level, text: 'x'.repeat(length) } }, anna.headers);
      const [small, large] = [await make('draft', 2, 10), await make('draft', 2, 50_000)];
      app.clock.now += 60_000;
      const later = { $gt: { __type: 'Date', iso: new Date(app.clock.now).toISOString() } };
      app.clock.now += 60_000;
      const shown = [await make('public', 7, 50_000), await make('public', 7, 10), await make('public', 7, 1_750)];
      const rules: readonly unknown[] = [
        { 'metadata.level': { $gt: 3, $lte: 8 } },
        { 'metadata.state': { $regex: '^pub' } },
        { createdAt: later },
        { $or: [{ updatedAt: later }, { createdBy: '$auth.userId' }] },
      ];
      const inColumns = database === 'sqlite' ? /indexed by records_large/ : /from records/;
      for (const rule of rules) {
        await app.app.apps.changeRules(app.appId, {
          buckets: { levels: { get: rule, update: rule, delete: rule } as never },
        });
        for (const hidden of [small, large]) await assertAlike(url, hidden, { metadata: {} }, inColumns);
        for (const id of shown) {
          const { said } = await ask('GET', `${url}/${id}`, {});
          assert.equal(said.status, 200, `${JSON.stringify(rule)} ${id}`);
        }
        const beside = `${shown[1]?.slice(0, -1)}${shown[1]?.endsWith('A') ? 'B' : 'A'}`;
        assert.equal(
          (await ask('GET', `${url}/${beside}`, {})).said.status,
          404,
          'its neighbour is not answered instead',
        );
      }
    });

    test('a rule on a member without a column is judged in memory: no statement looks into the document', async () => {
      const id = await create(app, notes, { metadata: { free: 4 } }, anna.headers);
      await app.app.apps.changeRules(app.appId, {
        buckets: { notes: { get: { 'metadata.free': { $gt: 3 } } as never } },
      });
      await ask('GET', `${notes}/${absent}`, {});
      const { said, done } = await ask('GET', `${notes}/${id}`, {});
      assert.equal(said.status, 200);
      assert.ok(done.some((text) => /from records/.test(text)));
      for (const text of done) assert.doesNotMatch(text, /json_|jsonb|doc\s*(->|#>|::)/, text);
    });

    test('are alike where a record may be seen by some and changed by others', async () => {
      const hidden = await create(app, notes, { metadata: { state: 'draft' } }, anna.headers);
      await app.app.apps.changeRules(app.appId, {
        buckets: { notes: { get: { 'metadata.state': 'public' }, update: 'owner', delete: 'owner' } },
      });
      await assertAlike(notes, hidden, { metadata: {} }, /from records/);
      const shown = await create(app, notes, { metadata: { state: 'public' } }, anna.headers);
      assert.equal((await ask('PUT', `${notes}/${shown}`, { metadata: {} })).said.status, 403);
      assert.equal((await ask('DELETE', `${notes}/${shown}`, {})).said.status, 403);
    });

    test('are alike among beacons', async () => {
      const body = { name: 'b', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
      const hidden = await create(app, '/api/v2/beacons', body, manager.headers);
      await app.app.apps.changeRules(app.appId, {
        resources: { beacons: { get: 'owner', update: 'owner', delete: 'owner' } },
      });
      await assertAlike('/api/v2/beacons', hidden, { name: 'c' }, /from beacons/);
    });
  });
}
