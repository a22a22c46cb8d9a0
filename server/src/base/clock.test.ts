import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createSteadyClock, SharedClock } from './clock.ts';

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
  const now = createSteadyClock(read);
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
  const now = createSteadyClock(read);
  at.wall += 60_000;
  assert.equal(now(), begin + 60_000);
  at.wall -= 400;
  assert.equal(now(), begin + 60_000);
  pass(1_000);
  assert.equal(now(), begin + 60_600);
});

test('a shared clock goes on by itself, and follows what it hears of the other one', () => {
  let elapsed = 1_000;
  const clock = new SharedClock({ time: day, asked: 990, heard: 1_000 }, () => elapsed);
  elapsed += 500;
  assert.equal(clock.now(), day + 500);
  clock.takeReading({ time: day + 495, asked: 1_490, heard: 1_500 });
  assert.equal(clock.now(), day + 500, 'it may be as late as that');
  clock.takeReading({ time: 2 * day, asked: 1_490, heard: 1_500 });
  assert.equal(clock.now(), 2 * day);
  elapsed += 10;
  assert.equal(clock.now(), 2 * day + 10);
});

test('a shared clock that is ahead goes slowly until both agree, and never back', () => {
  let elapsed = 0;
  const clock = new SharedClock({ time: day, asked: 0, heard: 0 }, () => elapsed);
  elapsed += 10_000;
  clock.takeReading({ time: day + 6_000, asked: 10_000, heard: 10_000 });
  assert.equal(clock.now(), day + 10_000);
  elapsed += 4_000;
  assert.equal(clock.now(), day + 12_000);
  elapsed += 4_000;
  assert.equal(clock.now(), day + 14_000);
  elapsed += 1_000;
  assert.equal(clock.now(), day + 15_000);
});
