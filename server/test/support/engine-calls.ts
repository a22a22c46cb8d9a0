import { type Observed, type Observing, observe } from '../../src/proximity/observe.ts';
import type { Observation, PresenceState } from '../../src/proximity/presence/types.ts';
import type { Rules, Trigger } from '../../src/proximity/rules/rule-types.ts';

/** Monday 2 March 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 2, 2, 12);

/** One report a second of a visitor who stands at these metres, one after the other (P1m −59, n 2). */
export function walk(metres: readonly number[], start = NOON): Observation[] {
  return metres.map((distance, index) => ({
    occurredAt: start + index * 1000,
    rssi: Math.round(-59 - 20 * Math.log10(distance)),
  }));
}

export function repeat(metres: number, seconds: number): number[] {
  return Array.from({ length: seconds }, () => metres);
}

export function see(
  observations: readonly Observation[],
  state: PresenceState | null = null,
  rest: Partial<Observing> = {},
): Observed {
  const now = Math.max(NOON, ...observations.map(({ occurredAt }) => occurredAt));
  return observe({ installationId: 'phone', beaconId: 'beacon', state, observations, now, ...rest });
}

export function kinds(outcome: Pick<Observed, 'events'>): string[] {
  return outcome.events.map(({ event }) => event);
}

export function trigger(members: Partial<Trigger> = {}): Trigger {
  return { id: 't', kind: 'notification', enabled: true, event: 'ENTER', beaconIds: ['beacon'], ...members };
}

export function rulesOf(triggers: readonly Trigger[], members: Partial<Rules> = {}): Rules {
  return { triggers, hasTarget: true, ...members };
}
