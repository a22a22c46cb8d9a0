import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../scripts/test/runs.ts';
import type { Observation, PresenceEvent, Sensitivity } from '../src/presence/types.ts';
import type { Firing } from '../src/rules/rule-types.ts';
import { NOON, rulesOf, type Seen, see, trigger, wait } from './support/engine-calls.ts';

/**
 * Visitors who come, stay, go and fall silent, with noise, several receivers and phones that decide by themselves.
 * A gap moves time on by up to a minute, so that silence ends some visits. One source reports once at one moment.
 */
const leg = fc.record({
  metres: fc.constantFrom(0.5, 1.5, 2, 3, 5, 20),
  reports: fc.integer({ min: 1, max: 25 }),
  gap: fc.constantFrom(0, 0, 400, 29_000, 31_000, 60_000),
  receiver: fc.constantFrom(undefined, undefined, 'a', 'b'),
  decision: fc.constantFrom(undefined, undefined, undefined, 'ENTER' as const, 'EXIT' as const),
  noise: fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 5, maxLength: 5 }),
});

const visitor = fc.array(leg, { minLength: 1, maxLength: 12 }).map((legs) => {
  const observations: Observation[] = [];
  let at = NOON;
  for (const { metres, reports, gap, receiver, decision, noise } of legs) {
    at += gap;
    if (decision !== undefined) observations.push({ occurredAt: at, event: decision });
    for (let index = 0; index < reports; index++) {
      at += 700;
      const rssi = Math.round(-59 - 20 * Math.log10(metres)) + (noise[index % 5] ?? 0);
      observations.push({ occurredAt: at, rssi, ...(receiver === undefined ? {} : { receiver }) });
    }
  }
  return observations;
});

const sensitivity = fc.constantFrom<Sensitivity>('stable', 'fast');
/** Enough to put a list into any order. */
const keys = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 400, maxLength: 400 });

function shuffled<T>(items: readonly T[], order: readonly number[]): T[] {
  return items
    .map((item, index) => ({ item, key: order[index % order.length] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

interface Replay {
  readonly events: PresenceEvent[];
  readonly seen: Seen | null;
}

function replay(batches: readonly (readonly Observation[])[], kind: Sensitivity): Replay {
  let seen: Seen | null = null;
  let events: PresenceEvent[] = [];
  for (const batch of batches) {
    const { retracted, ...rest }: Seen = see(batch, seen, { settings: { sensitivity: kind } });
    seen = { ...rest, retracted };
    events = [...events.filter(({ id }) => !retracted.includes(id)), ...rest.events];
  }
  return { events, seen };
}

/** Cuts a list at random places. */
function cut<T>(items: readonly T[], order: readonly number[]): T[][] {
  const batches: T[][] = [[]];
  items.forEach((item, index) => {
    if ((order[index % order.length] ?? 0) < 0.3) batches.push([]);
    batches.at(-1)?.push(item);
  });
  return batches;
}

test('any order, duplication and batching of the same reports gives the same events and visits', () => {
  fc.assert(
    fc.property(visitor, sensitivity, keys, (observations, kind, order) => {
      const whole = replay([observations], kind);
      const doubled = shuffled([...observations, ...observations], order);
      assert.deepEqual(replay([doubled], kind).events, whole.events);
      const mixed = cut(observations, order).map((batch) => shuffled(batch, order));
      assert.deepEqual(replay(mixed, kind).events, whole.events);
    }),
    runs(150),
  );
});

test('an EXIT never comes without its ENTER, and visits of one visitor never overlap', () => {
  fc.assert(
    fc.property(visitor, sensitivity, (observations, kind) => {
      const { events, seen } = replay([observations], kind);
      if (seen !== null) events.push(...wait(seen, NOON + 86_400_000).events);
      checkVisits(events);
    }),
    runs(200),
  );
});

function checkVisits(events: readonly PresenceEvent[]): void {
  let open: string | null = null;
  let left = Number.NEGATIVE_INFINITY;
  const seen = new Set<string>();
  for (const { event, visitId, enteredAt = Number.NaN, leftAt = Number.NaN } of events) {
    if (event === 'ENTER') {
      assert.equal(open, null);
      assert.ok(!seen.has(visitId));
      assert.ok(enteredAt >= left);
      seen.add(visitId);
      open = visitId;
    } else if (event === 'EXIT') {
      assert.equal(visitId, open);
      assert.ok(leftAt >= enteredAt);
      left = leftAt;
      open = null;
    } else if (open !== null) {
      assert.equal(visitId, open);
    }
  }
  assert.equal(open, null);
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
}

test('no trigger fires twice in one visit, however the reports are cut', () => {
  const kinds = ['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR'] as const;
  const rules = rulesOf(
    kinds.map((event) => trigger({ id: event, event, policy: event === 'NEAR' ? { dwellSeconds: 4 } : {} })),
  );
  fc.assert(
    fc.property(visitor, sensitivity, keys, (observations, kind, order) => {
      let seen: Seen | null = null;
      let fired: readonly Firing[] = [];
      for (const batch of cut(observations, order)) {
        seen = see(batch, seen, { rules, fired, settings: { sensitivity: kind } });
        fired = [...fired, ...seen.verdicts.filter((verdict) => verdict.outcome === 'fired')];
      }
      const once = fired.map(({ triggerId, visitId }) => `${triggerId} ${visitId}`);
      assert.equal(new Set(once).size, once.length);
    }),
    runs(150),
  );
});
