import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../../test/support/build-app.ts';
import { type Node, openNode, openSite, type Site } from '../../../../../test/support/site.ts';
import { service } from '../../../../access/audit.ts';
import type { App } from '../../../../app/app.ts';
import { sql } from '../../../../base/sql.ts';

/** What a node keeps in memory of periods that are over, when something else than its own requests changes them. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type Query = Readonly<Record<string, string>>;

for (const database of bothDatabases)
  describe(`periods that are kept in memory on ${database}`, () => {
    let site: Site;
    let node: Node;
    let visits = 0;
    beforeAll(async () => {
      site = await openSite(database);
      node = await openNode(site);
      for (const { ticker } of [site.app.app, node.app]) ticker.stop();
      await setPolicy({ timeZone: 'UTC' });
    });
    afterAll(async () => {
      await node.close();
      await site.close();
    });

    const setPolicy = (policy: object) => site.app.app.apps.change(site.app.appId, { policy }, service);
    const settle = () => site.app.app.rollups.settle(site.app.appId);
    async function goTo(at: number): Promise<void> {
      site.app.clock.now = at;
      await site.signInAgain();
    }

    async function ask({ server }: App, what: string, query: Query) {
      const url = `/api/v2/analytics/${what}?${new URLSearchParams(query)}`;
      const headers = { ...site.app.credentials, ...site.user.headers };
      const answer = await server.inject({ method: 'GET', url, headers });
      assert.equal(answer.statusCode, 200, answer.payload);
      return JSON.parse(answer.payload).result;
    }

    /**
     * Somebody new comes at a time and stays for a minute: as whoever receives sightings writes it, but that it is not counted by itself some
     * seconds later.
     */
    async function come(at: number): Promise<void> {
      const { appId, storage } = site.app;
      const [id, phone] = [`visit-${++visits}`, `guest-${visits}`];
      await storage.db.transaction(async (db) => {
        await db.run(sql`insert into visits (app_id, object_id, installation_id, beacon_id, is_open, entered_at, left_at, dwell,
            source, inferred, created_at, updated_at)
          values (${appId}, ${id}, ${phone}, ${site.hall}, 0, ${at}, ${at + minute}, 60, 'client', 0, ${at}, ${at})`);
        await db.run(sql`insert into visit_changes (app_id, object_id, installation_id, beacon_id, entered_at)
          values (${appId}, ${id}, ${phone}, ${site.hall}, ${at})`);
      });
    }

    /** The last of March of a year to come: clocks in London have gone forward, and the year from January on is one period. */
    const year = new Date(Date.now()).getUTCFullYear() + 2;
    const came = Date.UTC(year, 2, 31, 10, 5);
    const spring = { from: `${year}-01-01`, until: `${year}-04-09` };

    test("follow the app's current time zone, even before everything is recounted", async () => {
      await goTo(came + hour);
      await come(came);
      await goTo(Date.UTC(year, 3, 9, 12));
      await settle();
      const hours = async () =>
        (await ask(site.app.app, 'peaks', { ...spring, interval: 'hourOfWeek' })).rows.map(
          (row: { hour: number }) => row.hour,
        );
      assert.deepEqual(await hours(), [10]);
      await setPolicy({ timeZone: 'Europe/London' });
      assert.deepEqual(await hours(), [11]);
      await setPolicy({ timeZone: 'UTC' });
      assert.deepEqual(await hours(), [10]);
    });

    test('are no longer used by a node once another one has counted something late in them', async () => {
      const { db } = site.app.storage;
      const visitors = async (at: App) => ({
        tours: (await ask(at, 'flows', spring)).moves.map((move: { tours: number }) => move.tours),
        paths: (await ask(at, 'paths', spring)).tours,
        peaks: (await ask(at, 'peaks', { ...spring, interval: 'day' })).rows.map((row: { peak: number }) => row.peak),
      });
      const one = { tours: [1, 1], paths: 1, peaks: [1] };
      assert.deepEqual([await visitors(site.app.app), await visitors(node.app)], [one, one]);
      // Both have it in memory: they do not notice what nobody notes.
      const add = (count: number) =>
        db.run(sql`update way_rollups set tours = tours + ${count} where app_id = ${site.app.appId}`);
      await add(7);
      assert.deepEqual([await visitors(site.app.app), await visitors(node.app)], [one, one]);
      await add(-7);
      const two = { tours: [2, 2], paths: 2, peaks: [2] };
      await come(came);
      await site.app.app.rollups.settleDue(site.app.appId);
      for (const [what, passed] of [
        ['its day was counted', minute],
        ['its month was added up', 11 * minute],
        ['its year was added up', 11 * minute],
      ] as const) {
        site.app.clock.now += passed;
        await site.app.app.rollups.settleDue(site.app.appId);
        assert.deepEqual(await visitors(node.app), two, `at the other node when ${what}`);
        assert.deepEqual(await visitors(site.app.app), two, `here when ${what}`);
      }
      // And the other way round.
      await come(came + 5 * day);
      await node.app.rollups.settle(site.app.appId);
      assert.deepEqual((await visitors(site.app.app)).tours, [3, 3]);
      assert.deepEqual((await visitors(node.app)).tours, [3, 3]);
    });
  });
