import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { databases, openStorage, type TestStorage } from '../../test/support/build-app.ts';
import { watchStatements } from '../../test/support/statements.ts';
import { raw, type Sql, sql } from '../base/sql.ts';
import type { Database } from '../db/db.ts';
import { GiveUp, type Job, type JobContext, type JobHandler, LeaseLost, type NewJob, RetryLater } from './job.ts';
import { leaseMs } from './job-queue.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { countJobs, endLeases, wakeFromFuture } from './store.ts';
import { sweepDeadJobs } from './sweep.ts';
import { createWorker, type Worker } from './worker.ts';

interface StoredJob {
  readonly job_id: string;
  readonly kind: string;
  readonly state: string;
  readonly run_at: number;
  readonly attempts: number;
  readonly last_error: string | null;
}

const quick = { concurrency: 10, maxAttempts: 3, baseDelayMs: 1_000, maxDelayMs: 3_000 };

/** A promise that the test settles. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

for (const database of databases) {
  describe(`the outbox on ${database}`, () => {
    let storage: TestStorage;
    let db: Database;
    let outbox: Outbox;
    let now: number;
    let errors: string[];
    before(async () => {
      storage = await openStorage(database);
      db = storage.db;
    });
    after(() => storage.close());
    beforeEach(async () => {
      now = 1_800_000_000_000;
      errors = [];
      outbox = createOutbox(() => now);
      await db.run(raw('delete from jobs'));
    });

    const enqueue = (job: Partial<NewJob> = {}) =>
      db.transaction((db) => outbox.enqueue(db, { appId: 'app', kind: 'work', payload: {}, ...job }));
    const stored = () => db.all<StoredJob>(raw('select * from jobs order by job_id'));
    const workerWith = (handlers: Record<string, JobHandler>, random = () => 1): Worker =>
      createWorker({ db, outbox, handlers, now: () => now, random, onError: (what) => void errors.push(what) });
    const handler = (run: JobHandler['run'], rules: Partial<JobHandler> = {}): JobHandler => ({
      ...quick,
      ...rules,
      run,
    });

    test('hands a job over as it was asked for, and removes it when it is done', async () => {
      const seen: Job[] = [];
      await enqueue({ appId: 'one', payload: { text: 'Zürich', n: [1] }, expiresAt: now + 60_000 });
      await workerWith({ work: handler(async (job) => void seen.push(job)) }).drain();
      assert.deepEqual(
        seen.map(({ appId, kind, payload, attempts, expiresAt }) => ({ appId, kind, payload, attempts, expiresAt })),
        [{ appId: 'one', kind: 'work', payload: { text: 'Zürich', n: [1] }, attempts: 1, expiresAt: now + 60_000 }],
      );
      assert.deepEqual(await stored(), []);
    });

    test('keeps a job only when its transaction is committed', async () => {
      let woken = 0;
      outbox.onEnqueued(() => woken++);
      await assert.rejects(
        db.transaction(async (db) => {
          await outbox.enqueue(db, { appId: 'app', kind: 'work', payload: {} });
          throw new Error('no');
        }),
        /no/,
      );
      assert.deepEqual([await stored(), woken], [[], 0]);
      await enqueue();
      assert.equal(woken, 1, 'a worker is told after the commit');
    });

    test('takes the same job id once', async () => {
      await enqueue({ jobId: 'same', payload: { n: 1 } });
      await enqueue({ jobId: 'same', payload: { n: 2 } });
      const seen: unknown[] = [];
      await workerWith({ work: handler(async ({ payload }) => void seen.push(payload)) }).drain();
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
      const slowly = new Proxy(db, {
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
      for (let n = 0; n < 3; n++) await enqueue();
      const work = handler(async () => void done++, { concurrency: 1 });
      const onError = (what: string) => void errors.push(what);
      await createWorker({ db: slowly, outbox, handlers: { work }, now: () => now, onError }).drain();
      assert.deepEqual([await stored(), errors], [[], []]);
    });

    test('a started worker is woken by a commit, without waiting for the next poll', async () => {
      const { opened, open } = gate();
      const worker = workerWith({ work: handler(async () => open()) });
      worker.start();
      await worker.drain();
      await enqueue();
      await opened;
      await worker.stop();
      assert.deepEqual(await stored(), []);
    });

    test('waits until a job is due', async () => {
      const seen: number[] = [];
      await enqueue({ runAt: now + 1 });
      const worker = workerWith({ work: handler(async () => void seen.push(now)) });
      await worker.drain();
      assert.deepEqual(seen, []);
      now += 1;
      await worker.drain();
      assert.deepEqual(seen, [now]);
    });

    test('what a clock that was set back has put off is done at once, and what has a date keeps it', async () => {
      const day = 86_400_000;
      await enqueue({ jobId: 'a', kind: 'fails' });
      await enqueue({ jobId: 'c', kind: 'dated', runAt: now + 2 * day });
      const seen: string[] = [];
      const fail = async (job: Job) => {
        if (job.attempts === 1) throw new Error('down');
        seen.push(job.jobId);
      };
      const see = async (job: Job) => void seen.push(job.jobId);
      await workerWith({ fails: handler(fail) }).drain();
      await enqueue({ jobId: 'b', kind: 'new' });
      now -= day;
      const worker = workerWith({ fails: handler(fail), new: handler(see), dated: handler(see) });
      await worker.drain();
      assert.deepEqual(seen, [], 'a day too late');
      await wakeFromFuture(db, now);
      await worker.drain();
      assert.deepEqual(seen.sort(), ['a', 'b']);
      now += 3 * day;
      await worker.drain();
      assert.deepEqual(seen, ['a', 'b', 'c']);
    });

    test('leaves kinds without a handler alone, even expired ones', async () => {
      await enqueue({ kind: 'later', expiresAt: now - 1 });
      await enqueue();
      await workerWith({ work: handler(async () => undefined) }).drain();
      assert.deepEqual(
        (await stored()).map(({ kind, state, attempts }) => [kind, state, attempts]),
        [['later', 'queued', 0]],
      );
    });

    test('tries again after pauses that double up to a bound, and keeps what failed for good', async () => {
      await enqueue();
      const worker = workerWith({
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
        const [job] = await stored();
        assert.deepEqual([job?.state, job?.last_error, job?.attempts], ['queued', 'the provider is down', tries + 1]);
        pauses.push((job?.run_at ?? 0) - now);
        now = job?.run_at ?? 0;
      }
      assert.deepEqual(pauses, [1_000, 2_000, 3_000]);
      await worker.drain();
      const [dead] = await stored();
      assert.deepEqual([dead?.state, dead?.last_error, dead?.attempts], ['dead', 'the provider is down', 4]);
      assert.ok(errors.some((what) => what.includes('is dead')));
      now += 1_000_000;
      await worker.drain();
      assert.equal((await stored())[0]?.attempts, 4, 'a dead job is not tried again');
    });

    test('draws the pause from zero to the bound', async () => {
      await enqueue();
      await workerWith({ work: handler(async () => Promise.reject(new Error('x'))) }, () => 0.25).drain();
      assert.equal((await stored())[0]?.run_at, now + 250);
    });

    test('comes back when the handler says so, and gives up when it says so', async () => {
      await enqueue({ jobId: 'a', kind: 'later' });
      await enqueue({ jobId: 'b', kind: 'never' });
      await workerWith({
        later: handler(async () => Promise.reject(new RetryLater('429', 77_000))),
        never: handler(async () => Promise.reject(new GiveUp('no such address'))),
      }).drain();
      assert.deepEqual(
        (await stored()).map(({ state, run_at, last_error }) => [state, run_at - now, last_error]),
        [
          ['queued', 77_000, '429'],
          ['dead', 0, 'no such address'],
        ],
      );
    });

    test('does not do what has expired, and does not wait beyond the expiry', async () => {
      const seen: string[] = [];
      await enqueue({ jobId: 'a', kind: 'late', expiresAt: now });
      await enqueue({ jobId: 'b', kind: 'fails', expiresAt: now + 1_000 });
      await workerWith({
        late: handler(async () => void seen.push('late')),
        fails: handler(async () => Promise.reject(new Error('down'))),
      }).drain();
      assert.deepEqual(seen, []);
      assert.deepEqual(
        (await stored()).map(({ state, last_error }) => [state, last_error]),
        [
          ['dead', 'It expired before it could be done.'],
          ['dead', 'down (no time left for another try)'],
        ],
      );
    });

    test('a job whose worker is gone is done by another one, and the old one no longer counts', async () => {
      await enqueue();
      const [started, finish] = [gate(), gate()];
      const old: unknown[] = [];
      const slow = workerWith({
        work: handler(async (_job, { assertHeld }: JobContext) => {
          started.open();
          await finish.opened;
          await db.transaction(assertHeld).catch((error: unknown) => old.push(error));
          throw new Error('too late to matter');
        }),
      });
      const slowDone = slow.drain();
      await started.opened;
      const seen: number[] = [];
      const quickOne = workerWith({
        work: handler(async ({ attempts }, { assertHeld }) => {
          await db.transaction(assertHeld);
          seen.push(attempts);
          throw new RetryLater('once more', 5_000);
        }),
      });
      now += leaseMs - 1;
      await quickOne.drain();
      assert.deepEqual(seen, [], 'nobody takes it while the lease lasts');
      now += 1;
      await quickOne.drain();
      assert.deepEqual(seen, [2]);
      const between = await stored();
      finish.open();
      await slowDone;
      assert.ok(old[0] instanceof LeaseLost, 'its transaction is rolled back');
      assert.deepEqual(await stored(), between, 'what the old one reports changes nothing');
    });

    test('a job that always takes its worker down is dead after its tries', async () => {
      await enqueue();
      await db.run(sql`update jobs set attempts = ${quick.maxAttempts}, lease_token = 'gone'`);
      const seen: unknown[] = [];
      await workerWith({ work: handler(async (job) => void seen.push(job)) }).drain();
      assert.deepEqual(seen, []);
      assert.equal((await stored())[0]?.state, 'dead');
    });

    test('two workers that race do each job once', async () => {
      for (let n = 0; n < 60; n++) await enqueue({ appId: `app${n % 3}`, payload: { n } });
      const seen: number[] = [];
      const work = handler(async ({ payload }) => void seen.push((payload as { n: number }).n), { concurrency: 4 });
      const workers = [workerWith({ work }), workerWith({ work }), workerWith({ work })];
      await Promise.all(workers.map((worker) => worker.drain()));
      await Promise.all(workers.map((worker) => worker.drain()));
      assert.deepEqual(
        seen.sort((a, b) => a - b),
        Array.from({ length: 60 }, (_, n) => n),
      );
      assert.deepEqual(await stored(), []);
    });

    test('apps take turns, however many jobs one of them has', async () => {
      for (let n = 0; n < 30; n++) await enqueue({ appId: 'a-busy-app' });
      now += 1;
      for (const appId of ['b', 'c']) for (let n = 0; n < 2; n++) await enqueue({ appId });
      const order: string[] = [];
      await workerWith({ work: handler(async ({ appId }) => void order.push(appId), { concurrency: 1 }) }).drain();
      assert.deepEqual(order.slice(0, 6), ['a-busy-app', 'b', 'c', 'a-busy-app', 'b', 'c']);
      assert.equal(order.length, 34);
    });

    test('an app with more jobs than a look reads hides nobody, nor does what is due later', async () => {
      const crowd = (appId: string, kind: string, runAt: number) =>
        db.transaction((db) =>
          outbox.enqueueAll(
            db,
            Array.from({ length: 250 }, () => ({ appId, kind, payload: {}, runAt })),
          ),
        );
      await crowd('a', 'stuck', now - 1000);
      await crowd('b', 'work', now + 1000);
      await enqueue({ appId: 'c', kind: 'work' });
      await enqueue({ appId: 'c', kind: 'xerox' });
      const order: string[] = [];
      const see = handler(async ({ appId, kind }) => void order.push(`${appId} ${kind}`));
      await workerWith({ work: see, xerox: see }).drain();
      assert.deepEqual(order.sort(), ['c work', 'c xerox']);
    });

    test('all kinds together cost one statement where nothing is due', async () => {
      const statements = watchStatements(db);
      const work = handler(async () => undefined);
      const worker = workerWith(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`kind-${n}`, work])));
      await worker.drain();
      assert.equal(statements.take().length, 1);
    });

    test('one claim gives every waiting app its part of the places', async () => {
      for (let n = 0; n < 20; n++) await enqueue({ appId: 'a' });
      for (let n = 0; n < 2; n++) await enqueue({ appId: 'b' });
      const [claimed, release] = [gate(), gate()];
      const running: string[] = [];
      const worker = workerWith({
        work: handler(
          async ({ appId }) => {
            if (running.push(appId) === 4) claimed.open();
            await release.opened;
          },
          { concurrency: 4 },
        ),
      });
      const done = worker.drain();
      await claimed.opened;
      assert.deepEqual([...running].sort(), ['a', 'a', 'b', 'b']);
      assert.deepEqual(await countJobs(db, now), { queued: 18, running: 4, dead: 0 });
      release.open();
      await done;
    });

    test('an app fills no more than its own places, and those behind it get theirs', async () => {
      for (let n = 0; n < 10; n++) await enqueue({ appId: 'a' });
      await enqueue({ appId: 'b' });
      const [claimed, release] = [gate(), gate()];
      const running: string[] = [];
      const worker = workerWith({
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
      assert.deepEqual(await countJobs(db, now), { queued: 8, running: 3, dead: 0 });
      release.open();
      await done;
      assert.equal(running.length, 11);
    });

    test('the only process of a database takes over at once what its predecessor held', async () => {
      await enqueue();
      await db.run(sql`update jobs set attempts = 1, lease_token = 'gone', run_at = ${now + leaseMs}`);
      const seen: number[] = [];
      const worker = workerWith({ work: handler(async ({ attempts }) => void seen.push(attempts)) });
      await worker.drain();
      assert.deepEqual(seen, []);
      await endLeases(db, now);
      await worker.drain();
      assert.deepEqual(seen, [2]);
    });

    test('a stop waits for what runs and claims nothing more', async () => {
      await enqueue({ jobId: 'a' });
      const [started, finish] = [gate(), gate()];
      const worker = workerWith({
        work: handler(async () => {
          started.open();
          await finish.opened;
        }),
      });
      worker.start();
      await started.opened;
      const stopped = worker.stop();
      await enqueue({ jobId: 'b' });
      finish.open();
      await stopped;
      assert.deepEqual(
        (await stored()).map(({ job_id, attempts }) => [job_id, attempts]),
        [['b', 0]],
      );
    });

    test('keeps the lease of a job that runs long, and tells the handler when it is lost', async () => {
      await enqueue();
      const [started, aborted] = [gate(), gate()];
      const worker = createWorker({
        db,
        outbox,
        now: () => now,
        renewMs: 1,
        onError: (what) => void errors.push(what),
        handlers: {
          work: handler(async (_job, { signal }) => {
            signal.addEventListener('abort', aborted.open);
            started.open();
            await aborted.opened;
          }),
        },
      });
      worker.start();
      await started.opened;
      now += leaseMs - 1;
      let renewed: StoredJob | undefined;
      while (renewed?.run_at !== now + leaseMs) {
        await new Promise(setImmediate);
        [renewed] = await stored();
      }
      await db.run(raw("update jobs set lease_token = 'another'"));
      await aborted.opened;
      await worker.stop();
      assert.equal((await stored()).length, 1, 'it is left to the other worker');
    });

    test('jobs that expired and that no worker takes do not stay in the queue for ever', async () => {
      await enqueue({ kind: 'nobody.does.this', expiresAt: now + 1000 });
      await sweepDeadJobs(db, now + 3_600_000);
      assert.deepEqual(
        (await stored()).map(({ state }) => state),
        ['queued'],
      );
      await sweepDeadJobs(db, now + 1000 + 3_600_001);
      assert.deepEqual(
        (await stored()).map(({ state }) => state),
        ['dead'],
      );
    });

    test('dead jobs are kept for a month', async () => {
      await enqueue();
      await workerWith({ work: handler(async () => Promise.reject(new GiveUp('no'))) }).drain();
      await sweepDeadJobs(db, now + 30 * 86_400_000);
      assert.equal((await stored()).length, 1);
      await sweepDeadJobs(db, now + 30 * 86_400_000 + 1);
      assert.equal((await stored()).length, 0);
    });
  });
}
