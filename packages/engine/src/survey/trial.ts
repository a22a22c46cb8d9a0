import { distanceAt } from '../position/geometry.ts';
import { nearestOf } from '../position/nearest.ts';
import { DEFAULT_RADIUS } from '../presence/presence.ts';
import type { PresenceSettings, Sample, TrackState } from '../presence/types.ts';
import { compareSamples, follow } from '../track.ts';
import { type BadSpot, badSpotsOf, type Figure, figureSteps, type Second } from './figure.ts';
import { allOf, type SettingsOf, type SignalMap, signalMapSteps } from './signal-map.ts';
import { placeAt, type Survey, type Waypoint } from './survey.ts';

/**
 * The value of surveys on their own floor: each is replayed as a visitor, with a map of all others and without, and the reported position is
 * compared with the surveyor's.
 */

export interface Trial {
  readonly surveyed: Figure;
  readonly unsurveyed: Figure;
  /** Whether the map is to be used: it tells the right zone no less often, and positions are no worse. */
  readonly helps: boolean;
  /** Where it goes wrong most, with the map if it helps. */
  readonly badSpots: readonly BadSpot[];
}

/** Null where nothing can be left out, or too little says something: of fewer than two surveys, or of less than four spots of ten seconds. */
export const trySurveys = (surveys: readonly Survey[], settingsOf: SettingsOf): Trial | null =>
  allOf(trialSteps(surveys, settingsOf));

/** Four spots of ten seconds. */
const LEAST_SECONDS = 36;
/** Of more surveys than this, several are left out at once. */
const MAX_PARTS = 10;

/** The trial in steps of some milliseconds, between which other work can run. */
export function* trialSteps(surveys: readonly Survey[], settingsOf: SettingsOf): Generator<void, Trial | null> {
  if (surveys.length < 2) return null;
  const [withMap, without]: [Second[][], Second[][]] = [[], []];
  const parts = Math.min(MAX_PARTS, surveys.length);
  for (let part = 0; part < parts; part++) {
    const map = yield* signalMapSteps(
      surveys.filter((_, index) => index % parts !== part),
      settingsOf,
    );
    for (const survey of surveys.filter((_, index) => index % parts === part)) {
      withMap.push(yield* playSteps(survey, settingsOf, map));
      without.push(yield* playSteps(survey, settingsOf, {}));
    }
  }
  if (without.flat().length < LEAST_SECONDS) return null;
  const surveyed = yield* figureSteps(withMap);
  const unsurveyed = yield* figureSteps(without);
  const isNoWorse = (surveyed.error?.p50.metres ?? 0) <= (unsurveyed.error?.p50.metres ?? Number.POSITIVE_INFINITY);
  const helps = surveyed.zone.share >= unsurveyed.zone.share && isNoWorse;
  return { surveyed, unsurveyed, helps, badSpots: badSpotsOf(helps ? withMap : without) };
}

const SECOND_MS = 1_000;

function* playSteps({ id, way, samples }: Survey, settingsOf: SettingsOf, map: SignalMap): Generator<void, Second[]> {
  const beacons = new Map([...new Set(samples.map(({ beaconId }) => beaconId))].map((one) => [one, settingsOf(one)]));
  const settings = (one: string): PresenceSettings => ({ ...beacons.get(one), oneZone: true });
  const seconds: Second[] = [];
  let [state, batch, next]: [TrackState | null, Sample[], number] = [null, [], Number.NEGATIVE_INFINITY];
  for (const sample of [...samples].sort(compareSamples)) {
    if (sample.occurredAt >= next && batch.length > 0) {
      state = follow({
        installationId: id,
        state,
        samples: batch,
        settingsOf: settings,
        mapOf: (one) => map[one],
      }).state;
      const { at } = state;
      const place = at === null ? null : placeAt(way, at);
      if (place !== null && next > Number.NEGATIVE_INFINITY) seconds.push(judge(state, place, { beacons, batch }));
      batch = [];
      yield;
    }
    if (batch.length === 0) next = sample.occurredAt + SECOND_MS;
    batch.push(sample);
  }
  return seconds;
}

interface Around {
  readonly beacons: ReadonlyMap<string, PresenceSettings>;
  /** What was heard in this second. */
  readonly batch: readonly Sample[];
}

function judge(state: TrackState, place: Omit<Waypoint, 'at'>, { beacons, batch }: Around): Second {
  const around = [...beacons].flatMap(([id, { location, radius = DEFAULT_RADIUS }]) => {
    if (location === undefined || (location.floor ?? 0) !== (place.floor ?? 0)) return [];
    return { id, radius, distance: distanceAt(location, place, 0) };
  });
  const [nearest] = around.sort((a, b) => a.distance - b.distance);
  const zone = around.find(({ radius, distance }) => distance < radius)?.id;
  const decided = Object.keys(state.beacons).find((id) => state.beacons[id]?.visit != null);
  const { fix } = state;
  return {
    x: place.x,
    y: place.y,
    isZoneRight: decided === zone,
    isNearestRight: nearestOf(state, state.at ?? 0)?.beaconId === nearest?.id,
    error: fix === null ? null : Math.hypot(fix.x - place.x, fix.y - place.y),
    nearest: nearest
      ? { distance: nearest.distance, isHeard: batch.some(({ beaconId }) => beaconId === nearest.id) }
      : null,
  };
}
