import assert from 'node:assert/strict';
import { test } from 'vitest';
import { HookLine } from './hook-line.ts';

const never = () => new Promise<never>(() => {});

test('eight calls run at once, 64 wait, and the next one does not', async () => {
  const line = new HookLine(60_000);
  let begun = 0;
  const call = () => {
    begun++;
    return never();
  };
  const first = Array.from({ length: 72 }, () => line.run(() => 0, call));
  assert.equal(await line.run(() => 0, call), undefined);
  assert.deepEqual([first.length, begun], [72, 8]);
});

test('after five without an answer it rests, also for those that wait, then one call finds out whether it is back', async () => {
  const line = new HookLine(60_000);
  const gate = Promise.withResolvers<void>();
  const ended = async (at: number, isAnswered: boolean) => {
    await gate.promise;
    line.end(at, isAnswered);
    return 'called';
  };
  const call = (at: number, isAnswered: boolean) =>
    line.run(
      () => at,
      () => ended(at, isAnswered),
    );
  const answers = Array.from({ length: 20 }, () => call(0, false));
  gate.resolve();
  assert.equal((await Promise.all(answers)).filter((answer) => answer === 'called').length, 8);
  assert.equal(await call(9_999, true), undefined);
  void line.run(() => 10_000, never);
  assert.equal(await call(10_001, true), undefined);
  line.end(10_002, true);
  assert.equal(await call(10_003, true), 'called');
});
