import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, signInManager } from '../../../../test/support/build-app.ts';
import { type Site, stay, walk } from '../../../../test/support/site.ts';
import { type CountedHouse, monthAfter, openCountedHouse } from '../../../../test/support/sites/counted-house.ts';
import { shown } from '../../../../test/support/sites/visits-by-hand.ts';
import { raw, sql } from '../../../base/sql.ts';

/** To whom numbers are told, of which period, and how exactly. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

for (const database of databases) {
  describe(`the numbers of visits on ${database}`, () => {
    let house: CountedHouse;
    let site: Site;
    beforeAll(async () => {
      house = await openCountedHouse(database);
      site = house.site;
      for (const installationId of ['first', 'second']) {
        await site.installation({ installationId });
        await site.send(walk(stay(1.5, 30), site.now - minute), { installationId });
      }
      // Months and years are over, and added up.
      site.app.clock.now += 420 * day;
      await site.signInAgain();
      await site.app.app.rollups.settle(site.app.appId);
    });
    afterAll(() => house.close());

    test('of an app without visits are complete before anything was counted, and not until the first are', async () => {
      const { app } = site;
      const made = await app.app.apps.create('Just made');
      const headers = { 'x-service-appid': made.appId, 'x-service-appkey': made.appKey };
      const manager = await signInManager(app, headers);
      const asked = async (what: string) => {
        const url = `/api/v2/analytics/${what}?from=2020-01-01&until=2020-02-01`;
        const answer = await app.send({ method: 'GET', url, headers: { ...headers, ...manager.headers } });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body.result.isComplete;
      };
      assert.deepEqual([await asked('visits'), await asked('flows')], [true, true]);
      await app.storage.db.run(sql`insert into visits (app_id, object_id, installation_id, beacon_id, is_open, entered_at,
          left_at, dwell, source, inferred, created_at, updated_at)
        values (${made.appId}, 'one', 'phone', 'hall', 0, 0, 1000, 1, 'client', 0, 0, 0)`);
      assert.deepEqual([await asked('visits'), await asked('flows')], [false, false]);
      await app.app.rollups.settle(made.appId);
      assert.deepEqual([await asked('visits'), await asked('flows')], [true, true]);
      await app.app.apps.remove(made.appId);
    });

    test('say that they are not complete while many new visits wait to be counted', async () => {
      const isComplete = async () => (await house.ask({ from: '2020-01-01', until: '2020-02-01' })).isComplete;
      const ways = async () => (await house.askOf('flows', { from: '2020-01-01', until: '2020-02-01' })).isComplete;
      assert.deepEqual([await isComplete(), await ways()], [true, true]);
      const { db } = site.app.storage;
      await db.run(sql`insert into visit_changes (app_id, object_id, installation_id, beacon_id, entered_at)
        with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < 1000)
        select ${site.app.appId}, 'waits' || n, 'nobody', 'nowhere', 0 from numbers`);
      assert.deepEqual([await isComplete(), await ways()], [false, false]);
      await db.run(sql`delete from visit_changes where object_id like 'waits%'`);
    });

    test('are for managers, not for visitors', async () => {
      const answer = await site.app.send({ method: 'GET', url: '/api/v2/analytics/visits' });
      assert.equal(answer.status, 403);
    });

    test('refuse invalid periods', async () => {
      for (const query of [
        'from=2026-02-30',
        'from=2026-03-02&until=2026-03-02',
        'interval=minute',
        'groupBy=person',
      ]) {
        const answer = await site.ask({ method: 'GET', url: `/api/v2/analytics/visits?${query}` });
        assert.equal(answer.body.code ?? answer.body.error?.code, 102, query);
      }
      for (const path of ['visits', 'flows', 'paths', 'peaks', 'messages'])
        for (const query of ['from=0099-12-01&until=0100-01-01', 'from=9999-12-01&until=9999-12-31']) {
          const { status, body } = await site.ask({ method: 'GET', url: `/api/v2/analytics/${path}?${query}` });
          assert.deepEqual([status, body.code], [400, 102], `${path} ${query}`);
        }
    });

    test('refuse an answer of more rows than anybody reads', async () => {
      const { db } = site.app.storage;
      const start = Date.UTC(2020, 0, 1, 12);
      await db.run(sql`insert into visit_rollups (app_id, span, started_at, beacon_id, visits, newcomers, ended, dwell_ms, dwells, visitors)
        with recursive places(n) as (select 0 union all select n + 1 from places where n < 200),
          days(d) as (select 0 union all select d + 1 from days where d < 50)
        select ${site.app.appId}, 'day', cast(${start} as bigint) + d * cast(86400000 as bigint), 'far' || n, 1, 1, 0, 0, '', '' from places, days`);
      const url = '/api/v2/analytics/visits?from=2020-01-01&until=2020-02-25&groupBy=beacon';
      const refused = await site.ask({ method: 'GET', url: `${url}&interval=day` });
      assert.deepEqual([refused.status, refused.body.code], [400, 102]);
      assert.match(refused.body.error.error, /more than 10000 rows/);
      const weeks = await site.ask({ method: 'GET', url: `${url}&interval=week` });
      assert.deepEqual([weeks.status, weeks.body.result.rows.length], [200, 201 * 8]);
      await db.run(sql`delete from visit_rollups where beacon_id like 'far%'`);
    });

    test('say of the app and of venues who is new, and of floors, zones and beacons that it is not known', async () => {
      const seen = await site.app.storage.db.one<{ at: number }>(sql`select min(entered_at) as at from visits`);
      const from = shown(seen?.at ?? 0, 'UTC').date;
      const period = { from, until: shown((seen?.at ?? 0) + day, 'UTC').date };
      const [zone = ''] = house.zones;
      for (const [dimension, id] of Object.entries({
        venue: house.venue,
        floor: house.floor,
        zone,
        beacon: site.hall,
      })) {
        const expected = dimension === 'venue' ? [2, 0] : [null, null];
        const newsOf = ({ newVisitors, returningVisitors }: Record<string, unknown>) => [
          newVisitors,
          returningVisitors,
        ];
        const at = await house.ask({ ...period, interval: 'day', compare: 'previous', [`${dimension}Id`]: id });
        assert.deepEqual([at.total, at.rows[0]].map(newsOf), [expected, expected], dimension);
        assert.equal(at.previous.total.newVisitors, dimension === 'venue' ? 0 : null, dimension);
        const by = await house.ask({ ...period, groupBy: dimension });
        assert.deepEqual([by.total, by.rows[0]].map(newsOf), [[2, 0], expected], dimension);
      }
    });

    test('tell nothing of one to four visitors where these are protected', async () => {
      const exact = await site.app.storage.db.one<{ at: number }>(sql`select min(entered_at) as at from visits`);
      const first = shown(exact?.at ?? 0, 'Europe/Vienna').date;
      await house.setPolicy({ timeZone: 'Europe/Vienna', smallGroups: 'protected' });
      await site.app.app.rollups.settle(site.app.appId);
      const told = await house.ask({
        from: first,
        until: shown(Date.parse(first) + 30 * day, 'UTC').date,
        interval: 'hour',
      });
      for (const row of told.rows) {
        for (const name of ['visitors', 'newVisitors', 'returningVisitors', 'visits'])
          assert.ok(row[name] === null || row[name] === '1-4' || row[name] % 5 === 0, `${name} is ${row[name]}`);
        if (row.visitors === '1-4')
          assert.deepEqual([row.visits, row.dwellMedian, row.newVisitors], [null, null, null]);
        assert.equal(row.dwellMean, null);
      }
      assert.ok(told.rows.some(({ visitors }: { visitors: unknown }) => visitors === '1-4'));
      assert.equal(told.total, null, 'thirty days could be subtracted from thirty-one');
      const month = `${first.slice(0, 7)}-01`;
      const period = { from: month, until: monthAfter(first) };
      const { total } = await house.ask(period);
      const byMonth = await house.ask({ ...period, interval: 'month' });
      const byDay = await house.ask({ ...period, interval: 'day' });
      const { visitors } = total;
      const { visitors: ofMonth } = byMonth.rows[0];
      const { visitors: beside } = byDay.total;
      assert.deepEqual(
        [byMonth.total.visitors, ofMonth, beside],
        [visitors, visitors, visitors],
        'the same is told alike',
      );
      const sliding = `/api/v2/analytics/visits?from=${first}&until=${shown(Date.parse(first) + 9 * day, 'UTC').date}`;
      assert.equal((await site.ask({ method: 'GET', url: sliding })).status, 400);
      // Any two periods that overlap by all but a day could be subtracted.
      for (const query of [
        'flows?from=2026-03-02&until=2026-03-08',
        'paths?from=2026-03-03&until=2026-03-10',
        'visits?from=2026-03-03&until=2026-03-10&interval=week',
        'visits?from=2026-03-02&until=2026-04-01&interval=month',
        'visits?from=2026-03-03&until=2026-03-10&interval=hourOfWeek',
        'messages?from=2026-03-03&until=2026-03-10',
        'messages?from=2026-03-03&until=2026-03-10&interval=week',
      ]) {
        const { status, body } = await site.ask({ method: 'GET', url: `/api/v2/analytics/${query}` });
        assert.equal(status, 400, query);
        assert.match(body.error.error, /^Small groups are protected in this app: /, query);
      }
      await house.setPolicy({ smallGroups: 'shown' });
    });

    test('stay when visits go because of their age or a person is erased, and go with the app', async () => {
      const { db } = site.app.storage;
      const { appId } = site.app;
      const numbers = () => db.all(raw(`select * from visit_rollups order by span, started_at, beacon_id`));
      site.app.clock.now += day;
      await site.app.app.ticker.tick();
      await site.app.app.rollups.settle(appId);
      const before = await numbers();
      assert.ok(before.length > 0);
      await site.ask({
        method: 'DELETE',
        url: `/api/v2/installations/${(await house.visitsNow())[0]?.installation_id}`,
      });
      await site.app.app.idle();
      site.app.clock.now += 500 * day;
      await site.app.app.retention.sweep();
      assert.equal((await house.visitsNow()).length, 0);
      await site.app.app.rollups.rebuild(appId);
      assert.deepEqual(await numbers(), before);
    });
  });
}
