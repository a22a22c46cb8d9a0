import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { bothDatabases, openStorage } from '../../test/support/build-app.ts';
import { createServices } from '../app/services.ts';
import { fail } from '../base/errors.ts';
import { raw } from '../base/sql.ts';
import type { Database } from '../db/db.ts';
import { migrate } from '../db/migrate.ts';
import { UsageMeter } from './usage.ts';

/** Not asked here: no app has quotas for each user. */
const countStored = () => Promise.reject(new Error('not counted'));
const isManager = countStored;

for (const database of bothDatabases) {
  describe(`what apps store, on ${database} that fails at times`, () => {
    test('nothing is counted twice or forgotten, and an uncertain count is not taken as exact', async () => {
      const { db, close } = await openStorage(database);
      try {
        await migrate(db, 1);
        const { apps } = createServices({ db, now: Date.now });
        const ids = [(await apps.create('One')).appId, (await apps.create('Two')).appId] as const;
        let fault: 'none' | 'refused' | 'unknown' | 'unread' = 'none';
        const refuse = (isOutcomeUnknown: boolean) => Promise.reject(fail('Timeout', { isOutcomeUnknown }));
        const faulty: Database = Object.assign(Object.create(db), {
          run: async (statement: Parameters<Database['run']>[0]) => {
            if (fault === 'refused') return refuse(false);
            const changed = await db.run(statement);
            return fault === 'unknown' ? refuse(true) : changed;
          },
          one: (statement: Parameters<Database['one']>[0]) => (fault === 'unread' ? refuse(false) : db.one(statement)),
          all: (...of: Parameters<Database['all']>) => db.all(...of),
        });
        const open = () =>
          new UsageMeter({ db: faulty, now: Date.now, countStored, isManager, inBackground: (_, work) => void work() });
        const stored = async () =>
          (
            await db.all<{ records: number; is_exact: number }>(
              raw('select records, is_exact from usage order by app_id'),
            )
          ).map(({ records, is_exact }) => [records, is_exact]);
        const meter = open();
        for (const id of ids) await meter.of(id);
        const add = () => ids.forEach((id) => void meter.add(id, { records: 1 }));
        add();
        fault = 'refused';
        await assert.rejects(meter.write());
        fault = 'unread';
        await assert.rejects(meter.write());
        fault = 'none';
        await meter.write();
        assert.deepEqual(await stored(), [
          [1, 0],
          [1, 0],
        ]);
        assert.deepEqual(await Promise.all(ids.map(async (id) => (await meter.of(id)).records)), [1, 1]);
        add();
        fault = 'unknown';
        await assert.rejects(meter.write());
        fault = 'none';
        await meter.write({ isLast: true });
        assert.deepEqual(
          (await stored()).map(([, isExact]) => isExact),
          [0, 0],
        );
        const next = open();
        assert.deepEqual(
          await Promise.all(ids.map(async (id) => (await next.of(id)).records)),
          [0, 0],
          'there are none',
        );
      } finally {
        await close();
      }
    });

    test('writes in progress count', async () => {
      const { db, close } = await openStorage(database);
      try {
        await migrate(db, 1);
        const { appId } = await createServices({ db, now: Date.now }).apps.create('One');
        const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        let isSlow = false;
        const slow: Database = Object.assign(Object.create(db), {
          run: async (statement: Parameters<Database['run']>[0]) => {
            if (isSlow) {
              arrived.resolve();
              await answer.promise;
            }
            return db.run(statement);
          },
          one: (statement: Parameters<Database['one']>[0]) => db.one(statement),
          all: (...of: Parameters<Database['all']>) => db.all(...of),
        });
        const meter = new UsageMeter({
          db: slow,
          now: Date.now,
          countStored,
          isManager,
          inBackground: (_, work) => void work(),
        });
        await meter.of(appId);
        meter.add(appId, { files: 4 });
        isSlow = true;
        const writing = meter.write();
        await arrived.promise;
        assert.equal((await meter.of(appId)).files, 4);
        meter.add(appId, { files: 1 });
        assert.equal((await meter.of(appId)).files, 5);
        answer.resolve();
        await writing;
        await meter.write();
        assert.equal((await meter.of(appId)).files, 5);
      } finally {
        await close();
      }
    });

    for (const when of ['before its rows are read', 'only after they were read'])
      test(`what is stored during a count, and noted ${when}, counts once`, async () => {
        const { db, close } = await openStorage(database);
        try {
          await migrate(db, 1);
          const { appId } = await createServices({ db, now: Date.now }).apps.create('One');
          let next: 'row' | 'note' | undefined;
          const store = () => meter.add(appId, { files: 1, fileBytes: 4 });
          const watched: Database = Object.assign(Object.create(db), {
            run: async (statement: Parameters<Database['run']>[0]) => {
              const changed = await db.run(statement);
              if (next === 'note' && statement.strings.join('').includes('counted_at')) {
                next = undefined;
                store();
              }
              return changed;
            },
            one: (statement: Parameters<Database['one']>[0]) => db.one(statement),
            all: async (...of: Parameters<Database['all']>) => {
              if (next === 'row') {
                await db.run(
                  raw(`insert into files (app_id, object_id, name, stored_name, content_type, size, sha256, created_at, updated_at)
                    values ('${appId}', 'a', 'a.png', 'a', 'image/png', 4, '', 1, 1)`),
                );
                next = when.startsWith('only') ? 'note' : undefined;
                if (next === undefined) store();
              }
              return db.all(...of);
            },
          });
          const meter: UsageMeter = new UsageMeter({
            db: watched,
            now: Date.now,
            countStored,
            isManager,
            inBackground: (_, work) => void work(),
          });
          await meter.of(appId);
          next = 'row';
          await meter.count(appId);
          const { files, fileBytes } = await meter.of(appId);
          assert.deepEqual([files, fileBytes], [1, 4]);
        } finally {
          await close();
        }
      });

    test('counts are kept after a clean stop, and counted again after a crash', async () => {
      const { db, close } = await openStorage(database);
      try {
        await migrate(db, 1);
        const { appId } = await createServices({ db, now: Date.now }).apps.create('One');
        // What a process would have written that has crashed finds the database closed.
        const inBackground = (_: string, work: () => Promise<unknown>) => void work().catch(() => undefined);
        const open = () => new UsageMeter({ db, now: Date.now, countStored, isManager, inBackground });
        const isExact = async () => (await db.one<{ is_exact: number }>(raw('select is_exact from usage')))?.is_exact;
        const ended = open();
        await ended.of(appId);
        ended.add(appId, { records: 3 });
        await ended.write({ isLast: true });
        assert.equal(await isExact(), 1);
        const crashed = open();
        assert.equal((await crashed.of(appId)).records, 3, 'nothing was counted');
        crashed.add(appId, { records: 2 });
        assert.equal((await crashed.of(appId)).records, 5);
        assert.equal(await isExact(), 0, 'two are only in its memory');
        assert.equal((await open().of(appId)).records, 0, 'there are none');
      } finally {
        await close();
      }
    });
  });
}
