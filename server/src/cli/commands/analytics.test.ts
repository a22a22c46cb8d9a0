import assert from 'node:assert/strict';
import { test } from 'vitest';
import { databases } from '../../../test/support/build-app.ts';
import { shellOf } from '../../../test/support/command-line.ts';
import { openSite, pointer } from '../../../test/support/site.ts';
import { raw, sql } from '../../base/sql.ts';

for (const database of databases)
  test(`one command counts all visits anew beside the service, on ${database}`, async () => {
    const site = await openSite(database);
    try {
      site.app.app.ticker.stop();
      const shop = await site.beacon({ minor: 2 });
      // In the past of the real clock too, by which the command counts.
      let occurredAt = site.now - 600_000;
      for (const beacon of [site.hall, shop])
        for (const event of ['ENTER', 'EXIT']) {
          await site.send([{ beacon, event, occurredAt }]);
          occurredAt += 60_000;
        }
      const { db, folder, settings } = site.app.storage;
      const { appId } = site.app;
      await site.app.app.rollups.settle(appId);
      const numbers = async () => [
        ...(await db.all(raw('select * from visit_rollups order by span, started_at, beacon_id'))),
        ...(await db.all(raw('select * from way_rollups order by kind, span, started_at, venue_id, place'))),
      ];
      const right = await numbers();
      assert.ok(right.length > 6);
      await db.run(sql`update visit_rollups set visits = visits + 7`);
      await db.run(sql`update way_rollups set tours = tours + 7`);
      const { run } = shellOf(folder, { PHAROS_SECRET_KEY: 'ab'.repeat(32), ...settings });
      const done = await run(`analytics rebuild --app ${appId}`);
      assert.deepEqual([done.code, done.out], [0, 'Counted the visits of one app anew.'], done.err);
      assert.deepEqual(await numbers(), right);
      // A beacon that is put onto a plan later counts as having been there all the time, if that is asked for.
      const venue = await site.ask({ method: 'POST', url: '/api/v2/venues', body: { name: 'House' } });
      const venueId = pointer('Venue', venue.body.result.objectId);
      const moved = await site.ask({ method: 'PATCH', url: `/api/v2/beacons/${shop}`, body: { venueId } });
      assert.equal(moved.status, 200);
      const elsewhere = await run('analytics rebuild --current-places --json');
      assert.ok(elsewhere.json.apps.includes(appId));
      const rows = await db.all<{ beacon_id: string }>(
        raw("select beacon_id from visit_rollups where span = 'venueDay'"),
      );
      assert.deepEqual(
        rows.map(({ beacon_id }) => beacon_id),
        [venueId.objectId],
      );
      const unknown = await run('analytics rebuild --app nobody');
      assert.deepEqual([unknown.code, unknown.err], [1, 'There is no app nobody.']);
    } finally {
      await site.close();
    }
  });
