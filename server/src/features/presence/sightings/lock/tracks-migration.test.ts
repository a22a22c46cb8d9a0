import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { kindsOf, openSite, type Site, stay, walk } from '../../../../../test/support/site.ts';
import { raw } from '../../../../base/sql.ts';

const migration = readFileSync(new URL('../../../../../migrations/0015-tracks.sql', import.meta.url), 'utf8');

for (const database of databases) {
  describe(`from presences to tracks on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
    });
    afterEach(() => site.close());

    test('a visitor who was inside before the update is inside after it, and leaves like anybody else', async () => {
      site.app.app.ticker.stop();
      const { db } = site.app.storage;
      await site.send(walk(stay(1.5, 10), site.now - 10_000));
      const [visit] = await site.rows('visits');
      // As the version before had it.
      for (const statement of [
        'delete from tracks',
        'delete from track_samples',
        'alter table presence add column state text',
        'alter table presence add column next_deadline bigint',
        'create index presence_due on presence (next_deadline)',
        `insert into presence (app_id, installation_id, beacon_id, visit_count, updated_at, state, next_deadline)
          values ('${site.app.appId}', '${site.phone}', '${site.hall}', 0, ${site.now}, '{}', ${site.now + 29_000})`,
      ])
        await db.run(raw(statement));
      const steps = migration
        .replaceAll(/^--.*$/gm, '')
        .split(';')
        .map((text) => text.trim());
      for (const step of steps.filter((text) => text !== '' && !text.startsWith('create'))) await db.run(raw(step));
      site.app.clock.now += 20_000;
      const { events } = await site.send(walk(stay(1.5, 20), site.now - 19_000));
      assert.deepEqual(kindsOf(events), ['NEAR'], 'no second ENTER');
      site.app.clock.now += 60_000;
      await site.app.app.ticker.tick();
      const [ended, ...others] = await site.rows('visits');
      assert.deepEqual([ended?.['object_id'], ended?.['is_open'], others], [visit?.['object_id'], 0, []]);
      assert.equal(ended?.['left_at'], site.now - 60_000);
    });
  });
}
