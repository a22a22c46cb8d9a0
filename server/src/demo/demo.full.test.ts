import assert from 'node:assert/strict';
import { createRandom } from '@pharos/engine/simulation';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../test/support/build-app.ts';
import { type Bench, fillTo, openBench } from '../../test/support/demo/bench.ts';
import { isFull } from '../../test/support/depth.ts';
import { createServices } from '../app/services.ts';
import { raw, sql } from '../base/sql.ts';
import { findDemoMark } from '../features/operate/apps/demo-mark.ts';
import { fillYear, loadVenue } from './fill.ts';
import { halls } from './halls.ts';
import { assertDemoOrEmpty } from './make.ts';
import { idleCampaign, workingCampaign } from './messages.ts';
import { demoPushes } from './push-rows.ts';
import { removeDemo } from './remove.ts';
import { demoTables } from './rows.ts';
import { evenTours, groupIn, swayed } from './walk-through.ts';

/** How much of the year the tests let be written: some weeks, with pushes in them. */
const [stoppedAfter, enough] = [61, 400];
/** Both campaigns began within so many days. */
const campaignDays = 172;

interface ToldMessage {
  readonly name: string;
  readonly comparisons: readonly {
    readonly group: string;
    readonly against: string;
    readonly difference: number;
    readonly low: number;
    readonly high: number;
    readonly isClear: boolean;
    readonly text: string;
  }[];
}

/** The beacon to which visitors of the last month have come back most often: which one it is depends on the day. */
async function maxRepeated({ storage: { db }, made }: Bench): Promise<string> {
  const since = Date.now() - 29 * 86_400_000;
  const repeats = await db.all<{ beacon: string; n: number }>(sql`select beacon_id as beacon,
      count(*) - count(distinct installation_id) as n
    from visits where app_id = ${made.mark.appId} and entered_at > ${since} group by beacon_id order by n desc`);
  assert.ok(repeats[0] && repeats[0].n > 0, JSON.stringify(repeats));
  return repeats[0].beacon;
}

const where = (condition: object) => `where=${encodeURIComponent(JSON.stringify(condition))}`;

