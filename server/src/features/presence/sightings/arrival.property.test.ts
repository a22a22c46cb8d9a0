import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { generateRecordings } from '../../../../../bench/proximity/generated.ts';
import { readRecordings, type Walk } from '../../../../../bench/proximity/recordings.ts';
import { databases } from '../../../../test/support/build-app.ts';
import { runs } from '../../../../test/support/depth.ts';
import { type Node, openNode, openSite, type Site, uuid } from '../../../../test/support/site.ts';

/** However the samples of a walk are delivered, the visits, events and log records are those of the live delivery. */

/** What a phone senses, by its true time in ms from the start of the walk. */
interface Sensed {
  readonly at: number;
  readonly minor: number;
  readonly rssi: number;
}

const leg = fc.record({
  minor: fc.constantFrom(1, 2),
  metres: fc.constantFrom(1, 1.5, 2, 5, 20),
  seconds: fc.integer({ min: 3, max: 40 }),
  gap: fc.constantFrom(0, 0, 5_000, 28_000, 45_000),
});

const walks = fc.array(leg, { minLength: 2, maxLength: 6 }).map((legs) => {
  const sensed: Sensed[] = [];
  let at = 0;
  for (const { minor, metres, seconds, gap } of legs) {
    at += gap;
    for (let second = 0; second < seconds; second++) {
      at += 1_000;
      const rssi = Math.round(-59 - 20 * Math.log10(metres)) + ((second * 7) % 5) - 2;
      sensed.push({ at, minor, rssi });
      // The other beacon is far away, and is heard in the same scan.
      if (second % 3 === 0) sensed.push({ at, minor: 3 - minor, rssi: -88 });
    }
  }
  return sensed;
});

const hour = 3_600_000;
const delivery = fc.record({
  /** Samples in one batch. */
  size: fc.integer({ min: 1, max: 60 }),
  /** How many batches later it arrives. */
  delay: fc.constantFrom(0, 0, 0, 1, 2, 5),
  isRepeated: fc.boolean(),
  isReversed: fc.boolean(),
  /** How far the phone's clock is off, ms. */
  error: fc.constantFrom(0, 0, 3 * 60_000, -3 * 60_000, hour, -24 * hour, 24 * hour),
  /** The service is started anew before it. */
  isAfterRestart: fc.constantFrom(false, false, false, false, true),
});
/** Of the pieces, s. */
const pieceMs = 5_000;
const piecesOf = (sensed: readonly Sensed[]): number[] => [
  ...new Set(sensed.map(({ at }) => (Math.floor(at / pieceMs) * pieceMs) / 1_000)),
];

/** Heard four times a second, so that the kept samples make several segments. */
const dense = (sensed: readonly Sensed[]): Sensed[] =>
  sensed.flatMap((one) => [0, 250, 500, 750].map((ms) => ({ ...one, at: one.at + ms })));

const anyOrder = (pieces: readonly number[]) => fc.shuffledSubarray([...pieces], { minLength: pieces.length });

/** An order of the zigzagging walk without locations that once kept a visit that had not been. */
const wrongOrder = '5 55 70 80 40 75 95 0 50 65 35 25 90 85 30 20 15 10 60 45'.split(' ').map(Number);

type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never;
const deliveries = fc.array(delivery, { minLength: 3, maxLength: 8 });

/** Those of PHAROS_RSSI_DATA, or generated ones. */
const recordings = readRecordings() ?? generateRecordings();
const kind = recordings.recorded ? 'recorded' : 'generated';

