import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultPolicy } from '../../src/access/policy.ts';
import { firstIdAt, timeOfId } from '../../src/base/id.ts';
import { raw, type Sql, sql } from '../../src/base/sql.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { packOld } from '../../src/cold/pack.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Database, SlowQuery } from '../../src/db/db.ts';
import { findSetting } from '../../src/db/settings.ts';
import { ColdPacking } from '../../src/features/sightings/record/cold-packing.ts';
import { events } from '../../src/features/sightings/traces/events.ts';
import { listRecords } from '../../src/resources/lists/list.ts';
import { databases, type TestApp } from '../support/build-app.ts';
import { changed } from '../support/storage/changed.ts';
import { packedTables } from '../support/storage/cold-data.ts';
import { buildPast, chunks } from '../support/storage/packed-past.ts';

const day = 86_400_000;
const sizes = { small: 20, large: 80 };

/** Lists look for packed rows only where some may be, whichever node has packed them. */

for (const database of databases) {
  describe(`where nothing was ever packed on ${database}`, () => {
    let app: TestApp;
    let db: Database;
    let now: number;
    let other: Database;
    beforeEach(async () => {
      ({ app, db, now } = await buildPast(database));
      other = await openDatabase(readConfig(app.storage.settings));
    });
    afterEach(async () => {
      await other.close();
      await app.close();
    });

    /** Everything since the beginning, and the number of statements about packed rows that it took. */
    function lists(of: Database) {
      let looks = 0;
      const look = (statement: Sql) => {
        if (statement.strings.join('').includes('cold_chunks')) looks++;
      };
      const watched = changed(of, {
        all<T extends object>(statement: Sql, slow?: SlowQuery): Promise<T[]> {
          look(statement);
          return of.all<T>(statement, slow);
        },
        one<T extends object>(statement: Sql): Promise<T | undefined> {
          look(statement);
          return of.one<T>(statement);
        },
      });
      return async (query: Record<string, string> = {}) => {
        looks = 0;
        const { text } = await listRecords(watched, events.records, {
          scope: events.records.match({ app_id: app.appId }),
          query: { limit: '1000', count: '1', ...query },
          defaultLimit: 100,
          defaultOrder: '-objectId',
          tenant: app.appId,
        });
        return { text, looks };
      };
    }
    const packing = (wait: (ms: number) => Promise<unknown>, coldAfterDays = 40) => {
      const listApps = async () => [{ appId: app.appId, policy: defaultPolicy }];
      return new ColdPacking({ db: other, now: () => now, packedTables, coldAfterDays, listApps, wait, sizes });
    };
    const youngest = async () =>
      (await chunks(db)).map(({ last_id }) => timeOfId(last_id)).sort((a, b) => b - a)[0] ?? 0;

    test('lists do not look for packed rows; they do when another node has begun to pack', async () => {
      const list = lists(db);
      const stored = await list();
      assert.equal(stored.looks, 0);
      await packing((ms) => delay(ms)).sweep();
      assert.ok((await chunks(db)).length > 0);
      const packed = await list();
      assert.equal(packed.text, stored.text);
      assert.ok(packed.looks > 0);
    });

    test('rows of the last weeks are looked for among packed ones as soon as another node packs so early', async () => {
      const list = lists(db);
      const recent = { where: JSON.stringify({ objectId: { $gte: firstIdAt(now - 20 * day) } }) };
      const stored = await list(recent);
      await packing((ms) => delay(ms)).sweep();
      const usual = await list(recent);
      assert.deepEqual([usual.text, usual.looks], [stored.text, 0], 'nobody packs what is so young');
      await packing((ms) => delay(ms), 11).sweep();
      assert.ok((await youngest()) > now - 20 * day);
      assert.ok((await youngest()) < now - 11 * day);
      const early = await list(recent);
      assert.equal(early.text, stored.text);
      assert.ok(early.looks > 0);
    });

    test('nothing is packed that late reports may still correct or the first page counts, and nothing younger than was announced', async () => {
      for (const table of packedTables) await packOld(other, { appId: app.appId, table, before: now }, { sizes });
      assert.ok((await youngest()) < now - 30 * day);
      await packing(async () => undefined, 0.5).sweep();
      assert.ok((await youngest()) < now - 10 * day);
      assert.ok((await youngest()) > now - 20 * day);
    });

    test('whoever packs announces it and waits before the first row leaves its table', async () => {
      let waited = 0;
      const sweeping = packing(async (ms) => {
        waited = ms;
        assert.equal(await findSetting(db, 'packed'), '1');
        assert.deepEqual(await chunks(db), []);
      });
      await sweeping.sweep();
      assert.ok(waited > 2_000, `longer than others believe that nothing is packed: ${waited} ms`);
      assert.ok((await chunks(db)).length > 0);
      waited = 0;
      await sweeping.sweep();
      assert.equal(waited, 0, 'once in a process');
    });
  });
}

test('a database in which something was packed before is known for it after the migration', async () => {
  const { app, db } = await buildPast('sqlite');
  try {
    assert.equal(await findSetting(db, 'packed'), undefined);
    await db.run(sql`insert into cold_chunks (app_id, object_id, kind, first_id, last_id, row_count, filter, content)
      values (${app.appId}, 'c', 'events', '', '', 1, '', '')`);
    const migration = new URL('../../migrations/0270-whether-anything-was-packed.sql', import.meta.url);
    await db.run(
      raw(
        readFileSync(migration, 'utf8')
          .replaceAll(/--.*\n/g, '')
          .replace(';', ''),
      ),
    );
    assert.equal(await findSetting(db, 'packed'), '1');
  } finally {
    await app.close();
  }
});
