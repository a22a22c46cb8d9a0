import type { Answer } from '@pharos/sdk';
import { instantOf } from '../../lib/time/zoned-time.ts';

export type Rehearsal = Answer<'simulateSightings'>['result'];

export interface WalkFields {
  /** An installation; empty: somebody who was never here. */
  readonly visitor: string;
  /** In the order in which they are visited. */
  readonly beacons: readonly string[];
  /** `2026-05-04T11:30`, in the zone of the app. */
  readonly when: string;
  readonly minutes: number | string;
  readonly canBeReached: boolean;
}

const walkMs = 60_000;
const settleMs = 60_000;
const nobody = 'a-visitor-who-was-never-here';

/** A walk from beacon to beacon as the phone would report it. */
export function walkBody({ visitor, beacons, when, minutes, canBeReached }: WalkFields, zone: string) {
  const start = instantOf(when, zone);
  const stayMs = Number(minutes) * 60_000;
  const iso = (at: number) => new Date(at).toISOString();
  const sightings = beacons.flatMap((beacon, index) => {
    const at = start + index * (stayMs + walkMs);
    return [
      { beacon, event: 'ENTER', occurredAt: iso(at) },
      { beacon, event: 'EXIT', occurredAt: iso(at + stayMs) },
    ];
  });
  const end = start + beacons.length * (stayMs + walkMs);
  return {
    installationId: visitor === '' ? nobody : visitor,
    sightings,
    at: iso(start),
    until: iso(end + settleMs),
    continues: visitor !== '',
    hasTarget: canBeReached,
  };
}

/** The verdicts of each event, what is shown first; messages that were never meant for such an event are left out. */
export function verdictsOf(rehearsal: Rehearsal, eventId: string) {
  const rank = { fired: 0, pending: 1, stopped: 2 } as const;
  const ofEvent = rehearsal.verdicts.filter((verdict) => verdict.eventId === eventId);
  return lastOf(ofEvent)
    .filter(({ reason }) => reason !== 'event' && reason !== 'beacon')
    .toSorted((a, b) => rank[a.outcome] - rank[b.outcome]);
}

/** A message that waits for a dwell is judged twice: what it came to counts. */
function lastOf(verdicts: Rehearsal['verdicts']): readonly Rehearsal['verdicts'][number][] {
  return [...new Map(verdicts.map((verdict) => [verdict.triggerId, verdict])).values()];
}
