import { type Beacon, type Floor, operations, PharosError, type Zone } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { listed, t } from '../words/words.ts';
import { byName, listAll } from './all-records.ts';
import { dataKey, dataOf, dataQuery } from './api.ts';

export const pointer = <Name extends string>(className: Name, objectId: string) =>
  ({ __type: 'Pointer', className, objectId }) as const;

export const venueQuery = (appId: string, venueId: string) =>
  dataQuery(appId, 'getVenue', [venueId], (data) => data.venues.get(venueId));

export const venueKeys = (appId: string) => [dataKey(appId, 'listVenues'), dataKey(appId, 'getVenue')];

/** The floors of a venue, the highest first, as in a lift. */
export const floorsQuery = (appId: string, venueId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listFloors', venueId),
    queryFn: async (): Promise<readonly Floor[]> => {
      const where = { venueId: pointer('Venue', venueId) };
      const floors = await listAll(dataOf(appId).floors.list, where);
      return floors.toSorted((a, b) => b.level - a.level);
    },
  });

/** All floors of an app with their gateways, which name the secret keys that they send. */
export const allFloorsQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listFloors', 'of-all-venues'),
    queryFn: (): Promise<readonly Floor[]> => listAll(dataOf(appId).floors.list),
  });

export const zonesQuery = (appId: string, venueId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listZones', venueId),
    queryFn: (): Promise<readonly Zone[]> => listAll(dataOf(appId).zones.list, { venueId: pointer('Venue', venueId) }),
  });

export const venueBeaconsQuery = (appId: string, venueId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listBeacons', 'of-venue', venueId),
    queryFn: (): Promise<readonly Beacon[]> =>
      listAll(dataOf(appId).beacons.list, { venueId: pointer('Venue', venueId) }),
  });

/** Beacons that belong to no venue yet. */
export const freeBeaconsQuery = (appId: string) =>
  dataQuery(appId, 'listBeacons', ['without-venue'], async (data) =>
    byName(await listAll(data.beacons.list, { venueId: { $exists: false } })),
  );

/** The address of a floor's picture. */
export const planFileQuery = (appId: string, fileId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getFile', fileId),
    // Not from the list, which those who are limited to venues do not get.
    queryFn: async () => {
      try {
        return (await dataOf(appId).call(operations.getFile, { params: { file: fileId } })).result;
      } catch (error) {
        if (error instanceof PharosError && error.status === 404) return null;
        throw error;
      }
    },
  });

/** What has to be read again when a floor, its zones or the places of its beacons change. */
export const planKeys = (appId: string) => [
  dataKey(appId, 'listFloors'),
  dataKey(appId, 'listZones'),
  dataKey(appId, 'listBeacons'),
  dataKey(appId, 'getBeacon'),
];

export const venueNamesQuery = (appId: string) =>
  dataQuery(appId, 'listVenues', ['names'], async (data) => byName(await listAll(data.venues.list)));

interface Named {
  readonly objectId: string;
  readonly name: string;
}

/** It may come back from the trash. */
export const deletedVenue = () => t('A deleted venue');

/** `North house and South house` */
export function venueNames(venues: readonly Named[], ids: readonly string[]): string {
  if (ids.length === 0) return t('No venue');
  return listed(ids.map((id) => venues.find(({ objectId }) => objectId === id)?.name ?? deletedVenue()));
}
