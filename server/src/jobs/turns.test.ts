import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { bothDatabases } from '../../test/support/build-app.ts';
import { watchStatements } from '../../test/support/statements.ts';
import { gate, handler, openWorkQueue, type WorkQueue } from '../../test/support/work-queue.ts';
import { Poller, type PollerSource } from '../db/nodes/poller.ts';
import { DueLook } from './due-jobs.ts';
import { countJobs } from './store.ts';

/** Which app and which kind a worker looks after next. */

for (const database of bothDatabases) {
  describe(`the outbox on ${database}`, () => {
    let queue: WorkQueue;
    beforeAll(async () => {
      queue = await openWorkQueue(database);
    });
    afterAll(() => queue.close());
    beforeEach(() => queue.empty());

    test('apps take turns, however many jobs one of them has', async () => {
      for (let n = 0; n < 30; n++) await queue.enqueue({ appId: 'a-busy-app' });
      queue.now += 1;
      for (const appId of ['b', 'c']) for (let n = 0; n < 2; n++) await queue.enqueue({ appId });
      const order: string[] = [];
      await queue
        .workerWith({ work: handler(async ({ appId }) => void order.push(appId), { concurrency: 1 }) })
        .drain();
      assert.deepEqual(order.slice(0, 6), ['a-busy-app', 'b', 'c', 'a-busy-app', 'b', 'c']);
      assert.equal(order.length, 34);
    });

    test('an app with more jobs than one poll reads hides no other app, nor do jobs that are due later', async () => {
      const crowd = (appId: string, kind: string, runAt: number) =>
        queue.db.transaction((db) =>
          queue.outbox.enqueueAll(
            db,
            Array.from({ length: 250 }, () => ({ appId, kind, payload: {}, runAt })),
          ),
        );
      await crowd('a', 'stuck', queue.now - 1000);
      await crowd('b', 'work', queue.now + 1000);
      await queue.enqueue({ appId: 'c', kind: 'work' });
      await queue.enqueue({ appId: 'c', kind: 'xerox' });
      const order: string[] = [];
      const see = handler(async ({ appId, kind }) => void order.push(`${appId} ${kind}`));
      await queue.workerWith({ work: see, xerox: see }).drain();
      assert.deepEqual(order.sort(), ['c work', 'c xerox']);
      await queue.enqueue({ appId: 'd', kind: 'work' });
      const found = await new DueLook().find(queue.db, queue.now);
      assert.deepEqual(
        found.map(({ kind, appId }) => `${appId} ${kind}`),
        ['a stuck', 'd work'],
        'each once',
      );
    });

    test('a poll for the own apps leaves out nobody for whom another one is about to begin', async () => {
      const { opened, open } = gate();
      const sources: PollerSource[] = [];
      class HeldPoller extends Poller {
        override add(source: PollerSource): void {
          sources.push(source);
        }
        override start(): void {
          assert.fail('whoever shares it starts it');
        }
      }
      const poller = new HeldPoller(queue.db);
      const worker = queue.workerWith({ work: handler(async () => open()) }, { poller, owns: () => false });
      await queue.enqueue();
      worker.start();
      await sources[0]?.ask()?.hear(queue.now);
      await opened;
      await worker.stop();
    });

    test('all kinds together cost one statement where nothing is due', async () => {
      const statements = watchStatements(queue.db);
      const work = handler(async () => undefined);
      const worker = queue.workerWith(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`kind-${n}`, work])));
      await worker.drain();
      assert.equal(statements.take().length, 1);
    });

    test('one claim gives every waiting app its part of the places', async () => {
      for (let n = 0; n < 20; n++) await queue.enqueue({ appId: 'a', jobId: `a${n}` });
      for (let n = 0; n < 2; n++) await queue.enqueue({ appId: 'b', jobId: `b${n}` });
      const [claimed, release] = [gate(), gate()];
      const running: string[] = [];
      const worker = queue.workerWith({
        work: handler(
          async ({ jobId }) => {
            if (running.push(jobId) === 4) claimed.open();
            await release.opened;
          },
          { concurrency: 4 },
        ),
      });
      const done = worker.drain();
      await claimed.opened;
      assert.deepEqual(running, ['a0', 'a1', 'b0', 'b1']);
      assert.deepEqual(await countJobs(queue.db, queue.now), { queued: 18, scheduled: 0, running: 4, dead: 0 });
      release.open();
      await done;
    });

    test('an app fills no more than its own places, and those behind it get theirs', async () => {
      for (let n = 0; n < 10; n++) await queue.enqueue({ appId: 'a' });
      await queue.enqueue({ appId: 'b' });
      await queue.enqueue({ appId: 'b', runAt: queue.now + 1 });
      const [claimed, release] = [gate(), gate()];
      const running: string[] = [];
      const worker = queue.workerWith({
        work: handler(
          async ({ appId }) => {
            running.push(appId);
            if (running.includes('b')) claimed.open();
            await release.opened;
          },
          { concurrency: 8, perApp: 2 },
        ),
      });
      const done = worker.drain();
      await claimed.opened;
      assert.deepEqual(running.filter((appId) => appId === 'a').length <= 2, true, running.join());
      assert.deepEqual(await countJobs(queue.db, queue.now), { queued: 8, scheduled: 1, running: 3, dead: 0 });
      release.open();
      await done;
      assert.equal(running.length, 11);
    });
  });
}
