import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { kindsOf, openSite, type Site, stay, walk } from '../../../../../test/support/site.ts';
import { service } from '../../../../access/audit.ts';

/** Two museums have the same day, of which one keeps nothing. */

const minute = 60_000;
const hour = 60 * minute;
const none = { logs: 0, visits: 0, events: 0, deliveries: 0, positions: 0 };

interface Step {
  /** After so many minutes. */
  readonly at: number;
  readonly phone: string;
  /** Which beacon, how many minutes before it is sent. */
  readonly walked?: readonly [minor: 1 | 2, ago: number, seconds?: number];
  readonly decided?: 'ENTER' | 'EXIT';
}

/** Nobody is where the clock of the tests stands: minutes since the day began. */
const theDay: readonly Step[] = [
  { at: 0, phone: 'phone-1', walked: [1, 1] },
  { at: 2, phone: 'phone-2', decided: 'ENTER' },
  { at: 4, phone: 'phone-1', walked: [2, 1] },
  // Late, but not too late to be put where it belongs.
  { at: 9, phone: 'phone-1', walked: [1, 7] },
  { at: 70, phone: 'phone-3', walked: [1, 1] },
  // Offline for hours.
  { at: 130, phone: 'phone-3', walked: [2, 50] },
  { at: 200, phone: 'phone-2', decided: 'EXIT' },
  { at: 205, phone: 'phone-1', walked: [1, 1] },
  { at: 270, phone: 'phone-3', walked: [1, 100] },
  { at: 275, phone: 'phone-4', walked: [2, 120] },
  // Late about a visit that is gone by now, and about a time of which nothing was known.
  { at: 330, phone: 'phone-1', walked: [1, 1] },
  { at: 331, phone: 'phone-1', walked: [1, 126.992, 11] },
  { at: 332, phone: 'phone-1', walked: [2, 160] },
];

for (const database of databases) {
  describe(`visits that are kept for no day on ${database}`, () => {
    let kept: Site;
    let gone: Site;
    const cafes = new Map<Site, string>();
    const both = () => [kept, gone] as const;
    let began = 0;
    beforeAll(async () => {
      kept = await openSite(database);
      gone = await openSite(database);
      for (const site of both()) {
        cafes.set(site, await site.beacon({ minor: 2 }));
        for (const phone of ['phone-2', 'phone-3', 'phone-4']) await site.installation({ installationId: phone });
        await site.notification({ goal: { kind: 'visit', beaconId: cafes.get(site), withinHours: 4 } });
        await site.makeReachable();
      }
      await gone.app.app.apps.change(gone.app.appId, { policy: { retentionDays: none } }, service);
      // Half past some hour, so that visits begin and end in different ones.
      began = Math.ceil(Math.max(kept.now, gone.now) / hour) * hour + hour / 2;
    });
    afterAll(async () => {
      for (const site of both()) await site.close();
    });

    async function reach(at: number): Promise<void> {
      for (const site of both()) {
        site.app.clock.now = at;
        await site.app.app.ticker.tick();
        await site.app.app.idle();
      }
    }

    async function take(site: Site, { phone, walked, decided }: Step) {
      const sent = walked
        ? walk(stay(1.2, walked[2] ?? 12), site.now - walked[1] * minute, walked[0])
        : [{ ...site.decided(decided ?? 'ENTER'), eventId: `${decided}` }];
      const { events } = await site.send(sent, { installationId: phone });
      return kindsOf(events);
    }

    const sweep = (site: Site) => site.app.app.retention.sweep();

    async function numbers(site: Site, of: string, query: Readonly<Record<string, string>> = {}) {
      await site.app.app.rollups.settle(site.app.appId);
      const from = new Date(began - 24 * hour).toISOString().slice(0, 10);
      const until = new Date(began + 48 * hour).toISOString().slice(0, 10);
      const url = `/api/v2/analytics/${of}?${new URLSearchParams({ from, until, ...query })}`;
      const { status, body } = await site.ask({ method: 'GET', url });
      assert.equal(status, 200, JSON.stringify(body));
      const names = new Map([
        [site.hall, 'hall'],
        [cafes.get(site) ?? '', 'café'],
      ]);
      return JSON.parse(JSON.stringify(body.result), (name, value) =>
        name === 'asOf' || name === 'triggerId' ? undefined : (names.get(value) ?? value),
      );
    }

    async function assertSameNumbers(): Promise<void> {
      for (const query of [{ interval: 'hour' }, { interval: 'day' }, { groupBy: 'beacon' }])
        assert.deepEqual(await numbers(gone, 'visits', query as never), await numbers(kept, 'visits', query as never));
    }

    test('events during the day are the same, and so are the numbers of each hour', async () => {
      let next = began + hour / 2;
      for (const step of theDay) {
        for (const at = began + step.at * minute; next < at; next += hour) {
          await reach(next);
          for (const site of both()) await sweep(site);
          await assertSameNumbers();
        }
        await reach(began + step.at * minute);
        const told = await take(kept, step);
        assert.deepEqual(await take(gone, step), told, JSON.stringify(step));
      }
      await reach(began + 340 * minute);
      await assertSameNumbers();
      const { total } = await numbers(gone, 'visits');
      assert.ok(total.visits >= 9 && total.visitors === 4, JSON.stringify(total));
    });

    test('nothing of it is left after two hours but what messages need', async () => {
      const present = await gone.rows('visits');
      assert.ok(present.length > 0, 'what is late stays for an hour');
      await reach(began + 480 * minute);
      for (const site of both()) await sweep(site);
      for (const table of ['visits', 'events', 'verdicts', 'deliveries', 'track_samples', 'logs'])
        assert.deepEqual(await gone.rows(table), [], table);
      assert.deepEqual(
        (await gone.rows('sighting_keys')).filter(({ answer }) => answer !== null),
        [],
      );
      assert.ok((await kept.rows('visits')).length > 5);
      await assertSameNumbers();
      const [told, known] = [await numbers(gone, 'messages'), await numbers(kept, 'messages')];
      assert.deepEqual(told.messages, known.messages);
    });

    test('a delivery that is sent once more is not counted again', async () => {
      const again = walk(stay(1.2, 12), began + 69 * minute, 1);
      for (const site of both()) await site.send(again, { installationId: 'phone-3' });
      await reach(began + 490 * minute);
      await assertSameNumbers();
    });

    test('recounting, also in another time zone, includes visits that are deleted', async () => {
      for (const site of both()) await site.app.app.rollups.rebuild(site.app.appId);
      await assertSameNumbers();
      for (const site of both()) {
        await site.app.app.apps.change(site.app.appId, { policy: { timeZone: 'Asia/Tokyo' } }, service);
        await site.app.app.rollups.settle(site.app.appId);
      }
      await assertSameNumbers();
    });

    test('ways need a day of visits: there are none, instead of those of a few hours', async () => {
      assert.ok((await numbers(kept, 'flows')).moves.length > 0);
      assert.deepEqual((await numbers(gone, 'flows')).moves, []);
    });
  });
}
