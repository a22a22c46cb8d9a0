import type { Floor, Venue, Zone } from '@pharos/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { byName, listAll } from '../../lib/data/all-records.ts';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { t } from '../../lib/words/words.ts';
import type { PlaceKind } from './period.ts';
import type { WayPlace } from './queries.ts';

/** The venues of an app with their floors and zones. */
export interface SiteOf {
  readonly venues: readonly Venue[];
  readonly floors: readonly Floor[];
  readonly zones: readonly Zone[];
}

const nothing: SiteOf = { venues: [], floors: [], zones: [] };

export const siteQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listZones', 'site'),
    queryFn: async (): Promise<SiteOf> => {
      const data = dataOf(appId);
      const [venues, floors, zones] = await Promise.all([
        listAll(data.venues.list),
        listAll(data.floors.list),
        listAll(data.zones.list),
      ]);
      return {
        venues: byName(venues),
        // The lowest first, as one comes in.
        floors: floors.toSorted((a, b) => a.level - b.level),
        zones: byName(zones),
      };
    },
  });

/** Undefined until it is known. */
export function useSite(appId: string): SiteOf | undefined {
  const { data, error } = useQuery(siteQuery(appId));
  return data ?? (error ? nothing : undefined);
}

/** What zones and beacons of ways are called. */
export function useWayNames(
  appId: string,
  site: SiteOf | undefined,
  places: readonly (WayPlace | null)[],
): (place: WayPlace) => string {
  const names = useBeaconNames(
    appId,
    places.flatMap((place) => place?.beaconId ?? []),
  );
  const zones = new Map(site?.zones.map(({ objectId, name }) => [objectId, name]));
  return ({ zoneId, beaconId }) => {
    if (zoneId !== undefined) return zones.get(zoneId) ?? gone(zoneId);
    const id = beaconId ?? '';
    return names(id) ?? (names(id) === null ? gone(id) : id);
  };
}

interface Places {
  readonly kind: PlaceKind | undefined;
  readonly ids: readonly string[];
}

export function usePlaceNames(appId: string, site: SiteOf | undefined, { kind, ids }: Places): (id: string) => string {
  const beaconNames = useBeaconNames(appId, kind === 'beacon' ? ids : []);
  if (kind === 'beacon') return (id) => beaconNames(id) ?? (beaconNames(id) === null ? gone(id) : id);
  const names = new Map(kind && site?.[`${kind}s`].map(({ objectId, name }) => [objectId, name]));
  return (id) => names.get(id) ?? gone(id);
}

export const gone = (id: string) => t('Deleted ({id})', { id: id.slice(-4) });
