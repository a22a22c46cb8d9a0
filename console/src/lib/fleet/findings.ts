import { queryOptions } from '@tanstack/react-query';
import { call, dataKey } from '../data/api.ts';
import type { Operations } from '../wire.ts';

/** What is wrong with a beacon, or was. */
export type Finding = Operations['listFindings']['answer']['result'][number];

export const findingsQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listBeacons', 'findings'),
    queryFn: async ({ signal }): Promise<readonly Finding[]> =>
      (await call('listFindings', { params: { appId }, signal })).result,
    refetchInterval: 60_000,
  });

export const changeFinding = (appId: string, { beaconId, kind }: Finding, state: Finding['state']) =>
  call('changeFinding', { params: { appId, beaconId, kind }, body: { state } });

/** Whether a finding still needs somebody: it is open or acknowledged. */
export const isToDo = ({ isFound, state }: Finding): boolean => isFound && (state === 'open' || state === 'seen');

/** Whether a new battery probably fixes it. */
export const needsBattery = ({ kind }: Finding): boolean => kind === 'silent' || kind === 'battery';

/**
 * In the order of a walk: venue by venue, floor by floor, from the corner of the plan always to the nearest one. Those without a place come
 * last.
 */
export function inOrderOfWalk(findings: readonly Finding[]): readonly Finding[] {
  const groups = Map.groupBy(findings, ({ venueId, location }) => `${venueId} ${location?.floor}`);
  return [...groups.values()].toSorted(([a], [b]) => (a && b ? byPlace(a, b) : 0)).flatMap(walk);
}

/** By venue and floor; findings without a place come last. */
function byPlace(a: Finding, b: Finding): number {
  const known = (one: Finding) => [one.venueId === undefined, one.location === undefined].map(Number);
  const [[noVenueA = 0, noPlaceA = 0], [noVenueB = 0, noPlaceB = 0]] = [known(a), known(b)];
  const byVenue = noVenueA - noVenueB || (a.venueId ?? '').localeCompare(b.venueId ?? '');
  return byVenue || noPlaceA - noPlaceB || (a.location?.floor ?? 0) - (b.location?.floor ?? 0);
}

function walk(group: readonly Finding[]): readonly Finding[] {
  const left = [...group];
  const walked: Finding[] = [];
  let at = { x: 0, y: 0 };
  while (left.length > 0) {
    const metres = ({ location }: Finding) =>
      location ? Math.hypot(location.x - at.x, location.y - at.y) : Number.POSITIVE_INFINITY;
    const nearest = left.reduce((best, one) => (metres(one) < metres(best) ? one : best));
    left.splice(left.indexOf(nearest), 1);
    walked.push(nearest);
    at = nearest.location ?? at;
  }
  return walked;
}

/** What is to do, the batteries among it in the order of a walk, and what is mended or muted. */
export type ConditionView = 'todo' | 'batteries' | 'done';
