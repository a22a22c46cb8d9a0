import assert from 'node:assert/strict';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { bothDatabases } from '../../test/support/build-app.ts';
import { gate, handler, openWorkQueue, type WorkQueue } from '../../test/support/work-queue.ts';
import type { Sql } from '../base/sql.ts';
import type { Database } from '../db/db.ts';
import { Poller } from '../db/nodes/poller.ts';
import { GiveUp, type Job, RetryLater } from './job.ts';
import { createOutbox } from './outbox.ts';
import { wakeFromFuture } from './store.ts';
import { sweepDeadJobs } from './sweep.ts';

/** When a job is done, how often it is tried, and what becomes of it. */

for (const database of bothDatabases) {
  describe(`the outbox on ${database}`, () => {
    let queue: WorkQueue;
    beforeAll(async () => {
      queue = await openWorkQueue(database);
    });
    afterAll(() => queue.close());
    beforeEach(() => queue.empty());

    test('hands a job over as it was asked for, and removes it when it is done', async () => {
      const seen: Job[] = [];
      await queue.enqueue({ appId: 'one', payload: { text: 'Zürich', n: [1] }, expiresAt: queue.now + 60_000 });
      await queue.workerWith({ work: handler(async (job) => void seen.push(job)) }).drain();
      assert.deepEqual(
        seen.map(({ appId, kind, payload, attempts, expiresAt }) => ({ appId, kind, payload, attempts, expiresAt })),
        [
          {
            appId: 'one',
            kind: 'work',
            payload: { text: 'Zürich', n: [1] },
            attempts: 1,
            expiresAt: queue.now + 60_000,
          },
        ],
      );
      assert.deepEqual(await queue.stored(), []);
    });

    test('keeps a job only when its transaction is committed', async () => {
      let woken = 0;
      queue.outbox.onEnqueued(() => woken++);
      await assert.rejects(
        queue.db.transaction(async (db) => {
          await queue.outbox.enqueue(db, { appId: 'app', kind: 'work', payload: {} });
          throw new Error('no');
        }),
        /no/,
      );
      assert.deepEqual([await queue.stored(), woken], [[], 0]);
      await queue.enqueue();
      assert.equal(woken, 1, 'a worker is told after the commit');
    });

    test('takes the same job id once', async () => {
      await queue.enqueue({ jobId: 'same', payload: { n: 1 } });
      await queue.enqueue({ jobId: 'same', payload: { n: 2 } });
      const seen: unknown[] = [];
      await queue.workerWith({ work: handler(async ({ payload }) => void seen.push(payload)) }).drain();
      assert.deepEqual(seen, [{ n: 1 }]);
    });

    test('a drain does not end while a place that became free is about to be filled', async () => {
      const lastLook = gate();
      let [done, looks] = [0, 0];
      // The drain waits for its second look
      const look = async () => void (++looks === 2 && (await lastLook.opened));
      const claim = async () => {
        if (done !== 2) return;
        // until two jobs have ended and the third is being claimed, which takes a while.
        lastLook.open();
        for (let turn = 0; turn < 50; turn++) await nextTick();
      };
      const slowly = new Proxy(queue.db, {
        get(target, name) {
          const member = target[name as keyof Database];
          if (typeof member !== 'function') return member;
          return async (...given: [Sql]) => {
            if (name === 'all') await look();
            if (name === 'transaction') await claim();
            return (member as (...given: unknown[]) => unknown).apply(target, given);
          };
        },
      });
      for (let n = 0; n < 3; n++) await queue.enqueue();
      const work = handler(async () => void done++, { concurrency: 1 });
      await queue.workerWith({ work }, { db: slowly }).drain();
      assert.deepEqual([await queue.stored(), queue.errors], [[], []]);
    });

    test('a started worker is woken by a commit, without waiting for the next poll', async () => {
      const { opened, open } = gate();
      // It does not poll by itself.
      const poller = new Poller(queue.db);
      const worker = queue.workerWith({ work: handler(async () => open()) }, { poller });
      worker.start();
      await worker.drain();
      await queue.enqueue();
      await opened;
      await worker.stop();
      assert.deepEqual(await queue.stored(), []);
    });

    test('what another process has enqueued is found by the next poll', async () => {
      const { opened, open } = gate();
      const poller = new Poller(queue.db);
      const worker = queue.workerWith({ work: handler(async () => open()) }, { poller, outbox: createOutbox(() => 0) });
      worker.start();
      await worker.drain();
      await queue.enqueue();
      await poller.poll();
      await opened;
      await worker.stop();
      assert.deepEqual(await queue.stored(), []);
    });

    test('waits until a job is due', async () => {
      const seen: number[] = [];
      await queue.enqueue({ runAt: queue.now + 1 });
      const worker = queue.workerWith({ work: handler(async () => void seen.push(queue.now)) });
      await worker.drain();
      assert.deepEqual(seen, []);
      queue.now += 1;
      await worker.drain();
      assert.deepEqual(seen, [queue.now]);
    });

    test('what a clock that was set back has put off is done at once, and what has a date keeps it', async () => {
      const day = 86_400_000;
      await queue.enqueue({ jobId: 'a', kind: 'fails' });
      await queue.enqueue({ jobId: 'c', kind: 'dated', runAt: queue.now + 2 * day });
      const seen: string[] = [];
      const fail = async (job: Job) => {
        if (job.attempts === 1) throw new Error('down');
        seen.push(job.jobId);
      };
      const see = async (job: Job) => void seen.push(job.jobId);
      await queue.workerWith({ fails: handler(fail) }).drain();
      await queue.enqueue({ jobId: 'b', kind: 'new' });
      queue.now -= day;
      const worker = queue.workerWith({ fails: handler(fail), new: handler(see), dated: handler(see) });
      await worker.drain();
      assert.deepEqual(seen, [], 'a day too late');
      await wakeFromFuture(queue.db, queue.now);
      await worker.drain();
      assert.deepEqual(seen.sort(), ['a', 'b']);
      queue.now += 3 * day;
      await worker.drain();
      assert.deepEqual(seen, ['a', 'b', 'c']);
    });

    test('leaves kinds without a handler alone, even expired ones', async () => {
      await queue.enqueue({ kind: 'later', expiresAt: queue.now - 1 });
      await queue.enqueue();
      await queue.workerWith({ work: handler(async () => undefined) }).drain();
      assert.deepEqual(
        (await queue.stored()).map(({ kind, state, attempts }) => [kind, state, attempts]),
        [['later', 'queued', 0]],
      );
    });

    test('tries again after pauses that double up to a bound, and keeps what failed for good', async () => {
      await queue.enqueue();
      const worker = queue.workerWith({
        work: handler(
          async () => {
            throw new Error('the provider is down');
          },
          { maxAttempts: 4 },
        ),
      });
      const pauses: number[] = [];
      for (let tries = 0; tries < 3; tries++) {
        await worker.drain();
        const [job] = await queue.stored();
        assert.deepEqual([job?.state, job?.last_error, job?.attempts], ['queued', 'the provider is down', tries + 1]);
        pauses.push((job?.run_at ?? 0) - queue.now);
        queue.now = job?.run_at ?? 0;
      }
      assert.deepEqual(pauses, [1_000, 2_000, 3_000]);
      await worker.drain();
      const [dead] = await queue.stored();
      assert.deepEqual([dead?.state, dead?.last_error, dead?.attempts], ['dead', 'the provider is down', 4]);
      assert.ok(queue.errors.some((what) => what.includes('is dead')));
      queue.now += 1_000_000;
      await worker.drain();
      assert.equal((await queue.stored())[0]?.attempts, 4, 'a dead job is not tried again');
    });

    test('draws the pause from zero to the bound', async () => {
      await queue.enqueue();
      await queue
        .workerWith({ work: handler(async () => Promise.reject(new Error('x'))) }, { random: () => 0.25 })
        .drain();
      assert.equal((await queue.stored())[0]?.run_at, queue.now + 250);
    });

    test('comes back when the handler says so, and gives up when it says so', async () => {
      await queue.enqueue({ jobId: 'a', kind: 'later' });
      await queue.enqueue({ jobId: 'b', kind: 'never' });
      await queue
        .workerWith({
          later: handler(async () => Promise.reject(new RetryLater('429', 76_999.4))),
          never: handler(async () => Promise.reject(new GiveUp('no such address'))),
        })
        .drain();
      assert.deepEqual(
        (await queue.stored()).map(({ state, run_at, last_error }) => [state, run_at - queue.now, last_error]),
        [
          ['queued', 77_000, '429'],
          ['dead', 0, 'no such address'],
        ],
      );
    });

    test('does not do what has expired, and does not wait beyond the expiry', async () => {
      const seen: string[] = [];
      await queue.enqueue({ jobId: 'a', kind: 'late', expiresAt: queue.now });
      await queue.enqueue({ jobId: 'b', kind: 'fails', expiresAt: queue.now + 1_000 });
      await queue
        .workerWith({
          late: handler(async () => void seen.push('late')),
          fails: handler(async () => Promise.reject(new Error('down'))),
        })
        .drain();
      assert.deepEqual(seen, []);
      assert.deepEqual(
        (await queue.stored()).map(({ state, last_error }) => [state, last_error]),
        [
          ['dead', 'It expired before it could be done.'],
          ['dead', 'down (no time left for another try)'],
        ],
      );
    });

    test('jobs that expired and that no worker takes do not stay in the queue for ever', async () => {
      await queue.enqueue({ kind: 'nobody.does.this', expiresAt: queue.now + 1000 });
      await sweepDeadJobs(queue.db, queue.now + 3_600_000);
      assert.deepEqual(
        (await queue.stored()).map(({ state }) => state),
        ['queued'],
      );
      await sweepDeadJobs(queue.db, queue.now + 1000 + 3_600_001);
      assert.deepEqual(
        (await queue.stored()).map(({ state }) => state),
        ['dead'],
      );
    });

    test('dead jobs are kept for a month', async () => {
      await queue.enqueue();
      await queue.workerWith({ work: handler(async () => Promise.reject(new GiveUp('no'))) }).drain();
      await sweepDeadJobs(queue.db, queue.now + 30 * 86_400_000);
      assert.equal((await queue.stored()).length, 1);
      await sweepDeadJobs(queue.db, queue.now + 30 * 86_400_000 + 1);
      assert.equal((await queue.stored()).length, 0);
    });
  });
}
