import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, openStorage, type TestStorage } from '../../../../../test/support/build-app.ts';
import { raw } from '../../../../base/sql.ts';
import type { Database } from '../../../../db/db.ts';
import { findAnswers, findKnownKeys, forgetAnswers, type NewAnswer, saveAnswers } from './fresh.ts';

const [appId, forgottenAt, keptAt] = ['app', 1_000_000, 2_000_000];
const answer = JSON.stringify({ messages: ['x'.repeat(1_700)] });

const given: readonly NewAnswer[] = Array.from({ length: 450 }, (_, n) => ({
  appId,
  installationId: `phone-${n % 50}`,
  key: `batch:${n}`,
  answer,
  now: n % 9 === 0 ? keptAt : forgottenAt + n,
}));

for (const database of bothDatabases)
  describe(`answers to batches on ${database}`, () => {
    let storage: TestStorage;
    let db: Database;
    beforeAll(async () => {
      storage = await openStorage(database);
      ({ db } = storage);
      for (const statement of saveAnswers(db.dialect, given)) await db.run(statement);
    });
    afterAll(() => storage.close());

    test('are forgotten, and their batches are still known', async () => {
      await forgetAnswers(db, { appId, from: 0, until: keptAt });
      assert.equal((await findKnownKeys(db, given)).size, given.length);
      const left = await findAnswers(
        db,
        given.map((one) => ({ ...one, since: 0 })),
      );
      const kept = given.filter(({ now }) => now === keptAt);
      assert.deepEqual(
        [...left.keys()].toSorted(),
        kept.map(({ installationId, key }) => `${appId} ${installationId} ${key}`).toSorted(),
      );
      const times = await db.all<{ created_at: number }>(raw('select created_at from sighting_keys'));
      assert.deepEqual(
        times.map(({ created_at }) => Number(created_at)).toSorted((a, b) => a - b),
        given.map(({ now }) => now).toSorted((a, b) => a - b),
      );
    });

    if (database === 'sqlite')
      test('leave their room to others', async () => {
        const [size] = await db.all<{ bytes: number }>(
          raw(`select sum(pgsize) as bytes from dbstat where name = 'sighting_keys'`),
        );
        // 50 answers that are kept, and the keys of 450 batches.
        assert.ok(Number(size?.bytes) < 50 * 4_096 + 450 * 250, `${size?.bytes} bytes`);
      });
  });
