import { type Answer, operations } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { dataKey, dataOf } from './api.ts';

/** That somebody found a beacon where it is said to be. */
export type Placement = Answer<'listPlacements'>['results'][number];

/** Of the beacons of a venue, or of one beacon, by the ids of the beacons. */
export const placementsQuery = (appId: string, of: { readonly venueId: string } | { readonly beaconId: string }) =>
  queryOptions({
    queryKey: dataKey(appId, 'listPlacements', of),
    queryFn: async (): Promise<ReadonlyMap<string, Placement>> => {
      const { results } = await dataOf(appId).call(operations.listPlacements, { query: of });
      return new Map(results.map((one) => [one.beaconId.objectId, one]));
    },
  });

export const placementKeys = (appId: string) => [dataKey(appId, 'listPlacements')];
