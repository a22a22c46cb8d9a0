import assert from 'node:assert/strict';
import { test } from 'vitest';
import { happeningsOf } from '../../src/features/people/happened/happened.ts';

const event = (objectId: string, kind: string, occurredAt: string) => ({ objectId, event: kind, occurredAt });
const verdict = (eventId: string, outcome: string, deliveryId?: string) => ({ eventId, outcome, deliveryId });

test('what happened is in the order of time, with what was shown first, and pushes that no event has set off', () => {
  const found = happeningsOf({
    events: [event('e3', 'NEAR', '12:03'), event('e2', 'IMMEDIATE', '12:02'), event('e1', 'ENTER', '12:01')].map(
      (one) => ({ ...one, occurredAt: `2026-11-29T${one.occurredAt}:00Z` }),
    ),
    verdicts: [verdict('e1', 'stopped'), verdict('e1', 'fired', 'd1'), verdict('e2', 'pending')],
    deliveries: [
      { objectId: 'd1', createdAt: '2026-11-29T12:01:01Z' },
      { objectId: 'd2', createdAt: '2026-11-29T12:01:30Z' },
    ],
  } as never);
  assert.deepEqual(
    found.map((one) =>
      'event' in one ? [one.event.objectId, ...one.verdicts.map(({ outcome }) => outcome)] : [one.delivery.objectId],
    ),
    [['e2', 'pending'], ['d2'], ['e1', 'fired', 'stopped']],
  );
});
