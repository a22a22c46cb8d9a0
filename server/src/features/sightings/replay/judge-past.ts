import {
  type Firing,
  judgeEvents,
  localTime,
  newTrack,
  type PresenceEvent,
  type Rules,
  siteTimeZone,
  type Trigger,
  type Verdict,
} from '@pharos/engine';

/** One trigger, judged at everything that happened to one installation, as if each report had come at once. */

export interface PastOfInstallation {
  /** In order of time. */
  readonly events: readonly PresenceEvent[];
  readonly trigger: Trigger;
  /** What applies at a beacon besides the trigger. */
  readonly rulesAt: (beaconId: string) => Omit<Rules, 'triggers' | 'hasTarget' | 'timeToLive'>;
  /** What other messages were shown then: they count for caps and pauses of the app. */
  readonly shown: readonly Firing[];
  /** Visits at a beacon that were over before the first event. */
  readonly earlierVisits: (beaconId: string) => number;
  /** Until when everything is known, ms. */
  readonly until: number;
}

/** Final verdicts in order of time. */
export function judgePast({ events, trigger, rulesAt, shown, earlierVisits, until }: PastOfInstallation): Verdict[] {
  const beaconIds = new Set(trigger.beaconIds);
  const exits = new Map(events.filter(({ event }) => event === 'EXIT').map((event) => [event.visitId, event]));
  const { verdicts } = judgeEvents({
    events,
    waits: [],
    state: presentUntil(events, exits, until),
    exitOf: (visitId) => exits.get(visitId),
    isProvisional: () => false,
    knownUntil: until,
    now: until,
    rulesOf: (beaconId): Rules => ({
      ...rulesAt(beaconId),
      triggers: beaconIds.has(beaconId) ? [trigger] : [],
      hasTarget: true,
      // Each report came when it was made.
      timeToLive: Number.POSITIVE_INFINITY,
    }),
    fired: shown,
    earlierVisits,
  });
  return verdicts
    .map(({ verdict }) => verdict)
    .filter(({ outcome, event }) => outcome !== 'pending' && event === trigger.event);
}

/** A visitor who has not left stays until the end of what is known. */
function presentUntil(events: readonly PresenceEvent[], exits: ReadonlyMap<string, PresenceEvent>, until: number) {
  const track = newTrack();
  for (const { visitId, beaconId, event } of events) {
    if (event !== 'ENTER' || exits.has(visitId)) continue;
    const visit = { id: visitId, source: 'device' };
    track.beacons[beaconId] = { visit, inContact: true, heardAt: until, zone: null } as never;
  }
  return track;
}

/** What was counted of some verdicts. */
export interface VerdictCounts {
  sent: number;
  visitors: number;
  /** How often each gate said no. */
  readonly reasons: Record<string, number>;
  /** Messages by day of the app's calendar. */
  readonly days: Record<string, number>;
}

export const newCounted = (): VerdictCounts => ({ sent: 0, visitors: 0, reasons: {}, days: {} });

/** Verdicts of one installation. That the trigger is about something else is no reason anybody would ask about. */
export function countVerdicts(counted: VerdictCounts, verdicts: readonly Verdict[], timeZone: string): void {
  const zone = siteTimeZone([timeZone]);
  let sent = 0;
  for (const { outcome, reason, at } of verdicts) {
    if (outcome === 'fired') {
      sent++;
      const { date } = localTime(at, zone);
      counted.days[date] = (counted.days[date] ?? 0) + 1;
    } else if (reason !== 'event' && reason !== 'beacon') counted.reasons[reason] = (counted.reasons[reason] ?? 0) + 1;
  }
  counted.sent += sent;
  if (sent > 0) counted.visitors++;
}
