import { newTrack } from '../../src/presence/state.ts';
import type {
  Observation,
  PresenceEvent,
  PresenceSettings,
  PresenceState,
  TrackState,
} from '../../src/presence/types.ts';
import { type Judgement, judgeEvents, type Wait } from '../../src/rules/judging.ts';
import type { Firing, Rules, Trigger, Verdict } from '../../src/rules/rule-types.ts';
import { compareSamples, endings, follow, nextEnding } from '../../src/track.ts';

/** Monday 2 March 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 2, 2, 12);

/** One report a second of a visitor at these distances in metres, one after the other (P1m −59, n 2). */
export function walk(metres: readonly number[], start = NOON): Observation[] {
  return metres.map((distance, index) => ({
    occurredAt: start + index * 1000,
    rssi: Math.round(-59 - 20 * Math.log10(distance)),
  }));
}

export function repeat(metres: number, seconds: number): number[] {
  return Array.from({ length: seconds }, () => metres);
}

/** One installation at one beacon, controlled by a test. */
export interface Seen {
  readonly track: TrackState;
  readonly waits: readonly Wait[];
  readonly events: readonly PresenceEvent[];
  readonly retracted: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly presence: PresenceState | undefined;
}

export interface Seeing {
  readonly settings?: PresenceSettings;
  readonly rules?: Rules;
  readonly fired?: readonly Firing[];
  readonly now?: number;
}

const installationId = 'phone';
const beaconId = 'beacon';
const noRules: Rules = { triggers: [], hasTarget: true };

function judged(
  state: TrackState,
  events: readonly PresenceEvent[],
  waits: readonly Wait[],
  rest: Seeing & { now: number },
): Judgement {
  return judgeEvents({
    events,
    waits,
    state,
    exitOf: (id) => events.find(({ event, visitId }) => event === 'EXIT' && visitId === id),
    isProvisional: () => false,
    knownUntil: rest.now,
    now: rest.now,
    rulesOf: () => rest.rules ?? noRules,
    fired: rest.fired ?? [],
    earlierVisits: () => 0,
  });
}

/** Applies reports, in any order, after the earlier ones. */
export function see(observations: readonly Observation[], before: Seen | null = null, rest: Seeing = {}): Seen {
  const now = rest.now ?? Math.max(NOON, ...observations.map(({ occurredAt }) => occurredAt));
  const { state, events, retracted } = follow({
    installationId,
    state: before?.track ?? newTrack(),
    samples: observations.map((one) => ({ ...one, beaconId })).sort(compareSamples),
    settingsOf: () => rest.settings ?? {},
  });
  const { verdicts, waits } = judged(state, events, before?.waits ?? [], { ...rest, now });
  const presence = state.beacons[beaconId];
  return { track: state, waits, events, retracted, verdicts: verdicts.map(({ verdict }) => verdict), presence };
}

/** What follows if nothing more is heard until then. */
export function wait(
  { track, waits }: Seen,
  until: number,
  rest: Seeing = {},
): Pick<Seen, 'events' | 'verdicts' | 'waits'> {
  const events = endings({ installationId, state: track, until, patience: 0 });
  const done = judged(track, events, waits, { ...rest, now: until });
  return { events, verdicts: done.verdicts.map(({ verdict }) => verdict), waits: done.waits };
}

/** When the open visit ends if nothing more is heard. */
export const endOf = ({ track }: Seen): number | null => nextEnding(track, 0, () => false);

export function kinds(outcome: Pick<Seen, 'events'>): string[] {
  return outcome.events.map(({ event }) => event);
}

export function trigger(members: Partial<Trigger> = {}): Trigger {
  return { id: 't', kind: 'notification', enabled: true, event: 'ENTER', beaconIds: ['beacon'], ...members };
}

export function rulesOf(triggers: readonly Trigger[], members: Partial<Rules> = {}): Rules {
  return { triggers, hasTarget: true, ...members };
}
