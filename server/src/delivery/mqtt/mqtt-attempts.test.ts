import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailedLogins } from './mqtt-attempts.ts';

test('an address is blocked after as many failed logins, until the time is over', () => {
  const logins = new FailedLogins(2, 1_000);
  logins.note('a', 0);
  assert.equal(logins.isBlocked('a', 10), false);
  logins.note('a', 900);
  assert.deepEqual([logins.isBlocked('a', 999), logins.isBlocked('b', 999)], [true, false]);
  assert.equal(logins.isBlocked('a', 1_000), false);
  logins.note('a', 1_000);
  assert.equal(logins.isBlocked('a', 1_001), false, 'a new count');
});

test('of more addresses than are remembered, the oldest is forgotten', () => {
  const logins = new FailedLogins(1, 1_000, 2);
  for (const address of ['a', 'b', 'c']) logins.note(address, 0);
  assert.deepEqual(
    ['a', 'b', 'c'].map((address) => logins.isBlocked(address, 1)),
    [false, true, true],
  );
});
