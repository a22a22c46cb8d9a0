import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { atOneDay, bothDatabases } from '../../../../../test/support/build-app.ts';
import { testOn } from '../../../../../test/support/depth.ts';
import { openNode, openSite, type Site, uuid } from '../../../../../test/support/site.ts';
import { raw } from '../../../../base/sql.ts';

/** Somebody who walks through a room with a beacon in each corner, and what is known of it some minutes later. */

const corners = [
  { x: 0, y: 0, z: 2 },
  { x: 8, y: 0, z: 2 },
  { x: 0, y: 8, z: 2 },
  { x: 8, y: 8, z: 2 },
] as const;

type Point = readonly [x: number, y: number];
/** The middle, a corner, the middle, another corner and back: a stop of 15 s at each, with 5 s between. */
const stops: readonly Point[] = [
  [4, 4],
  [0.5, 0.5],
  [4, 4],
  [7.5, 7],
  [4, 4],
];
const [stopSeconds, legSeconds] = [15, 5];
const wholeSeconds = stops.length * stopSeconds + (stops.length - 1) * legSeconds;

function placeAt(second: number): Point {
  const lap = stopSeconds + legSeconds;
  const index = Math.min(stops.length - 1, Math.floor(second / lap));
  const [from, to] = [stops[index] as Point, stops[index + 1] ?? (stops[index] as Point)];
  const share = Math.max(0, (second - index * lap - stopSeconds) / legSeconds);
  return [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
}

/** When the visitor is within three metres of a beacon, seconds. */
function truthOf({ x, y }: { readonly x: number; readonly y: number }) {
  const seconds = Array.from({ length: 2 * wholeSeconds }, (_, half) => half / 2).filter((second) => {
    const [px, py] = placeAt(second);
    return Math.hypot(px - x, py - y, 0.7) < 3;
  });
  return [seconds[0] ?? 0, seconds.at(-1) ?? 0] as const;
}

for (const database of bothDatabases) {
  describe(`visits that are looked back on, on ${database}`, () => {
    let site: Site;
    let start: number;
    beforeEach(async () => {
      await open();
    });
    afterEach(() => site.close());

    async function open(): Promise<void> {
      site = await openSite(database, {}, atOneDay(30 * 60_000));
      site.app.app.ticker.stop();
      for (const [index, location] of corners.entries()) await site.beacon({ minor: 11 + index, location });
      start = site.now;
    }

    /** What the phone hears from one second until another, twice a second. */
    const heard = (from: number, until: number, minors = [11, 12, 13, 14]) =>
      Array.from({ length: 2 * (until - from) }, (_, half) => from + half / 2).flatMap((second) =>
        minors.map((minor) => {
          const { x, y } = corners[minor - 11] as (typeof corners)[number];
          const [px, py] = placeAt(second);
          const rssi = Math.round(-59 - 20 * Math.log10(Math.hypot(px - x, py - y, 0.7)));
          return { uuid, major: 1, minor, rssi, occurredAt: start + second * 1000 + minor };
        }),
      );

    async function walk(parts: readonly (readonly object[])[] = [heard(0, wholeSeconds)]): Promise<void> {
      site.app.clock.now = start + wholeSeconds * 1000;
      for (const part of parts) await site.send(part);
      await pass(40_000);
    }

    async function pass(ms: number): Promise<void> {
      site.app.clock.now += ms;
      await site.app.app.ticker.tick();
      await site.app.app.idle();
    }

    async function later(minutes: number): Promise<void> {
      for (let minute = 0; minute < minutes; minute++) await pass(60_000);
    }

    const visits = async () => (await site.list('visits', { order: 'enteredAt' })) as readonly Visit[];
    const secondsOf = (...times: readonly (string | null)[]) =>
      times.map((at) => (Date.parse(at ?? '') - start) / 1000) as [number, number];
    const timesOf = ({ smoothedEnteredAt, smoothedLeftAt }: Visit) => secondsOf(smoothedEnteredAt, smoothedLeftAt);
    const dwellOf = ({ smoothedEnteredAt, smoothedLeftAt }: Visit) =>
      (Date.parse(smoothedLeftAt ?? '') - Date.parse(smoothedEnteredAt ?? '')) / 1000;

    test('begin and end when the visitor came and went, and what was told stays', async () => {
      await walk();
      const told = await visits();
      assert.equal(told.length, 2);
      assert.ok(told.every(({ smoothedLeftAt, smoothedDwell }) => smoothedLeftAt === null && smoothedDwell === null));
      const events = await site.list('events');
      await later(6);
      const known = await visits();
      const untouched = ({ smoothedEnteredAt, smoothedLeftAt, smoothedDwell, updatedAt, ...rest }: Visit) => rest;
      assert.deepEqual(known.map(untouched), told.map(untouched));
      for (const [index, visit] of known.entries()) {
        const [came, went] = truthOf(corners[index === 0 ? 0 : 3]);
        const off = ([entered, left]: readonly [number, number]) => Math.abs(entered - came) + Math.abs(left - went);
        const [now, then] = [off(timesOf(visit)), off(secondsOf(visit.enteredAt, visit.leftAt))];
        assert.ok(now < 3 && now < then, `visit ${index}: off by ${now} s, and told by ${then} s`);
        assert.equal(visit.smoothedDwell, dwellOf(visit));
      }
      assert.deepEqual(await site.list('events'), events);
      assert.deepEqual(await site.rows('jobs'), []);
    });

    testOn(database)('are counted as they were', async () => {
      await walk();
      const [day, next] = [0, 86_400_000].map((ms) => new Date(start + ms).toISOString().slice(0, 10));
      const counted = async () => {
        await site.app.app.rollups.settle(site.app.appId);
        const { rows } = await site.get(`analytics/visits?from=${day}&until=${next}&groupBy=beacon`);
        return rows.map(({ dwellTotal }: { readonly dwellTotal: number }) => dwellTotal).sort();
      };
      const dwells = async () => (await visits()).map(({ dwell, smoothedDwell }) => smoothedDwell ?? dwell).sort();
      const told = await dwells();
      assert.deepEqual(await counted(), told);
      await later(6);
      const known = await dwells();
      assert.notDeepEqual(known, told);
      assert.deepEqual(await counted(), known);
    });

    test('are the same if two nodes look back twice, and if some of it was heard afterwards', async () => {
      await walk();
      await later(6);
      const known = (await visits()).map(timesOf);
      await site.close();
      await open();
      await walk([heard(0, wholeSeconds, [11, 12, 13]), heard(0, wholeSeconds, [14])]);
      const node = await openNode(site);
      try {
        const { db } = site.app.storage;
        await db.run(raw("update jobs set job_id = 'a', run_at = 0 where kind = 'visits.look-back'"));
        await db.run(
          raw(`insert into jobs (app_id, job_id, kind, payload, state, run_at, attempts, created_at)
          select app_id, 'b', kind, payload, state, run_at, attempts, created_at from jobs where job_id = 'a'`),
        );
        await Promise.all([site.app.app.idle(), node.app.idle()]);
      } finally {
        await node.close();
      }
      assert.deepEqual((await visits()).map(timesOf), known);
    });

    testOn(database)(
      'are looked back on again if something is heard of them later, and never of somebody who is gone',
      async () => {
        await walk([heard(0, wholeSeconds, [11, 12, 13])]);
        await later(6);
        const before = await visits();
        await site.send(heard(0, wholeSeconds, [14]));
        const told = await visits();
        assert.notDeepEqual(
          told.map(({ enteredAt }) => enteredAt),
          before.map(({ enteredAt }) => enteredAt),
        );
        await later(6);
        await site.signInAgain();
        assert.ok((await visits()).every(({ smoothedLeftAt }) => smoothedLeftAt !== null));
        await site.send(heard(0, wholeSeconds, [12]).slice(0, 1));
        const gone = await site.ask({ method: 'DELETE', url: `/api/v2/installations/${site.phone}` });
        assert.equal(gone.status, 200);
        await later(6);
        assert.deepEqual(await site.rows('jobs'), []);
      },
    );

    interface Visit {
      readonly enteredAt: string;
      readonly leftAt: string;
      readonly updatedAt: string;
      readonly dwell: number | null;
      readonly smoothedEnteredAt: string | null;
      readonly smoothedLeftAt: string | null;
      readonly smoothedDwell: number | null;
    }
  });
}
