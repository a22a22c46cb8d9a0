import assert from 'node:assert/strict';
import { test } from 'vitest';
import { HookLine } from './hook-line.ts';

const never = () => new Promise<never>(() => {});

test('eight calls run at once, 64 wait, and the next one does not', () => {
  const line = new HookLine(60_000, null);
  const calls = Array.from({ length: 80 }, () => line.run(0, never));
  assert.equal(calls.filter((call) => call === undefined).length, 80 - 8 - 64);
});

test('after five without an answer it rests, then one call finds out whether it is back', async () => {
  const line = new HookLine(60_000, null);
  const call = (at: number, isAnswered: boolean) => line.run(at, async () => line.end(at, isAnswered));
  for (let time = 0; time < 5; time++) await call(0, false);
  assert.equal(call(9_999, true), undefined);
  const tried = line.run(10_000, never);
  assert.ok(tried);
  assert.equal(call(10_001, true), undefined);
  line.end(10_002, true);
  assert.ok(call(10_003, true));
});
