import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { bothDatabases } from '../../test/support/build-app.ts';
import {
  gate,
  handler,
  maxAttempts,
  openWorkQueue,
  type StoredJob,
  type WorkQueue,
} from '../../test/support/work-queue.ts';
import { isAborted } from '../base/flow/late-abort.ts';
import { raw, sql } from '../base/sql.ts';
import { type JobContext, LeaseLost, RetryLater } from './job.ts';
import { leaseMs } from './job-queue.ts';
import { endLeases } from './store.ts';

/** Of several workers one does a job, also when another one stops or is gone. */

for (const database of bothDatabases) {
  describe(`the outbox on ${database}`, () => {
    let queue: WorkQueue;
    beforeAll(async () => {
      queue = await openWorkQueue(database);
    });
    afterAll(() => queue.close());
    beforeEach(() => queue.empty());

    test('a job whose worker is gone is done by another one, and the old one no longer counts', async () => {
      await queue.enqueue();
      const [started, finish] = [gate(), gate()];
      const old: unknown[] = [];
      const slow = queue.workerWith({
        work: handler(async (_job, { assertHeld }: JobContext) => {
          started.open();
          await finish.opened;
          await queue.db.transaction(assertHeld).catch((error: unknown) => old.push(error));
          throw new Error('too late to matter');
        }),
      });
      const slowDone = slow.drain();
      await started.opened;
      const seen: number[] = [];
      const quickOne = queue.workerWith({
        work: handler(async ({ attempts }, { assertHeld }) => {
          await queue.db.transaction(assertHeld);
          seen.push(attempts);
          throw new RetryLater('once more', 5_000);
        }),
      });
      queue.now += leaseMs - 1;
      await quickOne.drain();
      assert.deepEqual(seen, [], 'nobody takes it while the lease lasts');
      queue.now += 1;
      await quickOne.drain();
      assert.deepEqual(seen, [2]);
      const between = await queue.stored();
      finish.open();
      await slowDone;
      assert.ok(old[0] instanceof LeaseLost, 'its transaction is rolled back');
      assert.deepEqual(await queue.stored(), between, 'what the old one reports changes nothing');
    });

    test('a worker that stood still for longer than its lease knows it before it goes on', async () => {
      await queue.enqueue();
      const seen: boolean[] = [];
      const work = handler(async (_job, { signal }) => {
        seen.push(isAborted(signal));
        // Nothing else runs in the process meanwhile, and so no timer.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
        seen.push(signal.aborted, isAborted(signal), signal.aborted);
      });
      await queue.workerWith({ work }, { leaseMs: 5_000 }).drain();
      assert.deepEqual(seen, [false, false, true, true]);
    });

    test('a job that always takes its worker down is dead after its tries', async () => {
      await queue.enqueue();
      await queue.db.run(sql`update jobs set attempts = ${maxAttempts}, lease_token = 'gone'`);
      const seen: unknown[] = [];
      await queue.workerWith({ work: handler(async (job) => void seen.push(job)) }).drain();
      assert.deepEqual(seen, []);
      assert.equal((await queue.stored())[0]?.state, 'dead');
    });

    test('two workers that race do each job once', async () => {
      for (let n = 0; n < 60; n++) await queue.enqueue({ appId: `app${n % 3}`, payload: { n } });
      const seen: number[] = [];
      const work = handler(async ({ payload }) => void seen.push((payload as { n: number }).n), { concurrency: 4 });
      const workers = [queue.workerWith({ work }), queue.workerWith({ work }), queue.workerWith({ work })];
      await Promise.all(workers.map((worker) => worker.drain()));
      await Promise.all(workers.map((worker) => worker.drain()));
      assert.deepEqual(
        seen.sort((a, b) => a - b),
        Array.from({ length: 60 }, (_, n) => n),
      );
      assert.deepEqual(await queue.stored(), []);
    });

    test('the only process of a database takes over at once what its predecessor held', async () => {
      await queue.enqueue();
      await queue.db.run(sql`update jobs set attempts = 1, lease_token = 'gone', run_at = ${queue.now + leaseMs}`);
      const seen: number[] = [];
      const worker = queue.workerWith({ work: handler(async ({ attempts }) => void seen.push(attempts)) });
      await worker.drain();
      assert.deepEqual(seen, []);
      await endLeases(queue.db, queue.now);
      await worker.drain();
      assert.deepEqual(seen, [2]);
    });

    test('a stop waits for what runs and claims nothing more', async () => {
      await queue.enqueue({ jobId: 'a' });
      const [started, finish] = [gate(), gate()];
      const worker = queue.workerWith({
        work: handler(async () => {
          started.open();
          await finish.opened;
        }),
      });
      worker.start();
      await started.opened;
      const stopped = worker.stop();
      await queue.enqueue({ jobId: 'b' });
      finish.open();
      await stopped;
      assert.deepEqual(
        (await queue.stored()).map(({ job_id, attempts }) => [job_id, attempts]),
        [['b', 0]],
      );
    });

    test('keeps the lease of a job that runs long, and tells the handler when it is lost', async () => {
      await queue.enqueue();
      const [started, aborted] = [gate(), gate()];
      const work = handler(async (_job, { signal }) => {
        signal.addEventListener('abort', aborted.open);
        started.open();
        await aborted.opened;
      });
      const worker = queue.workerWith({ work }, { renewMs: 1 });
      worker.start();
      await started.opened;
      queue.now += leaseMs - 1;
      let renewed: StoredJob | undefined;
      while (renewed?.run_at !== queue.now + leaseMs) {
        await new Promise(setImmediate);
        [renewed] = await queue.stored();
      }
      await queue.db.run(raw("update jobs set lease_token = 'another'"));
      await aborted.opened;
      await worker.stop();
      assert.equal((await queue.stored()).length, 1, 'it is left to the other worker');
    });
  });
}
