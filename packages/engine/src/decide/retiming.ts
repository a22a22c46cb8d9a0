import {
  follow,
  lookBackSteps,
  type PastPosition,
  type PlacedBeacon,
  type PositionStep,
  type PresenceSettings,
  type Retiming,
  retimeVisits,
  type Sample,
  type TimedVisit,
  type TrackState,
} from '../index.ts';
import { type KnownSite, partsOf } from './in-order.ts';

/** Visits timed again by what was heard later. Pure. */

export interface KeptVisits extends Pick<Retiming, 'visits'> {
  readonly installationId: string;
  /** The presence before the first sample. */
  readonly checkpoint: TrackState;
  /** In order of time, with their clock corrected. */
  readonly samples: readonly Sample[];
  readonly site: KnownSite;
}

/** A part takes a millisecond. */
const PART_SAMPLES = 64;

/** Decides the samples again, as they were decided before, and looks back on the positions on the way. It yields between parts of the work. */
export function* retimeSteps({
  installationId,
  checkpoint,
  samples,
  site,
  visits,
}: KeptVisits): Generator<void, TimedVisit[]> {
  const steps: PositionStep[] = [];
  const known = new Map<string, PresenceSettings>();
  let state = checkpoint;
  for (const part of partsOf(samples, PART_SAMPLES)) {
    for (const { beaconId, settings = site.settingsOf(beaconId) } of part) known.set(beaconId, settings);
    const noteStep = (step: PositionStep) => steps.push(step);
    state = follow({ installationId, state, samples: part, ...site, noteStep }).state;
    yield;
  }
  const positions: PastPosition[] = [];
  const settingsOf = (id: string) => known.get(id) ?? site.settingsOf(id);
  for (const places of lookBackSteps({ steps, settingsOf, mapOf: site.mapOf })) {
    positions.push(...places);
    yield;
  }
  const beacons = new Map(
    [...known].flatMap(([id, { location, radius }]): [string, PlacedBeacon][] =>
      location === undefined ? [] : [[id, { location, radius }]],
    ),
  );
  return retimeVisits({ positions, beacons, visits });
}
