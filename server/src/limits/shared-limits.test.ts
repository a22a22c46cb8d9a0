import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openStorage, type TestStorage } from '../../test/support/build-app.ts';
import { RateLimiter, type RateRule } from './rate-limit.ts';
import { SharedLimits } from './shared-limits.ts';

/** Limits over three nodes on one PostgreSQL; time passes by the injected clock. */

describe('a limit over three nodes', () => {
  let storage: TestStorage;
  let now = 1_700_000_000_000;
  beforeAll(async () => {
    storage = await openStorage('postgres');
  });
  afterAll(() => storage.close());

  function nodes() {
    return Array.from({ length: 3 }, () => {
      const shared = new SharedLimits({
        db: storage.db,
        now: () => now,
        onError: (what, error) => assert.fail(`${what}: ${error}`),
      });
      return { shared, limiter: new RateLimiter(undefined, shared.memory('requests')) };
    });
  }

  /** Everybody asks all the time for so many seconds; answers how many were admitted. */
  async function admitted(key: string, rule: RateRule, seconds: number, perNodeAndStep: number): Promise<number> {
    const three = nodes();
    let count = 0;
    const steps = seconds * 4;
    for (let step = 0; step < steps; step++) {
      for (let n = 0; n < perNodeAndStep; n++)
        for (const { limiter } of three) if (limiter.tryTake(key, rule, now) === undefined) count++;
      await Promise.all(three.map(({ shared }) => shared.compare()));
      now += 250;
    }
    return count;
  }

  test('admits over a minute what one node would, within a tenth', async () => {
    const rule = { perSecond: 50, burst: 100 };
    const count = await admitted('busy', rule, 60, 60);
    const one = rule.burst + 60 * rule.perSecond;
    assert.ok(Math.abs(count - one) <= one / 10, `${count} instead of ${one}`);
  });

  test('counts each attempt at a slow limit for all: a node that has not heard of it lets one through, which is missing later', async () => {
    const rule = { perSecond: 1 / 60, burst: 10 };
    const three = nodes();
    const attempt = async (n: number) => {
      const node = three[n % 3] as (typeof three)[number];
      const isAdmitted = node.limiter.tryTake('sign-in', rule, now) === undefined;
      await node.shared.compare();
      return isAdmitted ? 1 : 0;
    };
    let count = 0;
    for (let n = 0; n < 30; n++) count += await attempt(n);
    assert.ok(count >= 10 && count <= 12, `${count} instead of 10`);
    for (let minute = 0; minute < 60; minute++) {
      now += 60_000;
      for (let n = 0; n < 3; n++) count += await attempt(n);
    }
    assert.ok(Math.abs(count - 70) <= 7, `${count} instead of 70 in an hour`);
  });

  test('a limit that is raised makes nobody a debtor', async () => {
    const [hourly, raised] = [600, 1_000_000].map((burst) => ({ perSecond: burst / 3_600, burst })) as [
      RateRule,
      RateRule,
    ];
    const [node] = nodes();
    assert.ok(node);
    const { limiter, shared } = node;
    for (let n = 0; n < 5; n++) limiter.tryTake('uploads', hourly, now);
    await shared.compare();
    now += 60_000;
    limiter.tryTake('uploads', hourly, now);
    await shared.compare();
    now += 60_000;
    // Full again, and no longer compared.
    await shared.compare();
    for (let n = 0; n < 20; n++) {
      assert.equal(limiter.tryTake('uploads', raised, now), undefined, `attempt ${n}`);
      await shared.compare();
    }
    assert.equal(limiter.tryTake('uploads', hourly, now), undefined, 'nor after it is lowered again');
    await shared.compare();
  });

  test('lowering a limit does not charge what was taken under the higher one', async () => {
    const [node] = nodes();
    assert.ok(node);
    const { limiter, shared } = node;
    // Nothing of this was compared yet.
    for (let n = 0; n < 60; n++) limiter.tryTake('lowered', { perSecond: 50, burst: 100 }, now);
    const low = { perSecond: 4 / 3_600, burst: 4 };
    for (let n = 0; n < 4; n++) {
      assert.equal(limiter.tryTake('lowered', low, now), undefined, `attempt ${n}`);
      await shared.compare();
    }
    assert.notEqual(limiter.tryTake('lowered', low, now), undefined, 'and it is a limit');
  });

  test('what was taken before a restart is not taken once more after it', async () => {
    const rule = { perSecond: 1, burst: 20 };
    const [before, after] = nodes();
    assert.ok(before && after);
    for (let n = 0; n < 15; n++) assert.equal(before.limiter.tryTake('restarted', rule, now), undefined);
    await before.shared.compare();
    await after.shared.load();
    for (let n = 0; n < 5; n++) {
      assert.equal(after.limiter.tryTake('restarted', rule, now), undefined, `attempt ${n}`);
      await after.shared.compare();
    }
    assert.notEqual(after.limiter.tryTake('restarted', rule, now), undefined, 'nor is it forgotten');
    now += 1_000;
    assert.equal(after.limiter.tryTake('restarted', rule, now), undefined, 'and a second brings one');
    await after.shared.compare();
    // What was full in between counts from there.
    const [again] = nodes();
    assert.ok(again);
    await again.shared.load();
    now += 15_000;
    assert.equal(again.limiter.tryTake('restarted', rule, now), undefined);
    now += 60_000;
    for (let n = 0; n < 20; n++) assert.equal(again.limiter.tryTake('restarted', rule, now), undefined, `then ${n}`);
    await again.shared.compare();
    now += 1_000;
    assert.equal(again.limiter.tryTake('restarted', rule, now), undefined);
    await again.shared.compare();
  });

  test('what comes back while nodes compare is not lost', async () => {
    const rule = { perSecond: 1 / 60, burst: 2 };
    const [node] = nodes();
    assert.ok(node);
    const { limiter, shared } = node;
    for (let n = 0; n < 2; n++) assert.equal(limiter.tryTake('slowly', rule, now), undefined);
    const comparing = shared.compare();
    // The statement has the time of before; the answer comes a minute later.
    for (let n = 0; n < 10; n++) await Promise.resolve();
    now += 60_000;
    assert.equal(limiter.tryTake('slowly', rule, now), undefined);
    await comparing;
    now += 60_000;
    assert.equal(limiter.tryTake('slowly', rule, now), undefined, 'the minute counts');
    await shared.compare();
  });

  test('costs no statement while it is far from its bound', async () => {
    const rule = { perSecond: 50, burst: 100 };
    const [node] = nodes();
    for (let n = 0; n < 40; n++) assert.equal(node?.limiter.tryTake('quiet', rule, now), undefined);
    await node?.shared.compare();
    const rows = await storage.db.all({ strings: ['select key_hash from limit_buckets'], values: [] });
    assert.equal(rows.length, 6, 'those of the other tests');
  });
});
