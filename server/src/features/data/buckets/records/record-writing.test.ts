import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, signIn, signInManager, type TestApp } from '../../../../../test/support/build-app.ts';
import { newObjectId } from '../../../../base/id.ts';
import { sql } from '../../../../base/sql.ts';
import { insertRecord } from '../definition/record-store.ts';
import type { Slot } from '../definition/slots.ts';
import { type Attempted, prepare, writeRecord } from './record-writing.ts';

const slot: Slot = { slot: 'n1', column: 'extra.level', type: 'Number', state: 'ready', exact: true, learned: true };

describe('a record is written under its bucket definition', () => {
  /** Runs the attempts in their order, each under the definition that was read for it; answers what was done. */
  async function steps(...attempts: readonly Attempted<string>[]) {
    const done: string[] = [];
    let read = 1;
    const work = writeRecord<number, string>(
      {
        bucket: read,
        markInexact: async (bucket, slots) => void done.push(`mark ${slots.join()} of ${bucket}`),
        reload: async () => ++read,
      },
      async (bucket) => {
        const attempted = attempts[bucket - 1] ?? { outcome: 'outdated' };
        done.push(`${attempted.outcome} ${bucket}`);
        return attempted;
      },
    );
    return { result: await work.catch((error: Error) => error.name), done };
  }

  test('slots that cannot hold it are marked before it is tried under the next definition', async () => {
    assert.deepEqual(
      await steps(
        { outcome: 'misfits', slots: ['n1', 't2'] },
        { outcome: 'outdated' },
        { outcome: 'written', result: 'done' },
      ),
      { result: 'done', done: ['misfits 1', 'mark n1,t2 of 1', 'outdated 2', 'written 3'] },
    );
  });

  test('it is given up when the definition changes again and again', async () => {
    const { result, done } = await steps();
    assert.deepEqual([result, done.length], ['Timeout', 5]);
  });

  test('there is nothing to write while an exact slot cannot hold its value', () => {
    const bucket = { version: 1, columns: {}, slots: [slot] };
    assert.deepEqual(prepare(bucket, { extra: { level: 'high' } }), { outcome: 'misfits', slots: ['n1'] });
    assert.equal(prepare(bucket, { extra: { level: 3 } }).outcome, 'fits');
    const inexact = { ...bucket, slots: [{ ...slot, exact: false }] };
    assert.equal(prepare(inexact, { extra: { level: 'high' } }).outcome, 'fits');
  });
});

for (const database of databases) {
  describe(`a change of a record whose value a slot cannot hold on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database });
    });
    afterAll(() => app.close());

    for (const method of ['PUT', 'PATCH'] as const)
      test(`${method} is stored and found, and the slot is no longer trusted`, async () => {
        const name = `halls${method.toLowerCase()}`;
        const user = await signIn(app);
        const url = `/api/v2/data/bucket/${name}`;
        const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, body?: object) =>
          app.send({ method, url, headers: user.headers, ...(body ? { body } : {}) });
        const { objectId: bucketId } = await app.app.buckets.createBucket(app.appId, name);
        const slots = JSON.stringify([slot]);
        await app.storage.db.run(
          sql`update buckets set slots = ${slots}, version = version + 1 where object_id = ${bucketId}`,
        );
        const { objectId } = (await send('POST', url, { metadata: { extra: { level: 3 } } })).body.result;
        const changed = await send(method, `${url}/${objectId}`, { extra: { level: 'high' } });
        assert.equal(changed.status, 200);
        const where = encodeURIComponent(JSON.stringify({ 'metadata.extra.level': 'high' }));
        const found = (await send('GET', `${url}?where=${where}`)).body.results;
        assert.deepEqual(
          found.map((record: { objectId: string }) => record.objectId),
          [objectId],
        );
        const row = await app.storage.db.one<{ slots: string }>(
          sql`select slots from buckets where object_id = ${bucketId}`,
        );
        assert.equal(JSON.parse(row?.slots ?? '[]')[0].exact, false);
      });
  });
}

describe('a record that is written while the first member of its empty bucket is declared', () => {
  test('is found by that member', async () => {
    const app = await buildApp({ database: 'postgres' });
    try {
      const { appId } = app;
      const { objectId: bucketId } = await app.app.buckets.createBucket(appId, 'Birds');
      const key = { appId, bucketId, objectId: newObjectId(app.clock.now) };
      const document = JSON.stringify({ species: 'Kestrel' });
      await app.storage.db.transaction(async (db) => {
        assert.ok(await insertRecord(db, { key, version: 1, document, slots: {}, now: app.clock.now }));
        // By somebody else, before the commit.
        await app.app.buckets.addSchema(appId, 'Birds', { species: { type: 'String' } });
      });
      await app.app.idle();
      const url = `/api/v2/data/bucket/Birds?where=${encodeURIComponent('{"metadata.species":"Kestrel"}')}`;
      const { body } = await app.send({ method: 'GET', url, headers: (await signInManager(app)).headers });
      assert.deepEqual(
        body.results.map(({ objectId }: { objectId: string }) => objectId),
        [key.objectId],
      );
    } finally {
      await app.close();
    }
  });
});
