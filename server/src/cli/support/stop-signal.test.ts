import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'vitest';
import { stoppable, waitForStop } from './stop-signal.ts';

test('the first signal asks for a graceful stop, and a later one ends it at once', async () => {
  const source = new EventEmitter();
  let now = 1000;
  let ended = 0;
  const stop = waitForStop(source, { now: () => now, atOnce: () => ended++ });
  source.emit('SIGINT');
  assert.equal(await stop, 'SIGINT');
  source.emit('SIGINT');
  now += 499;
  source.emit('SIGTERM');
  assert.equal(ended, 0, 'npm and the terminal pass on the same key press');
  now += 1;
  source.emit('SIGTERM');
  assert.equal(ended, 1);
});

test('the end of the process that started it asks for a graceful stop', async () => {
  const source = new EventEmitter();
  const stop = waitForStop(source, { now: () => 0, atOnce: () => assert.fail('not at once') });
  source.emit('disconnect');
  assert.equal(await stop, 'disconnect');
});

test('the first request ends work that can be stopped, and afterwards nobody listens', async () => {
  const source = new EventEmitter();
  const work = stoppable((signal) => {
    source.emit('SIGHUP');
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }, source);
  await assert.rejects(work, /It was stopped, and what it had written is removed\./);
  assert.equal(source.listenerCount('SIGHUP') + source.listenerCount('SIGINT'), 0);
});
