import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { openNode, openSite, type Site, stay, walk } from '../../../../test/support/site.ts';
import { defaultPolicy } from '../../../access/policy.ts';
import { createEngineLogs } from '../logs/engine-store.ts';
import { TrackCache } from './lock/track-cache.ts';
import { mendFutureTracks } from './lock/track-store.ts';
import { createTicker, type Ticker } from './ticker.ts';

/** An alarm clock that a test looks at and lets ring. */
class Alarm {
  ms: number | undefined;
  #ring: () => void = () => undefined;

  set(ms: number, ring: () => void): void {
    this.ms = ms;
    this.#ring = ring;
  }

  clear(): void {
    this.ms = undefined;
  }

  ring(): void {
    this.ms = undefined;
    this.#ring();
  }
}

for (const database of databases) {
  describe(`the alarm of silence on ${database}`, () => {
    let site: Site;
    let ticker: Ticker;
    const alarm = new Alarm();
    let work: Promise<unknown> = Promise.resolve();

    beforeAll(async () => {
      site = await openSite(database);
      // Only the ticker under test looks at what falls due.
      site.app.app.ticker.stop();
      ticker = createTicker({
        db: site.app.storage.db,
        now: () => site.now,
        requestPushes: async () => undefined,
        announce: async () => undefined,
        logs: createEngineLogs(false),
        trackCache: new TrackCache(),
        findPolicy: async () => defaultPolicy,
        timer: alarm,
      });
    });
    afterAll(() => site.close());

    const ring = async (ms = alarm.ms ?? 0) => {
      site.app.clock.now += ms;
      alarm.ring();
      await work.catch(() => undefined);
    };
    const isOpen = async () => (await site.rows('visits')).map((visit) => visit['is_open']);
    /** Heard for the last time now, long after the visit before. */
    const hear = () => {
      site.app.clock.now += 60_000;
      return site.send(walk(stay(1.5, 5), site.now - 4_000));
    };

    test('it rings at the deadline and not before, and sleeps while nothing is due', async () => {
      ticker.start((_, task) => {
        work = task();
      });
      await ring();
      assert.equal(alarm.ms, 10_000, 'nothing is due: only other nodes are looked after');
      await hear();
      ticker.expect(site.now + 30_000);
      assert.equal(alarm.ms, 10_000);
      await ring();
      await ring();
      assert.equal(alarm.ms, 10_000);
      assert.deepEqual(await isOpen(), [1]);
      await ring();
      assert.deepEqual(await isOpen(), [0], 'exactly 30 s after the last signal');
    });

    test('what falls due sooner than it knew wakes it on time, to the millisecond', async () => {
      await hear();
      site.app.clock.now += 29_123;
      ticker.expect(site.now + 877);
      assert.equal(alarm.ms, 877);
      await ring(876);
      assert.equal(alarm.ms, 20, 'one millisecond is left, and what comes together is done together');
      await ring();
      assert.deepEqual(await isOpen(), [0, 0]);
    });

    test('a deadline set by another node is found by polling', async () => {
      site.app.clock.now += 60_000;
      const node = await openNode(site);
      try {
        node.app.ticker.stop();
        await node.app.server.inject({
          method: 'POST',
          url: '/api/v2/sightings',
          headers: { ...site.app.credentials, 'content-type': 'application/json' },
          payload: JSON.stringify({ installationId: 'phone-1', sightings: walk(stay(1.5, 5), site.now - 4_000) }),
        });
      } finally {
        await node.close();
      }
      for (let slept = 0; slept < 30_000; ) {
        const ms = alarm.ms ?? 0;
        assert.ok(ms > 0 && ms <= 10_000);
        slept += ms;
        await ring();
      }
      assert.deepEqual(await isOpen(), [0, 0, 0]);
    });

    test('after a failure it tries again soon, and after a stop no more', async () => {
      const failing = new Alarm();
      const broken = createTicker({
        db: site.app.storage.db,
        now: () => site.now,
        requestPushes: async () => undefined,
        announce: async () => undefined,
        logs: createEngineLogs(false),
        trackCache: new TrackCache(),
        findPolicy: async () => {
          throw new Error('no policy today');
        },
        timer: failing,
      });
      await hear();
      site.app.clock.now += 31_000;
      broken.start((_, task) => {
        work = task();
      });
      failing.ring();
      await assert.rejects(work, /1 installations are left as they are/);
      assert.equal(failing.ms, 1_000);
      broken.stop();
      assert.equal(failing.ms, undefined);
      broken.expect(site.now);
      assert.equal(failing.ms, undefined);
      await ring();
      assert.deepEqual(await isOpen(), [0, 0, 0, 0]);
    });

    test('a clock that is set back by a day while nobody runs lengthens no silence', async () => {
      await hear();
      site.app.clock.now -= 86_400_000;
      assert.equal(await ticker.tick(), 0);
      await mendFutureTracks(site.app.storage.db, site.now);
      site.app.clock.now += 29_999;
      assert.equal(await ticker.tick(), 0);
      site.app.clock.now += 1;
      assert.equal(await ticker.tick(), 1);
      assert.deepEqual(await isOpen(), [0, 0, 0, 0, 0]);
    });
  });
}