for (const database of databases) {
  describe(`any delivery of the same samples on ${database}`, () => {
    let site: Site;
    let node: Node | undefined;
    let phones = 0;
    let newestMinor = 2;
    beforeAll(async () => {
      site = await openSite(database);
      await site.beacon({ minor: 2 });
      await site.notification();
      await site.notification({ event: 'EXIT' });
      site.app.app.ticker.stop();
    });
    afterAll(async () => {
      await node?.close();
      await site.close();
    });

    const app = () => node?.app ?? site.app.app;
    async function newPhone(): Promise<{ readonly name: string; readonly id: string }> {
      const name = `walker-${++phones}`;
      return { name, id: await site.installation({ installationId: name }) };
    }

    async function send(name: string, sensed: readonly Sensed[], { start = 0, error = 0 }): Promise<void> {
      const sightings = sensed.map(({ at, minor, rssi }) => ({
        uuid,
        major: 1,
        minor,
        rssi,
        occurredAt: start + at + error,
      }));
      const answer = await app().server.inject({
        method: 'POST',
        url: '/api/v2/sightings',
        headers: { ...site.app.credentials, 'content-type': 'application/json' },
        payload: JSON.stringify({ installationId: name, sightings, sentAt: site.now + error }),
      });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.deepEqual(answer.json().result.problems, []);
    }

    async function live(sensed: readonly Sensed[], start: number): Promise<string> {
      const { name, id } = await newPhone();
      for (const [at, together] of Map.groupBy(sensed, ({ at }) => at)) {
        site.app.clock.now = start + at;
        await app().ticker.tick();
        await send(name, together, { start });
      }
      await end();
      return id;
    }

    async function anyhow(sensed: readonly Sensed[], how: readonly Delivery[], start: number): Promise<string> {
      const { name, id } = await newPhone();
      const batches: { readonly sensed: readonly Sensed[]; readonly how: Delivery; readonly place: number }[] = [];
      for (let from = 0; from < sensed.length; ) {
        const one = how[batches.length % how.length] as Delivery;
        const part = sensed.slice(from, from + one.size);
        batches.push({ sensed: part, how: one, place: batches.length + one.delay });
        from += one.size;
      }
      const ordered = batches.toSorted((a, b) => a.place - b.place);
      let newest = 0;
      for (const [place, { sensed: part, how: one }] of ordered.entries()) {
        newest = Math.max(newest, ...part.map(({ at }) => at));
        // A message that says the millisecond of an earlier one is a repeated one. With clocks that differ by whole minutes another one could
        // say it too, so each has a millisecond of its own.
        site.app.clock.now = start + newest + 500 + place * 3;
        if (one.isAfterRestart) {
          await node?.close();
          node = await openNode(site);
          node.app.ticker.stop();
        }
        await app().ticker.tick();
        const given = one.isReversed ? part.toReversed() : part;
        await send(name, given, { start, error: one.error });
        if (one.isRepeated) await send(name, given, { start, error: one.error });
      }
      await end();
      return id;
    }

    async function end(): Promise<void> {
      site.app.clock.now += hour;
      await app().ticker.tick();
    }

    /** All that is known of an installation, by times after the start. */
    async function known(id: string, start: number) {
      const of = async (table: string) => (await site.rows(table)).filter((row) => row['installation_id'] === id);
      const after = (value: unknown) => (value === null ? null : Number(value) - start);
      const visits = (await of('visits')).map((row) => [
        row['beacon_id'],
        after(row['entered_at']),
        after(row['left_at']),
        row['dwell'],
        row['is_open'],
        row['ended_by'],
      ]);
      const happened = (rows: Awaited<ReturnType<typeof of>>) =>
        rows.map((row) => `${after(row['occurred_at'])} ${row['beacon_id']} ${row['event']}`).sort();
      const fired = (await of('firings')).map((row) => `${row['trigger_id']} ${row['visit_id']}`);
      assert.equal(new Set(fired).size, fired.length, 'nobody is told twice');
      return {
        visits: visits.map((row) => JSON.stringify(row)).sort(),
        events: happened(await of('events')),
        logs: happened(await of('logs')),
      };
    }

    /** In pieces of five seconds, which arrive in the order of their beginnings (s); each has been sent by then. */
    async function inPieces(sensed: readonly Sensed[], order: readonly number[], start: number): Promise<string> {
      const { name, id } = await newPhone();
      const sent = start + (sensed.at(-1)?.at ?? 0) + pieceMs;
      for (const [place, seconds] of order.entries()) {
        site.app.clock.now = sent + place * 2_000;
        await app().ticker.tick();
        const piece = sensed.filter(({ at }) => Math.floor(at / pieceMs) * pieceMs === seconds * 1_000);
        await send(name, piece, { start });
      }
      await end();
      return id;
    }

    /** Whatever their order, the visits are those of the pieces in order. */
    async function checkOrders(sensed: readonly Sensed[], orders: readonly (readonly number[])[]): Promise<number> {
      const first = site.now + 2 * hour;
      const expected = await known(await inPieces(sensed, piecesOf(sensed), first), first);
      for (const order of orders) {
        const start = site.now + 2 * hour;
        assert.deepEqual(await known(await inPieces(sensed, order, start), start), expected, order.join(' '));
      }
      return expected.visits.length;
    }

    async function check(sensed: readonly Sensed[], how: readonly Delivery[]): Promise<number> {
      const first = site.now + 2 * hour;
      const expected = await known(await live(sensed, first), first);
      const second = site.now + 2 * hour;
      assert.deepEqual(await known(await anyhow(sensed, how, second), second), expected);
      return expected.visits.length;
    }

    test('made-up walks', async () => {
      let visits = 0;
      await fc.assert(
        fc.asyncProperty(walks, deliveries, async (sensed, how) => {
          visits += await check(sensed, how);
        }),
        { ...runs(12, 3), endOnFailure: true },
      );
      assert.ok(visits > 0);
    });

    test('made-up walks in pieces, in any order', async () => {
      let visits = 0;
      const cut = walks.map(dense).chain((sensed) => fc.tuple(fc.constant(sensed), anyOrder(piecesOf(sensed))));
      await fc.assert(
        fc.asyncProperty(cut, async ([sensed, order]) => {
          visits += await checkOrders(sensed, [order]);
        }),
        { numRuns: 3, seed: 38, endOnFailure: true },
      );
      assert.ok(visits > 0);
    });

    /** What was heard on a walk, by beacons of its own, which have no locations. */
    async function recorded(walk: string): Promise<readonly Sensed[]> {
      const { beacons, walks } = recordings;
      const minors = new Map<string, number>();
      for (const name of beacons.keys()) {
        const minor = ++newestMinor;
        minors.set(name, minor);
        await site.beacon({ minor });
      }
      const { samples } = (walks.find(({ name }) => name.startsWith(walk)) ?? walks[0]) as Walk;
      const start = samples[0]?.at ?? 0;
      return samples.map(({ at, beacon, rssi }) => ({ at: at - start, minor: minors.get(beacon) ?? 0, rssi }));
    }

    test(`a ${kind} walk`, async () => {
      const sensed = await recorded('rectangular');
      const how = fc.sample(deliveries, { seed: 7, numRuns: 1 })[0] as Delivery[];
      assert.ok((await check(sensed, how)) > 0);
    });

    test(`a ${kind} walk without locations, in pieces, in another order`, async () => {
      const sensed = await recorded('zigzagging');
      const [anyOther = []] = fc.sample(anyOrder(piecesOf(sensed)), { seed: 38, numRuns: 1 });
      assert.ok((await checkOrders(sensed, [recordings.recorded ? wrongOrder : anyOther])) > 0);
    });
  });
}
