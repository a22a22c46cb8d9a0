import type { EventKind, PresenceEvent } from '../presence/types.ts';
import type { Firing, Trigger, Verdict } from '../rules/rule-types.ts';

/** What a phone without a network has decided by itself, and tells later. Pure. */

export interface Shown {
  readonly triggerId: string;
  readonly beaconId: string;
  readonly event: EventKind;
  /** When it was decided (ms, sensing time). */
  readonly at: number;
  /** As the phone calls them, which is as the service does unless its clock or its beacons were others. */
  readonly eventId: string;
  readonly visitId: string;
  readonly group?: string;
}

export interface DecidedOnPhone {
  /** All that happened until then (ms, sensing time) was decided there. */
  readonly until: number;
  readonly shown: readonly Shown[];
}

export const nothingDecided: DecidedOnPhone = { until: Number.MIN_SAFE_INTEGER, shown: [] };

/** A clock that was corrected since, or a signal that only one of the two has, moves an event by no more, ms. */
const TOLERANCE_MS = 60_000;
/** What no event was found for is awaited so long, and so much of it. */
const AWAITED_MS = 86_400_000;
const MAX_AWAITED = 50;

interface Asked {
  readonly triggerId: string;
  readonly beaconId: string;
  readonly event: EventKind;
  readonly at: number;
}

const isNear = (one: Asked, other: Asked) =>
  one.triggerId === other.triggerId &&
  one.beaconId === other.beaconId &&
  one.event === other.event &&
  Math.abs(one.at - other.at) <= TOLERANCE_MS;

/** The entry of `shown` that answers a question: the nearest in time. */
export function answerOf(shown: readonly Shown[], asked: Asked): Shown | undefined {
  return shown
    .filter((one) => isNear(one, asked))
    .sort((a, b) => Math.abs(a.at - asked.at) - Math.abs(b.at - asked.at))[0];
}

/** Leaves out messages reported before: they still wait for their event, or were counted. */
export function newlyShown(
  { shown }: DecidedOnPhone,
  { awaited, fired }: { readonly awaited: readonly Shown[]; readonly fired: readonly Firing[] },
): readonly Shown[] {
  const isCounted = (one: Shown) =>
    fired.some(
      ({ triggerId, at, isElsewhere }) =>
        isElsewhere !== true && triggerId === one.triggerId && Math.abs(at - one.at) <= TOLERANCE_MS,
    );
  return shown.filter((one) => !awaited.some((other) => isNear(one, other)) && !isCounted(one));
}

/** From when on (ms) events may be those that something was shown at. */
export const earliestShown = (shown: readonly Shown[]) =>
  shown.reduce((least, { at }) => Math.min(least, at), Number.MAX_SAFE_INTEGER) - TOLERANCE_MS;

export const stillAwaited = (shown: readonly Shown[], now: number): readonly Shown[] =>
  shown.filter(({ at }) => at > now - AWAITED_MS).slice(-MAX_AWAITED);

/** The reported event that a message was shown at. */
export function eventOf(one: Shown, events: readonly PresenceEvent[]): PresenceEvent | undefined {
  return events
    .filter(({ beaconId, event, at }) => isNear(one, { triggerId: one.triggerId, beaconId, event, at }))
    .sort((a, b) => Math.abs(a.at - one.at) - Math.abs(b.at - one.at))[0];
}

export function shownVerdict(
  trigger: Pick<Trigger, 'id' | 'kind'>,
  event: PresenceEvent,
  { at, group }: Pick<Shown, 'at' | 'group'>,
): Verdict {
  return {
    triggerId: trigger.id,
    kind: trigger.kind,
    eventId: event.id,
    visitId: event.visitId,
    event: event.event,
    at,
    outcome: 'fired',
    reason: 'fired',
    text: group === undefined ? 'Shown.' : `Shown: variant ${group}.`,
    ...(group === undefined ? {} : { group }),
  };
}
