import assert from 'node:assert/strict';
import { parseOrder, parseWhere, queryToSql } from '@pharos/query';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  type SignedIn,
  signInManager,
  type TestApp,
} from '../../../../../test/support/build-app.ts';
import { raw, type Sql, sql } from '../../../../base/sql.ts';
import { visits as resource } from './visits.ts';

const start = Date.UTC(2026, 4, 4, 9);
const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const date = (time: number) => ({ __type: 'Date', iso: new Date(time).toISOString() });

interface Visit {
  readonly objectId: string;
  readonly enteredAt: number;
  readonly beacon: string;
}

/** Begun in another order than their ids have, three at a time in the same millisecond. */
const visits: readonly Visit[] = Array.from({ length: 60 }, (_, n) => ({
  objectId: `visit${String(n).padStart(3, '0')}`,
  enteredAt: start + 1000 * Math.floor(((n * 7) % 60) / 3),
  beacon: `beacon${n % 4}`,
}));

const byId = (a: Visit, b: Visit) => (a.objectId < b.objectId ? -1 : 1);
const byTime = (a: Visit, b: Visit) => a.enteredAt - b.enteredAt || byId(a, b);

async function planOf({ storage: { db } }: TestApp, statement: Sql): Promise<string> {
  const isSqlite = db.dialect.name === 'sqlite';
  // Sixty rows are read faster than an index.
  const rows = isSqlite
    ? await db.all<{ detail: string }>(sql`explain query plan ${statement}`)
    : await db.transaction(async (db) => {
        await db.run(raw('set local enable_seqscan = off'));
        await db.run(raw('set local enable_bitmapscan = off'));
        return db.all(sql`explain ${statement}`);
      });
  return rows.map((row) => String(Object.values(row).at(-1))).join('\n');
}

for (const database of databases) {
  describe(`visits on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signInManager(app);
      for (const appId of [app.appId, 'another'])
        for (const { objectId, enteredAt, beacon } of visits)
          await resource.records.insert(
            app.storage.db,
            { app_id: appId, object_id: objectId },
            {
              beaconId: pointer('Beacon', beacon),
              installationId: pointer('_Installation', 'phone'),
              enteredAt,
              isOpen: true,
              source: 'samples',
              inferred: false,
              createdAt: enteredAt,
              updatedAt: enteredAt,
            },
          );
    });
    afterAll(() => app.close());

    const list = async (query: Readonly<Record<string, string | object>>): Promise<string[]> => {
      const texts = Object.entries(query).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      const url = `/api/v2/visits?${new URLSearchParams(texts as [string, string][])}`;
      const { status, body } = await app.send({ method: 'GET', url, headers: user.headers });
      assert.equal(status, 200, JSON.stringify(body));
      return body.results.map(({ objectId }: { objectId: string }) => objectId);
    };
    const idsOf = (found: readonly Visit[]) => found.map(({ objectId }) => objectId);

    test('are ordered by when they began, and by their ids where that is the same', async () => {
      const ordered = idsOf(visits.toSorted(byTime));
      assert.deepEqual(await list({ order: 'enteredAt' }), ordered);
      assert.deepEqual(await list({ order: '-enteredAt,-objectId' }), ordered.toReversed());
      assert.deepEqual(await list({ order: 'enteredAt', skip: '10', limit: '20' }), ordered.slice(10, 30));
    });

    test('come newest first', async () => {
      const newest = idsOf(visits.toSorted(byTime).toReversed());
      assert.deepEqual(await list({}), newest);
      assert.deepEqual(await list({ where: { isOpen: true } }), newest);
      assert.deepEqual(await list({ where: { installationId: pointer('_Installation', 'phone') } }), newest);
    });

    test('are found by when they began, in any order, alone and beside a beacon', async () => {
      const [from, to] = [start + 4000, start + 11_000];
      const where = { enteredAt: { $gte: date(from), $lt: date(to) } };
      const within = visits.filter(({ enteredAt }) => enteredAt >= from && enteredAt < to);
      assert.deepEqual(await list({ where, order: 'enteredAt' }), idsOf(within.toSorted(byTime)));
      assert.deepEqual(await list({ where }), idsOf(within.toSorted(byTime).toReversed()));
      assert.deepEqual(await list({ where, order: '-objectId' }), idsOf(within.toSorted(byId).toReversed()));
      const there = within.filter(({ beacon }) => beacon === 'beacon1');
      assert.deepEqual(
        await list({ where: { ...where, beaconId: pointer('Beacon', 'beacon1') } }),
        idsOf(there.toSorted(byTime).toReversed()),
      );
    });

    test('are ordered by an index, backwards too', async () => {
      const query = { where: undefined, order: parseOrder('-enteredAt', resource.records.lookup) };
      const { orderBy } = queryToSql(query, app.storage.db.dialect.where);
      const statement = sql`select object_id from visits where app_id = ${app.appId} order by ${orderBy} limit 10`;
      assert.match(
        await planOf(app, statement),
        /^(SEARCH visits USING COVERING INDEX visits_entered|.*Index Only Scan Backward using visits_\w+_app_id_entered_at_object_id_idx)/s,
      );
    });

    test('of a beacon since a time are not looked for among all since then', async () => {
      if (database !== 'sqlite') return;
      const where = { beaconId: pointer('Beacon', 'beacon1'), enteredAt: { $gte: date(start) } };
      const query = {
        where: parseWhere(JSON.stringify(where), resource.records.lookup),
        order: parseOrder('-enteredAt', resource.records.lookup),
      };
      const { condition, orderBy } = queryToSql(query, app.storage.db.dialect.where);
      const statement = sql`select * from visits where app_id = ${app.appId} and ${condition} order by ${orderBy} limit 10`;
      assert.match(await planOf(app, statement), /visits_beacon_entered \(app_id=\? AND beacon_id=\? AND entered_at/);
    });
  });
}
