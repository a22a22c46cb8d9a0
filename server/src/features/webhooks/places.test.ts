import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Places } from './places.ts';

test('a webhook has its places again and again, and leaves some of the app to the others', () => {
  const places = new Places();
  const enter = (webhookId: string, times: number) =>
    Array.from({ length: times }, () => places.enter('app', webhookId, 0) === undefined);
  const leave = (webhookId: string) => places.leave('app', webhookId, 100);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(enter('a', 5), [true, true, true, true, false]);
    for (let call = 0; call < 4; call++) leave('a');
  }
  for (const webhookId of ['a', 'b', 'c', 'd']) assert.ok(enter(webhookId, 4).every((isIn) => isIn));
  assert.deepEqual(enter('e', 1), [false], 'the app has no more');
  leave('a');
  assert.deepEqual(enter('e', 2), [true, false]);
});

test('who finds no place is told to come back at the pace of the receiver', () => {
  const places = new Places();
  for (let call = 0; call < 4; call++) places.enter('app', 'a', 0);
  const pauses = () => Array.from({ length: 3 }, () => places.enter('app', 'a', 0));
  assert.deepEqual(pauses(), [50, 100, 150], 'as if a call took 200 ms');
  for (let call = 0; call < 30; call++) {
    places.leave('app', 'a', 4_000);
    places.enter('app', 'a', 0);
  }
  const [first = 0, second = 0] = pauses();
  assert.ok(Math.abs(second - first - 1_000) < 10, `${second - first} ms apart`);
  const far = Array.from({ length: 100 }, () => places.enter('app', 'a', 0)).at(-1);
  assert.equal(far, 60_000, 'but within a minute');
});