for (const database of databases) {
  describe(`a demo on ${database}`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await openBench(database);
      await fillTo(bench, stoppedAfter);
      await fillTo(bench, enough);
    });
    afterAll(async () => {
      await bench.app.close();
      await bench.storage.close();
    });
    const count = async (query: ReturnType<typeof raw>) =>
      Number((await bench.storage.db.one<{ n: number }>(query))?.n ?? Number.NaN);

    test('the museum is complete, and nobody could mistake it for a real one', async () => {
      const { app, made, get } = bench;
      assert.match((await app.apps.get(made.mark.appId)).name, /\(demo\)$/);
      const beacons = (await get('/beacons')).results;
      assert.equal(beacons.length, halls.length);
      assert.deepEqual([...new Set(beacons.map((one) => (one['location'] as { floor: number }).floor))], [0, 1, 2]);
      const floors = (await get('/floors?order=level')).results;
      assert.deepEqual(
        floors.map(({ level, plan }) => [level, plan !== undefined]),
        [0, 1, 2].map((level) => [level, true]),
      );
      const zones = (await get('/zones')).results;
      assert.ok(zones.some(({ name, capacity }) => name === 'Lantern Café' && capacity === 40));
      for (const { name, venueId, zoneId } of beacons)
        assert.deepEqual(
          [
            zones.find(({ objectId }) => objectId === (zoneId as { objectId: string }).objectId)?.['name'],
            venueId !== undefined,
          ],
          [name, true],
        );
      const types = new Set((await get('/notifications')).results.map(({ type }) => type));
      assert.deepEqual([...types].sort(), ['IMAGE', 'TEXT', 'VIDEO']);
      const campaigns = new Set((await get('/storylines/details')).results.map(({ campaign }) => campaign));
      assert.deepEqual([...campaigns].sort(), ['IMAGE', 'TEXT', 'URL', 'VIDEO']);
      const lamps = await get(
        `/data/bucket/exhibits?${where({ 'metadata.kind': 'light', 'metadata.year': { $lt: 1869 } })}`,
      );
      assert.ok(lamps.results.length >= 2);
      const kinds = new Set((await get('/installations?limit=1000')).results.map(({ deviceType }) => deviceType));
      assert.deepEqual([...kinds].sort(), ['android', 'embedded', 'ios', 'web']);
      const dead = await get(`/installations?${where({ tokenDeadReason: { $exists: true } })}`);
      assert.ok(dead.results.length > 0);
      assert.ok((await get('/device')).results.length >= 3);
    });

    test('each file can be read', async () => {
      const files = (await bench.get('/files')).results;
      assert.ok(files.length >= 5);
      for (const { url } of files) {
        const served = await bench.app.server.inject({ method: 'GET', url: new URL(String(url)).pathname });
        assert.equal(served.statusCode, 200);
        assert.match(served.rawPayload.subarray(0, 8).toString('latin1'), /PNG|%PDF/);
      }
    });

    test('an interrupted year was continued, and nothing of it exists twice', async () => {
      const mark = await findDemoMark(bench.storage.db);
      assert.equal(mark?.step, enough);
      let rows = 0;
      for (const table of Object.keys(demoTables))
        rows += await count(sql`select count(*) as n from ${raw(table)} where app_id = ${bench.made.mark.appId}`);
      assert.equal(rows, mark?.rows);
      assert.ok(rows > 3_000, `${rows}`);
    });

    test('everything refers to what exists', async () => {
      const references: readonly (readonly [table: string, column: string, target: string])[] = [
        ['visits', 'beacon_id', 'beacons'],
        ['visits', 'installation_id', 'installations'],
        ['events', 'beacon_id', 'beacons'],
        ['events', 'installation_id', 'installations'],
        ['events', 'visit_id', 'visits'],
        ['logs', 'beacon_id', 'beacons'],
        ['logs', 'installation_id', 'installations'],
        ['verdicts', 'event_id', 'events'],
        ['verdicts', 'visit_id', 'visits'],
        ['verdicts', 'delivery_id', 'deliveries'],
        ['firings', 'event_id', 'events'],
        ['deliveries', 'installation_id', 'installations'],
        ['deliveries', 'event_id', 'events'],
        ['pushes', 'user_id', 'users'],
      ];
      for (const [table, column, target] of references) {
        const lost = await count(
          sql`select count(*) as n from ${raw(table)} one where ${raw(column)} is not null and not exists
            (select 1 from ${raw(target)} other where other.app_id = one.app_id and other.object_id = one.${raw(column)})`,
        );
        assert.equal(lost, 0, `${table}.${column}`);
      }
      const unknown = await count(sql`select count(*) as n from verdicts v where not exists
          (select 1 from notifications t where t.app_id = v.app_id and t.object_id = v.trigger_id)
        and not exists (select 1 from storyline_details t where t.app_id = v.app_id and t.object_id = v.trigger_id)`);
      assert.equal(unknown, 0, 'verdicts.trigger_id');
      assert.equal(await count(sql`select count(*) as n from visits where is_open = 1 or dwell <= 0`), 0);
      const now = Date.now();
      assert.equal(await count(sql`select count(*) as n from visits where left_at > ${now}`), 0, 'in the future');
    });

    test('messages fired and were stopped for several reasons, in the words of the engine', async () => {
      const rows = await bench.storage.db.all<{ reason: string; text: string }>(
        sql`select reason, min(explanation) as text from verdicts group by reason`,
      );
      for (const reason of [
        'fired',
        'event',
        'disabled',
        'schedule',
        'cap',
        'cool_down',
        'nth_visit',
        'no_target',
        'stale',
      ])
        assert.ok(
          rows.some((row) => row.reason === reason),
          reason,
        );
      for (const { reason, text } of rows) assert.match(text, reason === 'fired' ? /^Shown\.$/ : /^Not shown: .+\.$/);
    });

    test('the counts of a push are those of its deliveries, and its audience is what the condition finds', async () => {
      const { results } = await bench.get('/push/notifications');
      assert.ok(results.length >= 2);
      for (const push of results) {
        const { objectId, createdAt, audience } = push;
        const states = await bench.storage.db.all<{ state: string; n: number }>(
          sql`select state, count(*) as n from deliveries where push_id = ${String(objectId)} group by state`,
        );
        for (const { state, n } of states) assert.equal(push[state], Number(n), state);
        assert.equal(
          states.reduce((sum, { n }) => sum + Number(n), 0),
          audience,
        );
        const meant = { ...(push['where'] as object | undefined), createdAt: { $lt: createdAt } };
        const found = await bench.get(`/installations?${where(meant)}&limit=0&count=1`);
        assert.equal(found.count, audience);
      }
    });

    test('lists go by time, and by a condition', async () => {
      const whale = (await bench.get(`/beacons?${where({ name: 'Whale Hall' })}`)).results[0]?.['objectId'];
      const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: whale };
      const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
      const visits = await bench.get(
        `/visits?${where({ beaconId, enteredAt: { $gte: weekAgo } })}&order=-enteredAt&limit=20`,
      );
      assert.ok(visits.results.length > 0);
      const times = visits.results.map(({ enteredAt }) => String(enteredAt));
      assert.deepEqual(times, [...times].sort().reverse());
      assert.ok(times.every((time) => time >= weekAgo));
      const logs = (await bench.get('/logs?limit=200')).results.map(({ createdAt }) => String(createdAt));
      assert.deepEqual(logs, [...logs].sort().reverse());
    });

    test('all of its visits are counted', async () => {
      await bench.app.rollups.settleAll();
      const [visits, counted] = [
        await count(raw('select count(*) as n from visits')),
        await count(raw("select sum(visits) as n from visit_rollups where span = 'allDay'")),
      ];
      assert.ok(visits > 0);
      assert.equal(counted, visits);
    });

    test('its two campaigns reached people and others who got nothing', async () => {
      const rows = await bench.storage.db.all<{ description: string; message_group: string; n: number }>(
        sql`select description, message_group, sum(reached) as n from message_rollups join notifications
          on notifications.app_id = message_rollups.app_id and notifications.object_id = trigger_id
          where goal is not null group by description, message_group order by description, message_group`,
      );
      assert.deepEqual(
        rows.map(({ description, message_group }) => [description, message_group]),
        ['A chart of your own', 'Soup after the tide pool'].flatMap((name) => [
          [name, ''],
          [name, 'holdout'],
        ]),
      );
      assert.ok(rows.every(({ n }) => Number(n) > 20));
    });

    /** What the analytics say of a campaign. */
    async function comparisons() {
      await bench.app.rollups.settleAll();
      const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
      const { result } = (await bench.get(`/analytics/messages?from=${dayOf(400)}&until=${dayOf(-2)}`)) as unknown as {
        readonly result: { readonly messages: readonly ToldMessage[] };
      };
      return (name: string) => {
        const [told, ...more] = result.messages.find((one) => one.name === name)?.comparisons ?? [];
        assert.ok(told && more.length === 0, name);
        assert.deepEqual([told.group, told.against], ['', 'holdout']);
        return told;
      };
    }

    test('what its campaigns led to is said in a sentence that agrees with the interval', async () => {
      const comparisonOf = await comparisons();
      // Who is held out is drawn anew for each demo, and these are the first weeks of its year: what is clear differs.
      for (const name of ['A chart of your own', 'Soup after the tide pool']) {
        const { isClear, low, high, difference, text } = comparisonOf(name);
        assert.ok(low < difference && difference < high, text);
        assert.equal(isClear, low > 0 || high < 0, text);
        assert.match(text, /^Of [\d,]+ who got it [\d.]+ % reached the goal, of [\d,]+ who did not get it [\d.]+ %/);
        assert.equal(/may be chance/.test(text), !isClear, text);
        assert.equal(/than chance alone explains/.test(text), isClear, text);
      }
      // Of the chart a third more come to the shop.
      assert.ok(comparisonOf('A chart of your own').high > 0);
    });

    test('two drafts of a message are compared over the last month, before one is switched on', async () => {
      const { app, made } = bench;
      const hall = await maxRepeated(bench);
      // So that a visitor who comes back is not refused because there were other messages that day.
      const { delivery } = (await app.apps.get(made.mark.appId)).policy;
      await app.apps.change(made.mark.appId, { policy: { delivery: { ...delivery, caps: [] } } });
      const account = { email: 'editor@skerrypoint.example', password: 'a long enough secret' };
      await app.admins.create({ ...account, name: 'Editor', role: 'editor' }, { name: 'test', address: null });
      const headers = { origin: 'http://localhost', host: 'localhost' };
      const ask = async (method: 'GET' | 'POST', url: string, payload?: object, cookie?: string) => {
        const sent = { ...headers, ...(cookie ? { cookie } : {}) };
        const answer = await app.server.inject({
          method,
          url: `/console/api${url}`,
          headers: sent,
          ...(payload ? { payload } : {}),
        });
        assert.ok(answer.statusCode < 300, answer.payload);
        return answer;
      };
      const session = await ask('POST', '/session', account);
      const [cookie = ''] = String(session.headers['set-cookie']).split(';');
      const draft = { beacons: [hall], event: 'ENTER' };
      const against = { ...draft, delivery: { nthVisit: { n: 1, mode: 'only' } } };
      const url = `/apps/${made.mark.appId}/replays`;
      const { objectId } = JSON.parse((await ask('POST', url, { draft, against }, cookie)).payload).result;
      await app.idle();
      await app.apps.change(made.mark.appId, { policy: { delivery } });
      const { result } = JSON.parse((await ask('GET', `${url}/${objectId}`, undefined, cookie)).payload);
      assert.equal(result.state, 'done');
      assert.ok(result.events > 0);
      const [all, once] = [result.draft, result.against];
      assert.ok(all.sent > once.sent && once.sent > 0, JSON.stringify([all.sent, once.sent]));
      assert.equal(once.sent, once.visitors, 'to each visitor once');
      assert.equal(all.sent - once.sent, once.reasons['nth_visit']);
    });

    test('as its year is planned, more of those who got one campaign reach its goal, and as many of both groups that of the other', async () => {
      const { appId, seed, madeAt } = bench.made.mark;
      const { days, guests } = bench.made.year;
      const venue = (await loadVenue(bench.storage.db, appId)) ?? assert.fail();
      const evened = evenTours(venue, bench.made.year, madeAt);
      /** The share that reached the goal, of those who met the campaign for the first time. */
      const sharesOf = (campaign: typeof workingCampaign | typeof idleCampaign) => {
        const counts = { 'got it': { of: 0, acted: 0 }, 'held out': { of: 0, acted: 0 } };
        const met = new Set<number>();
        for (const { date, tours } of days.toReversed())
          for (const [index, tour] of tours.entries()) {
            const guest = guests[tour.guest] ?? assert.fail();
            const group = groupIn(venue, { guest, tour }, campaign);
            if (!group || met.has(tour.guest)) continue;
            met.add(tour.guest);
            const random = createRandom(`${seed}/tour/${date}/${index}/campaign`);
            const { stops } = swayed(venue, { guest, tour, random, until: madeAt, evened });
            const cameAt = stops.find(({ hall }) => hall.key === campaign.hall)?.enteredAt ?? 0;
            const own = counts[group];
            own.of++;
            if (stops.some(({ hall, enteredAt }) => hall.key === campaign.goal && enteredAt >= cameAt)) own.acted++;
          }
        return (['got it', 'held out'] as const).map((group) => counts[group].acted / counts[group].of);
      };
      const [got = 0, heldOut = 1] = sharesOf(workingCampaign);
      assert.ok(got > heldOut + 0.05, `${got} ${heldOut}`);
      for (const share of sharesOf(idleCampaign)) assert.ok(share > 0.3 && share < 0.42, `${share}`);
    });

    // A minute of writing; what is written does not depend on the database.
    const testOfWritten = isFull && database === 'sqlite' ? test : () => undefined;
    testOfWritten('of its campaigns one has worked and the other has not, in its own analytics', async () => {
      const { days, guests } = bench.made.year;
      const since = new Date(Date.now() - campaignDays * 86_400_000).toISOString().slice(0, 10);
      const tours = days.filter(({ date }) => date >= since).reduce((sum, day) => sum + day.tours.length, 0);
      await fillTo(bench, tours + demoPushes.length * Math.ceil(guests.length / 100));
      const comparisonOf = await comparisons();
      const [chart, soup] = [comparisonOf(workingCampaign.description), comparisonOf(idleCampaign.description)];
      assert.ok(chart.isClear && chart.low > 0, chart.text);
      assert.match(chart.text, /: more than chance alone explains\. The difference is \+[\d.]+ points/);
      assert.ok(!soup.isClear && Math.abs(soup.difference) < 0.05, soup.text);
      assert.match(soup.text, /the difference may be chance\.$/);
      // As many of both as of a museum's visitors may have soup.
      const shares = [...soup.text.matchAll(/([\d.]+) %/g)].map(([, share]) => Number(share));
      assert.ok(shares.length === 2 && shares.every((share) => share > 25 && share < 45), soup.text);
    });

    test('the retention of the app keeps all of it', async () => {
      const before = await count(raw('select count(*) as n from visits'));
      await bench.app.retention.sweep();
      assert.equal(await count(raw('select count(*) as n from visits')), before);
    });

    test('beacons have told of themselves, and two batteries will soon be empty', async () => {
      const { app, get } = bench;
      const beacons = (await get('/beacons')).results;
      const fossils = beacons.find(({ name }) => name === 'Fossil Cabinet');
      const told = (await get(`/beacons/${fossils?.['objectId']}/telemetry`)).results;
      assert.equal(told.length, 29);
      assert.equal(told.at(-1)?.['battery'], 9);
      app.sweep();
      await app.idle();
      assert.equal(await count(raw("select count(*) as n from beacon_findings where kind = 'battery'")), 2);
      assert.equal(await count(raw('select count(*) as n from beacon_findings')), 2);
    });

    test('an app that is switched off gets nothing more, and nothing is left of a demo that was removed', async () => {
      const { storage, made, app } = bench;
      await app.apps.change(made.mark.appId, { disabled: true });
      const rows = await fillYear({
        db: storage.db,
        year: made.year,
        signal: new AbortController().signal,
        pause: () => 0,
      });
      assert.equal(rows, 0);
      // The password of a demo is public: whoever added a provider must not be an owner of what comes after it.
      await storage.db.run(
        raw(`insert into sso_providers (provider_id, name, issuer, client_id, scopes, roles,
          factor_values, trusts_email, is_enabled, created_at, updated_at)
        values ('p', 'Anybody', 'https://login.example', 'x', 'openid', '{}', '[]', 1, 1, 0, 0)`),
      );
      await removeDemo(storage.db, createServices({ db: storage.db, now: Date.now }), { name: 'test', address: null });
      await assertDemoOrEmpty(storage.db);
      assert.equal(await count(raw('select count(*) as n from verdicts')), 0);
      assert.equal(await findDemoMark(storage.db), undefined);
      assert.equal(await count(raw('select count(*) as n from sso_providers')), 0);
    });
  });
}
