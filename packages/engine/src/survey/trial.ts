import { distanceAt } from '../position/geometry.ts';
import { nearestOf } from '../position/nearest.ts';
import { DEFAULT_RADIUS } from '../presence/presence.ts';
import type { PresenceSettings, Sample, TrackState } from '../presence/types.ts';
import { createRandom } from '../simulation/random.ts';
import { compareSamples, follow } from '../track.ts';
import { mapSignals, type SignalMap } from './signal-map.ts';
import { placeAt, type Survey, type Waypoint } from './survey.ts';

/**
 * What surveys are worth on their own floor: each is played as a visitor, with a map from all others and without, and what is told is
 * compared with where the surveyor was.
 */

/** A share, with the interval that holds it in 95 of 100 repetitions. */
export interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

export interface Figure {
  readonly seconds: number;
  /** Seconds in which the right zone was told, or rightly none. */
  readonly zone: Share;
  /** Seconds in which the nearest beacon was told. */
  readonly nearest: Share;
  /** Median and 90 % quantile of the error of the position, m; null without any position. */
  readonly error: { readonly p50: number; readonly p90: number } | null;
}

export interface Trial {
  readonly surveyed: Figure;
  readonly unsurveyed: Figure;
  /** Whether the map is to be used: it tells the right zone no less often, and positions are no worse. */
  readonly helps: boolean;
}

/** Null of fewer than two surveys: nothing can be left out. */
export function trySurveys(
  surveys: readonly Survey[],
  settingsOf: (beaconId: string) => PresenceSettings,
): Trial | null {
  if (surveys.length < 2) return null;
  const play = (isSurveyed: boolean) =>
    figureOf(
      surveys.map((survey) => {
        const others = surveys.filter((other) => other !== survey);
        return playSurvey(survey, settingsOf, isSurveyed ? mapSignals(others, settingsOf) : {});
      }),
    );
  const [surveyed, unsurveyed] = [play(true), play(false)];
  const isNoWorse = (surveyed.error?.p50 ?? 0) <= (unsurveyed.error?.p50 ?? Number.POSITIVE_INFINITY);
  return { surveyed, unsurveyed, helps: surveyed.zone.share >= unsurveyed.zone.share && isNoWorse };
}

interface Second {
  readonly isZoneRight: boolean;
  readonly isNearestRight: boolean;
  readonly error: number | null;
}

const SECOND_MS = 1_000;

function playSurvey(
  { id, way, samples }: Survey,
  settingsOf: (beaconId: string) => PresenceSettings,
  map: SignalMap,
): Second[] {
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
      if (place !== null && next > Number.NEGATIVE_INFINITY) seconds.push(judge(state, place, beacons));
      batch = [];
    }
    if (batch.length === 0) next = sample.occurredAt + SECOND_MS;
    batch.push(sample);
  }
  return seconds;
}

function judge(state: TrackState, place: Omit<Waypoint, 'at'>, beacons: ReadonlyMap<string, PresenceSettings>): Second {
  const around = [...beacons].flatMap(([id, { location, radius = DEFAULT_RADIUS }]) => {
    if (location === undefined || (location.floor ?? 0) !== (place.floor ?? 0)) return [];
    return { id, radius, distance: distanceAt(location, place, 0) };
  });
  const [nearest] = around.sort((a, b) => a.distance - b.distance);
  const zone = around.find(({ radius, distance }) => distance < radius)?.id;
  const told = Object.keys(state.beacons).find((id) => state.beacons[id]?.visit != null);
  const { fix } = state;
  return {
    isZoneRight: told === zone,
    isNearestRight: nearestOf(state, state.at ?? 0)?.beaconId === nearest?.id,
    error: fix === null ? null : Math.hypot(fix.x - place.x, fix.y - place.y),
  };
}

/** Neighbouring seconds say nearly the same, so they are drawn together (a block bootstrap: Künsch, 1989). */
const BLOCK_SECONDS = 20;
const REPETITIONS = 500;

function figureOf(played: readonly (readonly Second[])[]): Figure {
  const seconds = played.flat();
  const blocks = played.flatMap((one) =>
    Array.from({ length: Math.ceil(one.length / BLOCK_SECONDS) }, (_, block) =>
      one.slice(block * BLOCK_SECONDS, (block + 1) * BLOCK_SECONDS),
    ),
  );
  const errors = seconds.flatMap(({ error }) => error ?? []).sort((a, b) => a - b);
  const at = (share: number) => errors[Math.floor(share * (errors.length - 1))] as number;
  return {
    seconds: seconds.length,
    zone: shareOf(blocks, ({ isZoneRight }) => isZoneRight),
    nearest: shareOf(blocks, ({ isNearestRight }) => isNearestRight),
    error: errors.length === 0 ? null : { p50: at(0.5), p90: at(0.9) },
  };
}

function shareOf(blocks: readonly (readonly Second[])[], isRight: (second: Second) => boolean): Share {
  const counted = blocks.map((block) => ({ right: block.filter(isRight).length, all: block.length }));
  const share = (some: readonly { readonly right: number; readonly all: number }[]) => {
    const all = some.reduce((sum, one) => sum + one.all, 0);
    return all === 0 ? 0 : some.reduce((sum, one) => sum + one.right, 0) / all;
  };
  const random = createRandom('survey');
  const drawn = Array.from({ length: counted.length === 0 ? 0 : REPETITIONS }, () =>
    share(counted.map(() => random.pick(counted))),
  ).sort((a, b) => a - b);
  const bound = (at: number) => drawn[Math.floor(at * (drawn.length - 1))] ?? 0;
  return { share: share(counted), low: bound(0.025), high: bound(0.975) };
}
