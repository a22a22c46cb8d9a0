import assert from 'node:assert/strict';
import { test } from 'vitest';
import { FailedLogins } from './mqtt-device-broker.ts';

test('failures are counted for the name and for the address, until their time is over', () => {
  const failures = new FailedLogins(1_000);
  const note = (username: string, address: string, now: number) => failures.note({ username, address }, now);
  for (let n = 0; n < 5; n++) assert.equal(note('gate', `address ${n}`, n), 0);
  assert.equal(note('gate', 'another address', 5), 250, 'one name from many addresses');
  for (let n = 0; n < 5; n++) assert.equal(note(`name ${n}`, 'a', 10), 0);
  assert.equal(note('another name', 'a', 11), 250, 'many names from one address');
  assert.equal(note('hall', 'b', 12), 0, 'neither');
  assert.equal(note('gate', 'c', 1_001), 0, 'the time of the first one counts');
});

test('a limited number of names and addresses is remembered, the newest ones', () => {
  const failures = new FailedLogins(1_000_000, 12);
  const note = (name: string) => failures.note({ username: name, address: name }, 0);
  for (let n = 0; n < 5; n++) note('first');
  assert.equal(note('first'), 250);
  for (let n = 0; n < 6; n++) note(`other ${n}`);
  assert.equal(note('first'), 0, 'forgotten');
});
