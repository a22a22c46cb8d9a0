import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSteadyClock } from './clock.ts';

const day = 86_400_000;

function sources(start = 1_800_000_000_000) {
  const at = { wall: start, elapsed: 5 };
  return {
    at,
    pass(ms: number) {
      at.wall += ms;
      at.elapsed += ms;
    },
    read: { wall: () => at.wall, elapsed: () => at.elapsed },
  };
}

test('a clock that is set back by a day does not delay waiting work', () => {
  const { at, pass, read } = sources();
  const begin = at.wall;
  const now = createSteadyClock(undefined, read);
  pass(10_000);
  assert.equal(now(), begin + 10_000);
  at.wall -= day;
  pass(3_000);
  assert.equal(now(), begin + 13_000);
  at.wall -= day;
  pass(1_000);
  assert.equal(now(), begin + 14_000);
});

test('it follows a clock that is set forward, and never goes back by a little', () => {
  const { at, pass, read } = sources();
  const begin = at.wall;
  const now = createSteadyClock(undefined, read);
  at.wall += 60_000;
  assert.equal(now(), begin + 60_000);
  at.wall -= 400;
  assert.equal(now(), begin + 60_000);
  pass(1_000);
  assert.equal(now(), begin + 60_600);
});

test('a node whose clock is behind that of the database begins with the time of the database', () => {
  const { at, pass, read } = sources();
  const now = createSteadyClock(at.wall + day, read);
  pass(2_000);
  assert.equal(now(), at.wall + day);
  const ahead = createSteadyClock(at.wall - day, read);
  assert.equal(ahead(), at.wall);
});
