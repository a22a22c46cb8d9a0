import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { raw } from '../../src/base/sql.ts';
import { leaseMs, shareCount } from '../../src/db/nodes/work-shares.ts';
import { type Node, openNode, openSite, type Site } from '../support/site.ts';
import { type Service, startService } from './service.ts';

/** Nodes on PostgreSQL share the work that one node is enough for; one of them is another process, which is killed. */

describe('nodes that share the work', () => {
  let site: Site;
  let node: Node;
  let service: Service;
  beforeAll(async () => {
    site = await openSite('postgres');
    node = await openNode(site);
    service = await startService({ ...site.app.storage.settings, PHAROS_SECRET_KEY: 'ab'.repeat(32) });
  });
  afterAll(async () => {
    await service.stop('SIGKILL');
    await node.close();
    await site.close();
  });

  const rows = (table: string) => site.rows(table);
  const held = async () => {
    const shares = await site.app.storage.db.all<{ bucket: number; node: string }>(
      raw('select bucket, node from work_shares'),
    );
    assert.equal(new Set(shares.map(({ bucket }) => bucket)).size, shares.length, 'nobody shares a share');
    return Map.groupBy(shares, (share) => share.node);
  };
  /** All look until the shares are as they should be. */
  async function settled(isSo: (shares: Awaited<ReturnType<typeof held>>) => boolean): Promise<void> {
    for (;;) {
      // The other process lives by the clock on the wall.
      site.app.clock.now = Math.max(site.app.clock.now, Date.now());
      for (const { poller, shares } of [site.app.app, node.app]) {
        await shares.renew();
        await poller.poll();
        await shares.settle();
      }
      if (isSo(await held())) return;
      await pause(20);
    }
  }
  const counts = (shares: Awaited<ReturnType<typeof held>>) => [...shares.values()].map((list) => list.length);
  const isComplete = (list: readonly number[]) => list.reduce((sum, n) => sum + n, 0) === shareCount;
  const bySize = (a: number, b: number) => a - b;

  const dividedByThree = () => settled((shares) => shares.size === 3 && isComplete(counts(shares)));

  test('each of three holds its part, and every app has one that does its work', async () => {
    await dividedByThree();
    assert.deepEqual(counts(await held()).sort(bySize), [20, 22, 22]);
  });

  test('what the killed one held is taken over when its lease has ended, and each visit ends once', async () => {
    const apps = [site.app.appId];
    const phones = Array.from({ length: 12 }, (_, index) => `visitor-${index}`);
    for (const installationId of phones) {
      await site.installation({ installationId });
      await site.send([site.decided('ENTER')], { installationId });
    }
    // Where this took longer than a lease, the other process has taken over from these two.
    await dividedByThree();
    await service.stop('SIGKILL');
    assert.equal((await held()).size, 3, 'it could not give back anything');
    // Time passes: its lease ends, and the visits are due.
    site.app.clock.now += leaseMs + 24 * 3_600_000;
    await settled((shares) => shares.size === 2 && isComplete(counts(shares)));
    assert.deepEqual(counts(await held()), [32, 32]);
    assert.equal([site.app.app, node.app].filter(({ shares }) => shares.owns(apps[0] ?? '')).length, 1);
    const exits = async () => (await rows('events')).filter(({ event }) => event === 'EXIT').length;
    // Nobody calls the tickers: the one whose app it is has to ring by itself.
    while ((await exits()) < phones.length) await pause(50);
    await Promise.all([site.app.app.idle(), node.app.idle()]);
    assert.equal(await exits(), phones.length);
    assert.equal((await rows('visits')).filter((visit) => visit['exited_at'] === null).length, 0);
  });

  test('one that stops gives its part back at once', async () => {
    await node.app.shares.stop();
    await site.app.app.poller.poll();
    await site.app.app.shares.settle();
    assert.deepEqual(counts(await held()), [shareCount]);
    assert.ok(site.app.app.shares.owns(site.app.appId));
  });
});
