import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, openStorage, type TestStorage } from '../../../../test/support/build-app.ts';
import { listChanges } from '../../../access/audit.ts';
import type { ConsoleCall } from '../../../http/console/console-endpoint.ts';
import { Entry } from './entry.ts';
import type { Bulk } from './schemas.ts';
import type { Target } from './target.ts';

for (const database of databases) {
  describe(`the entry of a change of many on ${database}`, () => {
    let storage: TestStorage;
    beforeAll(async () => {
      storage = await openStorage(database);
    });
    afterAll(() => storage.close());

    const people: Target = {
      name: 'Users',
      does: 'change',
      isPersonal: false,
      isPeople: true,
      change: () => assert.fail('Nothing is changed here.'),
    };
    const now = 1_700_000_000_000;
    /** A request of the same change by the same person; `address`: from where. */
    const request = (appId: string, continues?: string, address = '192.0.2.1') => {
      const call: Partial<ConsoleCall<Bulk>> = {
        by: { name: 'anna@museum.example', address },
        params: { appId },
        query: { continues },
        body: { operation: 'changeAppUser', ids: [], change: { disabled: true } },
        now,
      };
      return new Entry(storage.db, call as ConsoleCall<Bulk>, people);
    };
    const add = async (entry: Entry, from: number, until: number) => {
      for (let n = from; n < until; n++)
        await entry.add({ objectId: `person${n}`, updatedAt: undefined, was: { disabled: false } });
      await entry.write();
    };
    const entriesOf = async (appId: string) => {
      const filter = { actor: undefined, kind: 'many', from: undefined, until: undefined, before: undefined };
      const { rows } = await listChanges(storage.db, { appId, ...filter, limit: 100 });
      return rows.map(({ audit_id, address, after_state, before_state }) => ({
        auditId: audit_id,
        address,
        after: JSON.parse(after_state ?? '{}') as { count: number; ids: string[] },
        was: (JSON.parse(before_state ?? '{}') as { was: object[] }).was,
      }));
    };

    test('names each person, also where it is full in the middle of a part', async () => {
      let entry = request('full');
      // One was refused, so that the parts do not come out even.
      await add(entry, 0, 499);
      for (let start = 499; start < 5_200; start += 500) {
        entry = request('full', entry.id);
        await add(entry, start, Math.min(start + 500, 5_200));
      }
      const entries = await entriesOf('full');
      assert.ok(entries.length > 1);
      for (const { after, was } of entries) {
        assert.ok(after.ids.length <= 5_000);
        assert.deepEqual([after.ids.length, was.length], [after.count, after.count]);
      }
      const named = new Set(entries.flatMap(({ after }) => after.ids));
      assert.equal(named.size, 5_200);
    });

    test('says from where it was done: a request from elsewhere gets its own', async () => {
      const first = request('places');
      await add(first, 0, 3);
      const elsewhere = request('places', first.id, '198.51.100.9');
      await add(elsewhere, 3, 5);
      const again = request('places', first.id);
      await add(again, 5, 6);
      const seen = (await entriesOf('places')).map(({ auditId, address, after }) => [auditId, address, after.count]);
      assert.deepEqual(
        seen.toSorted((a, b) => Number(b[2]) - Number(a[2])),
        [
          [first.id, '192.0.2.1', 4],
          [elsewhere.id, '198.51.100.9', 2],
        ],
      );
      assert.equal(again.id, first.id);
    });
  });
}
