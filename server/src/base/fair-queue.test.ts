import assert from 'node:assert/strict';
import { test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** A task that runs until it is told to end. */
function task(queue: FairQueue, tenant: string, name: string, started: string[]) {
  let end = () => {};
  const done = queue.run(tenant, () => {
    started.push(name);
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return { done, end: () => end() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a second tenant does not wait for the whole queue of the first', async () => {
  const queue = new FairQueue(1, 10_000);
  const started: string[] = [];
  const tasks = [
    task(queue, 'a', 'a1', started),
    task(queue, 'a', 'a2', started),
    task(queue, 'a', 'a3', started),
    task(queue, 'b', 'b1', started),
  ];
  for (const each of tasks) {
    await turn();
    each.end();
  }
  // b1 was started third, so it ended last above only because it was told to.
  await turn();
  for (const each of tasks) each.end();
  await Promise.all(tasks.map(({ done }) => done));
  assert.deepEqual(started.slice(0, 2), ['a1', 'a2']);
  assert.equal(started.indexOf('b1'), 2);
});

test('runs as many at once as it has slots, and counts those that wait', async () => {
  const queue = new FairQueue(2, 10_000);
  const started: string[] = [];
  const tasks = ['1', '2', '3'].map((name) => task(queue, 'a', name, started));
  await turn();
  assert.deepEqual(started, ['1', '2']);
  assert.equal(queue.waiting, 1);
  tasks[0]?.end();
  await turn();
  assert.deepEqual(started, ['1', '2', '3']);
  assert.equal(queue.waiting, 0);
  for (const each of tasks) each.end();
  await Promise.all(tasks.map(({ done }) => done));
});

test('refuses with Timeout when the turn does not come in time, and the rest of the queue goes on', async () => {
  const queue = new FairQueue(1, 20);
  const started: string[] = [];
  const first = task(queue, 'a', 'first', started);
  const late = task(queue, 'a', 'late', started);
  await assert.rejects(late.done, { name: 'Timeout', retryAfter: 1 });
  first.end();
  await first.done;
  const next = task(queue, 'a', 'next', started);
  next.end();
  await turn();
  next.end();
  await next.done;
  assert.deepEqual(started, ['first', 'next']);
});

test('a task that fails gives its slot back', async () => {
  const queue = new FairQueue(1, 10_000);
  await assert.rejects(
    queue.run('a', () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await queue.run('a', async () => 5), 5);
});

test('a task alone waits for those that run, and others wait for it', async () => {
  const queue = new FairQueue(2, 10_000);
  const started: string[] = [];
  const first = task(queue, 'a', 'first', started);
  await turn();
  let finish = () => {};
  const alone = queue.alone(() => {
    started.push('alone');
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  }, 10_000);
  const later = ['b', 'c', 'd'].map((tenant) => task(queue, tenant, tenant, started));
  await turn();
  assert.deepEqual(started, ['first'], 'a slot is free, but somebody wants to be alone');
  first.end();
  await turn();
  assert.deepEqual(started, ['first', 'alone']);
  finish();
  assert.equal(await alone, true);
  await turn();
  assert.deepEqual(started, ['first', 'alone', 'b', 'c']);
  for (const each of later) each.end();
  await turn();
  for (const each of later) each.end();
  await Promise.all(later.map(({ done }) => done));
});

test('an exclusive task is skipped if another does not end in time, and the rest goes on', async () => {
  const queue = new FairQueue(2, 10_000);
  const started: string[] = [];
  const long = task(queue, 'a', 'long', started);
  await turn();
  const alone = queue.alone(async () => started.push('alone'), 10);
  const other = task(queue, 'b', 'other', started);
  assert.equal(await alone, false);
  await turn();
  assert.deepEqual(started, ['long', 'other']);
  for (const each of [long, other]) each.end();
  await Promise.all([long.done, other.done]);
});
