import assert from 'node:assert/strict';
import { test } from 'vitest';
import { InFlight } from './mqtt-in-flight.ts';

/** How many messages may wait for their PUBACK at once. */
function slotsOf(messages: InFlight): number {
  let slots = 0;
  while (messages.open(60_000, () => undefined)) slots++;
  return slots;
}

test('a device may lower how many messages it is sent at once, and not raise it', () => {
  for (const [accepts, slots] of [
    [undefined, 8],
    [65_535, 8],
    [3, 3],
    [0, 1],
  ] as const) {
    const messages = new InFlight();
    if (accepts !== undefined) messages.narrow(accepts);
    assert.equal(slotsOf(messages), slots);
    messages.end();
    assert.equal(slotsOf(messages), slots, 'given back');
    messages.end();
  }
});
