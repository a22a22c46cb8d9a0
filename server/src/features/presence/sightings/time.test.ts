import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { openStream } from '../../../../test/support/event-stream.ts';
import { kindsOf, openNode, openSite, pointer, type Site, stay, uuid, walk } from '../../../../test/support/site.ts';

/** Presence follows from when things were sensed, whenever and however they arrive. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const iso = (at: number) => new Date(at).toISOString();

for (const database of databases) {
  describe(`sensing and arrival on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
    });
    afterEach(() => site.close());

    const tick = () => site.app.app.ticker.tick();
    /** Lets time pass, second by second where something is due. */
    async function pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 10_000) {
        site.app.clock.now += Math.min(left, 10_000);
        await tick();
      }
    }
    const visits = async () => (await site.list('visits')).toReversed();
    const fired = async () => (await site.list('verdicts', { where: '{"outcome":"fired"}' })).length;
    /** Log records in the order in which things happened. */
    const logged = async () =>
      (await site.rows('logs'))
        .sort((a, b) => Number(a['occurred_at']) - Number(b['occurred_at']))
        .map((row) => row['event']);
    const near = (seconds: number, start: number) => walk(stay(1.5, seconds), start);

    for (const rest of [{}, { interval: 1 }]) {
      test(`one batch a minute is one visit and one message (${JSON.stringify(rest)})`, async () => {
        await site.makeReachable();
        await site.notification();
        await site.notification({ event: 'EXIT' });
        const start = site.now;
        for (let batch = 0; batch < 4; batch++) {
          await pass(minute);
          await site.send(near(60, start + batch * minute), rest);
        }
        assert.equal((await visits()).length, 1);
        assert.deepEqual(kindsOf((await site.list('logs')).toReversed()), ['ENTER']);
        await pass(5 * minute);
        const [visit, ...others] = await visits();
        assert.deepEqual(others, []);
        assert.deepEqual([visit.enteredAt, visit.leftAt, visit.dwell], [iso(start), iso(start + 239_000), 239]);
        assert.deepEqual(kindsOf((await site.list('logs')).toReversed()), ['ENTER', 'EXIT']);
        assert.equal(await fired(), 2, 'one welcome, one farewell');
        assert.equal((await site.rows('deliveries')).length, 2);
      });
    }

    test('a phone that reported while the service was a day ahead is met as soon as the time is right again', async () => {
      await site.notification();
      const right = site.now;
      site.app.clock.now = right + day + 20_000;
      await site.send(near(20, right + day));
      assert.deepEqual([(await visits()).length, await fired()], [1, 1]);
      site.app.clock.now = right + 2 * hour;
      const result = await site.send(near(20, site.now - 20_000));
      assert.deepEqual(kindsOf(result.events), ['ENTER', 'NEAR']);
      assert.equal(result.messages.length, 1);
      assert.deepEqual(
        (await visits()).map((one: Record<string, string>) => [one['enteredAt'], one['leftAt'] ?? null]),
        [
          [iso(right + 2 * hour - 20_000), null],
          [iso(right + day), iso(right + day)],
        ],
      );
      // From then on nothing is late.
      await pass(5 * minute);
      await site.send(near(20, site.now - 20_000));
      assert.deepEqual([(await visits()).length, await fired()], [3, 3]);
    });

    test('what the phone kept during a restart of the service makes the visit go on', async () => {
      await site.notification();
      const start = site.now;
      site.app.clock.now += 20_000;
      for (const sample of near(20, start)) await site.send([sample]);
      await site.app.app.close();
      site.app.clock.now += 40_000;
      const node = await openNode(site);
      try {
        await node.app.ticker.tick();
        const answer = await node.app.server.inject({
          method: 'POST',
          url: '/api/v2/sightings',
          headers: { ...site.app.credentials, 'content-type': 'application/json' },
          payload: JSON.stringify({ installationId: 'phone-1', sightings: near(40, start + 20_000) }),
        });
        assert.deepEqual(answer.json().result.messages, []);
        const [visit, ...others] = await site.rows('visits');
        assert.deepEqual([visit?.['is_open'], visit?.['entered_at'], others.length], [1, start, 0]);
        assert.deepEqual(kindsOf((await site.rows('logs')) as never), ['ENTER']);
      } finally {
        await node.close();
      }
    });

    test('what comes hours late makes its visit, is logged and shows nothing', async () => {
      await site.makeReachable();
      await site.notification();
      await site.send(near(1, site.now));
      const past = site.now - 3 * hour;
      const late = await site.send(near(60, past));
      assert.deepEqual([kindsOf(late.events), late.messages, late.problems], [['ENTER', 'NEAR', 'EXIT'], [], []]);
      const [visit] = await visits();
      assert.deepEqual([visit.enteredAt, visit.leftAt, visit.dwell], [iso(past), iso(past + 59_000), 59]);
      const [enter] = await site.list('events', { where: '{"event":"ENTER"}' });
      const { verdicts } = await site.get(`events/${enter.objectId}`);
      assert.equal(
        verdicts[0].text,
        'Not shown: the report came 2 hours late, and after 2 minutes it is no longer shown.',
      );
      assert.deepEqual(await site.pushes(), []);
      assert.deepEqual(await logged(), ['ENTER', 'EXIT']);
    });

    test('what is older than all that is kept makes its visit too, and joins the one that it touches', async () => {
      await site.send(near(5, site.now - 5_000));
      const past = site.now - 3 * day;
      await site.send(near(60, past));
      await site.send(near(60, past + 80_000));
      const [first, ...others] = await visits();
      assert.equal(others.length, 1, 'and the one of now');
      assert.deepEqual([first.enteredAt, first.leftAt, first.isOpen], [iso(past), iso(past + 139_000), false]);
      assert.deepEqual(await site.send(near(60, past)), { ...(await site.send(near(60, past))) }, 'and only once');
      assert.equal((await visits()).length, 2);
      assert.equal((await site.rows('events')).filter(({ event }) => event === 'EXIT').length, 1);
    });

    test('two batches that have swapped places make the visit of the right order', async () => {
      await site.notification();
      const start = site.now - 20_000;
      await site.send(walk(stay(12, 10), start + 10_000));
      const late = await site.send(near(10, start));
      assert.deepEqual(kindsOf(late.events).slice(0, 2), ['ENTER', 'NEAR']);
      assert.equal(late.messages.length, 1, 'it is new enough to be shown');
      const other = await site.installation({ installationId: 'phone-2' });
      await site.send([...near(10, start), ...walk(stay(12, 10), start + 10_000)], { installationId: 'phone-2' });
      const of = async (id: string) =>
        (await site.list('events', { where: JSON.stringify({ installationId: pointer('_Installation', id) }) })).map(
          ({ event, occurredAt }: Record<string, string>) => `${event} ${occurredAt}`,
        );
      assert.deepEqual((await of(site.phone)).sort(), (await of(other)).sort());
    });

    test('a gap that is filled later makes one visit of two, and says so', async () => {
      await site.makeReachable();
      await site.notification();
      await site.app.app.server.listen({ port: 0, host: '127.0.0.1' });
      const { port } = site.app.app.server.server.address() as AddressInfo;
      const headers = { ...site.app.credentials, ...site.user.headers };
      const stream = await openStream(port, '/api/v2/stream', headers as Record<string, string>);
      await stream.ready;
      const start = site.now - 5 * minute;
      await site.send(near(30, start));
      await site.send(near(30, start + 2 * minute));
      assert.equal((await visits()).length, 2);
      await site.send(near(90, start + 30_000));
      const [visit, ...others] = await visits();
      assert.deepEqual(others, []);
      assert.deepEqual([visit.enteredAt, visit.isOpen], [iso(start), true]);
      const updates = () => stream.events.filter(({ event }) => event === 'visit.updated').map(({ data }) => data.data);
      while (updates().length < 2) await stream.received(stream.events.length + 1);
      assert.deepEqual(
        updates().map(({ change, mergedInto, isOpen }) => [change, mergedInto, isOpen]),
        [
          ['merged', visit.objectId, true],
          ['reopened', undefined, true],
        ],
      );
      stream.close();
      await pass(6 * minute);
      const [ended] = await visits();
      assert.deepEqual([ended.leftAt, ended.dwell], [iso(start + 149_000), 149]);
      assert.deepEqual(await logged(), ['ENTER', 'EXIT']);
      assert.deepEqual(kindsOf(await site.list('events', { order: 'occurredAt' })), ['ENTER', 'NEAR', 'EXIT']);
    });

    test('one wrong timestamp moves nothing but itself', async () => {
      const start = site.now - 10_000;
      const result = await site.send([...near(10, start), ...near(1, site.now + day)]);
      assert.deepEqual(
        result.problems.map(({ index, code }: Record<string, unknown>) => [index, code]),
        [[10, 'bad_time']],
      );
      const [visit] = await visits();
      assert.equal(visit.enteredAt, iso(start));
    });

    test("in a gateway's batch one tag's time moves no other tag", async () => {
      await site.beacon({ metadata: { gatewayId: 'room-1' } });
      for (const tag of ['a', 'b'])
        await site.installation({ installationId: tag, metadata: { advertisedId: `aabbcc00110${tag}` } });
      const heard = (tag: string, start: number) =>
        [0, 1, 2, 3].map((index) => ({ id: `aabbcc00110${tag}`, rssi: -50, occurredAt: start + index * 1000 }));
      const start = site.now - 4_000;
      const body = { gateway: 'room-1', sightings: [...heard('a', start), ...heard('b', site.now + 2 * day)] };
      await site.app.send({ method: 'POST', url: '/api/v2/sightings', body });
      const entered = (await visits()).map(({ enteredAt }: { enteredAt: string }) => enteredAt).sort();
      assert.deepEqual(entered, [iso(start), iso(site.now - 3_000)].sort());
    });

    test('a clock that is wrong by minutes is corrected by sentAt, and may be set right in between', async () => {
      await site.notification();
      const start = site.now;
      for (const [second, error] of [
        [10, -3 * minute],
        [20, -3 * minute],
        [30, 0],
        [40, 4 * minute],
      ] as const) {
        site.app.clock.now = start + second * 1000;
        const result = await site.send(near(10, start + (second - 10) * 1000 + error), { sentAt: site.now + error });
        assert.equal(result.clockError ?? 0, error / 1000);
        assert.deepEqual(result.problems, []);
        assert.equal(result.messages.length, second === 10 ? 1 : 0);
      }
      await pass(2 * minute);
      const [visit, ...others] = await visits();
      assert.deepEqual(others, []);
      assert.deepEqual([visit.enteredAt, visit.leftAt], [iso(start), iso(start + 39_000)]);
    });

    for (const change of [minute + 370, -minute - 370, -40_370, hour])
      test(`a clock that is set by ${change / 1000} s between two samples of a batch makes one visit, with one message`, async () => {
        await site.beacon({ minor: 2 });
        await site.notification();
        const start = site.now;
        const sense = (from: number) =>
          [0, 1, 2, 3, 4].flatMap((second) => {
            const at = start + (from + second) * 1000;
            return near(1, from + second < 23 ? at : at + change);
          });
        let messages = 0;
        for (let from = 0; from < 60; from += 5) {
          site.app.clock.now = start + (from + 4) * 1000 + 100;
          await tick();
          const sentAt = site.now - 100 + (from < 20 ? 0 : change);
          const body = sense(from);
          const result = await site.send(body, { sentAt });
          // Sent again with something new, its samples are known by the same times.
          const more = walk([20], start + (from + 4) * 1000 + (from < 20 ? 0 : change), 2);
          const again = await site.send([...body, ...more], { sentAt });
          assert.deepEqual([result.problems, again.problems, again.duplicates], [[], [], 5], `${from}`);
          messages += result.messages.length + again.messages.length;
        }
        await pass(2 * minute);
        const [visit, ...others] = await visits();
        assert.deepEqual([others, messages], [[], 1]);
        const off = [Date.parse(visit.enteredAt) - start, Date.parse(visit.leftAt) - start - 59_000];
        assert.ok(
          off.every((ms) => Math.abs(ms) <= 200),
          `${off}`,
        );
      });

    test('without sentAt, too, a clock that is set back during a visit shows its message once', async () => {
      await site.notification();
      const start = site.now;
      let messages = 0;
      for (let from = 0; from < 60; from += 5) {
        site.app.clock.now = start + (from + 5) * 1000;
        await tick();
        messages += (await site.send(near(5, start + from * 1000 - (from < 20 ? 0 : 63_370)))).messages.length;
      }
      await pass(2 * minute);
      assert.equal(messages, 1);
      assert.equal(await fired(), 1);
    });

    test('an app in the foreground without a push token gets its message after the dwell', async () => {
      await site.notification({ delivery: { dwellSeconds: 20 } });
      const messages: number[] = [];
      for (let second = 0; second < 30; second++) {
        site.app.clock.now += 1_000;
        await tick();
        const answer = await site.send(near(1, site.now));
        if (answer.messages.length > 0) messages.push(second);
      }
      assert.deepEqual(messages, [20]);
    });

    test('a dwell needs the phone to be heard for as long, and the text says how long the visit was', async () => {
      await site.makeReachable();
      await site.notification({ delivery: { dwellSeconds: 20 } });
      const start = site.now;
      site.app.clock.now += 7_000;
      await site.send(near(8, start));
      await pass(2 * minute);
      const [visit] = await visits();
      const [verdict] = await site.list('verdicts', { where: '{"event":"ENTER"}' });
      assert.equal(visit.dwell, 7);
      assert.equal(verdict.text, 'Not shown: the visitor has to stay 20 seconds first and left after 7 seconds.');
      assert.deepEqual(await site.pushes(), []);
    });

    test('a visit goes on for longer than twelve hours while samples come', async () => {
      const start = site.now;
      for (let part = 0; part < 14; part++) {
        site.app.clock.now += hour;
        await site.send(
          Array.from({ length: 180 }, (_, index) => ({
            uuid,
            major: 1,
            minor: 1,
            rssi: -62,
            occurredAt: start + part * hour + index * 20_000,
          })),
        );
        await tick();
      }
      const [visit, ...others] = await visits();
      assert.deepEqual([visit.enteredAt, visit.isOpen, others.length], [iso(start), true, 0]);
    });

    for (const sender of ['androidBackground', 'iosBackground'] as const) {
      test(`a burst of one sample every quarter of an hour is one visit (${sender})`, async () => {
        const start = site.now;
        for (let burst = 0; burst < 8; burst++) {
          const at = start + burst * 15 * minute + (burst % 2) * 20_000;
          await pass(at - site.now + 5_000);
          await site.send(near(1, at), { sender });
        }
        const [visit, ...others] = await visits();
        assert.deepEqual([visit.enteredAt, visit.isOpen, others.length], [iso(start), true, 0]);
        await pass(46 * minute);
        const [ended] = await visits();
        assert.equal(ended.leftAt, iso(start + 105 * minute + 20_000));
      });
    }

    test('an interval of a day keeps no visit open for good', async () => {
      await site.send(near(5, site.now - 5_000), { interval: 86_400 });
      await site.send(near(5, site.now), { interval: 1 });
      site.app.clock.now += 40_000;
      await tick();
      assert.equal((await visits())[0].isOpen, false, 'a shorter interval shortens the silence');
      await site.send(near(5, site.now), { interval: 86_400 });
      site.app.clock.now += 6 * hour + 10_000;
      await tick();
      assert.ok((await visits()).every(({ isOpen }: { isOpen: boolean }) => !isOpen));
    });

    test('a phone that enters and leaves five times at once is one visit and one message', async () => {
      await site.makeReachable();
      await site.notification();
      await site.notification({ event: 'EXIT' });
      const start = site.now;
      for (let flap = 0; flap < 5; flap++) {
        for (const event of ['ENTER', 'EXIT'] as const) {
          site.app.clock.now += 1_500;
          await site.send([site.decided(event)]);
        }
      }
      const [visit, ...others] = await visits();
      assert.deepEqual(others, []);
      assert.deepEqual([visit.enteredAt, visit.leftAt, visit.isOpen], [iso(start + 1_500), iso(site.now), false]);
      assert.deepEqual(await logged(), ['ENTER', 'EXIT']);
      assert.equal((await site.pushes()).length, 2);
    });

    test('times in whole seconds and times as digits are times', async () => {
      const start = Math.floor(site.now / 1000) * 1000 - 3_000;
      const samples = Array.from({ length: 30 }, (_, index) => ({
        uuid,
        major: 1,
        minor: 1,
        rssi: -60 - (index % 3),
        occurredAt: String(start / 1000 + Math.floor(index / 10)),
      }));
      const result = await site.send(samples, { sentAt: String(site.now) });
      assert.deepEqual([result.duplicates, result.problems], [0, []]);
      assert.deepEqual(kindsOf(result.events), ['ENTER', 'NEAR']);
      const again = await site.send(samples.slice(1));
      assert.equal(again.duplicates, 29);
    });

    test('events of one millisecond are listed in their order', async () => {
      const installations = await Promise.all(
        [1, 2, 3, 4, 5].map((n) => site.installation({ installationId: `visitor-${n}` })),
      );
      for (let n = 1; n <= installations.length; n++)
        await site.send(walk(stay(0.5, 4), site.now - 4_000 + n), { installationId: `visitor-${n}` });
      for (const id of installations) {
        const where = JSON.stringify({ installationId: pointer('_Installation', id) });
        assert.deepEqual(kindsOf((await site.list('events', { where })).toReversed()), ['ENTER', 'IMMEDIATE']);
      }
    });

    test('two beacons with one address are named to the sender, and the oldest counts', async () => {
      const other = await site.beacon({ major: 1, minor: 1 });
      const { events, problems } = await site.send(near(5, site.now - 5_000));
      assert.deepEqual(
        events.map(({ beaconId }: { beaconId: { objectId: string } }) => beaconId.objectId),
        [site.hall, site.hall],
      );
      assert.deepEqual(
        problems.map(({ index, code }: Record<string, unknown>) => [index, code]),
        [[0, 'shared_address']],
      );
      assert.match(problems[0].message, new RegExp(`${site.hall} and ${other}`));
    });

    test('an EXIT from before what is kept ends the visit that was only guessed to be over', async () => {
      // Enough to drop the oldest samples.
      const past = site.now - 3 * day;
      for (let batch = 0; batch < 6; batch++)
        await site.send(walk(stay(20, 1000), site.now - 7_000_000 + batch * 1_000_000));
      await site.send([site.decided('ENTER', past)]);
      assert.equal((await visits())[0].inferred, true);
      await site.send([site.decided('EXIT', past + 45_000)]);
      const [visit, ...others] = await visits();
      assert.deepEqual([visit.dwell, visit.inferred, visit.endedBy, others.length], [45, false, 'device', 0]);
    });

    test('a calibration in the middle of a visit leaves the zone alone', async () => {
      const start = site.now;
      site.app.clock.now += 10_000;
      await site.send(walk(stay(0.7, 10), start));
      const samples = Array.from({ length: 20 }, () => -75);
      await site.ask({ method: 'POST', url: `/api/v2/beacons/${site.hall}/calibration`, body: { samples } });
      site.app.clock.now += 30_000;
      const { events } = await site.send(walk(stay(0.7, 30), start + 10_000));
      assert.deepEqual(events, []);
    });

    test('two phones of one person get a message once a day', async () => {
      const userId = pointer('_User', site.user.userId);
      await site.ask({ method: 'PUT', url: `/api/v2/installations/${site.phone}`, body: { userId } });
      await site.installation({ installationId: 'phone-2', userId });
      await site.notification({ delivery: { caps: [{ count: 1, per: 'trigger', window: 'day' }] } });
      for (const installationId of ['phone-1', 'phone-2']) {
        site.app.clock.now += 1_000;
        await site.app.send({
          method: 'POST',
          url: '/api/v2/sightings',
          headers: site.user.headers,
          body: { installationId, sightings: [site.decided('ENTER')] },
        });
      }
      const reasons = (await site.list('verdicts')).map(({ reason }: { reason: string }) => reason).sort();
      assert.deepEqual(reasons, ['cap', 'fired']);
    });

    test('what was only overheard goes after days, and of what was sent a bounded part is kept', async () => {
      for (let batch = 0; batch < 8; batch++) {
        site.app.clock.now += 1_000_000;
        await site.send(walk(stay(20, 1000), site.now - 1_000_000));
      }
      const segments = await site.rows('track_samples');
      assert.ok(segments.length <= 17, `${segments.length} segments`);
      assert.deepEqual(await site.rows('presence'), []);
      site.app.clock.now += 4 * day;
      await site.app.app.retention.sweep();
      assert.deepEqual([await site.rows('tracks'), await site.rows('track_samples')], [[], []]);
    });
  });
}
