import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { runs } from '../../../../test/support/depth.ts';
import { type Node, openNode, openSite, type Site } from '../../../../test/support/site.ts';

/**
 * However the gateways of two rooms deliver what they have heard of two tags (late, in pieces, twice, in another order, across a restart,
 * with clocks of their own), the visits and events of each tag are those of the live delivery.
 */

/** What a gateway hears, by its true time in ms from the start. */
interface Heard {
  readonly at: number;
  readonly room: number;
  readonly tag: number;
  readonly rssi: number;
}

const leg = fc.record({
  /** The room that the tag is in, and how far from its gateway. */
  room: fc.constantFrom(0, 1),
  metres: fc.constantFrom(1, 1.5, 2, 5),
  seconds: fc.integer({ min: 3, max: 40 }),
  gap: fc.constantFrom(0, 0, 5_000, 28_000, 45_000),
});
const legs = fc.array(leg, { minLength: 1, maxLength: 4 });

const walks = fc.tuple(legs, legs).map((both) =>
  both
    .flatMap((legsOfTag, tag) => {
      const heard: Heard[] = [];
      let at = tag * 333;
      for (const { room, metres, seconds, gap } of legsOfTag) {
        at += gap;
        for (let second = 0; second < seconds; second++) {
          at += 1_000;
          const rssi = Math.round(-59 - 20 * Math.log10(metres)) + ((second * 7) % 5) - 2;
          heard.push({ at, room, tag, rssi });
          if (second % 3 === 0) heard.push({ at: at + 100, room: 1 - room, tag, rssi: -88 });
        }
      }
      return heard;
    })
    .sort((a, b) => a.at - b.at),
);

const delivery = fc.record({
  size: fc.integer({ min: 1, max: 60 }),
  /** How many batches later it arrives. */
  delay: fc.constantFrom(0, 0, 0, 1, 2, 5),
  isRepeated: fc.boolean(),
  isReversed: fc.boolean(),
  isAfterRestart: fc.constantFrom(false, false, false, false, true),
});
type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never;
const how = fc.record({
  /** How far the clock of each gateway is off, ms. */
  errors: fc.tuple(...[0, 1].map(() => fc.constantFrom(0, 0, 180_000, -180_000, 3_600_000, -86_400_000, 86_400_000))),
  deliveries: fc.array(delivery, { minLength: 3, maxLength: 8 }),
});
type How = typeof how extends fc.Arbitrary<infer T> ? T : never;

const hour = 3_600_000;

for (const database of databases) {
  describe(`any delivery of what gateways have heard on ${database}`, () => {
    let site: Site;
    let node: Node | undefined;
    let tags = 0;
    const rooms = ['room-0', 'room-1'];
    beforeAll(async () => {
      site = await openSite(database);
      for (const gatewayId of rooms) await site.beacon({ metadata: { gatewayId } });
      site.app.app.ticker.stop();
    });
    afterAll(async () => {
      await node?.close();
      await site.close();
    });

    const app = () => node?.app ?? site.app.app;
    async function newTags() {
      const names = [0, 1].map(() => (0xaabb_cc00_0000 + tags++).toString(16));
      const ids: string[] = [];
      for (const name of names)
        ids.push(await site.installation({ installationId: `tag ${name}`, metadata: { advertisedId: name } }));
      return { names, ids };
    }

    async function send(room: number, names: readonly string[], heard: readonly Heard[], { start = 0, error = 0 }) {
      const sightings = heard.map(({ at, tag, rssi }) => ({ id: names[tag], rssi, occurredAt: start + at + error }));
      const answer = await app().server.inject({
        method: 'POST',
        url: '/api/v2/sightings',
        headers: { ...site.app.credentials, 'content-type': 'application/json' },
        payload: JSON.stringify({ gateway: rooms[room], sightings, sentAt: site.now + error }),
      });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.deepEqual(answer.json().result.problems, []);
    }

    async function end(): Promise<void> {
      site.app.clock.now += hour;
      await app().ticker.tick();
    }

    async function live(walk: readonly Heard[], start: number): Promise<readonly string[]> {
      const { names, ids } = await newTags();
      for (const [at, together] of Map.groupBy(walk, ({ at }) => at)) {
        site.app.clock.now = start + at;
        await app().ticker.tick();
        for (const [room, heard] of Map.groupBy(together, ({ room }) => room))
          await send(room, names, heard, { start });
      }
      await end();
      return ids;
    }

    async function anyhow(walk: readonly Heard[], { errors, deliveries }: How, start: number) {
      const { names, ids } = await newTags();
      const batches: {
        readonly heard: readonly Heard[];
        readonly room: number;
        readonly how: Delivery;
        readonly place: number;
      }[] = [];
      for (const room of [0, 1]) {
        const heard = walk.filter((one) => one.room === room);
        for (let from = 0, n = 0; from < heard.length; n++) {
          const one = deliveries[(n + 3 * room) % deliveries.length] as Delivery;
          batches.push({ heard: heard.slice(from, from + one.size), room, how: one, place: n + one.delay });
          from += one.size;
        }
      }
      let newest = 0;
      for (const [place, { heard, room, how: one }] of batches.toSorted((a, b) => a.place - b.place).entries()) {
        newest = Math.max(newest, ...heard.map(({ at }) => at));
        site.app.clock.now = start + newest + 500 + place * 3;
        if (one.isAfterRestart) {
          await node?.close();
          node = await openNode(site);
          node.app.ticker.stop();
        }
        await app().ticker.tick();
        const given = one.isReversed ? heard.toReversed() : heard;
        const error = errors[room] ?? 0;
        await send(room, names, given, { start, error });
        if (one.isRepeated) await send(room, names, given, { start, error });
      }
      await end();
      return ids;
    }

    /** All that is known of the tags, by times after the start. */
    async function known(ids: readonly string[], start: number) {
      const after = (value: unknown) => (value === null ? null : Number(value) - start);
      const of = async (table: string, shown: (row: Awaited<ReturnType<Site['rows']>>[number]) => string) => {
        const rows = await site.rows(table);
        return ids.map((id) =>
          rows
            .filter((row) => row['installation_id'] === id)
            .map(shown)
            .sort(),
        );
      };
      return {
        visits: await of('visits', (row) =>
          [row['beacon_id'], after(row['entered_at']), after(row['left_at']), row['is_open'], row['ended_by']].join(
            ' ',
          ),
        ),
        events: await of('events', (row) => `${after(row['occurred_at'])} ${row['beacon_id']} ${row['event']}`),
      };
    }

    test('is told as if it had come at once', async () => {
      let visits = 0;
      await fc.assert(
        fc.asyncProperty(walks, how, async (walk, given) => {
          const first = site.now + 2 * hour;
          const expected = await known(await live(walk, first), first);
          const second = site.now + 2 * hour;
          assert.deepEqual(await known(await anyhow(walk, given, second), second), expected);
          visits += expected.visits.flat().length;
        }),
        { ...runs(5), endOnFailure: true },
      );
      assert.ok(visits > 0);
    });
  });
}
