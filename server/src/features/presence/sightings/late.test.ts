import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { kindsOf, openSite, type Site, stay, walk } from '../../../../test/support/site.ts';

/** What arrives late or a second time changes nothing that was right, and nobody is told again. */

const minute = 60_000;
const hour = 60 * minute;
const iso = (at: number) => new Date(at).toISOString();

for (const database of databases) {
  describe(`late and repeated reports on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
      site.app.app.ticker.stop();
    });
    afterEach(() => site.close());

    async function pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= minute) {
        site.app.clock.now += Math.min(left, minute);
        await site.app.app.ticker.tick();
      }
    }
    const near = (seconds: number, start: number) => walk(stay(1.5, seconds), start);
    /** Visits, events and log records, without their ids. */
    async function told() {
      const of = async (table: string, columns: readonly string[]) =>
        (await site.rows(table)).map((row) => columns.map((column) => row[column]).join(' ')).sort();
      return {
        visits: await of('visits', ['beacon_id', 'entered_at', 'left_at', 'is_open', 'ended_by']),
        events: await of('events', ['beacon_id', 'event', 'occurred_at', 'visit_id']),
        logs: await of('logs', ['beacon_id', 'event', 'occurred_at']),
      };
    }

    for (const isLate of [false, true]) {
      const how = isLate ? 'a late sample among it' : 'everything in order';
      test(`a zone on the way in is told once, and is shown once in the visit that follows (${how})`, async () => {
        await site.beacon({ minor: 2 });
        await site.notification({ event: 'FAR' });
        const start = site.now;
        site.app.clock.now += minute;
        const first = await site.send(walk(stay(10, 12), start));
        assert.deepEqual([kindsOf(first.events), first.messages.length], [['FAR'], 1]);
        const late = isLate ? walk([20], start + 10_500, 2) : [];
        const next = await site.send([...late, ...near(15, start + 12_000), ...walk(stay(20, 25), start + 27_000)]);
        assert.deepEqual(kindsOf(next.events).slice(0, 3), ['ENTER', 'NEAR', 'FAR']);
        const [visit] = await site.list('visits');
        assert.equal(first.events[0].visitId, visit.objectId);
        assert.deepEqual(next.messages, [], 'FAR was shown in this visit');
      });
    }

    test('log records that are written at once are listed in the order of their events', async () => {
      const start = site.now;
      const visits = [0, 2, 4, 6, 8].map((minutes) => near(20, start + minutes * minute));
      site.app.clock.now += 11 * minute;
      await site.send(visits.flat());
      const rows = (await site.rows('logs')).toSorted((a, b) =>
        String(a['object_id']) < String(b['object_id']) ? -1 : 1,
      );
      const times = rows.map(({ occurred_at }) => Number(occurred_at));
      assert.ok(times.length >= 9, `${times.length} records`);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    });

    test('a radius that is changed later does not change the visits of before', async () => {
      await site.ask({ method: 'PUT', url: `/api/v2/beacons/${site.hall}`, body: { radius: 10 } });
      await site.beacon({ minor: 2 });
      const start = site.now;
      await pass(minute);
      // Both from the beginning: how near one is taken to be depends on the other.
      await site.send([...walk(stay(6, 40), start), ...walk(stay(20, 40), start, 2)]);
      await pass(2 * minute);
      await site.send(walk(stay(20, 5), start + 2 * minute, 2));
      const before = await told();
      assert.equal(before.visits.length, 1);
      await site.ask({ method: 'PUT', url: `/api/v2/beacons/${site.hall}`, body: { radius: 2 } });
      await site.send(walk([20], start + 10_500, 2));
      assert.deepEqual(await told(), before, 'a late sample of another beacon');
      await site.send(walk([6], start + 20_500));
      assert.deepEqual(await told(), before, 'a late sample of this one');
      await site.ask({ method: 'DELETE', url: `/api/v2/beacons/${site.hall}` });
      // Too soon after the other late one for a zone to be confirmed.
      await site.send(walk([20], start + 12_500, 2));
      assert.deepEqual(await told(), before, 'the beacon is gone');
      assert.equal((await site.send(walk(stay(6, 5), start + 3 * minute))).events.length, 0);
    });

    test('a receiver may be called like a member of every object', async () => {
      const start = site.now;
      site.app.clock.now += minute;
      for (const receiver of ['__proto__', 'constructor']) {
        const samples = near(4, start).map((sample) => ({ ...sample, receiver }));
        assert.equal((await site.send(samples)).duplicates, 0, receiver);
        assert.equal((await site.send(samples.slice(1))).duplicates, samples.length - 1, `${receiver} again`);
      }
    });

    test('what is sent again after its samples are gone was known', async () => {
      // Uneven ground: where a batch begins, a filter without a past would find something else.
      const metres = Array.from({ length: 6_000 }, (_, second) => (second % 100 < 50 ? 1.5 : 12 + (second % 5)));
      const start = site.now - 7_000_000;
      const batches = Array.from({ length: 24 }, (_, batch) =>
        walk(metres.slice(batch * 250, batch * 250 + 250), start + batch * 250_000),
      );
      for (const batch of batches) await site.send(batch);
      await pass(5 * minute);
      const before = await told();
      assert.ok(before.visits.length > 20);
      for (const batch of batches) assert.equal((await site.send(batch.slice(17))).duplicates, 233);
      assert.deepEqual(await told(), before);
    });

    test('a gap from before what is kept is filled, although the time around it is known', async () => {
      const start = site.now - 8_000_000;
      await site.send(walk(stay(20, 100), start));
      await site.send(walk(stay(20, 100), start + 300_000));
      for (let batch = 0; batch < 6; batch++)
        await site.send(walk(stay(20, 1_000), start + 1_000_000 + batch * 1_000_000));
      const late = await site.send(near(60, start + 200_000));
      assert.deepEqual([late.duplicates, kindsOf(late.events)], [0, ['ENTER', 'NEAR', 'EXIT']]);
    });

    test('a body that is sent again a minute later does not set the clock', async () => {
      const start = site.now;
      await pass(30_000);
      const sentAt = site.now;
      const sightings = near(30, start);
      await site.send(sightings, { sentAt });
      await pass(minute);
      // Something was added, so that it is not the same batch.
      const again = await site.send([...sightings, ...near(1, start + 30_000)], { sentAt });
      assert.deepEqual([again.clockError, again.duplicates, again.events], [undefined, 30, []]);
      await pass(5 * minute);
      const [visit, ...others] = await site.list('visits');
      assert.deepEqual([visit.enteredAt, visit.leftAt, others], [iso(start), iso(start + 30_000), []]);
    });

    test('what was shown in a visit that has become part of another one is not shown there again', async () => {
      const immediate = await site.notification({ event: 'IMMEDIATE' });
      const start = site.now;
      await pass(30_000);
      await site.send(near(30, start));
      await pass(90_000);
      const second = await site.send(walk(stay(0.5, 20), start + 100_000));
      assert.deepEqual(
        second.messages.map(({ triggerId }: { triggerId: string }) => triggerId),
        [immediate],
      );
      await site.send(near(70, start + 30_000));
      const [visit, ...others] = await site.list('visits');
      assert.deepEqual(others, []);
      await pass(minute);
      const back = [...walk(stay(2.2, 40), start + 120_000), ...walk(stay(0.5, 20), start + 160_000)];
      const next = await site.send(back);
      assert.deepEqual([kindsOf(next.events), next.messages], [['NEAR', 'IMMEDIATE'], []]);
      const verdicts = await site.list('verdicts', { where: JSON.stringify({ event: 'IMMEDIATE' }) });
      assert.ok(verdicts.every(({ visitId }: { visitId: string }) => visitId === visit.objectId));
      const reasons = new Set(verdicts.map(({ reason }: { reason: string }) => reason));
      assert.deepEqual([...reasons].sort(), ['fired', 'repeat']);
    });

    for (const end of [[], ['EXIT']] as const) {
      test(`a late sample behind an EXIT that was taken back changes nothing (${end.length} EXIT after it)`, async () => {
        await site.beacon({ minor: 2 });
        const start = site.now;
        await pass(10 * minute);
        await site.send([site.decided('ENTER', start), ...walk(stay(20, 254), start + 1_000, 2)]);
        await site.send([site.decided('EXIT', start + 256_500)]);
        // Samples are kept in hundreds. These begin where the visit is over, and may be taken up again.
        await site.send(walk(stay(20, 3), start + 257_000, 2));
        await site.send([site.decided('ENTER', start + 270_000)]);
        if (end.length > 0) await site.send([site.decided('EXIT', start + 280_000)]);
        const [visit] = await site.rows('visits');
        assert.deepEqual([visit?.['is_open'], visit?.['source']], [1 - end.length, 'device']);
        const [before, counted] = [await told(), await site.rows('presence')];
        const late = await site.send(walk([20], start + 258_500, 2));
        assert.deepEqual(late.events, []);
        assert.deepEqual([await told(), await site.rows('presence')], [before, counted]);
      });
    }

    test('an ENTER that comes late takes back the EXIT before it', async () => {
      await site.beacon({ minor: 2 });
      const start = site.now;
      await pass(10 * minute);
      await site.send([site.decided('ENTER', start), ...walk(stay(20, 254), start + 1_000, 2)]);
      await site.send([site.decided('EXIT', start + 256_500)]);
      await site.send(walk(stay(20, 3), start + 257_000, 2));
      await site.send([site.decided('ENTER', start + 258_500)]);
      const [visit, ...others] = await site.rows('visits');
      assert.deepEqual([visit?.['is_open'], visit?.['left_at'], others], [1, null, []]);
    });

    test('a visit that a late EXIT cuts in two is two visits, whatever the second one was once taken for', async () => {
      await site.beacon({ minor: 2 });
      await site.notification();
      const start = site.now;
      await pass(6 * minute);
      await site.send(walk(stay(20, 270), start + 1_000, 2));
      const messages: number[] = [];
      for (const decision of [
        site.decided('ENTER', start + 320_000),
        site.decided('ENTER', start),
        site.decided('EXIT', start + 280_000),
      ])
        messages.push((await site.send([decision])).messages.length);
      assert.deepEqual(messages, [1, 0, 0], 'what was shown in the second one is not shown in it again');
      const visits = (await site.rows('visits')).map((row) => [row['entered_at'], row['left_at'], row['is_open']]);
      assert.deepEqual(
        visits.sort(([a], [b]) => Number(a) - Number(b)),
        [
          [start, start + 280_000, 0],
          [start + 320_000, null, 1],
        ],
      );
      assert.equal((await told()).logs.length, 3);
    });

    test('a visit that late samples show not to have been one is gone, although it seemed to begin long before', async () => {
      await site.beacon({ minor: 2 });
      const start = site.now;
      await pass(10 * minute);
      // Samples are kept in segments of 256: the second begins in the middle of coming.
      const come = [0, 500, 1_000, 1_500, 2_000].flatMap((ms) => walk([1.5], start + 254_000 + ms));
      await site.send([...walk(stay(20, 254), start, 2), ...come, ...walk(stay(40, 30), start + 257_000)]);
      assert.equal((await told()).visits.length, 1);
      const late = [50, 100, 150, 200, 250, 300, 350, 400].flatMap((ms) => walk([60], start + 255_000 + ms));
      await site.send(late);
      const { visits, events, logs } = await told();
      assert.deepEqual([visits, logs], [[], []]);
      assert.ok(
        events.every((event) => event.includes('FAR')),
        String(events),
      );
    });

    for (const delay of [1_000, 2 * hour]) {
      test(`an EXIT that overtakes its ENTER by ${delay / 1000} s ends the same visit`, async () => {
        await site.makeReachable();
        await site.notification();
        await site.notification({ event: 'EXIT' });
        const start = site.now;
        await pass(40_000);
        const exit = await site.send([site.decided('EXIT', start + 30_000)]);
        assert.deepEqual([exit.events, exit.messages], [[], []]);
        await pass(delay);
        const enter = await site.send([site.decided('ENTER', start)]);
        assert.deepEqual(kindsOf(enter.events), ['ENTER', 'EXIT']);
        assert.equal(enter.messages.length, delay < minute ? 2 : 0);
        assert.equal((await site.pushes()).length, enter.messages.length);
        await pass(13 * hour);
        const [visit, ...others] = await site.list('visits');
        assert.deepEqual([visit.dwell, visit.endedBy, visit.inferred, others], [30, 'device', false, []]);
        assert.equal((await site.rows('logs')).length, 2);
      });
    }
  });
}
